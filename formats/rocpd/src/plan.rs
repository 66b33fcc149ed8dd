//! Opens a database: reads names and the times of all tables, and decides what is read.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use foldhash::fast::RandomState;
use foldtrace_database::{
    Calls, Damage, Database, DatabaseReader, DatabaseStream, Plan, SmallTables, Strings, Survey,
    Table, Timeline, report_counts,
};
use foldtrace_trace::{
    Diagnostics, EventStream, Minter, ReadOptions, Severity, TraceError, TraceHead,
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
    /// The number of counters of all sets of tables whose counters are not damaged.
    counters: u64,
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
        counters: 0,
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
    // The suffix of one set may be empty.
    let base = suffixes
        .iter()
        .filter_map(|suffix| table.name.strip_suffix(&**suffix))
        .min_by_key(|base| base.len());
    let base = base.unwrap_or(&table.name);
    let is_event = ["start", "timestamp", "event_id"]
        .iter()
        .any(|name| table.has(name));
    let is_name = base.starts_with("rocpd_info_") || READ.contains(&base);
    if is_name || !is_event || !base.starts_with("rocpd_") {
        return Ok(());
    }
    let rows = database.count(table)?;
    let message = format!("rows of the table {base} are left out");
    let counts = [(rows, Severity::Loss, "rocpd.left_out", message)];
    report_counts(database.path(), counts, diagnostics);
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
            let mut small = SmallTables {
                database,
                damage: self.damage,
                diagnostics,
            };
            self.names.push(Names::read(&mut small, suffix)?);
            let mut counters = Some(0);
            for source in sources(database, tables, suffix) {
                if source.meaning == Meaning::Counter {
                    let count = self.count(database, source, diagnostics)?;
                    counters = counters.and(count);
                } else {
                    self.survey(database, source, diagnostics)?;
                }
            }
            self.counters += counters.unwrap_or_default();
        }
        for table in database.tables() {
            let reported = report_left_out(database, table, &self.suffixes, diagnostics);
            self.damage.or_default(reported, &table.name, diagnostics)?;
        }
        let counts = [
            (
                self.survey.without_time,
                Severity::Loss,
                "rocpd.no_time",
                "rows have no time, and are left out",
            ),
            (
                u64::from(self.survey.origin() < 0),
                Severity::Note,
                "rocpd.negative_time",
                "some times are negative; all times count from the earliest",
            ),
        ];
        report_counts(&self.path, counts, diagnostics);
        Ok(())
    }

    /// Reads the times and the places of a table.
    fn survey(
        &mut self,
        database: &Database,
        mut source: Source,
        diagnostics: &mut Diagnostics,
    ) -> Result<(), TraceError> {
        let [begin, end] = source.times(database);
        let (place, tables) = (source.place, source.tables);
        let keys = source.place_expressions(database);
        let names = &self.names[tables];
        let mut places = HashSet::<_, RandomState>::default();
        let times = [&*begin, &*end];
        let surveyed = source
            .survey
            .read(database, &source.table, times, &keys, |row| {
                places.insert(place.surveyed(tables, row, |agent| names.is_gpu(agent)));
            });
        self.places.extend(places);
        self.add(database, source, surveyed, diagnostics)
    }

    /// Counts the counters that are joined to a table, and returns their number; `None` if they may be damaged.
    fn count(
        &mut self,
        database: &Database,
        mut source: Source,
        diagnostics: &mut Diagnostics,
    ) -> Result<Option<u64>, TraceError> {
        let counters = format!("rocpd_pmc_event{}", source.suffix);
        let Some(counters) = database.table(&counters) else {
            return Ok(None);
        };
        let counted = database.count(counters);
        if matches!(counted, Ok(0)) {
            return Ok(Some(0));
        }
        // The join with a table whose rows never end would not end either.
        let has_end = database.count(&source.table).map(|_| true);
        let has_end = self
            .damage
            .or_default(has_end, &source.table.name, diagnostics)?;
        if !has_end {
            return Ok(None);
        }
        let count = counted.as_ref().ok().copied();
        source.survey.rows = count.unwrap_or_default();
        self.add(database, source, counted.map(|_| ()), diagnostics)?;
        Ok(count)
    }

    /// Adds a table, unless its rows cannot be read.
    fn add(
        &mut self,
        database: &Database,
        source: Source,
        surveyed: Result<(), TraceError>,
        diagnostics: &mut Diagnostics,
    ) -> Result<(), TraceError> {
        let check = || source.check(database);
        let is_read = self
            .damage
            .is_read(&source.table.name, surveyed, check, diagnostics)?;
        if is_read {
            self.survey.add(&source.survey);
        }
        if is_read && (source.survey.rows > 0 || self.damage.salvages) {
            self.sources.push(source);
        }
        Ok(())
    }

    /// Makes the definitions that are known before the first event.
    fn define(&self) -> (Minter, PlaceTable) {
        let mut minter = Minter::default();
        minter.clock(self.survey.clock());
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
        let irregularities = Irregularities {
            file: self.path.clone(),
            unread_counters: self.counters,
            ..Irregularities::default()
        };
        let context = Context {
            calls: Calls::new(minter),
            strings,
            names: self.names.clone(),
            locations,
        };
        let sources = self.sources.clone();
        let mapper =
            |timeline: &mut Timeline| RocpdMapper::new(context, sources, timeline, irregularities);
        let stream = DatabaseStream::start(&database, queries, &self.survey, self.damage, mapper)?;
        Ok(Box::new(stream))
    }
}
