//! Finds the correction of a store: reads the stored one, or computes it in two passes over the events that
//! communicate.

use std::ops::Range;

use foldtrace_matching::{Census, CollectiveCalls, Communication, Communicators, Regions, Stages};
use foldtrace_store::StoreReader;
use foldtrace_stream::read::Progress;
use foldtrace_trace::{LocationId, Position, Timestamp, TraceError, TraceReader};

use crate::controlled::ControlledClock;
use crate::correction::{Correction, LocationClock, Method};
use crate::estimate::estimate;
use crate::knots::{Knot, KnotWriter, Knots};
use crate::lanes::Lanes;
use crate::line::Line;
use crate::replay::{Replay, Replayed};
use crate::survey::Survey;
use crate::table;

impl Correction {
    /// Returns the correction of a store by a method: the stored one if the store has it, otherwise a new one. Without
    /// a method, any stored correction is used, or else [`Method::Controlled`].
    ///
    /// # Errors
    /// Returns an error if a table of the store is missing or damaged, or the work was stopped.
    pub fn of_store(
        store: &StoreReader,
        method: Option<Method>,
        progress: &Progress,
    ) -> Result<Self, TraceError> {
        if method == Some(Method::None) {
            return Ok(Self::default());
        }
        if let Some(stored) = Self::stored(store)?
            && method.is_none_or(|method| method == stored.method)
        {
            return Ok(stored);
        }
        Self::find(store, method.unwrap_or(Method::Controlled), progress)
    }

    /// Returns the correction that a store has, if any.
    ///
    /// # Errors
    /// Returns an error if a table of the store is damaged.
    pub fn stored(store: &StoreReader) -> Result<Option<Self>, TraceError> {
        table::read(store)
    }

    /// Finds the correction of a store by a method; [`Method::None`] only counts violations. The clocks of processes that no message or collective operation
    /// relates stay as they are, and so do related clocks without any violation.
    ///
    /// # Errors
    /// Returns an error if a table of the store is missing or damaged, or the work was stopped.
    pub fn find(
        store: &StoreReader,
        method: Method,
        progress: &Progress,
    ) -> Result<Self, TraceError> {
        Self::find_in_stages(store, method, None, progress)
    }

    /// Finds the correction of a store as [`find`](Self::find) does. Each [stage](Stages::of_store) of the run has at least
    /// `stage_events` events.
    ///
    /// # Errors
    /// Returns the same errors as [`find`](Self::find).
    pub fn find_in_stages(
        store: &StoreReader,
        method: Method,
        stage_events: Option<u64>,
        progress: &Progress,
    ) -> Result<Self, TraceError> {
        let census = Census::from_store(store, progress)?;
        let (names, symbols) = (store.names(), store.symbols());
        let communicators = Communicators::new(store.definitions(), names, &census, symbols);
        let lanes = Lanes::new(store.locations(), names, &census, symbols);
        let replayed = Replayed {
            reader: store,
            names,
            symbols,
            lanes: &lanes,
            census: &census,
            communicators: &communicators,
        };
        let run = Run {
            store,
            replayed,
            progress,
        };
        let survey = run.survey(stage_events)?;
        let clocks = lanes.locations().iter().zip(&survey.violations);
        let clocks = clocks.map(|(it, &violations)| {
            let clock = LocationClock {
                violations_before: violations,
                violations_after: violations,
                ..LocationClock::default()
            };
            (it.id, clock)
        });
        let mut correction = Self {
            method,
            is_counted: true,
            clocks: clocks.collect(),
        };
        if method == Method::None {
            return Ok(correction);
        }
        let estimate = estimate(&survey);
        drop(survey);
        if estimate.lines.iter().all(Option::is_none) {
            return Ok(correction);
        }
        let is_controlled = method == Method::Controlled;
        let mut clock = ControlledClock::new(&estimate, &lanes, is_controlled);
        Replay::new(replayed, progress)?.run(&mut clock)?;
        let corrected = clock.finish();
        let locations = lanes.locations().iter();
        let locations = locations.zip(corrected.writers).zip(corrected.violations);
        for ((it, writer), violations) in locations {
            if let Some(line) = estimate.lines[it.lane] {
                let clock = correction.clocks.entry(it.id).or_default();
                clock.line = Some(line);
                clock.knots = writer.finish();
                clock.violations_after = violations;
            }
        }
        let shared = corrected.shared.into_iter();
        let shared: Vec<Knots> = shared
            .map(|writer| writer.map_or_else(Knots::default, KnotWriter::finish))
            .collect();
        for &(location, lane) in lanes.silent() {
            if let Some(line) = estimate.lines[lane] {
                let clock = correction.clocks.entry(location).or_default();
                clock.line = Some(line);
                clock.knots = along(store, location, line, &shared[lane], progress)?;
            }
        }
        Ok(correction)
    }
}

/// The positions of all events.
const ALL: Range<Position> = Position(0)..Position(u64::MAX);

/// The communication of a store.
struct Run<'a> {
    store: &'a StoreReader,
    replayed: Replayed<'a>,
    progress: &'a Progress,
}

impl Run<'_> {
    /// Surveys the transfers of all stages.
    fn survey(&self, stage_events: Option<u64>) -> Result<Survey, TraceError> {
        let Self {
            store,
            replayed,
            progress,
        } = *self;
        let communication = Communication {
            regions: &Regions::new(store.definitions(), store.names(), store.symbols()),
            communicators: replayed.communicators,
            census: replayed.census,
            calls: &CollectiveCalls::default(),
        };
        let stages = Stages::of_store(store, communication, stage_events, progress)?;
        let origins = self.origins()?;
        let ids = replayed.lanes.locations().iter().map(|it| it.id);
        let ids: Vec<LocationId> = ids.collect();
        let mut survey = Survey::new(origins.clone(), vec![Position(0); ids.len()]);
        let of_stage = |stage| {
            let parts = stages.parts(stage);
            // Stages leave out a location that only requests operations.
            let outside = if stage == 0 {
                ALL
            } else {
                ALL.start..ALL.start
            };
            let positions = |location| parts.positions(location).unwrap_or(outside.clone());
            let counted_from = ids.iter().map(|&location| {
                let border = parts.of(location).and_then(|part| part.border);
                border.map_or(Position(0), |border| border.operation.end)
            });
            let mut survey = Survey::new(origins.clone(), counted_from.collect());
            let census = stages.census(stage, store, replayed.census, progress)?;
            let replayed = Replayed {
                census: &census,
                ..replayed
            };
            Replay::of_positions(replayed, positions, progress)?.run(&mut survey)?;
            Ok(survey)
        };
        stages.for_each(&stages.all(), of_stage, |stage| {
            survey.add(stage);
            Ok(())
        })?;
        Ok(survey)
    }

    /// Returns the time of the first event of each lane.
    fn origins(&self) -> Result<Vec<Option<Timestamp>>, TraceError> {
        let lanes = self.replayed.lanes;
        let locations = lanes.locations();
        let ids: Vec<LocationId> = locations.iter().map(|it| it.id).collect();
        let ends = Correction::default().ends(self.store, &ids)?;
        let mut origins: Vec<Option<Timestamp>> = vec![None; lanes.len()];
        for (it, ends) in locations.iter().zip(ends) {
            let first = ends.map(|(first, _)| first);
            let origin = &mut origins[it.lane];
            *origin = [*origin, first].into_iter().flatten().min();
        }
        Ok(origins)
    }
}

/// Returns the knots of a location that shares the clock with the knots `shared`, whose positions mean nothing to it.
fn along(
    store: &StoreReader,
    location: LocationId,
    line: Line,
    shared: &Knots,
    progress: &Progress,
) -> Result<Knots, TraceError> {
    let mut writer = KnotWriter::default();
    if shared.is_empty() {
        return Ok(Knots::default());
    }
    let mut events = store.events(location, Position(0));
    let (mut symbols, mut times) = (Vec::new(), Vec::new());
    let (mut position, mut segment) = (0, 0);
    loop {
        progress.check()?;
        events.next_times(&mut symbols, &mut times)?;
        if times.is_empty() {
            return Ok(writer.finish());
        }
        line.correct(&mut times);
        for &time in &times {
            while shared.time(segment + 1).is_some_and(|knot| knot <= time) {
                segment += 1;
            }
            writer.push(Knot {
                position: Position(position),
                time,
                corrected: shared.in_segment(segment, time),
            });
            position += 1;
        }
    }
}
