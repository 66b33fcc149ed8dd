//! Writes DuckDB views that join the tables of a store to flat tables for users.

mod root;

use std::fs;
use std::path::Path;

use foldtrace_trace::{Clock, EventKind, TraceError};

use self::root::{files, root};
use crate::derived::Derived;
use crate::error::Writing;
use crate::folder::HashedFile;
use crate::paths::{METRIC_NAMES, VIEWS};

/// The properties of a store on which its views depend.
#[derive(Clone, Copy, Debug)]
pub(super) struct ViewedStore<'a> {
    /// The name that the store will have.
    pub name: &'a str,
    /// The version of its tables.
    pub version: u32,
    /// The clock of its times.
    pub clock: Clock,
    /// Whether its topology has a column of tags.
    pub has_tags: bool,
    /// The files of the store, without the file of the views.
    pub files: &'a [HashedFile],
}

impl ViewedStore<'_> {
    /// Returns the hash of the first part's quantities, by which the views recognise the manifest of their store. It
    /// is empty if there are no quantities.
    fn fingerprint(&self) -> &str {
        const QUANTITIES: [&str; 2] = ["quantity/", "archive/"];
        let is_of_events = |file: &&HashedFile| {
            QUANTITIES
                .iter()
                .any(|folder| file.entry.path.starts_with(folder))
        };
        let first = self.files.iter().filter(is_of_events);
        let first = first.min_by(|a, b| a.entry.path.cmp(&b.entry.path));
        first.map_or("", |file| file.entry.blake3.as_str())
    }
}

/// Writes the views of the store in the folder `store`.
pub(super) fn write(store: &Path, viewed: ViewedStore<'_>) -> Result<(), TraceError> {
    let has = |table: &str| store.join(table).exists();
    let tables = OptionalTables {
        mpi_names: viewed.version > 1,
        tags: viewed.has_tags,
        metric_names: has(METRIC_NAMES),
        iterations: has(Derived::Iterations.path()),
        timeline: has(Derived::Timeline.path()),
        quantities: has("quantity"),
        metrics: has("metrics"),
        attributes: has("attributes"),
        communicators: has("definitions/comms.parquet") && has("definitions/groups.parquet"),
        calls: has(Derived::Calls.path()),
        messages: has(Derived::Messages.path()),
        collectives: has(Derived::Collectives.path()),
        clock: has(Derived::Clock.path()),
    };
    let path = store.join(VIEWS);
    fs::write(&path, sql(viewed, tables)).writing(&path)
}

/// The optional tables and columns that a store has.
#[derive(Clone, Copy, Debug)]
struct OptionalTables {
    /// Whether symbols have a column of MPI names. They do not in version 1.
    mpi_names: bool,
    /// Whether the topology has a column of tags.
    tags: bool,
    metric_names: bool,
    iterations: bool,
    timeline: bool,
    /// Whether there are tables of quantities. An archive has none.
    quantities: bool,
    metrics: bool,
    attributes: bool,
    communicators: bool,
    calls: bool,
    messages: bool,
    collectives: bool,
    clock: bool,
}

/// Returns the SQL that lists the world ranks of communicators' members, by communicator and rank in it.
fn members() -> String {
    let last = "QUALIFY row_number() OVER (PARTITION BY id ORDER BY \"order\" DESC) = 1";
    format!(
        "SELECT c.id AS communicator, TRY_CAST(unnest(g.members) AS BIGINT) AS rank,\n\
         \x20   generate_subscripts(g.members, 1) - 1 AS peer\n\
         \x20 FROM (SELECT * FROM {comms} {last}) AS c\n\
         \x20 JOIN (SELECT * FROM {groups} {last}) AS g ON c.\"group\" = g.id",
        comms = files("definitions/comms.parquet"),
        groups = files("definitions/groups.parquet"),
    )
}

/// The SQL that replaces `members` if no communicator is defined.
const NO_MEMBERS: &str =
    "SELECT 0::UBIGINT AS communicator, 0::BIGINT AS rank, 0::BIGINT AS peer WHERE false";

/// Returns the SQL of the views. Times are nanoseconds since the start of the trace's clock.
fn sql(viewed: ViewedStore<'_>, tables: OptionalTables) -> String {
    let nanoseconds = Nanoseconds(viewed.clock);
    let mut views = vec![root(viewed.name, viewed.fingerprint())];
    views.push(if tables.quantities {
        events(nanoseconds, tables)
    } else {
        topology(tables)
    });
    let optional = [
        (
            "calls",
            match (tables.calls, tables.quantities) {
                (true, _) => Some(derived_calls(nanoseconds)),
                (false, true) => Some(calls(tables.mpi_names)),
                (false, false) => None,
            },
        ),
        (
            "messages",
            match (tables.messages, tables.quantities) {
                (true, _) => Some(derived_messages(nanoseconds)),
                (false, true) => Some(messages(tables.communicators)),
                (false, false) => None,
            },
        ),
        (
            "collectives",
            tables.collectives.then(|| derived_collectives(nanoseconds)),
        ),
        (
            "collective_members",
            tables.collectives.then(|| collective_members(nanoseconds)),
        ),
        (
            "corrected_times",
            (tables.clock && tables.quantities).then(|| corrected_times(nanoseconds)),
        ),
        (
            "iterations",
            tables.iterations.then(|| iterations(nanoseconds)),
        ),
        ("timeline", tables.timeline.then(|| timeline(nanoseconds))),
        (
            "metrics",
            tables.metrics.then(|| metrics(nanoseconds, tables)),
        ),
        ("attributes", tables.attributes.then(attributes)),
    ];
    // If the schema has views of another store, they are all dropped.
    views.extend(
        optional
            .into_iter()
            .map(|(name, view)| view.unwrap_or_else(|| format!("DROP VIEW IF EXISTS {name};\n"))),
    );
    views.join("\n")
}

/// Returns the column of MPI names, which is null if symbols have no such column.
const fn mpi_name(has_column: bool) -> &'static str {
    if has_column {
        ", s.mpi_name"
    } else {
        ", NULL::VARCHAR AS mpi_name"
    }
}

/// Returns the column of tags, which are in the topology or with the symbols.
const fn tag(has_column: bool) -> &'static str {
    if has_column {
        "coalesce(t.tag, s.tag) AS tag"
    } else {
        "s.tag"
    }
}

/// A conversion of ticks to nanoseconds, in SQL.
#[derive(Clone, Copy, Debug)]
struct Nanoseconds(Clock);

impl Nanoseconds {
    /// Returns the SQL expression for a point in time.
    fn time(self, ticks: &str) -> String {
        let Clock {
            ticks_per_second,
            global_offset,
            ..
        } = self.0;
        format!(
            "CAST((CAST({ticks} AS HUGEINT) - {global_offset}) * 1000000000 // {ticks_per_second} AS BIGINT)"
        )
    }

    /// Returns the SQL expression for a duration.
    fn stretch(self, ticks: &str) -> String {
        let ticks_per_second = self.0.ticks_per_second;
        format!("CAST(CAST({ticks} AS HUGEINT) * 1000000000 // {ticks_per_second} AS BIGINT)")
    }
}

/// Returns the views of an archive: only topology, without times and other quantities.
fn topology(tables: OptionalTables) -> String {
    format!(
        "-- This store is an archive: DuckDB cannot read its times and other quantities. To query them,\n\
         -- convert it to a plain store: foldtrace convert ARCHIVE.fold PLAIN.fold\n\
         \n\
         -- One row per event, without quantities.\n\
         CREATE OR REPLACE VIEW events AS\n\
         SELECT t.location, r.rank, r.thread, t.position, s.kind::VARCHAR AS kind, s.name, s.region,\n\
         \x20 s.peer, {tag}, s.communicator, s.operation, s.root, t.symbol, s.canonical{mpi_name}\n\
         FROM {topology} AS t\n\
         JOIN {symbols} AS s USING (symbol)\n\
         LEFT JOIN {ranks} AS r ON t.location = r.location;\n",
        mpi_name = mpi_name(tables.mpi_names),
        tag = tag(tables.tags),
        topology = files("topology/*.parquet"),
        symbols = files("symbols.parquet"),
        ranks = files("definitions/ranks.parquet"),
    )
}

fn events(nanoseconds: Nanoseconds, tables: OptionalTables) -> String {
    let time = nanoseconds.time("q.time");
    let (mpi_name, tag) = (mpi_name(tables.mpi_names), tag(tables.tags));
    format!(
        "-- One row per event. `time` is in nanoseconds; `ticks` is the time in the source, in ticks of its clock.\n\
         CREATE OR REPLACE VIEW events AS\n\
         SELECT t.location, r.rank, r.thread, t.position, {time} AS time, q.time AS ticks,\n\
         \x20 s.kind::VARCHAR AS kind, s.name, s.region, s.peer, {tag}, s.communicator, s.operation, s.root,\n\
         \x20 q.bytes, q.bytes_received, q.request, q.value, q.\"offset\", t.symbol, s.canonical{mpi_name}\n\
         FROM {topology} AS t\n\
         JOIN {quantity} AS q\n\
         \x20 ON t.location = q.location AND t.position = q.position\n\
         JOIN {symbols} AS s USING (symbol)\n\
         LEFT JOIN {ranks} AS r\n\
         \x20 ON t.location = r.location;\n",
        topology = files("topology/*.parquet"),
        quantity = files("quantity/*.parquet"),
        symbols = files("symbols.parquet"),
        ranks = files("definitions/ranks.parquet"),
    )
}

/// Returns the view of calls for a store without that derived table.
fn calls(mpi_names: bool) -> String {
    let mpi_name = if mpi_names {
        "b.mpi_name"
    } else {
        "NULL::VARCHAR AS mpi_name"
    };
    format!(
        "-- One row per call: the n-th enter of a depth is matched with the n-th leave of that depth.\n\
     CREATE OR REPLACE VIEW calls AS\n\
     WITH steps AS (\n\
     \x20 SELECT *, sum(CASE kind WHEN 'enter' THEN 1 ELSE -1 END)\n\
     \x20   OVER (PARTITION BY location ORDER BY position) AS level\n\
     \x20 FROM events WHERE kind IN ('enter', 'leave')),\n\
     numbered AS (\n\
     \x20 SELECT *, CASE kind WHEN 'enter' THEN level - 1 ELSE level END AS depth,\n\
     \x20   row_number() OVER (PARTITION BY location, kind, CASE kind WHEN 'enter' THEN level - 1 ELSE level END ORDER BY position) AS nth\n\
     \x20 FROM steps)\n\
     SELECT b.location, b.rank, b.thread, b.name, b.region, b.depth::BIGINT AS depth, b.time AS start,\n\
     \x20 e.time - b.time AS duration, b.position AS begin_position, e.position AS end_position,\n\
     \x20 {mpi_name}\n\
     FROM numbered AS b LEFT JOIN numbered AS e\n\
     \x20 ON e.kind = 'leave' AND b.location = e.location AND b.depth = e.depth AND b.nth = e.nth\n\
     WHERE b.kind = 'enter';\n"
    )
}

fn derived_calls(nanoseconds: Nanoseconds) -> String {
    let start = nanoseconds.time("start");
    let end = nanoseconds.time("CAST(start AS HUGEINT) + duration");
    let exclusive = nanoseconds.stretch("exclusive");
    format!(
        "-- One row per call: a leave is matched with the innermost open enter of its region.\n\
         CREATE OR REPLACE VIEW calls AS\n\
         SELECT location, rank, thread, name::VARCHAR AS name, region, depth::BIGINT AS depth,\n\
         \x20 {start} AS start,\n\
         \x20 {end}\n\
         \x20   - {start} AS duration,\n\
         \x20 begin_position, end_position, calling_context,\n\
         \x20 {exclusive} AS exclusive, parent, misnested, mpi_name::VARCHAR AS mpi_name\n\
         FROM {};\n",
        files("derived/calls/*.parquet")
    )
}

/// Returns the view of messages for a store without that derived table.
fn messages(has_communicators: bool) -> String {
    let members = if has_communicators {
        members()
    } else {
        NO_MEMBERS.to_owned()
    };
    let sends = kinds(EventKind::is_send);
    let receives = received();
    format!(
        "-- One row per message: the n-th send is matched with the n-th receive of the same sender, receiver,\n\
         -- communicator and tag.\n\
         -- Peers of events are ranks of the communicator; `sender` and `receiver` are ranks of the program.\n\
         CREATE OR REPLACE VIEW messages AS\n\
         WITH members AS (\n\
         \x20 {members}),\n\
         sends AS (\n\
         \x20 SELECT e.*, coalesce(m.rank, e.peer) AS partner,\n\
         \x20   row_number() OVER (PARTITION BY e.rank, partner, e.communicator, e.tag ORDER BY e.position) AS nth\n\
         \x20 FROM events AS e LEFT JOIN members AS m USING (communicator, peer) WHERE e.kind IN ({sends})),\n\
         receives AS (\n\
         \x20 SELECT e.*, coalesce(m.rank, e.peer) AS partner,\n\
         \x20   row_number() OVER (PARTITION BY partner, e.rank, e.communicator, e.tag ORDER BY e.position) AS nth\n\
         \x20 FROM events AS e LEFT JOIN members AS m USING (communicator, peer) WHERE {receives})\n\
         SELECT s.rank AS sender, s.partner AS receiver, s.communicator, s.tag, s.bytes,\n\
         \x20 s.time AS sent, r.time AS received, s.location AS send_location, s.position AS send_position,\n\
         \x20 r.location AS receive_location, r.position AS receive_position\n\
         FROM sends AS s LEFT JOIN receives AS r\n\
         \x20 ON s.rank = r.partner AND s.partner = r.rank AND s.communicator = r.communicator\n\
         \x20 AND s.tag = r.tag AND s.nth = r.nth;\n"
    )
}

fn derived_messages(nanoseconds: Nanoseconds) -> String {
    let [sent, received, posted, completed] =
        ["sent", "received", "posted", "completed"].map(|column| nanoseconds.time(column));
    format!(
        "-- One row per message, with both ends if both are recorded.\n\
         CREATE OR REPLACE VIEW messages AS\n\
         SELECT sender, receiver, communicator, tag, bytes,\n\
         \x20 {sent} AS sent,\n\
         \x20 {received} AS received,\n\
         \x20 send_location, send_position, receive_location, receive_position,\n\
         \x20 receive_communicator, bytes_received,\n\
         \x20 {received}\n\
         \x20   - {sent} AS latency,\n\
         \x20 {posted} AS posted, posted_position,\n\
         \x20 {completed} AS completed, completed_position\n\
         FROM {};\n",
        files(Derived::Messages.path())
    )
}

fn derived_collectives(nanoseconds: Nanoseconds) -> String {
    let [first_begin, last_begin, first_end, last_end] =
        ["first_begin", "last_begin", "first_end", "last_end"]
            .map(|column| format!("{} AS {column}", nanoseconds.time(column)));
    format!(
        "-- One row per collective operation.\n\
         CREATE OR REPLACE VIEW collectives AS\n\
         SELECT instance, kind::VARCHAR AS kind, operation::VARCHAR AS operation, communicator, \"window\",\n\
         \x20 number, root, members, size,\n\
         \x20 {first_begin},\n\
         \x20 {last_begin},\n\
         \x20 {first_end},\n\
         \x20 {last_end},\n\
         \x20 bytes, bytes_received\n\
         FROM {};\n",
        files(Derived::Collectives.path()),
    )
}

fn collective_members(nanoseconds: Nanoseconds) -> String {
    let [begun, ended] =
        ["begun", "ended"].map(|column| format!("{} AS {column}", nanoseconds.time(column)));
    format!(
        "-- One row per member of a collective operation.\n\
         CREATE OR REPLACE VIEW collective_members AS\n\
         SELECT instance, location, rank, operation::VARCHAR AS operation, begin_position, end_position,\n\
         \x20 {begun},\n\
         \x20 {ended},\n\
         \x20 bytes, bytes_received\n\
         FROM {};\n",
        files("derived/collective_members.parquet"),
    )
}

/// Returns the view of corrected times, which are interpolated between the knots of the corrected clocks.
fn corrected_times(nanoseconds: Nanoseconds) -> String {
    let time = nanoseconds.time("corrected");
    format!(
        "-- One row per event, with its corrected time in nanoseconds and in ticks.\n\
         CREATE OR REPLACE VIEW corrected_times AS\n\
         WITH estimated AS (\n\
         \x20 SELECT q.location, q.position, CASE WHEN c.origin IS NULL THEN q.time ELSE CAST(c.start + (q.time::HUGEINT - c.origin)\n\
         \x20   + (((q.time::HUGEINT - c.origin) * c.rate + 549755813888) >> 40) AS BIGINT) END AS estimated\n\
         \x20 FROM {quantity} AS q LEFT JOIN {clocks} AS c ON q.location = c.location),\n\
         knots AS (\n\
         \x20 SELECT *, lead(estimated) OVER after - estimated AS ticks, lead(corrected) OVER after - corrected AS corrected_ticks\n\
         \x20 FROM {knots} WINDOW after AS (PARTITION BY location ORDER BY position)),\n\
         corrected AS (\n\
         \x20 SELECT e.location, e.position, CASE WHEN k.position IS NULL THEN e.estimated\n\
         \x20   WHEN e.estimated BETWEEN k.estimated AND k.estimated + k.ticks AND k.ticks > 0 AND k.corrected_ticks >= 0\n\
         \x20   THEN CAST(k.corrected + ((e.estimated - k.estimated)::HUGEINT * k.corrected_ticks + k.ticks // 2) // k.ticks AS BIGINT)\n\
         \x20   ELSE k.corrected + e.estimated - k.estimated END AS corrected\n\
         \x20 FROM estimated AS e ASOF LEFT JOIN knots AS k ON e.location = k.location AND e.position >= k.position)\n\
         SELECT location, position, {time} AS time, corrected AS ticks FROM corrected;\n",
        quantity = files("quantity/*.parquet"),
        clocks = files(Derived::Clock.path()),
        knots = files(Derived::KNOTS),
    )
}

fn iterations(nanoseconds: Nanoseconds) -> String {
    let start = nanoseconds.time("start");
    let end = nanoseconds.time("\"end\"");
    format!(
        "-- One row per iteration of a loop in the loop model of a location, from its first event to its last.\n\
         CREATE OR REPLACE VIEW iterations AS\n\
         SELECT location, rank, thread, loop::VARCHAR AS loop, depth::BIGINT AS depth, instance, iteration,\n\
         \x20 first_position, last_position,\n\
         \x20 {start} AS start,\n\
         \x20 {end} AS \"end\",\n\
         \x20 {end}\n\
         \x20   - {start} AS duration\n\
         FROM {};\n",
        files(&format!("{}/*.parquet", Derived::Iterations.path())),
    )
}

fn timeline(nanoseconds: Nanoseconds) -> String {
    format!(
        "-- One row per region that is called in a bucket of time of a location, in each level of detail.\n\
         CREATE OR REPLACE VIEW timeline AS\n\
         SELECT location, rank, thread, level,\n\
         \x20 {start} AS start,\n\
         \x20 {width} AS width,\n\
         \x20 name::VARCHAR AS name,\n\
         \x20 {time} AS time, calls, bytes\n\
         FROM {table};\n",
        start = nanoseconds.time("start"),
        width = nanoseconds.stretch("width"),
        time = nanoseconds.stretch("\"time\""),
        table = files(Derived::Timeline.path()),
    )
}

/// Returns the view of metric values. In an archive, they have no times.
fn metrics(nanoseconds: Nanoseconds, tables: OptionalTables) -> String {
    let (time, quantity) = if tables.quantities {
        let join = format!(
            "JOIN {} AS q ON m.location = q.location AND m.position = q.position\n",
            files("quantity/*.parquet")
        );
        (format!("{} AS time", nanoseconds.time("q.time")), join)
    } else {
        ("NULL::BIGINT AS time".to_owned(), String::new())
    };
    // Only stores of version 2 that define metrics have the table of names.
    let (named, names) = if tables.metric_names {
        let join = format!(
            "LEFT JOIN {} AS n ON s.metric = n.metric AND m.member = n.member\n",
            files(METRIC_NAMES)
        );
        (
            "n.name, n.unit, coalesce(m.uint64, m.int64, m.\"double\")::DOUBLE * coalesce(n.base, 1)::DOUBLE ** coalesce(n.exponent, 0) AS value",
            join,
        )
    } else {
        (
            "NULL::VARCHAR AS name, NULL::VARCHAR AS unit, coalesce(m.uint64, m.int64, m.\"double\")::DOUBLE AS value",
            String::new(),
        )
    };
    format!(
        "-- One row per value of a metric. `value` is in `unit`; the columns after it contain the recorded value.\n\
         CREATE OR REPLACE VIEW metrics AS\n\
         SELECT m.location, r.rank, r.thread, m.position, {time}, s.metric, m.member,\n\
         \x20 {named},\n\
         \x20 m.type::VARCHAR AS type, m.uint64, m.int64, m.\"double\"\n\
         FROM {metrics} AS m\n\
         JOIN {topology} AS t ON m.location = t.location AND m.position = t.position\n\
         {quantity}\
         JOIN {symbols} AS s USING (symbol)\n\
         {names}\
         LEFT JOIN {ranks} AS r ON m.location = r.location;\n",
        metrics = files("metrics/*.parquet"),
        topology = files("topology/*.parquet"),
        symbols = files("symbols.parquet"),
        ranks = files("definitions/ranks.parquet"),
    )
}

fn attributes() -> String {
    format!(
        "-- One row per attribute of an event.\n\
         CREATE OR REPLACE VIEW attributes AS\n\
         SELECT * FROM {};\n",
        files("attributes/*.parquet")
    )
}

/// Returns the SQL condition for events that take a message from its sender. A probe that gives the message an id
/// removes it from the order of the other messages, and the later receive does not record the sender.
fn received() -> String {
    let receives = kinds(EventKind::is_receive);
    let probe = EventKind::MpiProbe;
    format!("(e.kind IN ({receives}) OR (e.kind = '{probe}' AND e.value <> -1))")
}

/// Returns the names of the kinds that satisfy `is`, as an SQL list.
fn kinds(is: fn(EventKind) -> bool) -> String {
    let names = EventKind::ALL
        .iter()
        .filter(|kind| is(**kind))
        .map(|kind| format!("'{kind}'"));
    names.collect::<Vec<_>>().join(", ")
}
