"""A training on eight GPUs and a pipeline, as PyTorch's profiler records them: ranks, operations, and the late rank."""

import json
import subprocess
import tempfile
import unittest
from collections import Counter
from pathlib import Path

import pyarrow.parquet

from kineto_ranks import RANKS, SAMPLE, collectives, write_pipeline, write_ranks
from sources import FOLDTRACE, run

LATE = 5


def answer(command, store, *options):
    """Returns the answer of an analysis."""
    return json.loads(run(FOLDTRACE, command, "--json", "-q", *options, store))


class Kineto(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name) / "profile"
        self.folder.mkdir()
        self.store = Path(scratch.name) / "run.fold"

    def convert(self):
        """Converts the folder to a store, and returns the messages of the conversion."""
        command = [FOLDTRACE, "convert", "--derive=collectives,messages", self.folder, self.store]
        done = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def rows(self, table):
        return pyarrow.parquet.read_table(self.store / f"derived/{table}.parquet").to_pylist()

    def test_eight_ranks_take_part_in_each_collective_operation(self):
        write_ranks(self.folder, late=LATE)
        self.assertNotIn("kineto.", self.convert())
        self.assertEqual(answer("info", self.store)["processes"], RANKS)
        recorded = len(collectives(json.loads(SAMPLE.read_text())["traceEvents"]))
        operations = self.rows("collectives")
        self.assertEqual(len(operations), recorded)
        for operation in operations:
            self.assertEqual((operation["members"], operation["size"]), (RANKS, RANKS))
            self.assertGreater(operation["bytes"], 0)
        members = Counter((row["instance"], row["rank"]) for row in self.rows("collective_members"))
        expected = {(instance, rank): 1 for instance in range(recorded) for rank in range(RANKS)}
        self.assertEqual(members, expected)
        names = Counter(row["operation"] for row in operations)
        self.assertEqual(names, {"MPI_Allreduce": 15, "MPI_Bcast": 6})

    def test_steps_name_the_late_rank_first(self):
        for late in [0, LATE]:
            with self.subTest(late=late):
                for file in self.folder.iterdir():
                    file.unlink()
                self.store = self.store.with_name(f"late{late}.fold")
                write_ranks(self.folder, late=late)
                self.convert()
                steps = answer("steps", self.store)
                self.assertEqual(steps["violations"], 0)
                origins = steps["origins"]
                self.assertGreater(len(origins), 5)
                # The stream of the rank is one of its threads.
                ranks = {origin["label"].split(".")[0] for origin in origins[:5]}
                self.assertEqual(ranks, {str(late)})
                # The delay is 2 ms; other ranks are late by at most 20 µs.
                self.assertAlmostEqual(origins[0]["lateness"], 2_000_000, delta=25_000)

    def test_steps_of_training_are_iterations_of_one_loop(self):
        write_ranks(self.folder, ranks=2, late=1)
        self.convert()
        # Three steps with two broadcasts and five reductions each.
        loops = run(FOLDTRACE, "loops", "-q", "--global", self.store)
        self.assertIn("for i0 = 0 to 2", loops)
        self.assertIn("for i1 = 0 to 4", loops)
        regions = {region["name"]: region for region in answer("profile", self.store)["regions"]}
        self.assertEqual(regions["ProfilerStep"]["calls"], 2 * 3)
        kernel = next(region for name, region in regions.items() if name.startswith("ncclKernel_AllReduce"))
        self.assertEqual((kernel["calls"], kernel["paradigm"]), (2 * 15, "accelerator"))

    def test_a_pipeline_is_a_line(self):
        write_pipeline(self.folder)
        self.assertNotIn("kineto.", self.convert())
        messages = self.rows("messages")
        self.assertEqual(len(messages), 3 * 10)
        for message in messages:
            self.assertEqual(message["receiver"], message["sender"] + 1)
            self.assertEqual(message["bytes"], 2048)
        self.assertIn("4 line", run(FOLDTRACE, "topology", "-q", self.store))


if __name__ == "__main__":
    unittest.main()
