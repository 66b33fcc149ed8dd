-- Views for DuckDB. Run this file in the folder that contains the store, or in the store itself:
--   .read 'tags.fold/views.sql'
-- In any other folder, or after the store was renamed, first set its path:
--   SET VARIABLE foldtrace_store = '/data/tags.fold';
-- The views keep the path of the store, either as set or relative to the working folder. Each schema has
-- the views of one store. For another store, create another schema first: CREATE SCHEMA a; USE a;
SET VARIABLE foldtrace_found = (
  SELECT coalesce(min_by(regexp_replace(file[:-14], '([*?[\]])', '[\1]', 'g'), choice), error('tags.fold is not here. Change to the folder that contains it, or say where it is: SET VARIABLE foldtrace_store = ''/path/to/tags.fold''; then run views.sql again'))
  FROM (SELECT file, 1 AS choice FROM glob(regexp_replace(
      coalesce(getvariable('foldtrace_store')::VARCHAR, '.'), '([*?[\]])', '[\1]', 'g') || '/manifest.json')
      WHERE getvariable('foldtrace_store') IS NOT NULL
    UNION ALL SELECT file, 2 FROM glob('./tags.fold/manifest.json') WHERE getvariable('foldtrace_store') IS NULL
    UNION ALL SELECT file, 3 FROM glob('./manifest.json') WHERE getvariable('foldtrace_store') IS NULL));
-- The path of tags.fold, as the only value of an enum type.
CREATE OR REPLACE TYPE foldtrace_root AS ENUM (
  SELECT CASE WHEN contains(content, 'd37b7bba0b4c911a9a2d70da4f4c7c0508d03f8c3e0b322cb46ff9e8f562e66c') THEN getvariable('foldtrace_found')
    ELSE error(getvariable('foldtrace_found') || ' is another store, or tags.fold was written anew: run the views.sql that is in it') END
  FROM read_text(getvariable('foldtrace_found') || 'manifest.json'));
RESET VARIABLE foldtrace_found;
RESET VARIABLE foldtrace_store;

-- One row per event. `time` is in nanoseconds; `ticks` is the time in the source, in ticks of its clock.
CREATE OR REPLACE VIEW events AS
SELECT t.location, r.rank, r.thread, t.position, CAST((CAST(q.time AS HUGEINT) - 0) * 1000000000 // 1000000000 AS BIGINT) AS time, q.time AS ticks,
  s.kind::VARCHAR AS kind, s.name, s.region, s.peer, coalesce(t.tag, s.tag) AS tag, s.communicator, s.operation, s.root,
  q.bytes, q.bytes_received, q.request, q.value, q."offset", t.symbol, s.canonical, s.mpi_name
FROM read_parquet(enum_first(NULL::foldtrace_root)::VARCHAR || 'topology/*.parquet', hive_partitioning = false) AS t
JOIN read_parquet(enum_first(NULL::foldtrace_root)::VARCHAR || 'quantity/*.parquet', hive_partitioning = false) AS q
  ON t.location = q.location AND t.position = q.position
JOIN read_parquet(enum_first(NULL::foldtrace_root)::VARCHAR || 'symbols.parquet', hive_partitioning = false) AS s USING (symbol)
LEFT JOIN read_parquet(enum_first(NULL::foldtrace_root)::VARCHAR || 'definitions/ranks.parquet', hive_partitioning = false) AS r
  ON t.location = r.location;

-- One row per call: the n-th enter of a depth is matched with the n-th leave of that depth.
CREATE OR REPLACE VIEW calls AS
WITH steps AS (
  SELECT *, sum(CASE kind WHEN 'enter' THEN 1 ELSE -1 END)
    OVER (PARTITION BY location ORDER BY position) AS level
  FROM events WHERE kind IN ('enter', 'leave')),
numbered AS (
  SELECT *, CASE kind WHEN 'enter' THEN level - 1 ELSE level END AS depth,
    row_number() OVER (PARTITION BY location, kind, CASE kind WHEN 'enter' THEN level - 1 ELSE level END ORDER BY position) AS nth
  FROM steps)
SELECT b.location, b.rank, b.thread, b.name, b.region, b.depth::BIGINT AS depth, b.time AS start,
  e.time - b.time AS duration, b.position AS begin_position, e.position AS end_position,
  b.mpi_name
FROM numbered AS b LEFT JOIN numbered AS e
  ON e.kind = 'leave' AND b.location = e.location AND b.depth = e.depth AND b.nth = e.nth
WHERE b.kind = 'enter';

-- One row per message: the n-th send is matched with the n-th receive of the same sender, receiver,
-- communicator and tag.
-- Peers of events are ranks of the communicator; `sender` and `receiver` are ranks of the program.
CREATE OR REPLACE VIEW messages AS
WITH members AS (
  SELECT c.id AS communicator, TRY_CAST(unnest(g.members) AS BIGINT) AS rank,
    generate_subscripts(g.members, 1) - 1 AS peer
  FROM (SELECT * FROM read_parquet(enum_first(NULL::foldtrace_root)::VARCHAR || 'definitions/comms.parquet', hive_partitioning = false) QUALIFY row_number() OVER (PARTITION BY id ORDER BY "order" DESC) = 1) AS c
  JOIN (SELECT * FROM read_parquet(enum_first(NULL::foldtrace_root)::VARCHAR || 'definitions/groups.parquet', hive_partitioning = false) QUALIFY row_number() OVER (PARTITION BY id ORDER BY "order" DESC) = 1) AS g ON c."group" = g.id),
sends AS (
  SELECT e.*, coalesce(m.rank, e.peer) AS partner,
    row_number() OVER (PARTITION BY e.rank, partner, e.communicator, e.tag ORDER BY e.position) AS nth
  FROM events AS e LEFT JOIN members AS m USING (communicator, peer) WHERE e.kind IN ('mpi_send', 'mpi_isend')),
receives AS (
  SELECT e.*, coalesce(m.rank, e.peer) AS partner,
    row_number() OVER (PARTITION BY partner, e.rank, e.communicator, e.tag ORDER BY e.position) AS nth
  FROM events AS e LEFT JOIN members AS m USING (communicator, peer) WHERE (e.kind IN ('mpi_recv', 'mpi_irecv') OR (e.kind = 'mpi_probe' AND e.value <> -1)))
SELECT s.rank AS sender, s.partner AS receiver, s.communicator, s.tag, s.bytes,
  s.time AS sent, r.time AS received, s.location AS send_location, s.position AS send_position,
  r.location AS receive_location, r.position AS receive_position
FROM sends AS s LEFT JOIN receives AS r
  ON s.rank = r.partner AND s.partner = r.rank AND s.communicator = r.communicator
  AND s.tag = r.tag AND s.nth = r.nth;

DROP VIEW IF EXISTS collectives;

DROP VIEW IF EXISTS collective_members;

DROP VIEW IF EXISTS iterations;

DROP VIEW IF EXISTS metrics;

DROP VIEW IF EXISTS attributes;
