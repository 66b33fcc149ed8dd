//! The databases of a trace: a file, or those of a folder, in which each process has its own.

use std::fs::DirEntry;
use std::io;
use std::path::{Path, PathBuf};

use foldtrace_input::entries_in;
use foldtrace_trace::{Diagnostic, Diagnostics, ErrorKind, Place, Severity, TraceError};

use crate::Damage;
use crate::connection::has_table;

/// What databases of a format have in common.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// What they are, such as "export of Nsight Systems".
    pub name: &'static str,
    /// The extension of their files.
    pub extension: &'static str,
    /// Returns whether only they have a table with that name.
    pub is_own_table: fn(&str) -> bool,
    /// The severity and the key of the diagnostic for another file with that extension.
    pub other_file: (Severity, &'static str),
}

impl Kind {
    /// Returns whether a file is such a database, or a part of one.
    #[must_use]
    pub fn is_file(&self, path: &Path) -> bool {
        has_table(path, self.is_own_table)
    }

    /// Returns whether a folder has such a database.
    #[must_use]
    pub fn is_folder(&self, folder: &Path) -> bool {
        let files = self.files(folder).unwrap_or_default();
        files.iter().any(|file| self.is_file(file))
    }

    /// Returns the databases of the trace at `path`, and reports files of a folder that are not part of it.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be read or has no such database.
    pub fn databases(
        &self,
        path: PathBuf,
        diagnostics: &mut Diagnostics,
    ) -> Result<Vec<PathBuf>, TraceError> {
        if !path.is_dir() {
            return Ok(vec![path]);
        }
        let files = self.files(&path);
        let files = files.map_err(|error| TraceError::unreadable(&path, error))?;
        let (own, others): (Vec<_>, Vec<_>) = files.into_iter().partition(|it| self.is_file(it));
        for file in others {
            let message = format!("the file is no {}, and is not read", self.name);
            let (severity, key) = self.other_file;
            let diagnostic = Diagnostic::new(severity, key, message);
            diagnostics.report(diagnostic.at(Place::file(file)));
        }
        if own.is_empty() {
            let message = format!("{} contains no {}", path.display(), self.name);
            return Err(TraceError::new(ErrorKind::Foreign, message)
                .at(Place::file(path))
                .hint(format!("expected files *.{}", self.extension)));
        }
        Ok(own)
    }

    /// Returns the files that may be databases: those of the folder or, if there are none, those of its subfolders, such as one
    /// for each machine.
    fn files(&self, folder: &Path) -> io::Result<Vec<PathBuf>> {
        let own = self.files_directly_in(folder)?;
        if !own.is_empty() {
            return Ok(own);
        }
        let is_folder = |entry: &DirEntry| entry.file_type().is_ok_and(|it| it.is_dir());
        let mut files = Vec::new();
        for folder in entries_in(folder, is_folder)? {
            files.extend(self.files_directly_in(&folder)?);
        }
        Ok(files)
    }

    fn files_directly_in(&self, folder: &Path) -> io::Result<Vec<PathBuf>> {
        entries_in(folder, |entry| {
            let path = entry.path();
            path.extension().is_some_and(|it| it == self.extension) && path.is_file()
        })
    }
}

/// Opens each database of a trace with `open`. If the rest is salvaged, those that cannot be opened are lost, unless all are.
///
/// # Errors
/// Returns a failure otherwise.
pub fn open_each<T>(
    paths: &[PathBuf],
    damage: Damage,
    diagnostics: &mut Diagnostics,
    mut open: impl FnMut(&Path, &mut Diagnostics) -> Result<T, TraceError>,
) -> Result<Vec<T>, TraceError> {
    let mut opened = Vec::with_capacity(paths.len());
    for (number, path) in paths.iter().enumerate() {
        let database = open(path, diagnostics).map(Some);
        let is_last_hope = opened.is_empty() && number + 1 == paths.len();
        let kept = if is_last_hope {
            database
        } else {
            damage.or_default(database, "the whole database", diagnostics)
        };
        opened.extend(kept?);
    }
    Ok(opened)
}
