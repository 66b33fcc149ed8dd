-- Views for DuckDB. Run this file from the folder that holds the store, or from within it:
--   .read 'ring-4.fold/views.sql'
-- From elsewhere, or after renaming, say first where the store is:
--   SET VARIABLE foldtrace_store = '/data/ring-4.fold';
SET VARIABLE foldtrace_root = (
  SELECT coalesce(getvariable('foldtrace_store') || '/', min_by(regexp_replace(file, 'manifest.json$', ''), choice),
    error('the store is not here: SET VARIABLE foldtrace_store to its path first'))
  FROM (SELECT file, 1 AS choice FROM glob('manifest.json')
    UNION ALL SELECT file, 2 FROM glob('ring-4.fold/manifest.json')));

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

-- One row a call: the n-th enter of a depth belongs to the n-th leave of that depth.
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
  e.time - b.time AS duration, b.position AS begin_position, e.position AS end_position
FROM numbered AS b LEFT JOIN numbered AS e
  ON e.kind = 'leave' AND b.location = e.location AND b.depth = e.depth AND b.nth = e.nth
WHERE b.kind = 'enter';

-- One row a message: sends and receives in FIFO order by sender, receiver, communicator, tag.
-- Peers are ranks of the communicator; `sender` and `receiver` are ranks of the program.
CREATE OR REPLACE VIEW messages AS
WITH members AS (
  SELECT c.id AS communicator, unnest(g.members) AS rank, generate_subscripts(g.members, 1) - 1 AS peer
  FROM (SELECT * FROM read_parquet(getvariable('foldtrace_root') || 'definitions/comms.parquet')
    QUALIFY row_number() OVER (PARTITION BY id ORDER BY "order" DESC) = 1) AS c
  JOIN (SELECT * FROM read_parquet(getvariable('foldtrace_root') || 'definitions/groups.parquet')
    QUALIFY row_number() OVER (PARTITION BY id ORDER BY "order" DESC) = 1) AS g ON c."group" = g.id),
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
