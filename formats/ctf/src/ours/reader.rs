//! Opens a trace that foldtrace wrote.

use std::path::{Path, PathBuf};

use foldtrace_notation::{MARK, parse_definition};
use foldtrace_trace::{
    Definitions, Diagnostics, ErrorKind, EventStream, LocationId, Place, ReadOptions, StreamInfo,
    TraceError, TraceHead, TraceReader,
};

use super::STREAM;
use super::layout::{CLASSES, DEFINITIONS, Layout};
use super::stream::{Class, OurStream};
use crate::description::Description;
use crate::fault::Fault;
use crate::{files, metadata};

/// A trace that foldtrace wrote.
pub(crate) struct OurTrace {
    head: TraceHead,
    classes: Vec<Class>,
    files: Vec<PathBuf>,
    options: ReadOptions,
}

impl OurTrace {
    pub(crate) fn open(folder: &Path, options: ReadOptions) -> Result<Self, TraceError> {
        // Their largest part are the definitions, which are kept in memory in any case.
        let description = metadata::read(folder, u64::MAX)?;
        let in_metadata = |fault: Fault| fault.error(Place::file(folder.join(metadata::FILE)));
        let classes = classes(&description).map_err(in_metadata)?;
        let definitions = definitions(&description).map_err(in_metadata)?;
        let (mut files, mut streams) = (Vec::new(), Vec::new());
        for (location, file) in data_streams(folder)? {
            streams.push(StreamInfo {
                location: Some(location),
                bytes: file.metadata().map_or(0, |it| it.len()),
                part: None,
            });
            files.push(file);
        }
        Ok(Self {
            head: TraceHead {
                definitions,
                diagnostics: Diagnostics::default(),
                streams,
                wide_fields: None,
            },
            classes,
            files,
            options,
        })
    }
}

/// Returns the lines of an entry of the environment.
fn lines<'a>(
    description: &'a Description,
    name: &'static str,
) -> Result<impl Iterator<Item = &'a str>, Fault> {
    let text = description.variable(name);
    let text = text.ok_or_else(|| Fault::new(format!("expected '{name}' in the environment")))?;
    Ok(text.split('\n').filter(|line| !line.is_empty()))
}

fn classes(description: &Description) -> Result<Vec<Class>, Fault> {
    let lines = lines(description, CLASSES)?;
    let parsed = lines.map(|line| {
        let layout = Layout::parse(line);
        let layout = layout.ok_or_else(|| {
            Fault::new(format!(
                "expected a class of events in '{CLASSES}', found '{line}'"
            ))
        });
        layout.map(Class::new)
    });
    parsed.collect()
}

fn definitions(description: &Description) -> Result<Definitions, Fault> {
    let mut definitions = Definitions::default();
    for line in lines(description, DEFINITIONS)? {
        let line = line.as_bytes();
        let fields = line.strip_prefix(MARK).unwrap_or(line);
        let definition = parse_definition(fields, 0).map_err(|fault| {
            Fault::new(format!(
                "a definition in '{DEFINITIONS}': {}",
                fault.message
            ))
        })?;
        definition.push_to(&mut definitions);
    }
    Ok(definitions)
}

/// Returns the data streams by the ids of their locations.
fn data_streams(folder: &Path) -> Result<Vec<(LocationId, PathBuf)>, TraceError> {
    let mut found = Vec::new();
    for file in files::streams(folder)? {
        let name = file.file_name().and_then(|name| name.to_str());
        let id = name.and_then(|name| name.strip_prefix(STREAM)?.parse::<u64>().ok());
        // Another spelling of the id would be a second stream of the location.
        let id = id.filter(|id| name.is_some_and(|name| name == format!("{STREAM}{id}")));
        let id = id.ok_or_else(|| {
            let message = format!(
                "expected a data stream called {STREAM}ID, found {}",
                file.display()
            );
            Fault::new(message)
                .hint("foldtrace wrote this trace; was a file added?")
                .error(Place::file(&file))
        })?;
        found.push((LocationId(id), file));
    }
    found.sort_unstable();
    Ok(found)
}

impl TraceReader for OurTrace {
    fn head(&self) -> &TraceHead {
        &self.head
    }

    fn open_stream(&self, index: usize) -> Result<Box<dyn EventStream + '_>, TraceError> {
        let location = self
            .head
            .streams
            .get(index)
            .and_then(|stream| stream.location);
        let (Some(file), Some(location)) = (self.files.get(index), location) else {
            let message = format!("this trace has no stream {index}");
            return Err(TraceError::new(ErrorKind::Usage, message));
        };
        let stream = OurStream::open(file, location, &self.classes, self.options)?;
        Ok(Box::new(stream))
    }
}
