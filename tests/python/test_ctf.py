"""Compares traces of CTF with babeltrace2: those of this repository, and one that LTTng records of a program with MPI on 4 ranks."""

import pathlib
import subprocess
import tempfile
import unittest

import ctf_corpus
import ctf_profile
from sources import FOLDTRACE

REPOSITORY = pathlib.Path(__file__).parents[2]
DATA = REPOSITORY / "tests" / "data" / "ctf"


def program():
    """Returns the command of the example `events`, which is built first."""
    command = ["cargo", "build", "--quiet", "--manifest-path", REPOSITORY / "Cargo.toml", "-p", "foldtrace-ctf",
               "--example", "events", "--message-format=json"]
    messages = subprocess.run(command, capture_output=True, check=True, text=True).stdout
    return [ctf_corpus.executable(messages)]


class Ctf(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.program = program()

    def test_traces_of_version_1_8(self):
        # babeltrace2 of Debian 12 reads neither version 2, nor folders with files of other kinds.
        for case in ["good/no_events", "good/threads", "bad/bad_magic", "bad/cut_off", "bad/syntax", "bad/unknown_event",
                     "bad/unknown_length"]:
            with self.subTest(case):
                _, problem = ctf_corpus.compare(self.program, DATA / case / "input")
                self.assertIsNone(problem)

    def test_a_program_with_mpi(self):
        with tempfile.TemporaryDirectory() as folder:
            trace = pathlib.Path(folder) / "trace"
            subprocess.run([REPOSITORY / "scripts" / "record-ctf.sh", trace], check=True, timeout=120)
            metadata = next(trace.rglob("metadata"))
            count, problem = ctf_corpus.compare(self.program, metadata.parent)
            self.assertIsNone(problem)
            self.assertGreater(count, 2000)
            theirs = ctf_profile.from_babeltrace(trace)
            self.assertEqual(theirs.tables(), ctf_profile.from_foldtrace(self.program, trace).tables())
            self.assertEqual(len({process for process, _ in theirs.calls}), 4)
            sends = sum(count for (_, routine), count in theirs.calls.items() if routine == "MPI_Isend")
            self.assertEqual(sends, 4 * 50)
            archive = pathlib.Path(folder) / "archive"
            # OTF2 has no record for the modules that LTTng reports.
            converted = subprocess.run([FOLDTRACE, "convert", "-q", trace, archive, "--to", "otf2"])
            self.assertIn(converted.returncode, (0, 3))
            self.assertEqual(ctf_profile.from_otf2(archive / "traces.otf2").of_routines(), theirs.of_routines())


if __name__ == "__main__":
    unittest.main()
