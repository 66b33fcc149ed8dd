//! Measures how fast Perfetto traces are read and written, in CPU time, compared with `protoc --decode_raw`, which
//! decodes the same bytes without a schema. Run with `cargo bench -p foldtrace-perfetto`.

use std::error::Error;
use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use foldtrace_perfetto::Perfetto;
use foldtrace_perfetto::messages::{
    AnnotationValue, DebugAnnotation, InternedData, InternedName, NEEDS_STATE, STATE_CLEARED,
    ThreadDescriptor, TracePacket, TrackDescriptor, TrackEvent, Type,
};
use foldtrace_testing::speed::{read_stream, seconds, write_ring};
use foldtrace_trace::{Diagnostics, EventBatch, Format, Input, ReadOptions, Step};
use nix::sys::resource::UsageWho;

const SIZE: usize = 200 << 20;
const THREADS: u32 = 1000;
const TURNS: u64 = 500_000;

fn push(out: &mut Vec<u8>, packet: &TracePacket) {
    prost::encoding::message::encode(1, packet, out);
}

fn name(iid: u64, text: &str) -> Vec<InternedName> {
    vec![InternedName {
        iid: Some(iid),
        name: Some(text.to_owned()),
    }]
}

/// Returns the mixed calls of many threads, as Perfetto's SDK writes them: each with a name, a category and an annotation.
fn recorded() -> Vec<u8> {
    let mut out = Vec::with_capacity(SIZE + 1000);
    for thread in 1..=THREADS {
        let packet = TracePacket {
            trusted_packet_sequence_id: Some(thread),
            sequence_flags: Some(STATE_CLEARED),
            interned_data: Some(InternedData {
                event_categories: name(1, "user"),
                event_names: name(1, "step"),
                debug_annotation_names: name(1, "begin_ns"),
                debug_annotation_string_values: Vec::new(),
            }),
            track_descriptor: Some(TrackDescriptor {
                uuid: Some(u64::from(thread)),
                thread: Some(ThreadDescriptor {
                    pid: i32::try_from(thread / 8).ok(),
                    tid: Some(i64::from(thread)),
                    ..ThreadDescriptor::default()
                }),
                ..TrackDescriptor::default()
            }),
            ..TracePacket::default()
        };
        push(&mut out, &packet);
    }
    let mut time = 1_295_675_346_737_382;
    while out.len() < SIZE {
        let turn = (time / 300) as u32;
        let thread = turn % THREADS + 1;
        let is_begin = (turn / THREADS).is_multiple_of(2);
        let event = TrackEvent {
            category_iids: if is_begin { vec![1] } else { Vec::new() },
            debug_annotations: vec![DebugAnnotation {
                name_iid: Some(1),
                value: Some(AnnotationValue::Uint(time)),
            }],
            r#type: Some(if is_begin {
                Type::SliceBegin
            } else {
                Type::SliceEnd
            } as i32),
            name_iid: is_begin.then_some(1),
            track_uuid: Some(u64::from(thread)),
            ..TrackEvent::default()
        };
        let packet = TracePacket {
            timestamp: Some(time),
            trusted_packet_sequence_id: Some(thread),
            sequence_flags: Some(NEEDS_STATE),
            track_event: Some(event),
            ..TracePacket::default()
        };
        push(&mut out, &packet);
        time += 300;
    }
    out
}

/// Returns the seconds that `protoc` takes to decode a file.
fn protoc(path: &Path) -> Result<f64, Box<dyn Error>> {
    let start = seconds(UsageWho::RUSAGE_CHILDREN);
    let status = Command::new("protoc")
        .arg("--decode_raw")
        .stdin(File::open(path)?)
        .stdout(Stdio::null())
        .status()?;
    if !status.success() {
        return Err("protoc failed".into());
    }
    Ok(seconds(UsageWho::RUSAGE_CHILDREN) - start)
}

/// Returns the seconds that reading all streams of a trace takes, and the number of events.
fn read_streams(path: &Path) -> Result<(f64, usize), Box<dyn Error>> {
    let start = seconds(UsageWho::RUSAGE_SELF);
    let reader = Perfetto.open(Input::Path(path.to_owned()), &ReadOptions::default())?;
    let (mut batch, mut diagnostics) = (EventBatch::default(), Diagnostics::default());
    let mut events = 0;
    for index in 0..reader.streams().len() {
        let mut stream = reader.open_stream(index)?;
        while stream.next_batch(&mut batch, &mut diagnostics)? != Step::End {
            events += batch.len();
        }
    }
    Ok((seconds(UsageWho::RUSAGE_SELF) - start, events))
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let mut out = std::io::stdout().lock();
    let path = folder.path().join("a.pftrace");
    let megabytes = || -> Result<f64, Box<dyn Error>> { Ok(path.metadata()?.len() as f64 / 1e6) };
    std::fs::write(&path, recorded())?;
    let (taken, events) = read_streams(&path)?;
    let reading = megabytes()? / taken;
    writeln!(
        out,
        "reads {reading:.0} MB/s of a trace like those of Perfetto's SDK, {:.1} million events a second",
        events as f64 / taken / 1e6
    )?;
    match protoc(&path) {
        Ok(taken) => {
            let decoding = megabytes()? / taken;
            let ratio = reading / decoding;
            writeln!(
                out,
                "protoc decodes {decoding:.0} MB/s of it: {ratio:.1} times"
            )?;
        }
        Err(error) => writeln!(
            out,
            "no comparison with protoc (package protobuf-compiler): {error}"
        )?,
    }
    let writing = megabytes_of_ring(&path)?;
    let own = megabytes()? / read_stream(&Perfetto, &path);
    writeln!(
        out,
        "writes {writing:.0} MB/s, and reads {own:.0} MB/s of that"
    )?;
    Ok(())
}

/// Returns the speed of writing messages on a ring of processes, in megabytes per second.
fn megabytes_of_ring(path: &Path) -> Result<f64, Box<dyn Error>> {
    let taken = write_ring(&Perfetto, path, TURNS);
    Ok(path.metadata()?.len() as f64 / 1e6 / taken)
}
