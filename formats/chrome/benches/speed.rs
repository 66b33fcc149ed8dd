//! Measures how fast 200 MB of JSON are read and written, in CPU time, compared with `serde_json`, which parses the
//! same bytes into values, all in memory. Run with `cargo bench -p foldtrace-chrome`.

use std::error::Error;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use foldtrace_chrome::Chrome;
use foldtrace_trace::{
    Diagnostics, EventBatch, Format, Input, Output, ReadOptions, Step, SymbolTable, TraceReader,
};
use nix::sys::resource::{UsageWho, getrusage};

const SIZE: usize = 200 << 20;
const THREADS: u64 = 1000;

/// Returns the mixed events of many threads: complete events with arguments, or begin and end events.
fn make(complete: bool) -> String {
    let mut text = String::with_capacity(SIZE + 1000);
    text.push_str("{\"traceEvents\":[\n");
    let mut turn = 0u64;
    while text.len() < SIZE {
        let (pid, tid, ts) = (turn % THREADS / 8, turn % THREADS, 1000 + turn * 3);
        turn += 1;
        let _ = if complete {
            writeln!(
                text,
                "{{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"step {}\",\"pid\":{pid},\"tid\":{tid},\
                 \"ts\":{ts}.125,\"dur\":2.5,\"args\":{{\"bytes\":{},\"from\":\"queue\"}}}},",
                turn % 50,
                turn % 4096,
            )
        } else {
            write!(
                text,
                "{{\"ph\":\"B\",\"name\":\"step {}\",\"pid\":{pid},\"tid\":{tid},\"ts\":{ts}.125}},\n\
                 {{\"ph\":\"E\",\"pid\":{pid},\"tid\":{tid},\"ts\":{ts}.5}},\n",
                turn % 50,
            )
        };
    }
    text.truncate(text.trim_end_matches([',', '\n']).len());
    text.push_str("\n]}\n");
    text
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let (path, written) = (
        folder.path().join("in.json"),
        folder.path().join("out.json"),
    );
    let mut out = std::io::stdout().lock();
    for (name, complete) in [("complete events", true), ("begins and ends", false)] {
        let text = make(complete);
        std::fs::write(&path, &text)?;
        let megabytes = text.len() as f64 / 1e6;
        let start = cpu()?;
        let reader = open(&path)?;
        drain(&*reader)?;
        let foreign = megabytes / (cpu()? - start).as_secs_f64();
        let streams = collect(&*reader)?;
        let start = cpu()?;
        let mut writer = Chrome.create(Output::Path {
            path: written.clone(),
            replace: true,
        })?;
        writer.definitions(reader.definitions())?;
        for (batches, symbols) in &streams {
            for batch in batches {
                writer.write(batch, symbols)?;
            }
        }
        writer.finish()?;
        let our_megabytes = written.metadata()?.len() as f64 / 1e6;
        let writing = our_megabytes / (cpu()? - start).as_secs_f64();
        drop(streams);
        let start = cpu()?;
        drain(&*open(&written)?)?;
        let ours = our_megabytes / (cpu()? - start).as_secs_f64();
        // Runs last, because freeing the values fragments the memory.
        let start = cpu()?;
        let value: serde_json::Value = serde_json::from_str(&text)?;
        let baseline = megabytes / (cpu()? - start).as_secs_f64();
        drop((value, text));
        writeln!(
            out,
            "{name} of {THREADS} threads, mixed: sorted and read at {foreign:.0} MB/s, written at \
             {writing:.0} MB/s, read back at {ours:.0} MB/s; serde_json's values at {baseline:.0} MB/s: \
             reading is {:.2} times as fast, reading back {:.2} times",
            foreign / baseline,
            ours / baseline,
        )?;
    }
    Ok(())
}

/// Returns the CPU time of this process so far.
fn cpu() -> Result<Duration, Box<dyn Error>> {
    let usage = getrusage(UsageWho::RUSAGE_SELF)?;
    let times = [usage.user_time(), usage.system_time()];
    let micros = times.map(|time| time.tv_sec() * 1_000_000 + time.tv_usec());
    Ok(Duration::from_micros(
        micros.iter().sum::<i64>().unsigned_abs(),
    ))
}

fn open(path: &Path) -> Result<Box<dyn TraceReader>, Box<dyn Error>> {
    Ok(Chrome.open(Input::Path(path.to_owned()), &ReadOptions::default())?)
}

/// Reads all streams, one after another.
fn drain(reader: &dyn TraceReader) -> Result<(), Box<dyn Error>> {
    let mut batch = EventBatch::default();
    for index in 0..reader.streams().len() {
        let mut stream = reader.open_stream(index)?;
        while stream.next_batch(&mut batch, &mut Diagnostics::default())? != Step::End {}
    }
    Ok(())
}

/// The batches of a stream and their symbols.
type Stream = (Vec<EventBatch>, SymbolTable);

/// Returns the batches of all streams with their symbols.
fn collect(reader: &dyn TraceReader) -> Result<Vec<Stream>, Box<dyn Error>> {
    let mut streams = Vec::new();
    for index in 0..reader.streams().len() {
        let mut stream = reader.open_stream(index)?;
        let mut batches = Vec::new();
        let mut batch = EventBatch::default();
        while stream.next_batch(&mut batch, &mut Diagnostics::default())? != Step::End {
            batches.push(std::mem::take(&mut batch));
        }
        streams.push((batches, stream.symbols().clone()));
    }
    Ok(streams)
}
