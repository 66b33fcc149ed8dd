//! DuckDB views over the tables of a store: one line and a user has one flat table.

use foldtrace_trace::{Clock, EventKind};

pub(super) const FILE: &str = "views.sql";

/// Which of the tables that not every store has are there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Optional {
    /// Quantities as a table; an archive has none.
    pub quantities: bool,
    pub metrics: bool,
    pub attributes: bool,
    pub communicators: bool,
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
pub(super) fn sql(name: &str, clock: Clock, tables: Optional) -> String {
    let mut sql = head(name);
    if tables.quantities {
        sql.push_str(&with_quantities(clock, tables));
    } else {
        sql.push_str(&topology());
    }
    for (table, present) in [
        ("metrics", tables.metrics),
        ("attributes", tables.attributes),
    ] {
        if present {
            sql.push_str(&format!(
                "\nCREATE OR REPLACE VIEW {table} AS\n\
                 SELECT * FROM read_parquet(getvariable('foldtrace_root') || '{table}/*.parquet');\n"
            ));
        }
    }
    sql
}

/// How the views find the store.
fn head(name: &str) -> String {
    let name = name.replace('\'', "''");
    format!(
        "-- Views for DuckDB. Run this file from the folder that holds the store, or from within it:\n\
         --   .read '{name}/views.sql'\n\
         -- From elsewhere, or after renaming, say first where the store is:\n\
         --   SET VARIABLE foldtrace_store = '/data/{name}';\n\
         SET VARIABLE foldtrace_root = (\n\
         \x20 SELECT coalesce(getvariable('foldtrace_store') || '/', min_by(regexp_replace(file, 'manifest.json$', ''), choice),\n\
         \x20   error('the store is not here: SET VARIABLE foldtrace_store to its path first'))\n\
         \x20 FROM (SELECT file, 1 AS choice FROM glob('manifest.json')\n\
         \x20   UNION ALL SELECT file, 2 FROM glob('{name}/manifest.json')));\n\
         \n"
    )
}

/// What an archive can show: what happened, but not when or how much.
fn topology() -> String {
    "-- This is an archive: its times and other quantities are for foldtrace alone. To query them,\n\
     -- make a plain store of it: foldtrace convert ARCHIVE.fold PLAIN.fold\n\
     \n\
     -- One row an event, without quantities.\n\
     CREATE OR REPLACE VIEW events AS\n\
     SELECT t.location, r.rank, r.thread, t.position, s.kind::VARCHAR AS kind, s.name, s.region,\n\
     \x20 s.peer, s.tag, s.communicator, s.operation, s.root, t.symbol, s.canonical\n\
     FROM read_parquet(getvariable('foldtrace_root') || 'topology/*.parquet') AS t\n\
     JOIN read_parquet(getvariable('foldtrace_root') || 'symbols.parquet') AS s USING (symbol)\n\
     LEFT JOIN read_parquet(getvariable('foldtrace_root') || 'definitions/ranks.parquet') AS r\n\
     \x20 ON t.location = r.location;\n"
        .to_owned()
}

/// The views of a plain store.
fn with_quantities(clock: Clock, tables: Optional) -> String {
    let members = if tables.communicators {
        MEMBERS
    } else {
        NO_MEMBERS
    };
    let sends = kinds(EventKind::is_send);
    let receives = received();
    let nanoseconds = format!(
        "CAST((CAST(q.time AS HUGEINT) - {}) * 1000000000 // {} AS BIGINT)",
        clock.global_offset, clock.ticks_per_second
    );
    format!(
        "-- One row an event. `time` is in nanoseconds, `ticks` as the source has it.\n\
         CREATE OR REPLACE VIEW events AS\n\
         SELECT t.location, r.rank, r.thread, t.position, {nanoseconds} AS time, q.time AS ticks,\n\
         \x20 s.kind::VARCHAR AS kind, s.name, s.region, s.peer, s.tag, s.communicator, s.operation, s.root,\n\
         \x20 q.bytes, q.bytes_received, q.request, q.value, q.\"offset\", t.symbol, s.canonical\n\
         FROM read_parquet(getvariable('foldtrace_root') || 'topology/*.parquet') AS t\n\
         JOIN read_parquet(getvariable('foldtrace_root') || 'quantity/*.parquet') AS q\n\
         \x20 ON t.location = q.location AND t.position = q.position\n\
         JOIN read_parquet(getvariable('foldtrace_root') || 'symbols.parquet') AS s USING (symbol)\n\
         LEFT JOIN read_parquet(getvariable('foldtrace_root') || 'definitions/ranks.parquet') AS r\n\
         \x20 ON t.location = r.location;\n\
         \n\
         -- One row a call: the n-th enter of a depth belongs to the n-th leave of that depth.\n\
         CREATE OR REPLACE VIEW calls AS\n\
         WITH steps AS (\n\
         \x20 SELECT *, sum(CASE kind WHEN 'enter' THEN 1 ELSE -1 END)\n\
         \x20   OVER (PARTITION BY location ORDER BY position) AS level\n\
         \x20 FROM events WHERE kind IN ('enter', 'leave')),\n\
         numbered AS (\n\
         \x20 SELECT *, CASE kind WHEN 'enter' THEN level ELSE level + 1 END AS depth,\n\
         \x20   row_number() OVER (PARTITION BY location, kind, CASE kind WHEN 'enter' THEN level ELSE level + 1 END ORDER BY position) AS nth\n\
         \x20 FROM steps)\n\
         SELECT b.location, b.rank, b.thread, b.name, b.region, b.depth::BIGINT AS depth, b.time AS start,\n\
         \x20 e.time - b.time AS duration, b.position AS begin_position, e.position AS end_position\n\
         FROM numbered AS b LEFT JOIN numbered AS e\n\
         \x20 ON e.kind = 'leave' AND b.location = e.location AND b.depth = e.depth AND b.nth = e.nth\n\
         WHERE b.kind = 'enter';\n\
         \n\
         -- One row a message: sends and receives in FIFO order by sender, receiver, communicator, tag.\n\
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
