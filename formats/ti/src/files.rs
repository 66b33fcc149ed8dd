//! Finds the files of a trace: one file with the actions of all ranks, or one file per rank, listed in a master file
//! or contained in a folder.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use foldtrace_input::{Bytes, natural_order, read_error, show};
use foldtrace_trace::{
    Diagnostic, Diagnostics, ErrorKind, Input, Place, ReadOptions, Severity, TraceError,
};

use crate::action;
use crate::lexer::{Lexer, MAX_RANKS};

/// Number of bytes that are read to recognise a file.
const HEAD_SIZE: u64 = 4096;
/// Maximum size of a master file, in bytes.
const MAX_MASTER_SIZE: u64 = 1 << 26;

/// The files of a trace.
pub(crate) enum Files {
    /// A single file that contains all actions.
    Single(Input),
    /// One file per rank, in ascending order of the ranks; `ranks` is the number of all ranks.
    PerRank {
        files: Vec<(u64, PathBuf)>,
        ranks: u64,
        /// Diagnostics about missing files, when salvaging.
        missing: Diagnostics,
    },
}

/// Finds the files of a trace.
pub(crate) fn find(input: Input, options: ReadOptions) -> Result<Files, TraceError> {
    let path = match &input {
        Input::Path(path) => path.clone(),
        Input::Stream { .. } => return Ok(Files::Single(input)),
    };
    if path.is_dir() {
        return in_folder(&path, options);
    }
    let head = head_of(&path).map_err(|error| read_error(&path, error))?;
    match first_line(&head) {
        Some(line) if is_listed(&path, line) => listed(&path, options),
        _ => Ok(Files::Single(input)),
    }
}

/// Returns the only file of a trace that is read as a single stream.
pub(crate) fn single(input: Input) -> Result<Input, TraceError> {
    let path = input.path().to_owned();
    match find(input, ReadOptions::default())? {
        Files::Single(input) => Ok(input),
        Files::PerRank { .. } => {
            let message = format!(
                "expected a single file, found a master file or folder: {}",
                path.display()
            );
            Err(TraceError::new(ErrorKind::Internal, message).at(Place::file(path)))
        }
    }
}

/// Returns whether the first bytes of a file contain an action.
pub(crate) fn is_actions(head: &[u8]) -> bool {
    first_line(head).is_some_and(|line| {
        let mut words = Lexer::new(line);
        words.next().rank().is_ok() && action::find(words.next().bytes).is_some()
    })
}

/// Returns whether a line has an action that only this format has.
pub(crate) fn has_own_actions(head: &[u8]) -> bool {
    const COMMON: [&[u8]; 4] = [b"send", b"recv", b"isend", b"irecv"];
    head.split(|&byte| byte == b'\n').any(|line| {
        let mut words = Lexer::new(line.trim_ascii());
        let has_rank = words.next().rank().is_ok();
        let action = words.next().bytes;
        has_rank && !COMMON.contains(&action) && action::find(action).is_some()
    })
}

/// Returns whether the first bytes of the file at `path` are those of a master file.
pub(crate) fn is_master(path: &Path, head: &[u8]) -> bool {
    let first = first_line(head).and_then(|line| resolve(path, line));
    first.is_some_and(|file| head_of(&file).is_ok_and(|head| is_actions(&head)))
}

/// Returns whether a folder contains files of actions, or a master file.
pub(crate) fn is_folder(folder: &Path) -> bool {
    let first = files_in(folder)
        .ok()
        .and_then(|files| files.into_iter().next());
    first.is_some_and(|file| {
        head_of(&file).is_ok_and(|head| is_actions(&head) || is_master(&file, &head))
    })
}

fn head_of(path: &Path) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    File::open(path)?; // Reports the system's error, which is more precise than a reader's.
    match Bytes::open_file(path) {
        Ok(bytes) => bytes.take(HEAD_SIZE).read_to_end(&mut head).map(|_| head),
        Err(error) => Err(io::Error::other(error)),
    }
}

/// Returns the first line that is neither empty nor a comment.
fn first_line(head: &[u8]) -> Option<&[u8]> {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    head.split(|&byte| byte == b'\n')
        .map(<[u8]>::trim_ascii)
        .find(|line| !line.is_empty() && !line.starts_with(b"#"))
}

/// Returns whether a line names a file, which need not exist.
fn is_listed(master: &Path, line: &[u8]) -> bool {
    let mut words = Lexer::new(line);
    let is_a_word = words.next().rank().is_err() && words.remaining() == 0;
    resolve(master, line).is_some() || is_a_word && line.contains(&b'/')
}

/// Returns the file that a line of a master file names. SimGrid resolves it relative to its working directory; here,
/// the folder of the master file takes precedence, so a trace may be moved.
fn resolve(master: &Path, line: &[u8]) -> Option<PathBuf> {
    let line = Path::new(std::str::from_utf8(line).ok()?);
    let folder = master.parent().unwrap_or(Path::new(""));
    let mut end = line.components().rev();
    let name = end.next()?;
    let next_to_master = match end.next() {
        Some(parent) => folder.join(parent).join(name),
        None => folder.join(name),
    };
    let candidates = [folder.join(line), line.to_owned(), next_to_master];
    candidates.into_iter().find(|path| path.is_file())
}

/// Returns the files that a master file lists, in the order of the ranks.
fn listed(master: &Path, options: ReadOptions) -> Result<Files, TraceError> {
    let mut text = Vec::new();
    let bytes = Bytes::open_file(master)?;
    bytes
        .take(MAX_MASTER_SIZE)
        .read_to_end(&mut text)
        .map_err(|error| read_error(master, error))?;
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&text);
    let (mut files, mut ranks, mut missing) = (Vec::new(), 0, Diagnostics::default());
    for (number, line) in (1..).zip(text.split(|&byte| byte == b'\n')) {
        let line = line.trim_ascii();
        if line.is_empty() || line.starts_with(b"#") {
            continue;
        }
        let place = Place::file(master).line(number);
        if ranks >= MAX_RANKS {
            let message = format!("expected at most {MAX_RANKS} ranks, found more");
            return Err(TraceError::new(ErrorKind::Malformed, message).at(place));
        }
        const HINT: &str = "each line of a master file names the file of a rank";
        match resolve(master, line) {
            Some(file) => files.push((ranks, file)),
            None => {
                let message = format!("there is no file {}", show(line));
                if !options.salvage {
                    return Err(TraceError::new(ErrorKind::Unreadable, message)
                        .at(place)
                        .hint(HINT));
                }
                let lost = Diagnostic::new(Severity::Loss, "ti.no_file", message);
                missing.report(lost.at(place).hint(HINT));
            }
        }
        ranks += 1;
    }
    match files.as_slice() {
        [(_, file)] if ranks == 1 => Ok(Files::Single(Input::Path(file.clone()))),
        _ => Ok(Files::PerRank {
            files,
            ranks,
            missing,
        }),
    }
}

/// Returns the visible files of a folder, sorted with the numbers in their names compared as numbers.
fn files_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in folder.read_dir()? {
        let entry = entry?;
        let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        if !is_hidden && entry.path().is_file() {
            files.push(entry.path());
        }
    }
    let name = |path: &Path| {
        path.file_name()
            .map(|name| name.to_string_lossy().into_owned())
    };
    files.sort_by(|a, b| natural_order(&name(a).unwrap_or_default(), &name(b).unwrap_or_default()));
    Ok(files)
}

/// Returns the files of a folder that contain actions, each with the rank in its first line. If the first file of the
/// folder is a master file, returns the files that it lists.
fn in_folder(folder: &Path, options: ReadOptions) -> Result<Files, TraceError> {
    let unreadable = |error| TraceError::unreadable(folder, error);
    let mut files: Vec<(u64, PathBuf)> = Vec::new();
    for path in files_in(folder).map_err(unreadable)? {
        let head = head_of(&path).map_err(|error| TraceError::unreadable(&path, error))?;
        if files.is_empty() && is_master(&path, &head) {
            return listed(&path, options);
        }
        if !is_actions(&head) {
            continue;
        }
        let first = first_line(&head).map(|line| Lexer::new(line).next().rank());
        if let Some(Ok(rank)) = first {
            files.push((rank, path));
        }
    }
    files.sort();
    let duplicates = files.windows(2).find(|pair| pair[0].0 == pair[1].0);
    if let Some([(rank, first), (_, second)]) = duplicates {
        let message = format!(
            "two files begin with actions of rank {rank}: {} and {}",
            first.display(),
            second.display()
        );
        return Err(TraceError::new(ErrorKind::Malformed, message)
            .at(Place::file(second))
            .hint("a folder must contain one file per rank"));
    }
    let Some(&(last, _)) = files.last() else {
        let message = format!("{} contains no file with actions", folder.display());
        return Err(TraceError::new(ErrorKind::Foreign, message)
            .at(Place::file(folder))
            .hint("each line contains a rank and its action, as in '0 compute 1000'"));
    };
    let ranks = last + 1;
    match files.as_slice() {
        [(_, file)] => Ok(Files::Single(Input::Path(file.clone()))),
        _ => Ok(Files::PerRank {
            files,
            ranks,
            missing: Diagnostics::default(),
        }),
    }
}
