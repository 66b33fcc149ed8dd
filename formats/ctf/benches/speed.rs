//! Measures the speed and the CPU time of reading a trace like LTTng's, compared with the CPU time of babeltrace2, which reads it and
//! prints nothing. Run with `cargo bench -p foldtrace-ctf`.

use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use foldtrace_ctf::Ctf;
use foldtrace_testing::speed::{read_stream, seconds};
use nix::sys::resource::UsageWho;

/// The numbers of streams, and of packets in each: those of a machine with 8 processors, and those of many processes, whose events
/// alternate.
const SIZES: [(u32, u64); 2] = [(8, 250), (1000, 2)];
/// The size of a packet, in bytes.
const PACKET: usize = 1 << 16;

const METADATA: &str = "/* CTF 1.8 */
typealias integer { size = 8; align = 8; signed = false; } := uint8_t;
typealias integer { size = 32; align = 8; signed = false; } := uint32_t;
typealias integer { size = 64; align = 8; signed = false; } := uint64_t;
typealias integer { size = 5; align = 1; signed = false; } := uint5_t;
trace {
	major = 1; minor = 8; byte_order = le;
	packet.header := struct { uint32_t magic; uint32_t stream_id; uint64_t stream_instance_id; };
};
clock { name = monotonic; freq = 1000000000; offset = 1351530929945824323; };
typealias integer { size = 27; align = 1; map = clock.monotonic.value; } := uint27_clock_t;
typealias integer { size = 64; align = 8; map = clock.monotonic.value; } := uint64_clock_t;
struct event_header_compact {
	enum : uint5_t { compact = 0 ... 30, extended = 31 } id;
	variant <id> {
		struct { uint27_clock_t timestamp; } compact;
		struct { uint32_t id; uint64_clock_t timestamp; } extended;
	} v;
} align(8);
stream {
	id = 0;
	event.header := struct event_header_compact;
	packet.context := struct {
		uint64_clock_t timestamp_begin; uint64_clock_t timestamp_end;
		uint64_t content_size; uint64_t packet_size; uint64_t packet_seq_num; uint64_t events_discarded; uint32_t cpu_id;
	};
	event.context := struct { integer { size = 32; align = 8; signed = 1; } _vpid; integer { size = 32; align = 8; signed = 1; } _vtid; };
};
event {
	name = \"lttng_ust_cyg_profile:func_entry\"; id = 0; stream_id = 0;
	fields := struct { integer { size = 64; align = 8; base = 16; } _addr; integer { size = 64; align = 8; base = 16; } _call_site; };
};
event {
	name = \"lttng_ust_cyg_profile:func_exit\"; id = 1; stream_id = 0;
	fields := struct { integer { size = 64; align = 8; base = 16; } _addr; integer { size = 64; align = 8; base = 16; } _call_site; };
};
event {
	name = \"program:step\"; id = 2; stream_id = 0;
	fields := struct { integer { size = 32; align = 8; signed = 1; } _number; string _phase; };
};
";

/// Appends an event. Returns whether it fits into the packet.
fn event(packet: &mut Vec<u8>, stream: u32, number: u64, time: u64) -> bool {
    let kind = number % 4;
    let id = [0, 2, 1, 2][kind as usize];
    let header = id | (time as u32 & 0x7ff_ffff) << 5;
    let mut bytes = header.to_le_bytes().to_vec();
    bytes.extend((stream / 4).to_le_bytes());
    bytes.extend(stream.to_le_bytes());
    if id == 2 {
        bytes.extend((number as u32).to_le_bytes());
        bytes.extend([&b"solve\0"[..], b"exchange\0"][(number / 4 % 2) as usize]);
    } else {
        bytes.extend((0x55_0000_1000 + number / 4 % 64 * 16).to_le_bytes());
        bytes.extend(0x55_0000_9000_u64.to_le_bytes());
    }
    let fits = packet.len() + bytes.len() <= PACKET;
    if fits {
        packet.extend(bytes);
    }
    fits
}

/// Writes a stream. Returns the number of its events.
fn write_stream(path: &Path, stream: u32, packets: u64) -> Result<u64, Box<dyn Error>> {
    let mut out = BufWriter::new(File::create(path)?);
    let mut events = 0;
    for sequence in 0..packets {
        let time = |events: u64| events * 50_000 + u64::from(stream) * 37;
        let mut packet = 0xc1fc_1fc1_u32.to_le_bytes().to_vec();
        packet.extend(0_u32.to_le_bytes());
        packet.extend(u64::from(stream).to_le_bytes());
        packet.extend(time(events).to_le_bytes());
        let sizes = packet.len();
        packet.extend([0; 24]);
        packet.extend(sequence.to_le_bytes());
        packet.extend(0_u64.to_le_bytes());
        packet.extend(0_u32.to_le_bytes());
        while event(&mut packet, stream, events, time(events)) {
            events += 1;
        }
        let bits = 8 * packet.len() as u64;
        packet[sizes..sizes + 8].copy_from_slice(&time(events).to_le_bytes());
        packet[sizes + 8..sizes + 16].copy_from_slice(&bits.to_le_bytes());
        packet[sizes + 16..sizes + 24].copy_from_slice(&(8 * PACKET as u64).to_le_bytes());
        packet.resize(PACKET, 0);
        out.write_all(&packet)?;
    }
    out.flush()?;
    Ok(events)
}

/// Returns the seconds that babeltrace2 takes to read a trace.
fn babeltrace(folder: &Path) -> Result<f64, Box<dyn Error>> {
    let start = seconds(UsageWho::RUSAGE_CHILDREN);
    let status = Command::new("babeltrace2")
        .arg(folder)
        .args(["-c", "sink.utils.dummy"])
        .stdout(Stdio::null())
        .status()?;
    if !status.success() {
        return Err("babeltrace2 failed".into());
    }
    Ok(seconds(UsageWho::RUSAGE_CHILDREN) - start)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = std::io::stdout().lock();
    for (streams, packets) in SIZES {
        let folder = tempfile::tempdir()?;
        std::fs::write(folder.path().join("metadata"), METADATA)?;
        let mut events = 0;
        for stream in 0..streams {
            events += write_stream(
                &folder.path().join(format!("channel_{stream}")),
                stream,
                packets,
            )?;
        }
        let size = f64::from(streams) * packets as f64 * PACKET as f64 / 1e6;
        let start = Instant::now();
        let ours = read_stream(&Ctf, folder.path());
        let speed = size / start.elapsed().as_secs_f64();
        let (per_core, rate) = (size / ours, events as f64 / 1e6 / ours);
        writeln!(
            out,
            "reads {streams} streams, {size:.0} MB: {speed:.0} MB/s; {per_core:.0} MB and {rate:.1} million events per second of CPU time"
        )?;
        match babeltrace(folder.path()) {
            Ok(theirs) => writeln!(
                out,
                "babeltrace2 reads {:.0} MB/s of them: {:.1} times",
                size / theirs,
                theirs / ours
            )?,
            Err(error) => writeln!(out, "babeltrace2 is missing: {error}")?,
        }
    }
    Ok(())
}
