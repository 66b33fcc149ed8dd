//! A database of a trace: what is known of it before its events are read.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use foldhash::fast::RandomState;
use foldtrace_database::{Damage, Database, SmallTables, Strings, Survey, Table, report_counts};
use foldtrace_trace::{Diagnostics, Severity, TraceError};

use crate::names::Names;
use crate::nvtx::Domains;
use crate::places::Place;
use crate::source::{Meaning, Source};

/// An export of a report.
pub(crate) struct Export {
    pub path: PathBuf,
    /// The size of the file.
    pub bytes: u64,
    pub names: Names,
    pub places: BTreeSet<Place>,
    pub survey: Survey,
    pub sources: Vec<Source>,
    pub domains: Domains,
    pub damage: Damage,
}

impl Export {
    /// Reads the names, the times and the places of all tables, and reports what is irregular.
    pub(crate) fn open(
        path: &Path,
        damage: Damage,
        diagnostics: &mut Diagnostics,
    ) -> Result<Self, TraceError> {
        let database = Database::open(path, damage.salvages)?;
        let mut strings = Self::strings(&database)?;
        let mut tables = SmallTables {
            database: &database,
            damage,
            diagnostics,
        };
        let mut export = Self {
            path: path.to_owned(),
            bytes: database.bytes(),
            names: Names::read(&mut tables, &mut strings)?,
            domains: Domains::read(&mut tables, &mut strings)?,
            places: BTreeSet::new(),
            survey: Survey::default(),
            sources: Vec::new(),
            damage,
        };
        let failure = strings.take_failure().map_or(Ok(()), Err);
        damage.or_default(failure, "a part of the strings", diagnostics)?;
        export.survey_all(&database, diagnostics)?;
        Ok(export)
    }

    /// Reads the times and the places of all tables, and reports what is irregular.
    fn survey_all(
        &mut self,
        database: &Database,
        diagnostics: &mut Diagnostics,
    ) -> Result<(), TraceError> {
        for table in database.tables() {
            match Source::of(table) {
                Some(source) => self.survey(database, table, source, diagnostics)?,
                None => {
                    let reported = report_left_out(database, table, diagnostics);
                    self.damage.or_default(reported, &table.name, diagnostics)?;
                }
            }
        }
        let counts = [(
            self.survey.without_time,
            Severity::Loss,
            "nsight.no_time",
            "rows have no time, and are left out",
        )];
        report_counts(&self.path, counts, diagnostics);
        Ok(())
    }

    /// Reads the times and the places of a table.
    fn survey(
        &mut self,
        database: &Database,
        table: &Table,
        mut source: Source,
        diagnostics: &mut Diagnostics,
    ) -> Result<(), TraceError> {
        let [begin, end] = source.times(table);
        let place = source.place;
        let keys = source.place_expressions(table);
        let mut places = HashSet::<_, RandomState>::default();
        let result = source
            .survey
            .read(database, table, [&begin, &end], &keys, |row| {
                places.insert(place.surveyed(row));
            });
        self.places.extend(places);
        let check = || source.check(database);
        let is_read = self
            .damage
            .is_read(&table.name, result, check, diagnostics)?;
        if is_read {
            self.survey.add(&source.survey);
        }
        if is_read && (source.survey.rows > 0 || self.damage.salvages) {
            self.sources.push(source);
        }
        Ok(())
    }

    /// Returns whether processes communicate.
    pub(crate) fn has_messages(&self) -> bool {
        let communicates = |it: &Source| {
            matches!(it.meaning, Meaning::PointToPoint | Meaning::Collective) && it.survey.rows > 0
        };
        self.sources.iter().any(communicates)
    }

    /// Returns the strings that rows refer to by number.
    pub(crate) fn strings(database: &Database) -> Result<Strings, TraceError> {
        Strings::open(database, "StringIds", "id", "value")
    }
}

/// Reports a table of events that has no meaning here, if it has rows.
fn report_left_out(
    database: &Database,
    table: &Table,
    diagnostics: &mut Diagnostics,
) -> Result<(), TraceError> {
    let times = ["start", "timestamp", "rawTimestamp"];
    let is_known = ["MPI_COMMUNICATORS", "DIAGNOSTIC_EVENT"].contains(&&*table.name);
    let is_event = times.iter().any(|time| table.has(time)) && !is_known;
    if !is_event && !table.name.ends_with("CALLCHAINS") {
        return Ok(());
    }
    let rows = database.count(table)?;
    let message = format!("rows of the table {} are left out", table.name);
    let counts = [(rows, Severity::Loss, "nsight.left_out", message)];
    report_counts(database.path(), counts, diagnostics);
    Ok(())
}
