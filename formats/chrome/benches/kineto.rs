//! Measures how fast 200 MB of traces of PyTorch's profiler are read, in CPU time, compared with the same bytes as plain
//! Chrome's JSON, and as values of `serde_json`, all in memory. Run with `cargo bench -p foldtrace-chrome --bench kineto`.

use std::error::Error;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use foldtrace_chrome::{Chrome, Kineto};
use foldtrace_testing::speed::seconds;
use foldtrace_trace::{Diagnostics, EventBatch, Format, Input, ReadOptions, Step};
use nix::sys::resource::UsageWho;

const SIZE: usize = 200 << 20;
const RANKS: usize = 8;

/// Returns the trace of a rank: in each step, operators launch kernels, every 50th of which is a collective operation.
fn make(rank: usize, size: usize) -> String {
    let mut text = String::with_capacity(size + 4000);
    let _ = write!(
        text,
        "{{\"schemaVersion\": 1, \"distributedInfo\": {{\"rank\": {rank}, \"world_size\": {RANKS}}}, \
         \"baseTimeNanoseconds\": 1735632360000000000, \"traceEvents\": ["
    );
    let group = "\"Group size\": 8, \"dtype\": \"Float\", \"Process Group Name\": \"0\", \
                 \"Process Group Description\": \"default_pg\", \
                 \"Process Group Ranks\": \"[0, 1, 2, 3, 4, 5, 6, 7]\"";
    let mut number = 0u64;
    while text.len() < size {
        let time = 4_458_676_416_000 + number * 20;
        let is_collective = number % 50 == 49;
        let (operator, kernel, stream, args) = if is_collective {
            let args = format!(
                ", \"Collective name\": \"allreduce\", \"In msg nelems\": 1024, \"Out msg nelems\": 1024, \
                 \"Seq\": {number}, {group}"
            );
            (
                "record_param_comms",
                "ncclDevKernel_AllReduce_Sum_f32_RING_LL()",
                24,
                args,
            )
        } else {
            (
                "aten::mm",
                "void at::native::vectorized_elementwise_kernel<4>()",
                7,
                String::new(),
            )
        };
        let _ = write!(
            text,
            r#"
{{"ph": "X", "cat": "cpu_op", "name": "{operator}", "pid": 1200, "tid": 1200, "ts": {time}.125, "dur": 14.500,
  "args": {{"External id": {number}, "Record function id": 0, "Ev Idx": {number}{args}}}}},
{{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1200, "tid": 1200, "ts": {time}.625, "dur": 3.250,
  "args": {{"External id": {number}, "cbid": 211, "correlation": {number}}}}},
{{"ph": "s", "id": {number}, "pid": 1200, "tid": 1200, "ts": {time}.625, "cat": "ac2g", "name": "ac2g"}},
{{"ph": "X", "cat": "kernel", "name": "{kernel}", "pid": {rank}, "tid": {stream}, "ts": {time}.950, "dur": 11.001,
  "args": {{"External id": {number}, "queued": 0, "device": {rank}, "context": 1, "stream": {stream},
  "correlation": {number}, "registers per thread": 32, "shared memory": 0, "grid": [512, 1, 1], "block": [128, 1, 1]{args}}}}},
{{"ph": "f", "id": {number}, "pid": {rank}, "tid": {stream}, "ts": {time}.950, "cat": "ac2g", "name": "ac2g", "bp": "e"}},"#
        );
        number += 1;
    }
    text.truncate(text.trim_end_matches(',').len());
    text.push_str("\n], \"traceName\": \"/tmp/trace.json\"}\n");
    text
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let (file, ranks) = (folder.path().join("in.json"), folder.path().join("ranks"));
    let text = make(0, SIZE);
    std::fs::write(&file, &text)?;
    std::fs::create_dir(&ranks)?;
    for rank in 0..RANKS {
        let path = ranks.join(format!("rank{rank}.json"));
        std::fs::write(path, make(rank, SIZE / RANKS))?;
    }
    let megabytes = text.len() as f64 / 1e6;
    let chrome = megabytes / read(&Chrome, &file)?;
    let kineto = megabytes / read(&Kineto, &file)?;
    let joined = megabytes / read(&Kineto, &ranks)?;
    // Runs last, because freeing the values fragments the memory.
    let start = seconds(UsageWho::RUSAGE_SELF);
    let value: serde_json::Value = serde_json::from_str(&text)?;
    let baseline = megabytes / (seconds(UsageWho::RUSAGE_SELF) - start);
    drop(value);
    writeln!(
        std::io::stdout(),
        "a file: {kineto:.0} MB/s; {RANKS} files: {joined:.0} MB/s; as plain Chrome's JSON: {chrome:.0} MB/s; serde_json's \
         values: {baseline:.0} MB/s. Reading a file is {:.2} times as fast as plain Chrome's JSON, {:.2} times as fast as \
         serde_json",
        kineto / chrome,
        kineto / baseline,
    )?;
    Ok(())
}

/// Returns the seconds that reading all events takes.
fn read(format: &dyn Format, path: &Path) -> Result<f64, Box<dyn Error>> {
    let start = seconds(UsageWho::RUSAGE_SELF);
    let reader = format.open(Input::Path(path.to_owned()), &ReadOptions::default())?;
    let mut batch = EventBatch::default();
    for index in 0..reader.streams().len() {
        let mut stream = reader.open_stream(index)?;
        while stream.next_batch(&mut batch, &mut Diagnostics::default())? != Step::End {}
    }
    Ok(seconds(UsageWho::RUSAGE_SELF) - start)
}
