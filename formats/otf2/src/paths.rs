//! The paths of the parts of an archive. An archive is opened by its anchor, which may have any name.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use foldtrace_trace::{ErrorKind, Place, TraceError};

use crate::anchor::is_anchor;

/// Maximum number of anchors that an error lists.
const MOST_LISTED: usize = 10;

/// The paths of the parts of an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Paths {
    /// The anchor, `NAME.otf2`.
    pub(crate) anchor: PathBuf,
}

impl Paths {
    /// Returns the archive at `path`, which is its anchor or the folder that contains the anchor.
    pub(crate) fn find(path: &Path) -> Result<Self, TraceError> {
        if !path.is_dir() {
            return Ok(Self {
                anchor: path.to_owned(),
            });
        }
        let mut anchors = anchors(path).map_err(|error| TraceError::unreadable(path, error))?;
        match (anchors.len(), anchors.pop()) {
            (1, Some(anchor)) => Ok(Self { anchor }),
            (0, _) if let Some(lost) = lost_anchor(path) => {
                let name = lost.file_name().unwrap_or_default().display();
                let message = format!(
                    "{} looks like an archive whose anchor is missing",
                    path.display()
                );
                Err(TraceError::new(ErrorKind::Foreign, message)
                    .at(Place::file(&lost))
                    .hint(format!(
                        "copy {name} from where the trace was recorded; without it, the archive cannot be read"
                    )))
            }
            (_, last) => {
                anchors.extend(last);
                Err(not_one_anchor(path, anchors))
            }
        }
    }

    /// Returns the path of the global definitions, `NAME.def`.
    pub(crate) fn definitions(&self) -> PathBuf {
        self.anchor.with_extension("def")
    }

    /// Returns the path of the definitions of a location, `NAME/LOCATION.def`.
    pub(crate) fn local_definitions(&self, location: u64) -> PathBuf {
        self.locations().join(format!("{location}.def"))
    }

    /// Returns the path of the folder with the locations' files.
    pub(crate) fn locations(&self) -> PathBuf {
        self.anchor.with_extension("")
    }

    /// Returns the path of the snapshots of a location, `NAME/LOCATION.snap`.
    pub(crate) fn snapshots(&self, location: u64) -> PathBuf {
        self.locations().join(format!("{location}.snap"))
    }

    /// Returns the path of the markers, `NAME.marker`.
    pub(crate) fn markers(&self) -> PathBuf {
        self.anchor.with_extension("marker")
    }

    /// Returns the path of a thumbnail, `NAME.NUMBER.thumb`.
    pub(crate) fn thumbnail(&self, number: u64) -> PathBuf {
        self.anchor.with_extension(format!("{number}.thumb"))
    }

    /// Returns the path of the events of a location, `NAME/LOCATION.evt`.
    pub(crate) fn events(&self, location: u64) -> PathBuf {
        self.locations().join(format!("{location}.evt"))
    }

    /// Returns the location whose events are in the file at `path`, if `path` is such a file.
    pub(crate) fn location_of(&self, path: &Path) -> Option<u64> {
        let location = path.file_stem()?.to_str()?.parse().ok()?;
        (self.events(location) == path && path.is_file()).then_some(location)
    }
}

/// Returns the path of the missing anchor if `folder` has the other parts of an archive.
fn lost_anchor(folder: &Path) -> Option<PathBuf> {
    let mut files = folder.read_dir().ok()?.flatten().map(|entry| entry.path());
    let definitions = files.find(|path| {
        path.extension().is_some_and(|ending| ending == "def") && path.with_extension("").is_dir()
    })?;
    let anchor = definitions.with_extension("otf2");
    let is_missing = anchor.symlink_metadata().is_err();
    is_missing.then_some(anchor)
}

/// Returns whether `folder` contains an archive, with or without its anchor. Opening it fails if it has no
/// anchor or several.
pub(crate) fn is_archive(folder: &Path) -> bool {
    has_anchors(folder)
        || anchors(folder).is_ok_and(|anchors| anchors.is_empty()) && lost_anchor(folder).is_some()
}

/// Returns the error for a folder with no anchor or with several.
fn not_one_anchor(folder: &Path, mut anchors: Vec<PathBuf>) -> TraceError {
    let (number, hint) = if anchors.is_empty() {
        let hint = "give the path of the anchor, a file ending in .otf2".to_owned();
        ("no *.otf2 file".to_owned(), hint)
    } else {
        anchors.sort();
        let listed = anchors.iter().take(MOST_LISTED);
        let listed: Vec<_> = listed.map(|anchor| anchor.display().to_string()).collect();
        let more = match anchors.len() - listed.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let listed = listed.join(", ");
        let hint = format!("give the path of one anchor: {listed}{more}");
        (format!("{} *.otf2 files", anchors.len()), hint)
    };
    let message = format!("{} contains {number}", folder.display());
    TraceError::new(ErrorKind::Foreign, message)
        .at(Place::file(folder))
        .hint(hint)
}

/// Returns whether `folder` contains at least one anchor.
fn has_anchors(folder: &Path) -> bool {
    let Ok(anchors) = anchors(folder) else {
        return false;
    };
    let mut head = [0; 6];
    anchors.iter().any(|anchor| {
        let read = File::open(anchor).and_then(|mut file| file.read_exact(&mut head));
        read.is_ok() && is_anchor(&head)
    })
}

/// Returns all files in `folder` that end in `.otf2`.
fn anchors(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut anchors = Vec::new();
    for entry in folder.read_dir()? {
        let path = entry?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "otf2")
            && path.is_file()
        {
            anchors.push(path);
        }
    }
    Ok(anchors)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_an_archive_follow_from_the_name_of_its_anchor() {
        let paths = Paths {
            anchor: PathBuf::from("a/eztrace_log.otf2"),
        };
        assert_eq!(paths.definitions(), Path::new("a/eztrace_log.def"));
        assert_eq!(paths.local_definitions(7), Path::new("a/eztrace_log/7.def"));
        assert_eq!(paths.events(7), Path::new("a/eztrace_log/7.evt"));
        assert_eq!(paths.snapshots(7), Path::new("a/eztrace_log/7.snap"));
        let location = |path| paths.location_of(Path::new(path));
        assert_eq!(location("a/eztrace_log/7.def"), None);
        assert_eq!(location("a/eztrace_log/07.evt"), None);
        assert_eq!(
            location("a/eztrace_log/7.evt"),
            None,
            "there is no such file"
        );
        assert_eq!(paths.markers(), Path::new("a/eztrace_log.marker"));
        assert_eq!(paths.thumbnail(0), Path::new("a/eztrace_log.0.thumb"));
    }
}
