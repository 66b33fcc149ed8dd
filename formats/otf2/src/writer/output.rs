//! The destination of an archive. The archive is written to a hidden folder next to its final place and moved there
//! when it is complete, the anchor last: without an anchor, nothing looks like an archive.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use foldtrace_output::{EmptyFolder, OutputFolder};
use foldtrace_trace::TraceError;

use crate::paths::Paths;

/// The name of the anchor if only its folder is named.
const ANCHOR: &str = "traces.otf2";

/// An archive that is not complete. On drop, its parts are removed.
#[derive(Debug)]
pub(crate) struct Partial {
    target: Paths,
    /// The paths of its parts until it is complete.
    pub(crate) paths: Paths,
    folder: OutputFolder,
    /// Folders that were created for the archive, innermost first, each removed on drop if still empty.
    _created: Vec<EmptyFolder>,
}

impl Partial {
    /// Creates the archive that `path` names: its anchor, or the folder that will contain it.
    pub(crate) fn new(path: &Path, replace: bool) -> Result<Self, TraceError> {
        let target = target(path);
        // Before folders are made for an archive that cannot be written.
        check(&target, replace)?;
        let parent = match target.anchor.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let unwritable = |error| TraceError::unwritable(&target.anchor, error);
        let created = make_folders(parent).map_err(unwritable)?;
        let check = move |anchor: &Path| {
            check(
                &Paths {
                    anchor: anchor.to_owned(),
                },
                replace,
            )
        };
        let folder = OutputFolder::create(target.anchor.clone(), check)?;
        let name = target.anchor.file_name().unwrap_or_default();
        let paths = Paths {
            anchor: folder.path().join(name),
        };
        fs::create_dir(paths.locations()).map_err(unwritable)?;
        Ok(Self {
            target,
            paths,
            folder,
            _created: created,
        })
    }

    /// Moves the archive to its place after moving any existing archive away. Either all parts are moved or none.
    pub(crate) fn complete(self) -> Result<(), TraceError> {
        let (target, new) = (&self.target, &self.paths);
        self.folder
            .complete_by(|from, around| move_parts(target, new, from, around))
    }
}

/// Moves the parts `new` of an archive to `target`, and the parts of an existing archive into the folder `from`. They
/// stay in `around` until all moves are done: if this writer dies before, the next one must not remove them.
fn move_parts(target: &Paths, new: &Paths, from: &Path, around: &Path) -> io::Result<()> {
    let parent = target.anchor.parent().unwrap_or(Path::new(""));
    let aside = tempfile::Builder::new()
        .prefix("replaced-")
        .tempdir_in(around)?;
    let into = |folder: &Path, part: PathBuf| {
        let name = part.file_name().unwrap_or_default();
        (part.clone(), folder.join(name))
    };
    // The old anchor is moved first, the new one last.
    let old = parts(target)?.into_iter();
    let new = parts(new)?.into_iter().rev();
    let old = old.map(|part| into(aside.path(), part));
    let moves: Vec<_> = old.chain(new.map(|part| into(parent, part))).collect();
    if let Err(error) = move_all(&moves) {
        let is_empty = fs::read_dir(aside.path()).is_ok_and(|parts| parts.count() == 0);
        if !is_empty {
            // Parts of the old archive that could not be moved back must not be lost.
            let _ = aside.keep();
        }
        return Err(error);
    }
    fs::rename(aside.keep(), from.join("replaced"))
}

/// Creates the missing folders of `path` and returns the created ones, innermost first.
fn make_folders(path: &Path) -> io::Result<Vec<EmptyFolder>> {
    let is_missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
    let missing: Vec<_> = path.ancestors().take_while(is_missing).collect();
    let created = missing
        .iter()
        .rev()
        .map(|folder| EmptyFolder::create(folder));
    // Another writer may be creating the same folders.
    let is_new = |created: &io::Result<EmptyFolder>| !matches!(created, Err(error) if error.kind() == io::ErrorKind::AlreadyExists);
    let mut created = created.filter(is_new).collect::<io::Result<Vec<_>>>()?;
    created.reverse();
    Ok(created)
}

/// Renames the paths one after the other. If a renaming fails, the preceding ones are undone.
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

/// Returns the archive that `path` names. A path that does not end in `.otf2` is a folder.
fn target(path: &Path) -> Paths {
    let is_anchor = path.extension().is_some_and(|ending| ending == "otf2");
    let anchor = if is_anchor && !path.is_dir() {
        path.components().collect()
    } else {
        path.join(ANCHOR)
    };
    Paths { anchor }
}

/// Returns the existing parts of an archive, the anchor first.
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

/// Returns an error if the archive would overwrite something that the user may want to keep.
fn check(target: &Paths, replace: bool) -> Result<(), TraceError> {
    let refuse = |path: &Path, reason: &str| {
        let error = TraceError::refused(path, reason);
        Err(error.hint("remove it if it is not needed"))
    };
    let unwritable = |error| TraceError::unwritable(&target.anchor, error);
    for part in parts(target).map_err(unwritable)? {
        if !replace {
            return Err(TraceError::exists(&part));
        }
        let metadata = part.symlink_metadata().map_err(unwritable)?;
        let is_folder = part == target.locations();
        if metadata.is_dir() != is_folder {
            return refuse(&part, "it is not part of an OTF2 archive");
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
                "it contains files that do not belong to an OTF2 archive",
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
    fn a_failed_move_undoes_the_preceding_moves() {
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
