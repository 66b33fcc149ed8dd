//! Writes a trace of any length in global time order, in which all locations take turns: what a
//! converter must read without keeping it. The same arguments give the same bytes.
//!
//! ```console
//! $ cargo run --release --example interleaved -- --format paje --bytes 2G > big.paje
//! ```
//!
//! Nine locations of ten iterate: compute, send to the next and receive from the one before, reduce.
//! The tenth calls, sends and receives at random; with `--irregular` all do, and nothing repeats.

#![allow(missing_docs, clippy::unwrap_used, clippy::print_stderr)]

mod program;
mod syntax;

use std::io::{self, BufWriter, ErrorKind, StdoutLock, Write};

use clap::{Parser, ValueEnum};
use program::Program;
use syntax::{Chrome, Paje, Syntax, Text};

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

/// Standard output, and how much went there.
struct Counted {
    out: BufWriter<StdoutLock<'static>>,
    bytes: u64,
}

impl Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = self.out.write(bytes)?;
        self.bytes += taken as u64;
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

fn main() -> io::Result<()> {
    let arguments = Arguments::parse();
    let out = BufWriter::with_capacity(1 << 20, io::stdout().lock());
    let out = Counted { out, bytes: 0 };
    let written = match arguments.format {
        Format::Text => write(&arguments, out, &mut Text),
        Format::Paje => write(&arguments, out, &mut Paje::default()),
        Format::Chrome => write(&arguments, out, &mut Chrome::default()),
    };
    match written {
        // Who reads has seen enough.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

fn write(arguments: &Arguments, mut out: Counted, syntax: &mut impl Syntax) -> io::Result<()> {
    let mut program = Program::new(arguments.locations, arguments.irregular);
    syntax.begin(&mut out, arguments.locations)?;
    while out.bytes < arguments.bytes {
        program.turn(|event| syntax.event(&mut out, event))?;
    }
    program.finish(|event| syntax.event(&mut out, event))?;
    syntax.end(&mut out)?;
    out.flush()
}
