//! Opens a trace: the export of one report, or the exports of several in a folder.

use std::collections::HashSet;
use std::path::PathBuf;

use foldtrace_database::{
    Damage, Database, DatabaseReader, DatabaseStream, Kind, Plan, Timeline, open_each,
};
use foldtrace_trace::{DefinitionKind, Diagnostics, Minter, ReadOptions, Severity, TraceError};

use crate::export::Export;
use crate::irregularities::Irregularities;
use crate::mapper::{Context, NsightMapper};
use crate::source::Source;
use crate::timing::Timing;
use crate::world::{World, report_repeated};

/// The severity and the key of damage.
const DAMAGED: (Severity, &str) = (Severity::Loss, "nsight.damaged");

/// Everything known of a trace before its events are read.
pub(crate) struct NsightPlan {
    exports: Vec<Export>,
    timing: Timing,
    /// The locations of each export, and what follows from them.
    worlds: Vec<World>,
}

/// Opens a database, or those of a folder.
pub(crate) fn open(
    path: PathBuf,
    kind: Kind,
    options: ReadOptions,
) -> Result<DatabaseReader<NsightPlan>, TraceError> {
    let mut diagnostics = Diagnostics::default();
    let paths = kind.databases(path.clone(), &mut diagnostics)?;
    let damage = Damage {
        kind: DAMAGED,
        salvages: options.salvage,
    };
    let exports = open_each(&paths, damage, &mut diagnostics, |path, diagnostics| {
        Export::open(path, damage, diagnostics)
    })?;
    let timing = Timing::of(&exports, &path, &mut diagnostics);
    report_repeated(&exports, &mut diagnostics);
    let mut minter = Minter::default();
    timing.define_clock(&mut minter);
    define_properties(&exports, &mut minter);
    let worlds = World::define(&exports, &mut minter);
    let plan = NsightPlan {
        exports,
        timing,
        worlds,
    };
    Ok(DatabaseReader::new(minter, diagnostics, plan))
}

/// Defines what reports say about themselves, once if several say the same.
fn define_properties(exports: &[Export], minter: &mut Minter) {
    let mut defined = HashSet::new();
    for Export { names, .. } in exports {
        let version = names.version.iter().map(|text| ("version", text));
        let messages = names.messages.iter().map(|text| ("message", text));
        for (name, text) in version.chain(messages) {
            let property = format!("nsight.{name}={text}");
            if defined.insert((name, text)) {
                minter.define(DefinitionKind::TraceProperty, &[], &[], &property);
            }
        }
    }
}

impl Plan for NsightPlan {
    type Mapper = NsightMapper;

    fn sizes(&self) -> Vec<u64> {
        self.exports.iter().map(|export| export.bytes).collect()
    }

    fn start(&self, number: usize) -> Result<DatabaseStream<NsightMapper>, TraceError> {
        let export = &self.exports[number];
        let database = Database::open(&export.path, export.damage.salvages)?;
        let context = Context {
            strings: Export::strings(&database)?,
            names: export.names.clone(),
            domains: export.domains.clone(),
            world: self.worlds[number].clone(),
        };
        let irregularities = Irregularities {
            file: export.path.clone(),
            ..Irregularities::default()
        };
        let sources = export.sources.clone();
        let mapper =
            |timeline: &mut Timeline| NsightMapper::new(context, sources, timeline, irregularities);
        let queries = export.sources.iter().map(Source::query).collect();
        let times = (export.survey.rows, self.timing.origin(number));
        DatabaseStream::start(&database, queries, times, export.damage, mapper)
    }
}
