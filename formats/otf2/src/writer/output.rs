//! Where an archive goes. It grows in a hidden folder beside its final place and is moved there when
//! it is complete, the anchor last: without an anchor, nothing looks like an archive.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use foldtrace_trace::{ErrorKind, Place, TraceError};
use tempfile::TempDir;

use crate::paths::Paths;

/// The name of the anchor in a folder that is named without one.
const ANCHOR: &str = "traces.otf2";

/// An archive that is not complete; dropped, it removes what is there of it.
#[derive(Debug)]
pub(crate) struct Partial {
    target: Paths,
    replace: bool,
    /// Where it grows; none when it is complete.
    folder: Option<TempDir>,
    /// Folders that were made for it, outermost first.
    made: Vec<PathBuf>,
    /// Where its parts are meanwhile.
    pub(crate) paths: Paths,
}

impl Drop for Partial {
    fn drop(&mut self) {
        // Removes what has grown. Nobody is left to tell about a failure; the name says what it is.
        if self.folder.take().is_some() {
            for folder in self.made.iter().rev() {
                // Only if nobody has put anything there.
                let _ = fs::remove_dir(folder);
            }
        }
    }
}

impl Partial {
    /// Begins the archive that `path` names: its anchor, or the folder that is to hold it.
    pub(crate) fn new(path: &Path, replace: bool) -> Result<Self, TraceError> {
        let target = target(path);
        check(&target, replace)?;
        let parent = match target.anchor.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let unwritable = |error| TraceError::unwritable(&target.anchor, error);
        let is_missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
        let missing = parent.ancestors().take_while(is_missing);
        let mut made: Vec<_> = missing.map(Path::to_owned).collect();
        made.reverse();
        fs::create_dir_all(parent).map_err(unwritable)?;
        let name = target.anchor.file_name().unwrap_or_default();
        let mut prefix = OsString::from(".");
        prefix.push(name);
        prefix.push(".partial-");
        let folder = tempfile::Builder::new()
            .prefix(&prefix)
            .tempdir_in(parent)
            .map_err(unwritable)?;
        let paths = Paths {
            anchor: folder.path().join(name),
        };
        fs::create_dir(paths.locations()).map_err(unwritable)?;
        Ok(Self {
            target,
            replace,
            folder: Some(folder),
            made,
            paths,
        })
    }

    /// Moves the archive to its place, and what stands there out of the way: all of it or nothing.
    pub(crate) fn complete(mut self) -> Result<(), TraceError> {
        check(&self.target, self.replace)?;
        let unwritable = |error| TraceError::unwritable(&self.target.anchor, error);
        let parent = self.target.anchor.parent().unwrap_or(Path::new(""));
        let aside = self.paths.anchor.with_extension("replaced");
        fs::create_dir(&aside).map_err(unwritable)?;
        let into = |folder: &Path, part: PathBuf| {
            let name = part.file_name().unwrap_or_default();
            (part.clone(), folder.join(name))
        };
        // The old anchor is the first to go, the new one the last to come.
        let old = parts(&self.target).map_err(unwritable)?.into_iter();
        let new = parts(&self.paths).map_err(unwritable)?.into_iter().rev();
        let old = old.map(|part| into(&aside, part));
        let moves: Vec<_> = old.chain(new.map(|part| into(parent, part))).collect();
        move_all(&moves).map_err(unwritable)?;
        match self.folder.take() {
            Some(folder) => folder.close().map_err(unwritable),
            None => Ok(()),
        }
    }
}

/// Renames one after the other; if one cannot be, those before it get their names back.
fn move_all(moves: &[(PathBuf, PathBuf)]) -> io::Result<()> {
    for (done, (from, to)) in moves.iter().enumerate() {
        if let Err(error) = fs::rename(from, to) {
            for (from, to) in moves.iter().take(done).rev() {
                let _ = fs::rename(to, from);
            }
            return Err(error);
        }
    }
    Ok(())
}

/// The archive that `path` names. One that does not end in `.otf2` is a folder.
fn target(path: &Path) -> Paths {
    let is_anchor = path.extension().is_some_and(|ending| ending == "otf2");
    let anchor: PathBuf = match is_anchor && !path.is_dir() {
        true => path.components().collect(),
        false => path.join(ANCHOR),
    };
    Paths { anchor }
}

/// All that there is of an archive, the anchor first.
fn parts(paths: &Paths) -> io::Result<Vec<PathBuf>> {
    let mut parts = vec![
        paths.anchor.clone(),
        paths.definitions(),
        paths.markers(),
        paths.locations(),
    ];
    let mut number = 0;
    while paths.thumbnail(number).exists() {
        parts.push(paths.thumbnail(number));
        number += 1;
    }
    parts.retain(|part| part.symlink_metadata().is_ok());
    Ok(parts)
}

/// Refuses to overwrite what the user may want to keep.
fn check(target: &Paths, replace: bool) -> Result<(), TraceError> {
    let refuse = |path: &Path, what: &str, hint: &str| {
        let message = format!("cannot write {}: {what}", path.display());
        Err(TraceError::new(ErrorKind::Output, message)
            .at(Place::file(path))
            .hint(hint))
    };
    let unwritable = |error| TraceError::unwritable(&target.anchor, error);
    for part in parts(target).map_err(unwritable)? {
        if !replace {
            return refuse(&part, "it exists already", "--force replaces it");
        }
        let metadata = part.symlink_metadata().map_err(unwritable)?;
        let is_folder = part == target.locations();
        if metadata.is_dir() != is_folder {
            return refuse(
                &part,
                "it is no part of an archive",
                "remove it yourself if it is not needed",
            );
        }
        let foreign = |entry: &fs::DirEntry| {
            let ending = entry.path().extension().map(|ending| ending.to_owned());
            !ending
                .is_some_and(|ending| ["evt", "def", "snap"].iter().any(|known| ending == *known))
        };
        if is_folder
            && part
                .read_dir()
                .map_err(unwritable)?
                .flatten()
                .any(|e| foreign(&e))
        {
            return refuse(
                &part,
                "there are other files in it than those of an archive",
                "remove it yourself if it is not needed",
            );
        }
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_moved_moves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("a"), "old").unwrap();
        fs::write(path("new"), "new").unwrap();
        let moves = [
            (path("a"), path("aside")),
            (path("new"), path("a")),
            (path("missing"), path("b")),
        ];
        assert!(move_all(&moves).is_err());
        assert_eq!(fs::read(path("a")).unwrap(), b"old");
        assert_eq!(fs::read(path("new")).unwrap(), b"new");
        move_all(&moves[..2]).unwrap();
        assert_eq!(fs::read(path("a")).unwrap(), b"new");
    }
}
