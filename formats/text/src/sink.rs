//! Destinations of written lines: a file, standard output, or a folder with one file per process.
//!
//! Files and folders grow under another name next to their final name and receive the final name only when they are
//! complete, so an incomplete output never looks like a trace.

use std::collections::HashMap;
use std::fs::File;
use std::io::Write;
use std::path::Path;

use foldtrace_output::{Contents, OutputFile, OutputFolder};
use foldtrace_trace::{LocationId, Names, Output, TraceError};

/// Size of a block that is written at once, in bytes.
const BLOCK: usize = 1 << 18;
/// Maximum size of the buffers of all files of a folder, in bytes.
const MOST_COLLECTED: usize = 1 << 26;

/// A destination of lines.
pub(crate) trait Sink {
    /// Writes lines that apply to all processes.
    fn definitions(&mut self, lines: &[u8]) -> Result<(), TraceError>;

    /// Returns the buffer to which the lines of `location` must be appended.
    fn buffer(&mut self, location: LocationId, names: &Names) -> Result<&mut Vec<u8>, TraceError>;

    /// Writes the buffered lines if they are large enough.
    fn settle(&mut self) -> Result<(), TraceError>;

    /// Writes all buffered lines and gives the output its final name.
    fn finish(self: Box<Self>) -> Result<(), TraceError>;
}

/// Creates the destination that `output` describes.
pub(crate) fn create(output: Output) -> Result<Box<dyn Sink>, TraceError> {
    if let Output::Path { path, replace } = &output
        && path.as_os_str().as_encoded_bytes().ends_with(b"/")
    {
        let replace = *replace;
        let check = move |target: &Path| CONTENTS.check(target, replace);
        let folder = OutputFolder::create(path.components().collect(), check)?;
        return Ok(Box::new(Folder::new(folder)));
    }
    let is_folder = matches!(&output, Output::Path { path, replace: true } if path.is_dir());
    let file = OutputFile::create(output).map_err(|error| {
        if is_folder {
            error.hint("to write a folder with one file per process, end the name with '/'")
        } else {
            error
        }
    });
    Ok(Box::new(Single {
        file: file?,
        collected: Vec::new(),
    }))
}

/// The kind of files that a folder of text traces contains.
const CONTENTS: Contents = Contents {
    name: "*.trace files",
    has: |path| {
        path.extension()
            .is_some_and(|extension| extension == "trace")
    },
};

/// One file for all locations.
struct Single {
    file: OutputFile,
    collected: Vec<u8>,
}

impl Single {
    fn write(&mut self) -> Result<(), TraceError> {
        let written = self.file.write_all(&self.collected);
        self.collected.clear();
        written.map_err(|error| TraceError::unwritable(self.file.path(), error))
    }
}

impl Sink for Single {
    fn definitions(&mut self, lines: &[u8]) -> Result<(), TraceError> {
        self.collected.extend_from_slice(lines);
        self.settle()
    }

    fn buffer(&mut self, _: LocationId, _: &Names) -> Result<&mut Vec<u8>, TraceError> {
        Ok(&mut self.collected)
    }

    fn settle(&mut self) -> Result<(), TraceError> {
        if self.collected.len() >= BLOCK {
            self.write()
        } else {
            Ok(())
        }
    }

    fn finish(mut self: Box<Self>) -> Result<(), TraceError> {
        self.write()?;
        self.file.complete()
    }
}

/// A folder with one file per process, each with all definitions.
struct Folder {
    folder: OutputFolder,
    /// All definitions so far, for files that are created later.
    header: Vec<u8>,
    files: Vec<(String, Vec<u8>)>,
    file_by_location: HashMap<LocationId, usize>,
    file_by_name: HashMap<String, usize>,
    collected: usize,
    /// The file whose buffer was returned last, and its length at that time.
    last: Option<(usize, usize)>,
}

impl Folder {
    fn new(folder: OutputFolder) -> Self {
        Self {
            folder,
            header: Vec::new(),
            files: Vec::new(),
            file_by_location: HashMap::new(),
            file_by_name: HashMap::new(),
            collected: 0,
            last: None,
        }
    }

    /// Returns the file of a location. It stays the same even if later definitions change the rank of the location.
    fn file(&mut self, location: LocationId, names: &Names) -> usize {
        if let Some(&file) = self.file_by_location.get(&location) {
            return file;
        }
        let name = match names.rank(location) {
            Some((rank, _)) => format!("{rank}.trace"),
            None => "other.trace".to_owned(),
        };
        let file = self.begin(name);
        self.file_by_location.insert(location, file);
        file
    }

    fn begin(&mut self, name: String) -> usize {
        let (files, header) = (&mut self.files, &self.header);
        *self.file_by_name.entry(name).or_insert_with_key(|name| {
            files.push((name.clone(), header.clone()));
            self.collected += header.len();
            files.len() - 1
        })
    }

    fn write(&mut self, file: usize) -> Result<(), TraceError> {
        let (name, lines) = &mut self.files[file];
        self.collected -= lines.len();
        let path = self.folder.path().join(&*name);
        let written = File::options()
            .append(true)
            .create(true)
            .open(&path)
            .and_then(|mut file| file.write_all(lines));
        // There may be many files, so their buffers are freed.
        *lines = Vec::new();
        written.map_err(|error| TraceError::unwritable(&self.folder.target().join(&*name), error))
    }

    fn write_all(&mut self) -> Result<(), TraceError> {
        (0..self.files.len())
            .filter(|&file| !self.files[file].1.is_empty())
            .collect::<Vec<_>>()
            .into_iter()
            .try_for_each(|file| self.write(file))
    }
}

impl Sink for Folder {
    fn definitions(&mut self, lines: &[u8]) -> Result<(), TraceError> {
        self.header.extend_from_slice(lines);
        for (_, file) in &mut self.files {
            file.extend_from_slice(lines);
            self.collected += lines.len();
        }
        if self.collected > MOST_COLLECTED {
            self.write_all()
        } else {
            Ok(())
        }
    }

    fn buffer(&mut self, location: LocationId, names: &Names) -> Result<&mut Vec<u8>, TraceError> {
        let file = self.file(location, names);
        let lines = &mut self.files[file].1;
        self.last = Some((file, lines.len()));
        Ok(lines)
    }

    fn settle(&mut self) -> Result<(), TraceError> {
        let Some((file, before)) = self.last.take() else {
            return Ok(());
        };
        let now = self.files[file].1.len();
        self.collected += now - before;
        if now >= BLOCK {
            self.write(file)?;
        }
        if self.collected > MOST_COLLECTED {
            self.write_all()
        } else {
            Ok(())
        }
    }

    fn finish(mut self: Box<Self>) -> Result<(), TraceError> {
        if self.files.is_empty() {
            self.begin("0.trace".to_owned());
        }
        self.write_all()?;
        self.folder.complete()
    }
}
