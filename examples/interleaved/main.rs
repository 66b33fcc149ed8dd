//! Writes a trace of any length in global time order, in which all locations take turns. Converters must
//! read it in bounded memory. The same arguments give the same bytes.
//!
//! ```console
//! $ cargo run --release --example interleaved -- --format paje --bytes 2G > big.paje
//! ```
//!
//! Nine out of ten locations iterate: they compute, send to the next location, receive from the previous
//! one, and reduce. Every tenth location calls, sends and receives at random; with `--irregular`, all
//! locations do, without repetition.

#![allow(missing_docs, clippy::unwrap_used)]

mod program;
mod syntax;

use std::io::{self, BufWriter, ErrorKind};

use clap::{Parser, ValueEnum};

use program::Program;
use syntax::{Chrome, Paje, Text, write};

#[derive(Parser)]
struct Arguments {
    /// Format of the trace.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Number of processes with one location each.
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u32).range(2..))]
    locations: u32,
    /// Minimum size of the trace; it ends with the turn of all locations that reaches this size.
    #[arg(long, default_value = "100M", value_parser = |text: &str| parse_size::parse_size(text))]
    bytes: u64,
    /// Write no repetition in any location.
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
        // The reader has closed the pipe.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}
