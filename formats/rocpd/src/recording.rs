//! A database of a trace: what is known of it before its events are read.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use foldhash::fast::RandomState;
use foldtrace_database::{Damage, Database, SmallTables, Strings, Survey, Table, report_counts};
use foldtrace_trace::{Diagnostics, Severity, TraceError};

use crate::names::Names;
use crate::places::Place;
use crate::source::{Meaning, STRINGS, Source, sources, suffixes};

/// The tables of events that are read.
const READ: [&str; 6] = [
    "rocpd_region",
    "rocpd_kernel_dispatch",
    "rocpd_memory_copy",
    "rocpd_memory_allocate",
    "rocpd_sample",
    "rocpd_pmc_event",
];

/// A database with the sets of tables of one process or several.
pub(crate) struct Recording {
    pub path: PathBuf,
    /// The size of the file.
    pub bytes: u64,
    /// The names of each set of tables.
    pub names: Vec<Names>,
    pub places: BTreeSet<Place>,
    pub survey: Survey,
    pub sources: Vec<Source>,
    /// The number of counters of all sets of tables whose counters are not damaged.
    pub counters: u64,
    pub damage: Damage,
    suffixes: Vec<String>,
}

impl Recording {
    /// Opens a database, and surveys it.
    pub(crate) fn open(
        path: &Path,
        damage: Damage,
        diagnostics: &mut Diagnostics,
    ) -> Result<Self, TraceError> {
        let database = Database::open(path, damage.salvages)?;
        let mut recording = Self {
            path: path.to_owned(),
            bytes: database.bytes(),
            names: Vec::new(),
            places: BTreeSet::new(),
            survey: Survey::default(),
            suffixes: suffixes(&database),
            sources: Vec::new(),
            counters: 0,
            damage,
        };
        recording.survey_all(&database, diagnostics)?;
        Ok(recording)
    }

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
        let counts = [(
            self.survey.without_time,
            Severity::Loss,
            "rocpd.no_time",
            "rows have no time, and are left out",
        )];
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

    /// Returns the strings of each set of tables, to which rows refer by number.
    pub(crate) fn strings(&self, database: &Database) -> Result<Vec<Strings>, TraceError> {
        let suffixes = self.suffixes.iter();
        let tables = suffixes.map(|suffix| format!("{STRINGS}{suffix}"));
        tables
            .map(|table| Strings::open(database, &table, "id", "string"))
            .collect()
    }
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
