-- Views for DuckDB. Run this file in the folder that contains the store, or in the store itself:
--   .read 'tags-archive.fold/views.sql'
-- In any other folder, or after the store was renamed, first set its path:
--   SET VARIABLE foldtrace_store = '/data/tags-archive.fold';
-- The views keep the path of the store, either as set or relative to the working folder. Each schema has
-- the views of one store. For another store, create another schema first: CREATE SCHEMA a; USE a;
SET VARIABLE foldtrace_found = (
  SELECT coalesce(min_by(regexp_replace(file[:-14], '([*?[\]])', '[\1]', 'g'), choice), error('tags-archive.fold is not here. Change to the folder that contains it, or say where it is: SET VARIABLE foldtrace_store = ''/path/to/tags-archive.fold''; then run views.sql again'))
  FROM (SELECT file, 1 AS choice FROM glob(regexp_replace(
      coalesce(getvariable('foldtrace_store')::VARCHAR, '.'), '([*?[\]])', '[\1]', 'g') || '/manifest.json')
      WHERE getvariable('foldtrace_store') IS NOT NULL
    UNION ALL SELECT file, 2 FROM glob('./tags-archive.fold/manifest.json') WHERE getvariable('foldtrace_store') IS NULL
    UNION ALL SELECT file, 3 FROM glob('./manifest.json') WHERE getvariable('foldtrace_store') IS NULL));
-- The path of tags-archive.fold, as the only value of an enum type.
CREATE OR REPLACE TYPE foldtrace_root AS ENUM (
  SELECT CASE WHEN contains(content, '08f0afcbcb732329306ae758e528fcf91e1b8e09b8e2f0395e846d78e0ef30a1') THEN getvariable('foldtrace_found')
    ELSE error(getvariable('foldtrace_found') || ' is another store, or tags-archive.fold was written anew: run the views.sql that is in it') END
  FROM read_text(getvariable('foldtrace_found') || 'manifest.json'));
RESET VARIABLE foldtrace_found;
RESET VARIABLE foldtrace_store;

-- This store is an archive: DuckDB cannot read its times and other quantities. To query them,
-- convert it to a plain store: foldtrace convert ARCHIVE.fold PLAIN.fold

-- One row per event, without quantities.
CREATE OR REPLACE VIEW events AS
SELECT t.location, r.rank, r.thread, t.position, s.kind::VARCHAR AS kind, s.name, s.region,
  s.peer, coalesce(t.tag, s.tag) AS tag, s.communicator, s.operation, s.root, t.symbol, s.canonical, s.mpi_name
FROM read_parquet(enum_first(NULL::foldtrace_root)::VARCHAR || 'topology/*.parquet', hive_partitioning = false) AS t
JOIN read_parquet(enum_first(NULL::foldtrace_root)::VARCHAR || 'symbols.parquet', hive_partitioning = false) AS s USING (symbol)
LEFT JOIN read_parquet(enum_first(NULL::foldtrace_root)::VARCHAR || 'definitions/ranks.parquet', hive_partitioning = false) AS r ON t.location = r.location;

DROP VIEW IF EXISTS calls;

DROP VIEW IF EXISTS messages;

DROP VIEW IF EXISTS collectives;

DROP VIEW IF EXISTS collective_members;

DROP VIEW IF EXISTS iterations;

DROP VIEW IF EXISTS metrics;

DROP VIEW IF EXISTS attributes;
