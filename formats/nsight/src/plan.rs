//! Opens a database: reads names and the times of all tables, and decides what is read.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use foldhash::fast::RandomState;
use foldtrace_database::{
    Calls, Damage, Database, DatabaseReader, DatabaseStream, Plan, SmallTables, Strings, Survey,
    Table, Timeline, report_counts,
};
use foldtrace_trace::{
    DefinitionKind, Diagnostics, EventStream, Minter, ReadOptions, Severity, TraceError, TraceHead,
    UNDEFINED,
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

/// Everything known of a database before its events are read.
pub(crate) struct NsightPlan {
    path: PathBuf,
    damage: Damage,
    sources: Vec<Source>,
    places: BTreeSet<Place>,
    names: Names,
    domains: Domains,
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
    let mut tables = SmallTables {
        database: &database,
        damage,
        diagnostics: &mut diagnostics,
    };
    let names = Names::read(&mut tables)?;
    let mut plan = NsightPlan {
        path: path.to_owned(),
        damage,
        sources: Vec::new(),
        places: BTreeSet::new(),
        names,
        domains: Domains::default(),
        survey: Survey::default(),
    };
    plan.survey_all(&database, &mut diagnostics)?;
    let mut strings = plan.strings(&database)?;
    let (mut minter, _) = plan.define(&mut strings);
    let mut tables = SmallTables {
        database: &database,
        damage,
        diagnostics: &mut diagnostics,
    };
    plan.domains = Domains::read(&mut tables, &mut strings)?;
    let failure = strings.take_failure().map_or(Ok(()), Err);
    damage.or_default(failure, "a part of the strings", &mut diagnostics)?;
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
    let message = format!("rows of the table {} are left out", table.name);
    let counts = [(rows, Severity::Loss, "nsight.left_out", message)];
    report_counts(database.path(), counts, diagnostics);
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
        let counts = [
            (
                self.survey.without_time,
                Severity::Loss,
                "nsight.no_time",
                "rows have no time, and are left out",
            ),
            (
                u64::from(self.survey.origin() < 0),
                Severity::Note,
                "nsight.negative_time",
                "some times are before the start of the session; all times count from the earliest",
            ),
        ];
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

    fn strings(&self, database: &Database) -> Result<Strings, TraceError> {
        Strings::open(database, "StringIds", "id", "value")
    }

    /// Makes the definitions that are known before the first event.
    fn define(&self, strings: &mut Strings) -> (Minter, World) {
        let mut minter = Minter::default();
        let clock = self.survey.clock();
        let date = self.names.date.filter(|_| self.survey.rows > 0);
        let date = date.and_then(|date| u64::try_from(date.checked_add(self.survey.first)?).ok());
        let fields = [
            clock.ticks_per_second,
            clock.global_offset,
            clock.trace_length,
            date.unwrap_or(UNDEFINED),
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
        let (mut minter, world) = self.define(&mut strings);
        // The head has them.
        minter.take();
        let queries = self.sources.iter().map(Source::query).collect();
        let irregularities = Irregularities {
            file: self.path.clone(),
            ..Irregularities::default()
        };
        let context = Context {
            calls: Calls::new(minter),
            strings,
            names: self.names.clone(),
            domains: self.domains.clone(),
            world,
        };
        let sources = self.sources.clone();
        let mapper =
            |timeline: &mut Timeline| NsightMapper::new(context, sources, timeline, irregularities);
        let stream = DatabaseStream::start(&database, queries, &self.survey, self.damage, mapper)?;
        Ok(Box::new(stream))
    }
}
