//! The files beside a trace: labels in `.pcf`, names of objects in `.row`.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use foldtrace_trace::{ErrorKind, Input, Place, TraceError, uncompressed};

/// The maximum size of a file beside a trace, in bytes.
const LARGEST: u64 = 1 << 28;

/// Returns the text of the file beside a trace that has this extension; `None` if there is no such file. Bytes that are not
/// UTF-8 are replaced.
///
/// # Errors
/// If the file cannot be read, or is too large.
pub(crate) fn companion(input: &Input, extension: &str) -> Result<Option<String>, TraceError> {
    let Input::Path(trace) = input else {
        return Ok(None);
    };
    let path = beside(trace, extension);
    let file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(TraceError::unreadable(&path, error)),
    };
    let mut bytes = Vec::new();
    let read = file.take(LARGEST + 1).read_to_end(&mut bytes);
    read.map_err(|error| TraceError::unreadable(&path, error))?;
    if bytes.len() as u64 > LARGEST {
        let message = format!("expected at most {LARGEST} bytes of labels");
        return Err(TraceError::new(ErrorKind::Malformed, message)
            .at(Place::file(&path))
            .hint("the file may belong to another trace; without it, the trace is read with fewer names"));
    }
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

/// Returns the path of a trace with another extension; the extension of a compression is left out.
pub(crate) fn beside(trace: &Path, extension: &str) -> PathBuf {
    let name = uncompressed(trace);
    trace
        .with_file_name(name.file_name().unwrap_or_default())
        .with_extension(extension)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_a_compressed_trace_are_not_compressed() {
        for (trace, expected) in [
            ("runs/lu.prv", "runs/lu.pcf"),
            ("runs/lu.prv.gz", "runs/lu.pcf"),
            ("lu.chop1.prv.zst", "lu.chop1.pcf"),
        ] {
            assert_eq!(beside(trace.as_ref(), "pcf"), Path::new(expected));
        }
    }
}
