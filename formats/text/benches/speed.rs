//! Measures how fast a trace of 200 MB is read and written on one core, compared with finding its line ends: `cargo
//! bench -p foldtrace-text`. For another trace, use `… -- FILE`.

use std::error::Error;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::time::Instant;

use foldtrace_text::TextFormat;
use foldtrace_trace::{Diagnostics, EventBatch, Format, Input, Output, ReadOptions, Step};

const SIZE: usize = 200 << 20;

/// Returns a trace in which each process repeats the same turn. With `interleaved`, the turns of 64 processes are
/// mixed.
fn make(interleaved: bool, time: bool) -> String {
    let mut text = String::with_capacity(SIZE + 1000);
    let mut clock = 1_000_000_000u64;
    let mut turn = 0u64;
    while text.len() < SIZE {
        let me = if interleaved {
            turn % 64
        } else {
            (text.len() * 64 / SIZE) as u64
        };
        let (left, right) = ((me + 63) % 64, (me + 1) % 64);
        turn += 1;
        for line in [
            format!("{me} local enter MPI_Isend"),
            format!("{me} isend {right} 17"),
            format!("{me} local leave MPI_Isend"),
            format!("{left} recv {me} 17"),
            format!("{me} sync MPI_Allreduce 0-63"),
        ] {
            clock += 120;
            let bytes = if line.contains("recv") {
                " bytes=80000"
            } else {
                ""
            };
            let _ = if time {
                writeln!(text, "{line} time={clock}{bytes}")
            } else {
                writeln!(text, "{line}")
            };
        }
    }
    text
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let mut out = std::io::stdout().lock();
    let mut files = std::env::args_os().skip(1).filter(|file| file != "--bench");
    if let Some(file) = files.next() {
        writeln!(out, "{}", compare(Path::new(&file), folder.path())?)?;
        return Ok(());
    }
    for (name, interleaved, time) in [
        ("one process after another, with time", false, true),
        ("64 processes mixed, with time", true, true),
        ("one process after another, as in the paper", false, false),
    ] {
        let path = folder.path().join("in.trace");
        std::fs::write(&path, make(interleaved, time))?;
        writeln!(out, "{name}: {}", compare(&path, folder.path())?)?;
    }
    Ok(())
}

/// Reads and writes the trace at `path`.
fn compare(path: &Path, folder: &Path) -> Result<String, Box<dyn Error>> {
    let text = std::fs::read(path)?;
    let megabytes = text.len() as f64 / 1e6;
    let start = Instant::now();
    let lines = memchr::memchr_iter(b'\n', &text).count();
    let baseline = megabytes / start.elapsed().as_secs_f64();
    drop(text);
    let (reading, _) = measure(path, None)?;
    let (both, written) = measure(path, Some(&folder.join("out.trace")))?;
    let writing = written as f64 / 1e6 / (both - reading).max(1e-9);
    let reading = megabytes / reading;
    Ok(format!(
        "{lines} lines; reads {reading:.0} MB/s, writes {writing:.0} MB/s; \
         finding the ends of lines: {baseline:.0} MB/s, {:.1} times reading",
        baseline / reading,
    ))
}

/// Returns the seconds to read `path` and write it to `to`, and the size of the output.
fn measure(path: &Path, to: Option<&Path>) -> Result<(f64, u64), Box<dyn Error>> {
    let start = Instant::now();
    let reader = TextFormat.open(Input::Path(path.to_owned()), &ReadOptions::default())?;
    let mut stream = reader.open_stream(0)?;
    let mut batch = EventBatch::default();
    let mut diagnostics = Diagnostics::default();
    let output = |path: &Path| Output::Path {
        path: path.to_owned(),
        replace: true,
    };
    let mut writer = to.map(|to| TextFormat.create(output(to))).transpose()?;
    if let Some(writer) = &mut writer {
        writer.definitions(reader.definitions())?;
    }
    while stream.next_batch(&mut batch, &mut diagnostics)? != Step::End {
        if let Some(writer) = &mut writer {
            writer.write(&batch, stream.symbols())?;
        }
    }
    if let Some(mut writer) = writer {
        writer.write(&batch, stream.symbols())?;
        writer.finish()?;
    }
    let seconds = start.elapsed().as_secs_f64();
    Ok((
        seconds,
        to.map_or(0, |to| to.metadata().map_or(0, |metadata| metadata.len())),
    ))
}
