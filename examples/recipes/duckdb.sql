-- Where the time goes and who talks to whom: four questions to a store, in SQL for DuckDB.
--
-- You need:  the DuckDB command (https://duckdb.org), or `pip install duckdb`
-- and:       foldtrace convert TRACE run.fold
-- Then say:  duckdb -c ".read run.fold/views.sql" -c ".read duckdb.sql"
--
-- The views have times in nanoseconds and ranks of the program (schemas/store.md, Views).

-- 1. Time per region and rank: how often each region was called, and how long that took with all that
--    it called (total) and without (own). The parent of a call is the last one before it that is one
--    level further out.
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
GROUP BY region, rank
ORDER BY region, rank;

-- 2. Message sizes: a bar for each power of two.
SELECT CASE WHEN bytes = 0 THEN 0 ELSE 1 << floor(log2(bytes))::INTEGER END AS from_bytes,
       count(*) AS messages, sum(bytes)::BIGINT AS bytes
FROM messages
GROUP BY from_bytes
ORDER BY from_bytes;

-- 3. Communication matrix: messages and bytes from each rank to each other one.
SELECT sender, receiver, count(*) AS messages, sum(bytes)::BIGINT AS bytes
FROM messages
GROUP BY sender, receiver
ORDER BY sender, receiver;

-- 4. Late senders: how long each rank waited in MPI_Recv for a message that was not yet sent. The
--    waiting ends when the sender begins to send, so it is the time from entering the receive to the
--    send, where the send is later.
SELECT receiver, sender, count(*) AS late_messages,
       round(sum(sent - start) / 1e6, 3) AS waited_ms,
       round(max(sent - start) / 1e6, 3) AS longest_ms
FROM messages
JOIN calls ON calls.location = receive_location
    AND receive_position BETWEEN begin_position AND end_position
WHERE calls.name ILIKE 'mpi_recv%' AND start < sent
GROUP BY receiver, sender
ORDER BY receiver, sender;
