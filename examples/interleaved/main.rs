//! Writes a trace of any length in global time order, in which all locations take turns: what a
//! converter must read without keeping it. The same arguments give the same bytes.
//!
//! ```console
//! $ cargo run --release --example interleaved -- --format paje --bytes 2G > big.paje
//! ```
//!
//! Nine locations of ten iterate: compute, send to the next and receive from the one before, reduce.
//! The tenth calls, sends and receives at random; with `--irregular` all do, and nothing repeats.

#![allow(missing_docs, clippy::unwrap_used)]

mod program;
mod syntax;

use std::io::{self, BufWriter, ErrorKind};

use clap::{Parser, ValueEnum};
use program::Program;
use syntax::{Chrome, Paje, Text, write};

#[derive(Parser)]
struct Arguments {
    /// In which format.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Processes, of one location each.
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u32).range(2..))]
    locations: u32,
    /// The trace ends with the turn of all locations in which it has become so long.
    #[arg(long, default_value = "100M", value_parser = |text: &str| parse_size::parse_size(text))]
    bytes: u64,
    /// Nothing repeats, in no location.
    #[arg(long)]
    irregular: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    Text,
    Paje,
    Chrome,
}

fn main() -> io::Result<()> {
    let arguments = Arguments::parse();
    let out = BufWriter::with_capacity(1 << 20, io::stdout().lock());
    let program = Program::new(arguments.locations, arguments.irregular);
    let written = match arguments.format {
        Format::Text => write(program, &mut Text, arguments.bytes, out),
        Format::Paje => write(program, &mut Paje::default(), arguments.bytes, out),
        Format::Chrome => write(program, &mut Chrome::default(), arguments.bytes, out),
    };
    match written {
        // Who reads has seen enough.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}
