//! The cache: a trace in another format is converted once, and again only after it has changed; a table that a store does not
//! have is derived once.

use std::fs::{self, File, TryLockError};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};
use std::{env, io, thread};

use foldtrace::read::Progress;
use foldtrace::store::{Derived, StoreReader};
use foldtrace::trace::{Diagnostics, ErrorKind, TraceError};

/// The time between two looks at a lock.
const BETWEEN: Duration = Duration::from_millis(20);

/// The number of digits of the state of a trace in the name of the folder of its store.
const DIGITS: usize = 24;

/// Returns the path of the store of a trace in the folder `cache`. It depends on the path, and on the sizes and the times of
/// all files of the trace.
///
/// # Errors
/// Returns an error if the trace cannot be read.
pub fn path_of(trace: &Path, cache: &Path, salvage: bool) -> Result<PathBuf, TraceError> {
    let unreadable = |error| TraceError::unreadable(trace, error);
    let trace = trace.canonicalize().map_err(unreadable)?;
    let mut state = blake3::Hasher::new();
    state.update(env!("CARGO_PKG_VERSION").as_bytes());
    state.update(&[u8::from(salvage)]);
    add_text(&mut state, &trace);
    for (path, bytes, changed) in files(&trace).map_err(unreadable)? {
        add_text(&mut state, &path);
        state.update(&bytes.to_le_bytes());
        state.update(&changed.to_le_bytes());
    }
    let stem = trace.file_stem().unwrap_or_default().to_string_lossy();
    let state = state.finalize().to_hex();
    Ok(cache.join(&state[..DIGITS]).join(format!("{stem}.fold")))
}

/// Adds a path and its length, so that its end is clear.
fn add_text(state: &mut blake3::Hasher, path: &Path) {
    let bytes = path.as_os_str().as_bytes();
    state.update(&bytes.len().to_le_bytes());
    state.update(bytes);
}

/// Returns the path of a derived table of a store in the folder `cache`.
pub fn tables_of(store: &StoreReader, table: Derived, cache: &Path) -> PathBuf {
    let stem = store.path().file_stem().unwrap_or_default();
    let state = &store.manifest().checksum()[..DIGITS];
    let (stem, name) = (stem.to_string_lossy(), table.name());
    cache.join(state).join(format!("{stem}.{name}"))
}

/// Writes `target` in the cache, unless it is there when another process that is writing it has finished. If it cannot be
/// written, nothing remains.
///
/// # Errors
/// Returns an error if the folder around `target` cannot be written, if the work was stopped, or the error of `write`.
pub fn fill(
    target: &Path,
    progress: &Progress,
    write: impl FnOnce() -> Result<Diagnostics, TraceError>,
) -> Result<Diagnostics, TraceError> {
    let folder = target.parent().unwrap_or(target);
    let lock = folder.join("lock");
    let unwritable = |error| TraceError::unwritable(folder, error);
    fs::create_dir_all(folder).map_err(unwritable)?;
    let file = File::create(&lock).map_err(unwritable)?;
    wait_for(&file, progress)?;
    if target.exists() {
        return Ok(Diagnostics::default());
    }
    let written = write();
    if written.is_err() {
        // The folder of a store can have other tables, and then remains.
        let _ = fs::remove_file(&lock).and_then(|()| fs::remove_dir(folder));
    }
    written
}

/// Waits until no other process holds a lock. File systems without locks have none to wait for.
fn wait_for(lock: &File, progress: &Progress) -> Result<(), TraceError> {
    while let Err(TryLockError::WouldBlock) = lock.try_lock() {
        progress.check()?;
        thread::sleep(BETWEEN);
    }
    Ok(())
}

/// Returns the folder of cached stores: `foldtrace` in the user's folder for caches.
///
/// # Errors
/// Returns an error if the user has no such folder.
pub fn default_folder() -> Result<PathBuf, TraceError> {
    let absolute = |name: &str| {
        let path = env::var_os(name).map(PathBuf::from);
        path.filter(|path| path.is_absolute())
    };
    let caches = absolute("XDG_CACHE_HOME");
    let caches = caches.or_else(|| Some(absolute("HOME")?.join(".cache")));
    caches
        .map(|caches| caches.join("foldtrace"))
        .ok_or_else(|| {
            let message = "there is no folder for caches: neither XDG_CACHE_HOME nor HOME is set";
            TraceError::new(ErrorKind::Output, message).hint("cache= names a folder")
        })
}

/// A file of a trace: its path, its size, and the time of its last change in nanoseconds.
type FileState = (PathBuf, u64, u128);

/// Returns all files of a trace, in the order of their paths: those in its folder, or the file and everything next to it with
/// the same stem, such as the folder of an anchor.
fn files(trace: &Path) -> io::Result<Vec<FileState>> {
    let mut files = Vec::new();
    let stem = trace.file_stem();
    match trace.parent() {
        Some(folder) if !trace.is_dir() => {
            for entry in fs::read_dir(folder)? {
                let path = entry?.path();
                if path.file_stem() == stem {
                    add(&path, &mut files)?;
                }
            }
        }
        _ => add(trace, &mut files)?,
    }
    files.sort();
    Ok(files)
}

/// Adds a file, or all files in a folder.
fn add(path: &Path, files: &mut Vec<FileState>) -> io::Result<()> {
    let metadata = fs::metadata(path)?;
    if metadata.is_dir() {
        for entry in fs::read_dir(path)? {
            add(&entry?.path(), files)?;
        }
    } else {
        let changed = metadata.modified()?.duration_since(UNIX_EPOCH);
        let changed = changed.map_or(0, |changed| changed.as_nanos());
        files.push((path.to_owned(), metadata.len(), changed));
    }
    Ok(())
}
