-- Views for DuckDB. Run this file from the folder that contains the store, or from within it:
--   .read 'everything-archive.fold/views.sql'
-- From elsewhere, or after renaming the store, say first where it is:
--   SET VARIABLE foldtrace_store = '/data/everything-archive.fold';
-- The views keep that path, as it is said or relative to the working folder. Each schema has the views of
-- one store, so several stores go into several schemas: CREATE SCHEMA a; USE a; and then this file.
SET VARIABLE foldtrace_found = (
  SELECT coalesce(min_by(regexp_replace(file[:-14], '([*?[\]])', '[\1]', 'g'), choice), error('everything-archive.fold is not here. Change to the folder that contains it, or say where it is: SET VARIABLE foldtrace_store = ''/path/to/everything-archive.fold''; then run views.sql again'))
  FROM (SELECT file, 1 AS choice FROM glob(regexp_replace(
      coalesce(getvariable('foldtrace_store')::VARCHAR, '.'), '([*?[\]])', '[\1]', 'g') || '/manifest.json')
      WHERE getvariable('foldtrace_store') IS NOT NULL
    UNION ALL SELECT file, 2 FROM glob('./everything-archive.fold/manifest.json') WHERE getvariable('foldtrace_store') IS NULL
    UNION ALL SELECT file, 3 FROM glob('./manifest.json') WHERE getvariable('foldtrace_store') IS NULL));
-- The path of everything-archive.fold, as the only word of a type.
CREATE OR REPLACE TYPE foldtrace_root AS ENUM (
  SELECT CASE WHEN contains(content, '3158994aea296b7be4a5b8921ae8710aa554352a5626a64a202c797a8dedf76e') THEN getvariable('foldtrace_found')
    ELSE error(getvariable('foldtrace_found') || ' is another store, or everything-archive.fold was written anew: run the views.sql that is in it') END
  FROM read_text(getvariable('foldtrace_found') || 'manifest.json'));
RESET VARIABLE foldtrace_found;
RESET VARIABLE foldtrace_store;

-- This is an archive: its times and other quantities are for foldtrace alone. To query them,
-- make a plain store of it: foldtrace convert ARCHIVE.fold PLAIN.fold

-- One row an event, without quantities.
CREATE OR REPLACE VIEW events AS
SELECT t.location, r.rank, r.thread, t.position, s.kind::VARCHAR AS kind, s.name, s.region,
  s.peer, s.tag, s.communicator, s.operation, s.root, t.symbol, s.canonical, s.mpi_name
FROM read_parquet(enum_first(NULL::foldtrace_root)::VARCHAR || 'topology/*.parquet', hive_partitioning = false) AS t
JOIN read_parquet(enum_first(NULL::foldtrace_root)::VARCHAR || 'symbols.parquet', hive_partitioning = false) AS s USING (symbol)
LEFT JOIN read_parquet(enum_first(NULL::foldtrace_root)::VARCHAR || 'definitions/ranks.parquet', hive_partitioning = false) AS r ON t.location = r.location;

DROP VIEW IF EXISTS calls;

DROP VIEW IF EXISTS messages;

DROP VIEW IF EXISTS collectives;

DROP VIEW IF EXISTS collective_members;

DROP VIEW IF EXISTS iterations;

-- One row a value of a metric: `value` is in `unit`, the columns behind it have what is recorded.
CREATE OR REPLACE VIEW metrics AS
SELECT m.location, r.rank, r.thread, m.position, NULL::BIGINT AS time, s.metric, m.member,
  n.name, n.unit, coalesce(m.uint64, m.int64, m."double")::DOUBLE * coalesce(n.base, 1)::DOUBLE ** coalesce(n.exponent, 0) AS value,
  m.type::VARCHAR AS type, m.uint64, m.int64, m."double"
FROM read_parquet(enum_first(NULL::foldtrace_root)::VARCHAR || 'metrics/*.parquet', hive_partitioning = false) AS m
JOIN read_parquet(enum_first(NULL::foldtrace_root)::VARCHAR || 'topology/*.parquet', hive_partitioning = false) AS t ON m.location = t.location AND m.position = t.position
JOIN read_parquet(enum_first(NULL::foldtrace_root)::VARCHAR || 'symbols.parquet', hive_partitioning = false) AS s USING (symbol)
LEFT JOIN read_parquet(enum_first(NULL::foldtrace_root)::VARCHAR || 'definitions/metric_names.parquet', hive_partitioning = false) AS n ON s.metric = n.metric AND m.member = n.member
LEFT JOIN read_parquet(enum_first(NULL::foldtrace_root)::VARCHAR || 'definitions/ranks.parquet', hive_partitioning = false) AS r ON m.location = r.location;

-- One row an attribute of an event.
CREATE OR REPLACE VIEW attributes AS
SELECT * FROM read_parquet(enum_first(NULL::foldtrace_root)::VARCHAR || 'attributes/*.parquet', hive_partitioning = false);
