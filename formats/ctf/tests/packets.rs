//! Packets: sizes, losses, clocks, damage, and streams of several files.

use foldtrace_ctf::Ctf;
use foldtrace_testing::read;

use crate::trace::{TRACE, Trace, problems, show};

/// A clock, and packets of 32 bytes with their beginning, sequence number and number of discarded events.
const STREAM: &str = "
clock { name = c; freq = 1000; offset_s = 2; offset = 5; };
typealias integer { size = 32; map = clock.c.value; } := t32;
stream {
    packet.context := struct { t32 timestamp_begin; u32 content_size; u32 packet_size; u16 packet_seq_num; u16 events_discarded; };
    event.header := struct { integer { size = 8; map = clock.c.value; } timestamp; u8 id; };
};
event { name = a; id = 0; };
event { name = b; id = 1; fields := struct { u16 n; }; };
";

/// Returns a packet of [`STREAM`].
fn packet(begin: u32, sequence: u16, discarded: u16, events: &[u8]) -> Vec<u8> {
    let mut bytes = begin.to_le_bytes().to_vec();
    bytes.extend((8 * (16 + events.len()) as u32).to_le_bytes());
    bytes.extend(256_u32.to_le_bytes());
    bytes.extend(sequence.to_le_bytes());
    bytes.extend(discarded.to_le_bytes());
    bytes.extend(events);
    bytes.resize(32, 0xee);
    bytes
}

fn metadata() -> String {
    format!("{TRACE}{STREAM}")
}

#[test]
fn times_wrap_around_and_losses_are_counted() {
    let first = packet(0x1f0, 3, 2, &[0xf5, 0, 0x02, 1, 9, 0]);
    let second = packet(0x300, 6, 7, &[0x01, 0]);
    let trace = Trace::new(&metadata(), &[first, second].concat()).read();
    let lines = [
        "stream 0 of rank 0",
        "2506 local a",
        "2519 local b n=9",
        "2774 local a",
    ];
    assert_eq!(show(&trace), lines);
    let clock = trace.definitions.clock();
    assert_eq!(
        (
            clock.ticks_per_second,
            clock.global_offset,
            clock.trace_length
        ),
        (1000, 2506, 268)
    );
    let losses = [
        "ctf.discarded_events 5",
        "ctf.discarded_before 1",
        "ctf.lost_packets 2",
    ];
    assert_eq!(problems(&trace), losses);
}

#[test]
fn streams_are_in_the_order_of_time() {
    let trace = Trace::new(&metadata(), &packet(0, 0, 0, &[1, 0, 5, 0]));
    trace.add("other", &packet(0, 0, 0, &[3, 0, 4, 0]));
    let read = trace.read();
    assert_eq!(read.events.len(), 2);
    assert_eq!(
        show(&read)[..3],
        ["stream 1 of rank 0", "2006 local a", "2010 local a"]
    );
}

#[test]
fn damaged_packets_are_passed_over() {
    let unknown = packet(9, 1, 0, &[9, 0, 9, 77]);
    let parts = [
        packet(0, 0, 0, &[1, 0]),
        unknown,
        packet(20, 2, 0, &[21, 0]),
    ];
    let trace = Trace::new(&metadata(), &parts.concat());
    assert_eq!(
        trace.error(),
        "an event has the number 77, which the metadata do not describe"
    );
    let salvaged = trace.salvage();
    assert_eq!(
        show(&salvaged)[1..],
        ["2006 local a", "2014 local a", "2026 local a"]
    );
    assert_eq!(problems(&salvaged), ["ctf.damaged_stream 1"]);
}

#[test]
fn a_packet_that_is_cut_off_is_read_as_far_as_possible() {
    let bytes = packet(0, 0, 0, &[1, 0, 2, 1, 9, 0]);
    let trace = Trace::new(&metadata(), &bytes[..20]);
    assert_eq!(trace.error(), "expected a packet of 32 bytes, found 20");
    let salvaged = trace.salvage();
    assert_eq!(show(&salvaged)[1..], ["2006 local a"]);
    assert_eq!(
        problems(&salvaged),
        ["ctf.damaged_stream 1", "ctf.cut_off 1"]
    );
}

#[test]
fn an_event_without_content_is_refused() {
    let metadata = format!("{TRACE} event {{ name = e; }};");
    assert_eq!(
        Trace::new(&metadata, b"abc").error(),
        "the event 'e' occupies no space"
    );
}

#[test]
fn events_larger_than_a_window_are_read() {
    let metadata =
        format!("{TRACE} event {{ name = e; fields := struct {{ u32 n; u8 list[n]; }}; }};");
    let count = 3_000_000_u32;
    let mut stream = count.to_le_bytes().to_vec();
    stream.resize(4 + count as usize, 1);
    let trace = Trace::new(&metadata, &[stream.clone(), stream].concat()).read();
    assert_eq!(
        show(&trace)[2].len(),
        "1 local e n=3000000 list=[]".len() + 2 * count as usize - 1
    );
}

#[test]
fn files_of_one_stream_follow_each_other() {
    let metadata = "/* CTF 1.8 */
        typealias integer { size = 8; } := u8;
        trace { major = 1; minor = 8; byte_order = be; packet.header := struct { u8 stream_id; u8 stream_instance_id; }; };
        stream { id = 7; packet.context := struct { u8 timestamp_begin; }; event.header := struct { u8 timestamp; }; };
        event { name = e; stream_id = 7; };";
    let trace = Trace::new(metadata, &[7, 1, 50, 51]);
    trace.add("a", &[7, 2, 10, 20]);
    trace.add("z", &[7, 1, 5, 6]);
    let lines = [
        "stream 0 of rank 0",
        "6 local e",
        "51 local e",
        "stream 1 of rank 0",
        "20 local e",
    ];
    assert_eq!(show(&trace.read()), lines);
    trace.add("b", &[8, 2, 10, 20]);
    assert_eq!(
        trace.error(),
        "a packet belongs to stream 8, which the metadata do not describe"
    );
}

#[test]
fn times_of_more_than_64_bits_are_refused_with_their_place() {
    let metadata = metadata().replace("offset_s = 2", "offset_s = 18446744073709551");
    let trace = Trace::new(&metadata, b"");
    let stream = trace.add("stream", &packet(1000, 0, 0, &[0xe9, 0]));
    let error = read(&Ctf, stream.parent().unwrap(), false).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the time of an event does not fit into 64 bits"
    );
    let place = (error.place.file.as_deref(), error.place.byte);
    assert_eq!(place, (Some(&*stream), Some(16)));
}

#[test]
fn a_folder_without_a_trace_has_nothing_to_salvage() {
    let folder = tempfile::tempdir().unwrap();
    let error = read(&Ctf, folder.path(), true).unwrap_err();
    assert!(error.to_string().ends_with("contains no trace of CTF"));
}
