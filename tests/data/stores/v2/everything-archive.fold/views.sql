-- Views for DuckDB. Run this file from the folder that holds the store, or from within it:
--   .read 'everything-archive.fold/views.sql'
-- From elsewhere, or after renaming, say first where the store is:
--   SET VARIABLE foldtrace_store = '/data/everything-archive.fold';
SET VARIABLE foldtrace_root = (
  SELECT coalesce(getvariable('foldtrace_store') || '/', min_by(regexp_replace(file, 'manifest.json$', ''), choice),
    error('the store is not here: SET VARIABLE foldtrace_store to its path first'))
  FROM (SELECT file, 1 AS choice FROM glob('manifest.json')
    UNION ALL SELECT file, 2 FROM glob('everything-archive.fold/manifest.json')));

-- This is an archive: its times and other quantities are for foldtrace alone. To query them,
-- make a plain store of it: foldtrace convert ARCHIVE.fold PLAIN.fold

-- One row an event, without quantities.
CREATE OR REPLACE VIEW events AS
SELECT t.location, r.rank, r.thread, t.position, s.kind::VARCHAR AS kind, s.name, s.region,
  s.peer, s.tag, s.communicator, s.operation, s.root, t.symbol, s.canonical
FROM read_parquet(getvariable('foldtrace_root') || 'topology/*.parquet') AS t
JOIN read_parquet(getvariable('foldtrace_root') || 'symbols.parquet') AS s USING (symbol)
LEFT JOIN read_parquet(getvariable('foldtrace_root') || 'definitions/ranks.parquet') AS r ON t.location = r.location;

CREATE OR REPLACE VIEW metrics AS
SELECT * FROM read_parquet(getvariable('foldtrace_root') || 'metrics/*.parquet');

CREATE OR REPLACE VIEW attributes AS
SELECT * FROM read_parquet(getvariable('foldtrace_root') || 'attributes/*.parquet');
