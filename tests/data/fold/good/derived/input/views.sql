-- Views for DuckDB. Run this file from the folder that holds the store, or from within it:
--   .read 'der.fold/views.sql'
-- From elsewhere, or after renaming, say first where the store is:
--   SET VARIABLE foldtrace_store = '/data/der.fold';
SET VARIABLE foldtrace_root = (
  SELECT coalesce(getvariable('foldtrace_store') || '/', min_by(regexp_replace(file, 'manifest.json$', ''), choice),
    error('the store is not here: SET VARIABLE foldtrace_store to its path first'))
  FROM (SELECT file, 1 AS choice FROM glob('manifest.json')
    UNION ALL SELECT file, 2 FROM glob('der.fold/manifest.json')));

-- One row an event. `time` is in nanoseconds, `ticks` as the source has it.
CREATE OR REPLACE VIEW events AS
SELECT t.location, r.rank, r.thread, t.position, CAST((CAST(q.time AS HUGEINT) - 0) * 1000000000 // 1000000000 AS BIGINT) AS time, q.time AS ticks,
  s.kind::VARCHAR AS kind, s.name, s.region, s.peer, s.tag, s.communicator, s.operation, s.root,
  q.bytes, q.bytes_received, q.request, q.value, q."offset", t.symbol, s.canonical
FROM read_parquet(getvariable('foldtrace_root') || 'topology/*.parquet') AS t
JOIN read_parquet(getvariable('foldtrace_root') || 'quantity/*.parquet') AS q
  ON t.location = q.location AND t.position = q.position
JOIN read_parquet(getvariable('foldtrace_root') || 'symbols.parquet') AS s USING (symbol)
LEFT JOIN read_parquet(getvariable('foldtrace_root') || 'definitions/ranks.parquet') AS r
  ON t.location = r.location;

-- One row a call; a leave belongs to the innermost open enter of its region.
CREATE OR REPLACE VIEW calls AS
SELECT location, rank, thread, name::VARCHAR AS name, region, depth::BIGINT AS depth,
  CAST((CAST(start AS HUGEINT) - 0) * 1000000000 // 1000000000 AS BIGINT) AS start,
  CAST((CAST(CAST(start AS HUGEINT) + duration AS HUGEINT) - 0) * 1000000000 // 1000000000 AS BIGINT)
    - CAST((CAST(start AS HUGEINT) - 0) * 1000000000 // 1000000000 AS BIGINT) AS duration,
  begin_position, end_position, calling_context,
  CAST(CAST(exclusive AS HUGEINT) * 1000000000 // 1000000000 AS BIGINT) AS exclusive, parent, misnested
FROM read_parquet(getvariable('foldtrace_root') || 'derived/calls/*.parquet');

-- One row a message, with both ends where both are recorded.
CREATE OR REPLACE VIEW messages AS
SELECT sender, receiver, communicator, tag, bytes,
  CAST((CAST(sent AS HUGEINT) - 0) * 1000000000 // 1000000000 AS BIGINT) AS sent,
  CAST((CAST(received AS HUGEINT) - 0) * 1000000000 // 1000000000 AS BIGINT) AS received,
  send_location, send_position, receive_location, receive_position,
  receive_communicator, bytes_received,
  CAST((CAST(received AS HUGEINT) - 0) * 1000000000 // 1000000000 AS BIGINT)
    - CAST((CAST(sent AS HUGEINT) - 0) * 1000000000 // 1000000000 AS BIGINT) AS latency,
  CAST((CAST(posted AS HUGEINT) - 0) * 1000000000 // 1000000000 AS BIGINT) AS posted, posted_position,
  CAST((CAST(completed AS HUGEINT) - 0) * 1000000000 // 1000000000 AS BIGINT) AS completed, completed_position
FROM read_parquet(getvariable('foldtrace_root') || 'derived/messages.parquet');

-- One row a collective operation, and one for each of its members.
CREATE OR REPLACE VIEW collectives AS
SELECT instance, kind::VARCHAR AS kind, operation::VARCHAR AS operation, communicator, "window",
  number, root, members, size,
  CAST((CAST(first_begin AS HUGEINT) - 0) * 1000000000 // 1000000000 AS BIGINT) AS first_begin,
  CAST((CAST(last_begin AS HUGEINT) - 0) * 1000000000 // 1000000000 AS BIGINT) AS last_begin,
  CAST((CAST(first_end AS HUGEINT) - 0) * 1000000000 // 1000000000 AS BIGINT) AS first_end,
  CAST((CAST(last_end AS HUGEINT) - 0) * 1000000000 // 1000000000 AS BIGINT) AS last_end,
  bytes, bytes_received
FROM read_parquet(getvariable('foldtrace_root') || 'derived/collectives.parquet');

CREATE OR REPLACE VIEW collective_members AS
SELECT instance, location, rank, operation::VARCHAR AS operation, begin_position, end_position,
  CAST((CAST(begun AS HUGEINT) - 0) * 1000000000 // 1000000000 AS BIGINT) AS begun,
  CAST((CAST(ended AS HUGEINT) - 0) * 1000000000 // 1000000000 AS BIGINT) AS ended,
  bytes, bytes_received
FROM read_parquet(getvariable('foldtrace_root') || 'derived/collective_members.parquet');

CREATE OR REPLACE VIEW metrics AS
SELECT * FROM read_parquet(getvariable('foldtrace_root') || 'metrics/*.parquet');

CREATE OR REPLACE VIEW attributes AS
SELECT * FROM read_parquet(getvariable('foldtrace_root') || 'attributes/*.parquet');
