//! Opens a trace: a database, or those of a folder.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use foldtrace_database::{
    Damage, Database, DatabaseReader, DatabaseStream, Kind, Plan, Survey, Timeline, open_each,
    report_counts,
};
use foldtrace_trace::{Diagnostic, Diagnostics, Minter, Place, ReadOptions, Severity, TraceError};

use crate::irregularities::Irregularities;
use crate::mapper::{Context, RocpdMapper};
use crate::recording::Recording;
use crate::source::Source;
use crate::world::{PlaceTable, define};

/// The severity and the key of damage.
const DAMAGED: (Severity, &str) = (Severity::Loss, "rocpd.damaged");

/// Everything known of a trace before its events are read.
pub(crate) struct RocpdPlan {
    recordings: Vec<Recording>,
    /// The locations of each recording.
    locations: Vec<PlaceTable>,
    /// The times of all recordings.
    survey: Survey,
}

/// Opens a database, or those of a folder.
pub(crate) fn open(
    path: PathBuf,
    kind: Kind,
    options: ReadOptions,
) -> Result<DatabaseReader<RocpdPlan>, TraceError> {
    let mut diagnostics = Diagnostics::default();
    let paths = kind.databases(path.clone(), &mut diagnostics)?;
    let damage = Damage {
        kind: DAMAGED,
        salvages: options.salvage,
    };
    let recordings = open_each(&paths, damage, &mut diagnostics, |path, diagnostics| {
        Recording::open(path, damage, diagnostics)
    })?;
    let mut survey = Survey::default();
    for recording in &recordings {
        survey.add(&recording.survey);
    }
    report(&recordings, &survey, &path, &mut diagnostics);
    let mut minter = Minter::default();
    minter.clock(survey.clock());
    let locations = define(&recordings, &mut minter);
    let plan = RocpdPlan {
        recordings,
        locations,
        survey,
    };
    Ok(DatabaseReader::new(minter, diagnostics, plan))
}

/// Reports what is irregular about times.
fn report(recordings: &[Recording], survey: &Survey, path: &Path, diagnostics: &mut Diagnostics) {
    let negative = (
        u64::from(survey.origin() < 0),
        Severity::Note,
        "rocpd.negative_time",
        "some times are negative; all times count from the earliest",
    );
    report_counts(path, [negative], diagnostics);
    let names = recordings.iter().flat_map(|recording| &recording.names);
    let hosts: BTreeSet<_> = names.flat_map(|names| names.hosts.values()).collect();
    if hosts.len() > 1 {
        let message = format!(
            "the processes ran on {} machines, whose clocks may differ: each counts from its own start",
            hosts.len()
        );
        let warning = Diagnostic::new(Severity::Warning, "rocpd.several_machines", message);
        diagnostics.report(warning.at(Place::file(path)));
    }
}

impl Plan for RocpdPlan {
    type Mapper = RocpdMapper;

    fn sizes(&self) -> Vec<u64> {
        let recordings = self.recordings.iter();
        recordings.map(|recording| recording.bytes).collect()
    }

    fn start(&self, number: usize) -> Result<DatabaseStream<RocpdMapper>, TraceError> {
        let recording = &self.recordings[number];
        let database = Database::open(&recording.path, recording.damage.salvages)?;
        let context = Context {
            strings: recording.strings(&database)?,
            names: recording.names.clone(),
        };
        let irregularities = Irregularities {
            file: recording.path.clone(),
            unread_counters: recording.counters,
            ..Irregularities::default()
        };
        let (locations, sources) = (&self.locations[number], recording.sources.clone());
        let mapper = |timeline: &mut Timeline| {
            RocpdMapper::new(context, locations, sources, timeline, irregularities)
        };
        let queries = recording.sources.iter().map(Source::query).collect();
        let times = (recording.survey.rows, self.survey.origin());
        DatabaseStream::start(&database, queries, times, recording.damage, mapper)
    }
}
