//! Gathers the steps of a trace that fit into a picture.

use std::collections::BTreeMap;
use std::ops::Range;

use foldtrace_trace::{LocationId, TraceError};
use foldtrace_view::units::{Seconds, grouped};

use super::whole::Whole;
use super::{Beginning, Cell, Grid, seconds};
use crate::{LatenessMap, Origin, Sink, StepEvent, StepMessage};

/// The part of a trace to draw, and the limits of the picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// The range of steps to draw.
    pub steps: Range<u64>,
    /// The locations to draw, from top to bottom, with their labels.
    pub rows: Vec<(LocationId, String)>,
    /// The total number of locations, of which `rows` may be a part.
    pub locations: usize,
    /// The maximum number of operations and aggregates.
    pub cells: usize,
    /// The maximum number of columns.
    pub columns: u64,
}

/// A sink that keeps the steps that a [`View`] shows; if there are too many, the first ones.
#[derive(Debug)]
pub struct Gatherer {
    view: View,
    /// The first step that is no longer kept.
    limit: u64,
    rows: BTreeMap<LocationId, usize>,
    /// The number of events kept of each step.
    counts: BTreeMap<u64, usize>,
    kept: usize,
    events: Vec<StepEvent>,
    messages: Vec<StepMessage>,
    /// The last step of the trace so far.
    last: u64,
    /// The lateness of all steps.
    map: LatenessMap,
}

impl Gatherer {
    /// Creates an empty gatherer.
    #[must_use]
    pub fn new(view: View) -> Self {
        let rows = view.rows.iter().enumerate();
        Self {
            limit: view
                .steps
                .start
                .saturating_add(view.columns)
                .min(view.steps.end),
            rows: rows.map(|(row, one)| (one.0, row)).collect(),
            map: Whole::map(view.rows.iter().map(|&(location, _)| location)),
            view,
            counts: BTreeMap::new(),
            kept: 0,
            events: Vec::new(),
            messages: Vec::new(),
            last: 0,
        }
    }

    /// Returns the events that are kept; [`finish`](Self::finish) needs a name for each of them.
    #[must_use]
    pub fn events(&mut self) -> &[StepEvent] {
        self.drop_late();
        &self.events
    }

    /// Returns whether the picture omits steps of the view for lack of room.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.limit < self.view.steps.end.min(self.last + 1)
    }

    /// Returns an empty gatherer for as many steps as are kept, around the first of these origins whose location is drawn.
    #[must_use]
    pub fn around(&self, origins: &[Origin]) -> Option<Self> {
        let mut events = origins.iter().map(|origin| &origin.event);
        let event = events.find(|event| self.rows.contains_key(&event.location))?;
        let kept = self.limit - self.view.steps.start;
        let first = event.step.saturating_sub(kept / 2);
        let steps = first.min((self.last + 1).saturating_sub(kept))..self.view.steps.end;
        Some(Self::new(View {
            steps,
            ..self.view.clone()
        }))
    }

    /// Returns the grid to draw. `name` returns the name of an event.
    pub fn finish(mut self, name: impl FnMut(&StepEvent) -> String) -> Grid {
        self.drop_late();
        let left_out = self.left_out();
        let omits_steps = self.omits_steps();
        let messages = self.messages.iter();
        let mut grid = Grid::new(
            &self.view.rows,
            self.events,
            messages.map(|message| [message.send, message.receive]),
            name,
        );
        grid.whole = omits_steps.then_some(Whole {
            map: self.map,
            steps: self.last + 1,
        });
        grid.left_out = left_out;
        grid
    }

    fn drop_late(&mut self) {
        let limit = self.limit;
        self.events.retain(|event| event.step < limit);
        self.messages.retain(|message| message.receive_step < limit);
    }

    /// Returns whether the picture omits any step.
    fn omits_steps(&self) -> bool {
        self.view.steps.start > 0 || self.limit <= self.last
    }

    fn left_out(&self) -> String {
        let mut parts = Vec::new();
        if self.omits_steps() {
            parts.push(format!(
                "only steps {} to {} of 0 to {} are drawn one by one (--steps FROM..TO)",
                grouped(self.view.steps.start),
                grouped(self.limit.min(self.last + 1).saturating_sub(1)),
                grouped(self.last)
            ));
        }
        let rows = self.view.rows.len();
        if rows < self.view.locations {
            parts.push(format!(
                "only {} of {} locations are drawn (--location)",
                grouped(rows as u64),
                grouped(self.view.locations as u64)
            ));
        }
        parts.join("; ")
    }
}

impl Sink for Gatherer {
    fn event(&mut self, event: &StepEvent) -> Result<(), TraceError> {
        self.last = self.last.max(event.step);
        self.map.event(event)?;
        let steps = self.view.steps.start..self.limit;
        if !steps.contains(&event.step) || !self.rows.contains_key(&event.location) {
            return Ok(());
        }
        self.events.push(*event);
        *self.counts.entry(event.step).or_default() += 1;
        self.kept += 1;
        // The first steps are kept, and at least one step.
        while self.kept > self.view.cells && self.counts.len() > 1 {
            if let Some((step, count)) = self.counts.pop_last() {
                self.kept -= count;
                self.limit = step;
            }
        }
        if self.events.len() > 2 * self.view.cells.max(self.kept) {
            self.drop_late();
        }
        Ok(())
    }

    fn message(&mut self, message: &StepMessage) -> Result<(), TraceError> {
        let steps = self.view.steps.start..self.limit;
        let both = [message.send, message.receive];
        if both.iter().all(|end| self.rows.contains_key(&end.0))
            && steps.contains(&message.send_step)
            && steps.contains(&message.receive_step)
        {
            self.messages.push(*message);
        }
        Ok(())
    }
}

impl Grid {
    /// Adds a ranking of lateness origins below the existing ones. `label` returns the label of a location, `name`
    /// the name of an origin.
    pub fn add_origins(
        &mut self,
        title: &str,
        origins: &[Origin],
        label: impl Fn(LocationId) -> String,
        name: impl Fn(&Origin) -> String,
    ) {
        let beginnings = origins.iter().map(|origin| Beginning {
            cell: self.find(&origin.event),
            at: self
                .whole
                .as_ref()
                .and_then(|whole| whole.place(&origin.event)),
            place: format!(
                "{}, step {}",
                label(origin.event.location),
                grouped(origin.event.step)
            ),
            text: self.story(origin, &name(origin)),
            path: self.path(origin),
        });
        self.origins.push((title.to_owned(), beginnings.collect()));
    }

    fn story(&self, origin: &Origin, name: &str) -> String {
        let event = &origin.event;
        let time = |ticks| Seconds(seconds(self.clock, ticks));
        let mut story = format!(
            "{name}: {} of new lateness",
            time(event.differential_lateness)
        );
        if event.lateness > event.differential_lateness {
            story += &format!(", {} in total", time(event.lateness));
        }
        if origin.late_events > 0 {
            story += &format!(
                "; makes {} events in {} other locations late, by up to {}",
                grouped(origin.late_events),
                grouped(origin.late_locations),
                time(origin.largest)
            );
        }
        story
    }

    /// Returns the path of lateness from cell to cell, as far as the cells are drawn.
    fn path(&self, origin: &Origin) -> Vec<(usize, usize)> {
        let hops = origin.path.iter().filter_map(|hop| {
            let late = |cell: &Cell| {
                cell.event.location == hop.to && cell.event.step == hop.step && !cell.is_aggregate()
            };
            let to = self.cells.iter().position(late)?;
            let sender = |from: usize| self.cells[from].event.location == hop.from;
            let sent = self
                .messages
                .iter()
                .find(|message| message.1 == to && sender(message.0));
            let beside = |cell: &Cell| {
                cell.event.location == hop.from
                    && cell.event.step == hop.step
                    && !cell.is_aggregate()
            };
            let from = sent.map(|message| message.0);
            Some((from.or_else(|| self.cells.iter().position(beside))?, to))
        });
        hops.collect()
    }

    fn find(&self, event: &StepEvent) -> Option<usize> {
        let same = |cell: &Cell| {
            let other = &cell.event;
            (other.location, other.step, other.kind) == (event.location, event.step, event.kind)
        };
        self.cells.iter().position(same)
    }
}
