//! DuckDB views over the tables of a store: one line and a user has one flat table.

use std::fs;
use std::path::Path;

use foldtrace_trace::{Clock, EventKind, TraceError};

use super::derived::Derived;
use super::error::Writing;

pub(super) const FILE: &str = "views.sql";

/// Writes the views of the store in `store` for when it is called `name`.
pub(super) fn write(store: &Path, name: &str, clock: Clock) -> Result<(), TraceError> {
    let has = |table: &str| store.join(table).exists();
    let tables = Optional {
        quantities: has("quantity"),
        metrics: has("metrics"),
        attributes: has("attributes"),
        communicators: has("definitions/comms.parquet") && has("definitions/groups.parquet"),
        calls: has(Derived::Calls.path()),
        messages: has(Derived::Messages.path()),
        collectives: has(Derived::Collectives.path()),
    };
    let path = store.join(FILE);
    fs::write(&path, sql(name, clock, tables)).writing(&path)
}

/// Which of the tables that not every store has are there.
#[derive(Clone, Copy, Debug)]
struct Optional {
    /// An archive has none.
    quantities: bool,
    metrics: bool,
    attributes: bool,
    communicators: bool,
    calls: bool,
    messages: bool,
    collectives: bool,
}

/// The ranks of the program by communicator and rank in it.
const MEMBERS: &str = "\
SELECT c.id AS communicator, unnest(g.members) AS rank, generate_subscripts(g.members, 1) - 1 AS peer
  FROM (SELECT * FROM read_parquet(getvariable('foldtrace_root') || 'definitions/comms.parquet')
    QUALIFY row_number() OVER (PARTITION BY id ORDER BY \"order\" DESC) = 1) AS c
  JOIN (SELECT * FROM read_parquet(getvariable('foldtrace_root') || 'definitions/groups.parquet')
    QUALIFY row_number() OVER (PARTITION BY id ORDER BY \"order\" DESC) = 1) AS g ON c.\"group\" = g.id";

/// The same where no communicator is defined.
const NO_MEMBERS: &str =
    "SELECT 0::UBIGINT AS communicator, 0::UBIGINT AS rank, 0::UBIGINT AS peer WHERE false";

/// The views of a store called `name`. Times are nanoseconds since the start of the trace's clock.
fn sql(name: &str, clock: Clock, tables: Optional) -> String {
    let name = name.replace('\'', "''");
    let nanoseconds = Nanoseconds(clock);
    let mut views = vec![root(&name)];
    views.push(match tables.quantities {
        true => events(nanoseconds),
        false => topology(),
    });
    if tables.calls {
        views.push(derived_calls(nanoseconds));
    } else if tables.quantities {
        views.push(calls().to_owned());
    }
    if tables.messages {
        views.push(derived_messages(nanoseconds));
    } else if tables.quantities {
        views.push(messages(tables.communicators));
    }
    if tables.collectives {
        views.push(derived_collectives(nanoseconds));
    }
    for (table, is_there) in [
        ("metrics", tables.metrics),
        ("attributes", tables.attributes),
    ] {
        if is_there {
            views.push(format!(
                "CREATE OR REPLACE VIEW {table} AS\n\
                 SELECT * FROM {};\n",
                files(&format!("{table}/*.parquet"))
            ));
        }
    }
    views.join("\n")
}

/// A table of the store, as a source of rows.
fn files(pattern: &str) -> String {
    format!("read_parquet(getvariable('foldtrace_root') || '{pattern}')")
}

/// From ticks to nanoseconds.
#[derive(Clone, Copy, Debug)]
struct Nanoseconds(Clock);

impl Nanoseconds {
    /// A point in time.
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

    /// A stretch of time.
    fn stretch(self, ticks: &str) -> String {
        let ticks_per_second = self.0.ticks_per_second;
        format!("CAST(CAST({ticks} AS HUGEINT) * 1000000000 // {ticks_per_second} AS BIGINT)")
    }
}

fn root(name: &str) -> String {
    format!(
        "-- Views for DuckDB. Run this file from the folder that holds the store, or from within it:\n\
         --   .read '{name}/views.sql'\n\
         -- From elsewhere, or after renaming, say first where the store is:\n\
         --   SET VARIABLE foldtrace_store = '/data/{name}';\n\
         SET VARIABLE foldtrace_root = (\n\
         \x20 SELECT coalesce(getvariable('foldtrace_store') || '/', min_by(regexp_replace(file, 'manifest.json$', ''), choice),\n\
         \x20   error('the store is not here: SET VARIABLE foldtrace_store to its path first'))\n\
         \x20 FROM (SELECT file, 1 AS choice FROM glob('manifest.json')\n\
         \x20   UNION ALL SELECT file, 2 FROM glob('{name}/manifest.json')));\n"
    )
}

/// What an archive can show: what happened, but not when or how much.
fn topology() -> String {
    format!(
        "-- This is an archive: its times and other quantities are for foldtrace alone. To query them,\n\
         -- make a plain store of it: foldtrace convert ARCHIVE.fold PLAIN.fold\n\
         \n\
         -- One row an event, without quantities.\n\
         CREATE OR REPLACE VIEW events AS\n\
         SELECT t.location, r.rank, r.thread, t.position, s.kind::VARCHAR AS kind, s.name, s.region,\n\
         \x20 s.peer, s.tag, s.communicator, s.operation, s.root, t.symbol, s.canonical\n\
         FROM {topology} AS t\n\
         JOIN {symbols} AS s USING (symbol)\n\
         LEFT JOIN {ranks} AS r ON t.location = r.location;\n",
        topology = files("topology/*.parquet"),
        symbols = files("symbols.parquet"),
        ranks = files("definitions/ranks.parquet"),
    )
}

fn events(nanoseconds: Nanoseconds) -> String {
    let time = nanoseconds.time("q.time");
    format!(
        "-- One row an event. `time` is in nanoseconds, `ticks` as the source has it.\n\
         CREATE OR REPLACE VIEW events AS\n\
         SELECT t.location, r.rank, r.thread, t.position, {time} AS time, q.time AS ticks,\n\
         \x20 s.kind::VARCHAR AS kind, s.name, s.region, s.peer, s.tag, s.communicator, s.operation, s.root,\n\
         \x20 q.bytes, q.bytes_received, q.request, q.value, q.\"offset\", t.symbol, s.canonical\n\
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

/// The calls of a store without that table.
fn calls() -> &'static str {
    "-- One row a call: the n-th enter of a depth belongs to the n-th leave of that depth.\n\
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
     \x20 e.time - b.time AS duration, b.position AS begin_position, e.position AS end_position\n\
     FROM numbered AS b LEFT JOIN numbered AS e\n\
     \x20 ON e.kind = 'leave' AND b.location = e.location AND b.depth = e.depth AND b.nth = e.nth\n\
     WHERE b.kind = 'enter';\n"
}

fn derived_calls(nanoseconds: Nanoseconds) -> String {
    let start = nanoseconds.time("start");
    let end = nanoseconds.time("CAST(start AS HUGEINT) + duration");
    let exclusive = nanoseconds.stretch("exclusive");
    format!(
        "-- One row a call; a leave belongs to the innermost open enter of its region.\n\
         CREATE OR REPLACE VIEW calls AS\n\
         SELECT location, rank, thread, name::VARCHAR AS name, region, depth::BIGINT AS depth,\n\
         \x20 {start} AS start,\n\
         \x20 {end}\n\
         \x20   - {start} AS duration,\n\
         \x20 begin_position, end_position, calling_context,\n\
         \x20 {exclusive} AS exclusive, parent, misnested\n\
         FROM {};\n",
        files("derived/calls/*.parquet")
    )
}

/// The messages of a store without that table.
fn messages(has_communicators: bool) -> String {
    let members = if has_communicators {
        MEMBERS
    } else {
        NO_MEMBERS
    };
    let sends = kinds(EventKind::is_send);
    let receives = received();
    format!(
        "-- One row a message: sends and receives in FIFO order by sender, receiver, communicator, tag.\n\
         -- Peers are ranks of the communicator; `sender` and `receiver` are ranks of the program.\n\
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
        "-- One row a message, with both ends where both are recorded.\n\
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
    let [first_begin, last_begin, first_end, last_end, begun, ended] = [
        "first_begin",
        "last_begin",
        "first_end",
        "last_end",
        "begun",
        "ended",
    ]
    .map(|column| format!("{} AS {column}", nanoseconds.time(column)));
    format!(
        "-- One row a collective operation, and one for each of its members.\n\
         CREATE OR REPLACE VIEW collectives AS\n\
         SELECT instance, kind::VARCHAR AS kind, operation::VARCHAR AS operation, communicator, \"window\",\n\
         \x20 number, root, members, size,\n\
         \x20 {first_begin},\n\
         \x20 {last_begin},\n\
         \x20 {first_end},\n\
         \x20 {last_end},\n\
         \x20 bytes, bytes_received\n\
         FROM {collectives};\n\
         \n\
         CREATE OR REPLACE VIEW collective_members AS\n\
         SELECT instance, location, rank, operation::VARCHAR AS operation, begin_position, end_position,\n\
         \x20 {begun},\n\
         \x20 {ended},\n\
         \x20 bytes, bytes_received\n\
         FROM {members};\n",
        collectives = files(Derived::Collectives.path()),
        members = files("derived/collective_members.parquet"),
    )
}

/// Which events take a message from its sender. A probe that gives the message an id takes it out
/// of the order of all others, and what receives it later does not say from whom it is.
fn received() -> String {
    let receives = kinds(EventKind::is_receive);
    let probe = EventKind::MpiProbe;
    format!("(e.kind IN ({receives}) OR (e.kind = '{probe}' AND e.value <> -1))")
}

/// The kinds that fulfil `is`, as a list for SQL.
fn kinds(is: fn(EventKind) -> bool) -> String {
    let names = EventKind::ALL
        .iter()
        .filter(|kind| is(**kind))
        .map(|kind| format!("'{kind}'"));
    names.collect::<Vec<_>>().join(", ")
}
