//! Counts the events of an OTF2 archive by kind: `cargo run -p foldtrace-otf2 --example kinds -- ARCHIVE/traces.otf2`.
#![expect(clippy::print_stdout, reason = "an example prints")]

use std::collections::BTreeMap;
use std::path::PathBuf;

use foldtrace_otf2::Otf2;
use foldtrace_otf2::trace::{Diagnostics, EventBatch, Format, Input, ReadOptions, Step};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = PathBuf::from(std::env::args_os().nth(1).ok_or("name an archive")?);
    let archive = Otf2.open(Input::Path(path), &ReadOptions::default())?;
    let mut kinds: BTreeMap<&str, u64> = BTreeMap::new();
    for index in 0..archive.streams().len() {
        let mut location = archive.open_stream(index)?;
        let (mut batch, mut diagnostics) = (EventBatch::default(), Diagnostics::default());
        while location.next_batch(&mut batch, &mut diagnostics)? == Step::Batch {
            for &symbol in &batch.symbols {
                *kinds
                    .entry(location.symbols().kind(symbol).name())
                    .or_default() += 1;
            }
        }
    }
    println!("{kinds:#?}");
    Ok(())
}
