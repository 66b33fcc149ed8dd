//! Opens traces: their metadata and their streams.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use foldtrace_trace::{Diagnostics, ErrorKind, Place, Severity, TraceError};

use crate::conventions::Conventions;
use crate::data_stream::{DataStream, Identity};
use crate::description::Uuid;
use crate::fault::report;
use crate::feed::Feed;
use crate::files;
use crate::interpreter::{Interpreter, StreamFacts};
use crate::metadata;
use crate::objects::TraceNames;
use crate::plan::TracePlan;
use crate::rounds::Rounds;
use crate::source::Source;
use crate::timeline::Timeline;

/// Memory for the windows of all streams, in bytes.
const WINDOWS_BYTES: usize = 1 << 26;
/// The least and the greatest size of a window.
const WINDOW_BYTES: (usize, usize) = (1 << 16, 1 << 20);
/// The greatest number of files that stay open.
const MOST_OPEN_FILES: usize = 256;

/// A trace with its streams.
pub(crate) struct OpenTrace {
    pub plan: TracePlan,
    folders: Vec<PathBuf>,
}

/// Everything that is needed to read events.
pub(crate) struct Opened {
    pub plans: Vec<TracePlan>,
    pub rounds: Rounds,
    pub timeline: Timeline,
    pub interpreter: Interpreter,
}

/// Opens all traces at a path.
pub(crate) fn open(
    path: &Path,
    salvages: bool,
    diagnostics: &mut Diagnostics,
) -> Result<Opened, TraceError> {
    let folders = files::find(path)?;
    let root = if path.is_dir() {
        path.to_owned()
    } else {
        folders.first().cloned().unwrap_or_default()
    };
    let conventions = Arc::new(Conventions::read(&root)?);
    let traces = read_traces(folders, path, &conventions, salvages, diagnostics)?;
    let mut interpreter = Interpreter::new(conventions);
    let mut groups = Vec::new();
    for (number, trace) in traces.iter().enumerate() {
        interpreter.objects.traces.push(names_of(trace, &root));
        for (class, files) in group_files(trace, salvages, diagnostics)? {
            groups.push((number, class, files));
        }
    }
    let window = (WINDOWS_BYTES / groups.len().max(1)).clamp(WINDOW_BYTES.0, WINDOW_BYTES.1);
    let keeps_open = groups.len() <= MOST_OPEN_FILES;
    let mut feeds = Vec::with_capacity(groups.len());
    let mut sources = Vec::with_capacity(groups.len());
    for (number, (trace, class, files)) in (0..).zip(groups) {
        let plan = &traces[trace].plan;
        let mut stream = DataStream::open(files, class, plan, window, keeps_open)?;
        stream.salvages = salvages;
        feeds.push(Feed::new(stream));
        sources.push(Source::new(facts_of(plan, class, trace as u32, number)));
    }
    let used = sources
        .iter()
        .filter_map(|source| source.facts.clock.as_ref());
    let timeline = Timeline::new(&Vec::from_iter(used));
    for (source, feed) in sources.iter().zip(&mut feeds) {
        let clock = source.facts.clock.as_ref();
        feed.stream.conversion = clock.map(|clock| timeline.conversion(clock));
    }
    Ok(Opened {
        plans: traces.into_iter().map(|trace| trace.plan).collect(),
        rounds: Rounds {
            feeds,
            sources,
            salvages,
        },
        timeline,
        interpreter,
    })
}

/// Reads the metadata of traces. Folders with the same UUID are parts of one trace, such as those that LTTng rotates.
fn read_traces(
    folders: Vec<PathBuf>,
    path: &Path,
    conventions: &Arc<Conventions>,
    salvages: bool,
    diagnostics: &mut Diagnostics,
) -> Result<Vec<OpenTrace>, TraceError> {
    if folders.is_empty() {
        let message = format!("{} contains no trace of CTF", path.display());
        return Err(TraceError::new(ErrorKind::Foreign, message)
            .at(Place::file(path))
            .hint("the folder of a trace has a file 'metadata'"));
    }
    let mut traces: Vec<OpenTrace> = Vec::new();
    let mut by_uuid: HashMap<Uuid, usize> = HashMap::new();
    for folder in folders {
        let description = metadata::read(&folder, metadata::MOST_BYTES);
        let plan = description.and_then(|description| {
            let place = || Place::file(folder.join(metadata::FILE));
            TracePlan::new(description, conventions.clone()).map_err(|fault| fault.error(place()))
        });
        let plan = match plan {
            Err(error) if salvages && error.is_salvageable() => {
                report(Severity::Loss, "ctf.damaged_trace", &error, diagnostics);
                continue;
            }
            other => other?,
        };
        if let Some(uuid) = plan.description.uuid {
            if let Some(&known) = by_uuid.get(&uuid) {
                let trace = &mut traces[known];
                // The largest metadata, which have most classes, describe all parts.
                if plan.description.bytes > trace.plan.description.bytes {
                    trace.plan = plan;
                }
                trace.folders.push(folder);
                continue;
            }
            by_uuid.insert(uuid, traces.len());
        }
        traces.push(OpenTrace {
            plan,
            folders: vec![folder],
        });
    }
    Ok(traces)
}

/// The files of a stream, each with the value of the clock when it begins.
type TimedFiles = Vec<(Option<u64>, PathBuf)>;

/// Returns the files of each stream of a trace, in the order of time, with the number of its class.
fn group_files(
    trace: &OpenTrace,
    salvages: bool,
    diagnostics: &mut Diagnostics,
) -> Result<Vec<(u64, Vec<PathBuf>)>, TraceError> {
    let mut alone = Vec::new();
    let mut groups: BTreeMap<(u64, u64), TimedFiles> = BTreeMap::new();
    for folder in &trace.folders {
        for file in files::streams(folder)? {
            match DataStream::identify(file.clone(), &trace.plan, salvages) {
                Ok(Identity {
                    class,
                    number: Some(number),
                    begin,
                }) => groups
                    .entry((class, number))
                    .or_default()
                    .push((begin, file)),
                Ok(Identity { class, .. }) => alone.push((class, vec![file])),
                Err(error) if salvages && error.is_salvageable() => {
                    report(Severity::Loss, "ctf.damaged_stream", &error, diagnostics);
                }
                Err(error) => return Err(error),
            }
        }
    }
    let groups = groups.into_iter().map(|((class, _), mut files)| {
        files.sort_by_key(|(begin, _)| *begin);
        (class, files.into_iter().map(|(_, file)| file).collect())
    });
    Ok(groups.chain(alone).collect())
}

fn names_of(trace: &OpenTrace, root: &Path) -> TraceNames {
    let description = &trace.plan.description;
    let folder = trace.folders.first();
    let below = folder.and_then(|folder| folder.strip_prefix(root).ok());
    let below = below
        .filter(|below| *below != Path::new(""))
        .or(root.file_name().map(Path::new));
    let below = below.map(|below| below.display().to_string());
    let declared = description
        .name
        .clone()
        .or(description.variable("trace_name").map(str::to_owned));
    TraceNames {
        name: declared
            .filter(|name| !name.is_empty())
            .or(below)
            .unwrap_or_default(),
        host: description.variable("hostname").map(str::to_owned),
    }
}

fn facts_of(plan: &TracePlan, class: u64, trace: u32, number: u32) -> StreamFacts {
    let description = &plan.description;
    let process = description.variable("vpid");
    let clock = plan.streams.get(&class).and_then(|stream| stream.clock);
    StreamFacts {
        trace,
        number,
        process: process
            .and_then(|id| id.parse::<i64>().ok())
            .map(|id| id as u64),
        process_name: description
            .variable("procname")
            .unwrap_or_default()
            .to_owned(),
        clock: clock
            .and_then(|clock| description.clocks.get(clock))
            .cloned(),
        last: None,
    }
}
