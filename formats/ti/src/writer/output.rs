//! The output files: a master file, and a folder next to it with one file per rank.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use foldtrace_output::{Contents, OutputFile, OutputFolder};
use foldtrace_trace::{ErrorKind, Output, Place, TraceError};

const CONTENTS: Contents = Contents {
    name: "rank-*.txt files",
    has: |path| {
        let name = path.file_name().map(|name| name.to_string_lossy());
        name.is_some_and(|name| name.starts_with("rank-") && name.ends_with(".txt"))
    },
};

/// A master file and its folder. Both receive their final names when they are complete.
pub(crate) struct Files {
    master: OutputFile,
    folder: OutputFolder,
    /// The path of the folder as the user wrote it, where a replay must find it.
    folder_path: PathBuf,
}

impl Files {
    pub(crate) fn create(output: Output) -> Result<Self, TraceError> {
        let Output::Path { path, replace } = &output else {
            let message = "cannot write a time-independent trace to standard output, because it \
                           consists of a master file and a folder";
            return Err(TraceError::new(ErrorKind::Usage, message)
                .hint("name an output file, such as run.ti"));
        };
        let replace = *replace;
        let path: PathBuf = path.components().collect();
        let mut folder_path = path.clone().into_os_string();
        folder_path.push("_files");
        let folder_path = PathBuf::from(folder_path);
        if folder_path.as_os_str().as_encoded_bytes().contains(&b'\n') {
            let message = format!(
                "cannot write {}: its path contains a line break",
                path.display()
            );
            return Err(TraceError::new(ErrorKind::Output, message).at(Place::file(path)));
        }
        let master = OutputFile::create(output)?;
        let check = move |target: &Path| CONTENTS.check(target, replace);
        let folder = OutputFolder::create(folder_path.clone(), check)?;
        Ok(Self {
            master,
            folder,
            folder_path,
        })
    }

    /// Returns the folder for temporary files.
    pub(crate) fn scratch(&self) -> &Path {
        self.folder.path()
    }

    fn name(rank: u64) -> String {
        format!("rank-{rank}.txt")
    }

    /// Creates the file of a rank.
    pub(crate) fn rank(&self, rank: u64) -> Result<BufWriter<File>, TraceError> {
        let path = self.folder.path().join(Self::name(rank));
        match File::create_new(path) {
            Ok(file) => Ok(BufWriter::new(file)),
            Err(error) => Err(TraceError::unwritable(self.folder.target(), error)),
        }
    }

    /// Writes the list of rank files, and gives all files their final names.
    pub(crate) fn complete(mut self, ranks: u64) -> Result<(), TraceError> {
        let mut lines = Vec::new();
        for rank in 0..ranks {
            let path = self.folder_path.join(Self::name(rank));
            lines.extend_from_slice(path.as_os_str().as_encoded_bytes());
            lines.push(b'\n');
        }
        let written = self.master.write_all(&lines);
        written.map_err(|error| TraceError::unwritable(self.master.path(), error))?;
        self.folder.complete()?;
        self.master.complete()
    }
}
