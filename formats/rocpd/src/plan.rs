//! Opens a database: reads names and the times of all tables, and decides what is read.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use foldhash::fast::RandomState;
use foldtrace_database::{
    Calls, Damage, Database, DatabaseReader, DatabaseStream, MergedRows, Plan, Strings, Survey,
    Table, Timeline,
};
use foldtrace_trace::{
    Clock, Diagnostic, Diagnostics, EventStream, Minter, Place as FilePlace, ReadOptions, Severity,
    TraceError, TraceHead,
};

use crate::irregularities::Irregularities;
use crate::mapper::{Context, RocpdMapper};
use crate::names::Names;
use crate::places::Place;
use crate::source::{Meaning, STRINGS, Source, sources, suffixes};
use crate::world::{PlaceTable, define};

/// The severity and the key of damage.
const DAMAGED: (Severity, &str) = (Severity::Loss, "rocpd.damaged");

/// The tables of events that are read.
const READ: [&str; 6] = [
    "rocpd_region",
    "rocpd_kernel_dispatch",
    "rocpd_memory_copy",
    "rocpd_memory_allocate",
    "rocpd_sample",
    "rocpd_pmc_event",
];

/// Everything known of a database before its events are read.
pub(crate) struct RocpdPlan {
    path: PathBuf,
    damage: Damage,
    suffixes: Vec<String>,
    /// The names of each set of tables.
    names: Vec<Names>,
    sources: Vec<Source>,
    places: BTreeSet<Place>,
    survey: Survey,
}

/// Opens a database.
pub(crate) fn open(
    path: &Path,
    options: ReadOptions,
) -> Result<DatabaseReader<RocpdPlan>, TraceError> {
    let database = Database::open(path, options.salvage)?;
    let damage = Damage {
        kind: DAMAGED,
        salvages: options.salvage,
    };
    let mut diagnostics = Diagnostics::default();
    let mut plan = RocpdPlan {
        path: path.to_owned(),
        damage,
        suffixes: suffixes(&database),
        names: Vec::new(),
        sources: Vec::new(),
        places: BTreeSet::new(),
        survey: Survey::default(),
    };
    plan.survey_all(&database, &mut diagnostics)?;
    let (mut minter, _) = plan.define();
    let head = TraceHead {
        definitions: minter.take(),
        diagnostics,
        ..TraceHead::default()
    };
    let bytes = database.bytes();
    Ok(DatabaseReader::new(head, plan, bytes))
}

/// Reports a table that is not read although it has something about events, if it has rows.
fn report_left_out(
    database: &Database,
    table: &Table,
    suffixes: &[String],
    diagnostics: &mut Diagnostics,
) -> Result<(), TraceError> {
    let base = suffixes
        .iter()
        .find_map(|suffix| table.name.strip_suffix(&**suffix));
    let base = base.unwrap_or(&table.name);
    let is_event = ["start", "timestamp", "event_id"]
        .iter()
        .any(|name| table.has(name));
    let is_name = base.starts_with("rocpd_info_") || READ.contains(&base);
    if is_name || !is_event || !base.starts_with("rocpd_") {
        return Ok(());
    }
    let rows = database.count(table)?;
    if rows > 0 {
        let message = format!("rows of the table {base} are left out");
        let loss = Diagnostic::new(Severity::Loss, "rocpd.left_out", message);
        diagnostics.report_many(loss.at(FilePlace::file(database.path())), rows);
    }
    Ok(())
}

impl RocpdPlan {
    /// Reads the names, the times and the places of all tables, and reports what is irregular.
    fn survey_all(
        &mut self,
        database: &Database,
        diagnostics: &mut Diagnostics,
    ) -> Result<(), TraceError> {
        for (tables, suffix) in self.suffixes.clone().iter().enumerate() {
            let names = Names::read(database, suffix);
            let names = self
                .damage
                .or_default(names, "a table of names", diagnostics)?;
            self.names.push(names);
            for source in sources(database, tables, suffix) {
                self.survey(database, source, diagnostics)?;
            }
        }
        for table in database.tables() {
            let reported = report_left_out(database, table, &self.suffixes, diagnostics);
            self.damage.or_default(reported, &table.name, diagnostics)?;
        }
        let without_time = self.survey.without_time;
        let place = || FilePlace::file(&self.path);
        if without_time > 0 {
            let message = "rows have no time, and are left out";
            let loss = Diagnostic::new(Severity::Loss, "rocpd.no_time", message);
            diagnostics.report_many(loss.at(place()), without_time);
        }
        if self.origin() < 0 {
            let message = "some times are negative; all times count from the earliest";
            let note = Diagnostic::new(Severity::Note, "rocpd.negative_time", message);
            diagnostics.report(note.at(place()));
        }
        Ok(())
    }

    /// Reads the times and the places of a table.
    fn survey(
        &mut self,
        database: &Database,
        mut source: Source,
        diagnostics: &mut Diagnostics,
    ) -> Result<(), TraceError> {
        let result = if source.meaning == Meaning::Counter {
            let counters = format!("rocpd_pmc_event{}", source.suffix);
            let count = database.table(&counters).map(|table| database.count(table));
            count
                .transpose()
                .map(|count| source.survey.rows = count.unwrap_or_default())
        } else {
            let [begin, end] = source.times(database);
            let (place, tables) = (source.place, source.tables);
            let keys = source.place_expressions(database);
            let names = &self.names[tables];
            let mut places = HashSet::<_, RandomState>::default();
            let times = [&*begin, &*end];
            let result = source
                .survey
                .read(database, &source.table, times, &keys, |row| {
                    places.insert(place.surveyed(tables, row, |agent| names.is_gpu(agent)));
                });
            self.places.extend(places);
            result
        };
        let surveyed = (&source.survey, result);
        let check = || source.check(database);
        let is_read =
            self.damage
                .is_read(database, &source.table.name, surveyed, check, diagnostics)?;
        if is_read {
            self.survey.add(&source.survey);
        }
        if is_read && (source.survey.rows > 0 || self.damage.salvages) {
            self.sources.push(source);
        }
        Ok(())
    }

    /// Returns the earliest time, or 0 if there is no event before it.
    fn origin(&self) -> i64 {
        self.survey.first.min(0)
    }

    /// Makes the definitions that are known before the first event.
    fn define(&self) -> (Minter, PlaceTable) {
        let mut minter = Minter::default();
        let mut clock = Clock::default();
        if self.survey.first <= self.survey.last {
            let length = self.survey.last.wrapping_sub(self.survey.first) as u64;
            clock.global_offset = self.survey.first.wrapping_sub(self.origin()) as u64;
            clock.trace_length = length.saturating_add(1);
        }
        minter.clock(clock);
        let locations = define(&self.places, &self.names, &mut minter);
        (minter, locations)
    }
}

impl Plan for RocpdPlan {
    fn start(&self) -> Result<Box<dyn EventStream>, TraceError> {
        let database = Database::open(&self.path, self.damage.salvages)?;
        let strings = self
            .suffixes
            .iter()
            .map(|suffix| Strings::open(&database, &format!("{STRINGS}{suffix}"), "id", "string"));
        let strings = strings.collect::<Result<_, _>>()?;
        let (mut minter, locations) = self.define();
        // The head has them.
        minter.take();
        let queries = self.sources.iter().map(Source::query).collect();
        let rows = MergedRows::start(&database, queries)?;
        let mut timeline = Timeline::new(self.origin());
        let calls = Calls::new(minter);
        let irregularities = Irregularities {
            file: self.path.clone(),
            ..Irregularities::default()
        };
        let context = Context {
            calls,
            strings,
            names: self.names.clone(),
            locations,
        };
        let sources = self.sources.clone();
        let mapper = RocpdMapper::new(context, sources, &mut timeline, irregularities);
        let size = (database.bytes(), self.survey.rows);
        Ok(Box::new(DatabaseStream::new(
            rows,
            mapper,
            timeline,
            size,
            self.damage,
        )))
    }
}
