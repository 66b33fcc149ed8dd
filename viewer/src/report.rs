//! A report: the data of a page, gathered from a store, and the page.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};
use std::path::Path;

use foldtrace_profile::{Node, Options, Profile, Tree};
use foldtrace_store::StoreReader;
use foldtrace_stream::read::Progress;
use foldtrace_trace::{DefinitionKind, Diagnostics, LocationId, Names, TraceError};
use foldtrace_view::page::Page;
use serde::Serialize;

use crate::overview::{Channel, Finding, MeasuredLoop, Overview, Table};
use crate::pack::{self, Columns, Place};
use crate::timeline::Levels;

const STYLE: &str = include_str!("../page/page.css");
const CONTROLS: &str = include_str!("../page/controls.html");
const CONTENTS: &str = include_str!("../page/contents.html");
const SCRIPT: &str = include_str!("../bundle/page.js");

/// What a page shows of a store.
#[derive(Debug)]
pub struct Report {
    overview: Overview,
    /// The length of the run in nanoseconds.
    span: f64,
    /// The nanoseconds of all locations with calls together.
    total: f64,
    regions: Vec<String>,
    locations: Vec<Location>,
    /// The nanoseconds of a bucket of each level of the timeline, the finest level first.
    widths: Vec<f64>,
    columns: Columns,
}

/// A location of the page.
#[derive(Debug, Serialize)]
struct Location {
    /// The name on the command line.
    label: String,
    /// The name in the trace; empty if it has none.
    name: String,
}

/// An outermost loop of the page, whose iterations are columns.
#[derive(Debug, Serialize)]
struct Loop<'a> {
    number: &'a str,
    iterations: u64,
    /// The number of iterations of a row.
    each: u64,
    share: f64,
}

impl<'a> Loop<'a> {
    fn new(one: &'a MeasuredLoop) -> Self {
        Self {
            number: &one.number,
            iterations: one.iterations,
            each: one.times.each,
            share: one.share,
        }
    }
}

/// The head of the data of the page.
#[derive(Debug, Serialize)]
struct Head<'a> {
    span: f64,
    total: f64,
    regions: &'a [String],
    locations: &'a [Location],
    widths: &'a [f64],
    findings: &'a [Finding],
    tables: &'a [Table],
    loops: Vec<Loop<'a>>,
    columns: &'a BTreeMap<String, Place>,
}

impl Report {
    /// Gathers what the page shows. Tables that the store does not have are derived in the folder `temporary`.
    ///
    /// # Errors
    /// Returns an error if the store is damaged, a table cannot be written, or the work was stopped.
    pub fn gather(
        store: &StoreReader,
        temporary: &Path,
        progress: &Progress,
    ) -> Result<Self, TraceError> {
        let names = store.names();
        let locations: Vec<LocationId> = store.locations().collect();
        let levels = Levels::of(store, temporary, progress)?;
        let options = Options { has_tree: true };
        let profile = foldtrace_profile::find(store, &locations, options, progress)?;
        let origin = levels.origin();
        let overview = Overview::of(store, &locations, &profile, origin, progress)?;
        let nanoseconds = 1e9 / store.manifest().clock().ticks_per_second.max(1) as f64;
        let mut columns = Columns::default();
        levels.pack(locations.len(), nanoseconds, &mut columns);
        pack_channels(&overview.channels, &mut columns);
        pack_calls(&profile, &levels.regions, &mut columns);
        let clock = |time: u64| time.saturating_sub(origin.0) as f64 * nanoseconds;
        pack_loops(&overview.loops, clock, nanoseconds, &mut columns);
        let span = match store.time_span()? {
            Some((first, last)) => last.0.saturating_sub(first.0) as f64,
            None => profile.duration() as f64,
        };
        // The run contains its last tick, in which calls may begin.
        let span = span + 1.0;
        Ok(Self {
            overview,
            span: span * nanoseconds,
            total: profile.total() as f64 * nanoseconds,
            locations: locations
                .iter()
                .map(|&id| Location::new(id, names))
                .collect(),
            widths: levels
                .widths()
                .map(|width| width as f64 * nanoseconds)
                .collect(),
            regions: levels.regions,
            columns,
        })
    }

    /// Returns the problems that analyses found.
    #[must_use]
    pub fn diagnostics(&self) -> &Diagnostics {
        &self.overview.diagnostics
    }

    /// Writes the page.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn write(&self, out: &mut impl Write, title: &str) -> io::Result<()> {
        let page = Page {
            title,
            summary: &self.overview.summary,
            controls: CONTROLS,
            style: STYLE,
            script: Some(SCRIPT),
        };
        let head = Head {
            span: self.span,
            total: self.total,
            regions: &self.regions,
            locations: &self.locations,
            widths: &self.widths,
            findings: &self.overview.findings,
            tables: &self.overview.tables,
            loops: self.overview.loops.iter().map(Loop::new).collect(),
            columns: &self.columns.places,
        };
        page.start(out)?;
        page.contents(out)?;
        out.write_all(CONTENTS.as_bytes())?;
        page.end(out, |out| {
            out.write_all(b"\"")?;
            pack::write(out, &head, &self.columns)?;
            out.write_all(b"\"")
        })
    }
}

/// Adds the columns of messages between locations.
fn pack_channels(channels: &[Channel], columns: &mut Columns) {
    let name = |column: &str| format!("channels.{column}");
    let all = || channels.iter();
    columns.add_u32(name("sender"), all().map(|channel| channel.sender));
    columns.add_u32(name("receiver"), all().map(|channel| channel.receiver));
    let messages = |channel: &Channel| channel.traffic.messages as f64;
    columns.add_f64(name("messages"), all().map(messages));
    let bytes = |channel: &Channel| channel.traffic.bytes.unwrap_or_default() as f64;
    columns.add_f64(name("bytes"), all().map(bytes));
}

/// Adds the columns of the iterations of loops. `clock` converts times to nanoseconds, of which a tick has `tick`.
fn pack_loops(
    loops: &[MeasuredLoop],
    clock: impl Fn(u64) -> f64,
    tick: f64,
    columns: &mut Columns,
) {
    for (index, one) in loops.iter().enumerate() {
        let name = |column: &str| format!("loops.{index}.{column}");
        let entries = || one.times.entries.iter();
        columns.add_f64(name("begin"), entries().map(|entry| clock(entry.first)));
        columns.add_f64(name("end"), entries().map(|entry| clock(entry.last)));
        let longest = entries().map(|entry| entry.longest as f64 * tick);
        columns.add_f64(name("longest"), longest);
    }
}

/// Adds the columns of call paths, whose regions are indices of `regions`.
fn pack_calls(profile: &Profile, regions: &[String], columns: &mut Columns) {
    let index: HashMap<&str, u32> = regions.iter().map(String::as_str).zip(0..).collect();
    let nodes = profile.tree.iter().flat_map(Tree::nodes);
    let nanoseconds = |ticks| profile.nanoseconds(ticks) as f64;
    let name = |column: &str| format!("calls.{column}");
    // 0 is no parent.
    let parent = |node: &Node| node.parent.map_or(0, |parent| parent.0 + 1);
    columns.add_u32(name("parent"), nodes.clone().map(parent));
    let region = |node: &Node| index.get(profile.name(node.region)).copied();
    let regions = nodes.clone().map(|node| region(node).unwrap_or_default());
    columns.add_u32(name("region"), regions);
    columns.add_f64(name("number"), nodes.clone().map(|node| node.calls as f64));
    let inclusive = nodes.map(|node| nanoseconds(node.inclusive));
    columns.add_f64(name("inclusive"), inclusive);
}

impl Location {
    fn new(id: LocationId, names: &Names) -> Self {
        let name = names.name(DefinitionKind::Location, id.0);
        Self {
            label: names.label(id),
            name: name.unwrap_or_default().to_owned(),
        }
    }
}
