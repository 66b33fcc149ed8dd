//! Opens a database: reads names and the times of all tables, and decides what is read.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use foldhash::fast::RandomState;
use foldtrace_database::{
    Calls, Damage, Database, DatabaseReader, DatabaseStream, MergedRows, Plan, Strings, Survey,
    Table, Timeline,
};
use foldtrace_trace::{
    Clock, DefinitionKind, Diagnostic, Diagnostics, EventStream, Minter, Place as FilePlace,
    ReadOptions, Severity, TraceError, TraceHead, UNDEFINED,
};

use crate::irregularities::Irregularities;
use crate::mapper::{Context, NsightMapper};
use crate::names::Names;
use crate::nvtx::Domains;
use crate::places::Place;
use crate::source::{Meaning, Source};
use crate::world::World;

/// The severity and the key of damage.
const DAMAGED: (Severity, &str) = (Severity::Loss, "nsight.damaged");

/// What damage of other tables loses.
const NAMES: &str = "a table of names or ranks";

/// Everything known of a database before its events are read.
pub(crate) struct NsightPlan {
    path: std::path::PathBuf,
    damage: Damage,
    sources: Vec<Source>,
    places: BTreeSet<Place>,
    names: Names,
    survey: Survey,
}

/// Opens a database.
pub(crate) fn open(
    path: &Path,
    options: ReadOptions,
) -> Result<DatabaseReader<NsightPlan>, TraceError> {
    let database = Database::open(path, options.salvage)?;
    let damage = Damage {
        kind: DAMAGED,
        salvages: options.salvage,
    };
    let mut diagnostics = Diagnostics::default();
    let names = Names::read(&database);
    let names = damage.or_default(names, NAMES, &mut diagnostics)?;
    let mut plan = NsightPlan {
        path: path.to_owned(),
        damage,
        sources: Vec::new(),
        places: BTreeSet::new(),
        names,
        survey: Survey::default(),
    };
    plan.survey_all(&database, &mut diagnostics)?;
    let mut strings = plan.strings(&database)?;
    let (mut minter, _) = plan.define(&mut strings);
    let failure = strings.take_failure().map_or(Ok(()), Err);
    damage.or_default(failure, NAMES, &mut diagnostics)?;
    let head = TraceHead {
        definitions: minter.take(),
        diagnostics,
        ..TraceHead::default()
    };
    let bytes = database.bytes();
    Ok(DatabaseReader::new(head, plan, bytes))
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
    if rows > 0 {
        let message = format!("rows of the table {} are left out", table.name);
        let loss = Diagnostic::new(Severity::Loss, "nsight.left_out", message);
        diagnostics.report_many(loss.at(FilePlace::file(database.path())), rows);
    }
    Ok(())
}

impl NsightPlan {
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
        let without_time = self.survey.without_time;
        let place = || FilePlace::file(&self.path);
        if without_time > 0 {
            let message = "rows have no time, and are left out";
            let loss = Diagnostic::new(Severity::Loss, "nsight.no_time", message);
            diagnostics.report_many(loss.at(place()), without_time);
        }
        if self.origin() < 0 {
            let message =
                "some times are before the start of the session; all times count from the earliest";
            let note = Diagnostic::new(Severity::Note, "nsight.negative_time", message);
            diagnostics.report(note.at(place()));
        }
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
        let surveyed = (&source.survey, result);
        let check = || source.check(database);
        let is_read = self
            .damage
            .is_read(database, &table.name, surveyed, check, diagnostics)?;
        if is_read {
            self.survey.add(&source.survey);
        }
        if is_read && (source.survey.rows > 0 || self.damage.salvages) {
            self.sources.push(source);
        }
        Ok(())
    }

    fn strings(&self, database: &Database) -> Result<Strings, TraceError> {
        Strings::open(database, "StringIds", "id", "value")
    }

    /// Returns the earliest time, or 0 if there is no event before it.
    fn origin(&self) -> i64 {
        self.survey.first.min(0)
    }

    /// Makes the definitions that are known before the first event.
    fn define(&self, strings: &mut Strings) -> (Minter, World) {
        let mut minter = Minter::default();
        let origin = self.origin();
        let offset = |time: i64| time.wrapping_sub(origin) as u64;
        let (first, last) = (self.survey.first, self.survey.last.max(self.survey.first));
        let mut clock = Clock::default();
        if self.survey.rows > 0 {
            clock.global_offset = offset(first);
            clock.trace_length = (last.wrapping_sub(first) as u64).saturating_add(1);
        }
        let date = self
            .names
            .date
            .and_then(|date| u64::try_from(date.checked_add(first)?).ok());
        let fields = [
            clock.ticks_per_second,
            clock.global_offset,
            clock.trace_length,
            date.filter(|_| self.survey.rows > 0).unwrap_or(UNDEFINED),
        ];
        minter.define(DefinitionKind::ClockProperties, &fields, &[], "");
        let version = self.names.version.iter().map(|text| ("version", text));
        let messages = self.names.messages.iter().map(|text| ("message", text));
        for (name, text) in version.chain(messages) {
            let property = format!("nsight.{name}={text}");
            minter.define(DefinitionKind::TraceProperty, &[], &[], &property);
        }
        let communicates = |it: &Source| {
            matches!(it.meaning, Meaning::PointToPoint | Meaning::Collective) && it.survey.rows > 0
        };
        let has_messages = self.sources.iter().any(communicates);
        let (places, names) = (&self.places, &self.names);
        let world = World::define(places, names, has_messages, strings, &mut minter);
        (minter, world)
    }
}

impl Plan for NsightPlan {
    fn start(&self) -> Result<Box<dyn EventStream>, TraceError> {
        let database = Database::open(&self.path, self.damage.salvages)?;
        let mut strings = self.strings(&database)?;
        let domains = match Domains::read(&database) {
            Err(_) if self.damage.salvages => Domains::default(),
            domains => domains?,
        };
        let (mut minter, world) = self.define(&mut strings);
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
            domains,
            world,
        };
        let sources = self.sources.clone();
        let mapper = NsightMapper::new(context, sources, &mut timeline, irregularities);
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
