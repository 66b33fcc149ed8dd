//! The files of a trace: one file, or the files of a folder.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use foldtrace_input::{Bytes, entries_in};
use foldtrace_trace::{
    Diagnostic, Diagnostics, ErrorKind, Input, Place, Severity, TraceError, uncompressed,
};
use memchr::memmem;

/// Numbers of bytes that are read to recognise a file. Long properties may precede those that tell what it is.
const HEAD_SIZES: [u64; 2] = [1 << 14, 1 << 20];

/// Returns whether a file begins like those of PyTorch's profiler.
pub(crate) fn is_kineto(head: &[u8]) -> bool {
    /// Keys that other programs that write Chrome's JSON do not have.
    const KEYS: [&[u8]; 4] = [
        b"\"deviceProperties\"",
        b"\"distributedInfo\"",
        b"\"baseTimeNanoseconds\"",
        b"\"External id\"",
    ];
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let object = head.trim_ascii_start().strip_prefix(b"{");
    object.is_some_and(|object| {
        let is_ours = object.trim_ascii_start().starts_with(b"\"foldtrace\"");
        !is_ours && KEYS.iter().any(|key| memmem::find(object, key).is_some())
    })
}

/// Returns whether a folder has a file of PyTorch's profiler.
pub(crate) fn is_folder(folder: &Path) -> bool {
    let files = files_in(folder).unwrap_or_default();
    files
        .iter()
        .any(|file| is_kineto_file(file).unwrap_or(false))
}

fn is_kineto_file(file: &Path) -> Result<bool, TraceError> {
    let mut bytes = Bytes::open_file(file)?;
    let mut head = Vec::new();
    let mut is_found = |size: u64| {
        let left = size - head.len() as u64;
        // The bytes before a failure are enough.
        let _ = bytes.by_ref().take(left).read_to_end(&mut head);
        is_kineto(&head)
    };
    Ok(HEAD_SIZES.into_iter().any(&mut is_found))
}

/// Returns the files of a folder that may be traces, in the order of their names.
fn files_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    entries_in(folder, |entry| {
        let path = entry.path();
        let extension = uncompressed(&path).extension();
        extension.is_some_and(|it| it == "json") && path.is_file()
    })
}

/// Returns the files of a trace, and reports files of a folder that are not part of it.
///
/// # Errors
/// If the folder or one of its files cannot be read, or it contains no trace.
pub(crate) fn inputs(
    input: Input,
    diagnostics: &mut Diagnostics,
) -> Result<Vec<Input>, TraceError> {
    let path = match input {
        Input::Path(path) if path.is_dir() => path,
        input => return Ok(vec![input]),
    };
    let files = files_in(&path).map_err(|error| TraceError::unreadable(&path, error))?;
    let mut traces = Vec::new();
    for file in files {
        if is_kineto_file(&file)? {
            traces.push(Input::Path(file));
            continue;
        }
        let message = "the file is not a trace of PyTorch's profiler, and is not read";
        let warning = Diagnostic::new(Severity::Warning, "kineto.other_file", message);
        diagnostics.report(warning.at(Place::file(file)));
    }
    if traces.is_empty() {
        let message = format!("{} contains no trace of PyTorch's profiler", path.display());
        return Err(TraceError::new(ErrorKind::Foreign, message)
            .at(Place::file(path))
            .hint("expected files such as rank0.json or rank0.pt.trace.json.gz"));
    }
    Ok(traces)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_the_profiler_are_recognised_by_their_keys() {
        assert!(is_kineto(
            b" {\n \"schemaVersion\": 1,\n \"deviceProperties\": ["
        ));
        assert!(is_kineto(
            b"\xef\xbb\xbf{\"traceEvents\": [], \"distributedInfo\": {}}"
        ));
        assert!(is_kineto(
            b"{\"traceEvents\": [{\"args\": {\"External id\": 7"
        ));
        assert!(!is_kineto(b"{\"traceEvents\": ["));
        assert!(!is_kineto(b"[{\"deviceProperties\""));
        assert!(!is_kineto(b"{ \"foldtrace\": {}, \"deviceProperties\""));
        assert!(!is_kineto(b""));
    }

    #[test]
    fn a_file_that_cannot_be_read_is_not_another_file() {
        let folder = tempfile::tempdir().unwrap();
        assert!(is_kineto_file(&folder.path().join("rank0.json")).is_err());
    }
}
