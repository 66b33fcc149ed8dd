-- Answers to four questions about a store, as views for DuckDB: time_per_region, message_sizes,
-- communication_matrix and late_senders. They use the views of the store (schemas/store.md, Views), in which
-- times are in nanoseconds and ranks are those of the program.
--
--   foldtrace convert TRACE run.fold
--   duckdb -c ".read run.fold/views.sql" -c ".read duckdb.sql" -c "FROM late_senders"
--
-- With Python instead of the command `duckdb`, see duckdb_recipe.py.

-- The number of calls of each region by each rank, and their time including inner calls (total) and excluding
-- them (own). The parent of a call is the last call before it that is one level further out.
CREATE OR REPLACE TEMP VIEW time_per_region AS
WITH inner_calls AS (
    SELECT parent.location, parent.begin_position, sum(child.duration) AS duration
    FROM calls AS child ASOF JOIN calls AS parent
        ON child.location = parent.location AND child.depth = parent.depth + 1
        AND child.begin_position > parent.begin_position
    GROUP BY parent.location, parent.begin_position)
SELECT name AS region, rank, count(*) AS calls,
       round(sum(c.duration) / 1e6, 3) AS total_ms,
       round(sum(c.duration - coalesce(i.duration, 0)) / 1e6, 3) AS own_ms
FROM calls AS c LEFT JOIN inner_calls AS i USING (location, begin_position)
GROUP BY name, rank
ORDER BY name, rank;

-- Messages by size, with a row for each power of two.
CREATE OR REPLACE TEMP VIEW message_sizes AS
SELECT CASE WHEN bytes = 0 THEN 0 ELSE (2 ** floor(log2(bytes)))::BIGINT END AS from_bytes,
       count(*) AS messages, sum(bytes)::BIGINT AS bytes
FROM messages
GROUP BY 1
ORDER BY 1;

-- Messages and bytes for each pair of sender and receiver.
CREATE OR REPLACE TEMP VIEW communication_matrix AS
SELECT sender, receiver, count(*) AS messages, sum(bytes)::BIGINT AS bytes
FROM messages
GROUP BY sender, receiver
ORDER BY sender, receiver;

-- The time that each rank spends in MPI_Recv before the message is sent: from entering the receive to the send, if
-- the send is later. It is at most the duration of the receive, because the clocks of processes may differ.
CREATE OR REPLACE TEMP VIEW late_senders AS
SELECT receiver, sender, count(*) AS late_messages,
       round(sum(least(sent - start, duration)) / 1e6, 3) AS waited_ms,
       round(max(least(sent - start, duration)) / 1e6, 3) AS longest_ms
FROM messages ASOF JOIN (FROM calls WHERE mpi_name = 'MPI_Recv') AS receives
    ON receive_location = receives.location AND receive_position >= begin_position
WHERE receive_position < end_position AND sent > start
GROUP BY receiver, sender
ORDER BY receiver, sender;
