"""Computes time per region and rank, and the communication matrix, with Spark, from a flat table.

    pip install pyspark          (and a Java runtime, 17 or newer)
    foldtrace convert TRACE run.parquet
    python spark_recipe.py run.parquet

On a cluster, use spark-submit; row groups of 262,144 events are distributed over the workers.
"""

import sys

from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as f

spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
spark.sparkContext.setLogLevel("ERROR")
spark.conf.set("spark.sql.shuffle.partitions", "8")

events = spark.read.parquet(sys.argv[1])

# Calls: the n-th enter of a depth is matched with the n-th leave of that depth.
in_order = Window.partitionBy("location").orderBy("position")
is_enter = f.col("kind") == "enter"
level = f.sum(f.when(is_enter, 1).otherwise(-1)).over(in_order)
same_depth = Window.partitionBy("location", "depth", "kind").orderBy("position")
steps = (
    events.where(f.col("kind").isin("enter", "leave"))
    .withColumn("depth", f.when(is_enter, level).otherwise(level + 1))
    .withColumn("nth", f.row_number().over(same_depth))
)
ends = steps.where("kind = 'leave'").select("location", "depth", "nth", f.col("time").alias("end"))
calls = steps.where("kind = 'enter'").join(ends, ["location", "depth", "nth"])
time = (
    calls.groupBy(f.col("name").alias("region"), "rank")
    .agg(
        f.count("*").alias("calls"),
        f.round(f.sum(f.col("end") - f.col("time")) / 1e6, 3).alias("total_ms"),
    )
    .orderBy("region", "rank")
)
print("Time per region and rank")
time.show(1000, truncate=False)

# `peer` is a rank of the communicator; for MPI_COMM_WORLD, it is the rank of the program.
matrix = (
    events.where(f.col("kind").isin("mpi_send", "mpi_isend"))
    .groupBy(f.col("rank").alias("sender"), f.col("peer").alias("receiver"))
    .agg(f.count("*").alias("messages"), f.sum("bytes").alias("bytes"))
    .orderBy("sender", "receiver")
)
print("Communication matrix")
matrix.show(1000)
spark.stop()
