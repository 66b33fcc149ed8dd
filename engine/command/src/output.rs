//! Writes results to standard output.

use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};

use foldtrace_trace::TraceError;
pub use foldtrace_view::units::{counted, grouped};
use serde::Serialize;
use serde::ser::{SerializeSeq, Serializer};

/// Returns a buffered writer to standard output.
pub fn stdout() -> BufWriter<StdoutLock<'static>> {
    BufWriter::with_capacity(1 << 16, io::stdout().lock())
}

/// Prints a value as JSON, followed by a line end.
pub fn json(value: &impl Serialize) -> io::Result<()> {
    let mut out = stdout();
    serde_json::to_writer_pretty(&mut out, value)?;
    writeln!(out)?;
    out.flush()
}

/// Prints values as a JSON array, one after the other, followed by a line end.
pub fn json_list<T: Serialize>(
    values: impl Iterator<Item = Result<T, TraceError>>,
) -> anyhow::Result<()> {
    let mut out = stdout();
    let mut serializer = serde_json::Serializer::pretty(&mut out);
    let mut list = serializer.serialize_seq(None).map_err(io::Error::from)?;
    for value in values {
        list.serialize_element(&value?).map_err(io::Error::from)?;
    }
    list.end().map_err(io::Error::from)?;
    writeln!(out)?;
    out.flush()?;
    Ok(())
}

/// Prints how many locations are left out of a table because they have only metric events.
pub fn left_out_for_metrics(out: &mut impl Write, locations: usize) -> io::Result<()> {
    if locations == 0 {
        return Ok(());
    }
    let count = counted(locations as u64, "location");
    writeln!(out, " {count} with metric events only left out")
}

/// Formats a number of bytes with a decimal unit.
pub fn bytes(number: u64) -> String {
    indicatif::DecimalBytes(number).to_string()
}

/// Returns whether standard error is a terminal.
pub fn stderr_is_terminal() -> bool {
    io::stderr().is_terminal()
}
