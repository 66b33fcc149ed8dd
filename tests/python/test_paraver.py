"""Paraver traces that foldtrace writes, before a checker that shares no code with it."""

import json
import subprocess
import tempfile
import unittest
from collections import Counter
from pathlib import Path

from paraver_checker import Trace
from sources import FOLDTRACE, ROOT

EXAMPLES = ["ring-4", "tree-4", "wave-4", "vcycle-4", "stencil-9", "farm-5"]

TEXT = """\
0 local enter main time=0
0 local metric metric=0 time=1 value.0=int64:18446744073709551611
0 local enter MPI_Bcast time=2
1 local enter main time=3
0 local leave MPI_Bcast time=5
0 send 1 7 time=6 bytes=64
0 recv 1 7 time=6 bytes=64
1 local leave main time=9
0 local leave main time=9
"""


class Paraver(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.path = Path(scratch.name) / "run.prv"

    def convert(self, source):
        done = subprocess.run([FOLDTRACE, "convert", "-q", "--force", source, self.path], capture_output=True, text=True)
        self.assertIn(done.returncode, (0, 3), done.stderr)
        return Trace(self.path)

    def info(self, trace):
        done = subprocess.run([FOLDTRACE, "info", "--json", trace], capture_output=True, text=True, check=True)
        return json.loads(done.stdout)

    def test_every_example_is_a_valid_trace_with_its_calls_and_messages(self):
        for name in EXAMPLES:
            with self.subTest(name):
                source = ROOT / "examples" / name
                trace = self.convert(source)
                info = self.info(source)
                kinds = Counter(info["kinds"])
                self.assertEqual(sum(trace.calls().values()), kinds["enter"])
                sends = kinds["mpi_send"] + kinds["mpi_isend"]
                # EZTrace does not record what MPI_Waitall receives.
                receives = kinds["mpi_recv"] + kinds["mpi_irecv"]
                self.assertEqual(len(trace.messages), min(sends, receives))
                self.assertEqual(len(trace.threads), info["processes"])
                self.assertGreater(trace.counts["1"], 0)

    def test_a_trace_by_hand_has_the_records_that_it_should(self):
        source = self.path.with_suffix(".trace")
        source.write_text(TEXT)
        trace = self.convert(source)
        self.assertEqual(trace.calls(), Counter({"main": 2, "MPI_Bcast": 1}))
        self.assertEqual(trace.messages, [((1, 1, 1), (1, 2, 1), 64, 7)])
        self.assertEqual(trace.events[90000000, -5], 1)
        self.assertEqual(trace.length, 9)


if __name__ == "__main__":
    unittest.main()
