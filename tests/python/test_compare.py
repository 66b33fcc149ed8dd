"""Compares runs of examples/solver.c that differ in one thing: the first finding must name it.

SMPI simulates the program without noise; EZTrace records it on this machine. Random programs, written as text traces,
test the command against sums over their own durations.
"""

import json
import os
import random
import subprocess
import tempfile
import unittest
from pathlib import Path

from sources import FOLDTRACE, ROOT, run

SOLVER = ROOT / "examples/solver.c"
CLUSTER = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="node-" suffix="" radical="0-{last}" speed="1Gf" bw="1.25GBps" lat="{latency}"/>
</platform>
"""


def compare(first, *others):
    """Returns the comparison of other runs with the first one."""
    return json.loads(run(FOLDTRACE, "--quiet", "compare", first, *others, "--json"))


class Folder(unittest.TestCase):
    """A test with a temporary folder."""

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.temporary.name)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()


class Simulated(Folder):
    """Runs that SMPI simulates."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        run("smpicc", "-DSIMULATED", "-O2", "-o", cls.folder / "solver", SOLVER)
        cls.first = cls.simulate("first")

    @classmethod
    def simulate(cls, name, *arguments, processes=16, latency="1us"):
        """Returns the trace of a simulated run."""
        platform, hosts, trace = (cls.folder / f"{name}.{end}" for end in ("xml", "hosts", "paje"))
        platform.write_text(CLUSTER.format(last=processes - 1, latency=latency))
        hosts.write_text("".join(f"node-{number}\n" for number in range(processes)))
        options = ["-np", str(processes), "-platform", platform, "-hostfile", hosts, "-trace", "-trace-file", trace]
        settings = ["tracing/precision:9", "smpi/simulate-computation:no", "smpi/host-speed:1Gf"]
        configured = [f"--cfg={setting}" for setting in settings]
        run("smpirun", *options, *configured, cls.folder / "solver", *arguments)
        return trace

    def finding(self, name, *arguments, **platform):
        """Returns the first finding of the comparison of another run with the first one."""
        compared = compare(self.first, self.simulate(name, *arguments, **platform))
        self.assertTrue(compared["findings"])
        return compared["findings"][0]

    def check_loop(self, name, calls, before):
        finding = self.finding(name, f"{name}=1.2")
        self.assertEqual((finding["what"], finding["quantity"]), ("computation slower", "computation"))
        self.assertEqual(finding["construct"], f"loop {calls}: computation before {before}")
        self.assertAlmostEqual(finding["ratio"], 1.2, delta=0.01)
        self.assertLess(finding["significance"], 0.01)
        return finding

    def test_work_of_a_loop(self):
        finding = self.check_loop("smooth", "1 (MPI_Irecv, MPI_Isend, MPI_Waitall)", "MPI_Waitall")
        # 40 iterations of 200 µs take 20 % longer.
        self.assertAlmostEqual(finding["impact"], 40 * 40_000, delta=20_000)

    def test_work_of_an_inner_loop(self):
        finding = self.check_loop("sweep", "2.1 (MPI_Sendrecv)", "MPI_Sendrecv")
        self.assertAlmostEqual(finding["impact"], 200 * 20_000, delta=40_000)

    def test_work_of_the_last_loop(self):
        finding = self.check_loop("norm", "3 (MPI_Reduce, MPI_Bcast)", "MPI_Reduce")
        self.assertAlmostEqual(finding["impact"], 40 * 60_000, delta=120_000)

    def test_latency(self):
        finding = self.finding("latency", latency="10us")
        self.assertEqual(finding["what"], "communication slower")
        self.assertEqual(finding["construct"], "program: all communication (latency or bandwidth)")
        self.assertAlmostEqual(finding["ratio"], 10, delta=1)

    def test_number_of_processes(self):
        for processes, what in [(4, "fewer processes"), (64, "more processes")]:
            finding = self.finding(f"processes-{processes}", processes=processes)
            self.assertEqual((finding["construct"], finding["what"]), ("program", what))
            self.assertEqual(finding["ratio"], processes / 16)

    def test_slow_process(self):
        finding = self.finding("slow", "slow=3")
        self.assertEqual(finding["what"], "computation slower")
        self.assertEqual(finding["construct"], "loop 2.1 (MPI_Sendrecv): computation before MPI_Sendrecv")
        self.assertEqual(finding["processes"], ["3"])

    def test_number_of_iterations(self):
        finding = self.finding("steps", "steps=80")
        self.assertEqual((finding["what"], finding["ratio"]), ("more iterations", 2))

    def test_same_run(self):
        again = self.simulate("again")
        for comparison in compare(self.first, self.first, again):
            self.assertEqual(comparison["findings"], [])
            self.assertGreater(comparison["tested"], 5)


class Recorded(Folder):
    """Runs that EZTrace records."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        run("mpicc", "-O2", "-o", cls.folder / "solver", SOLVER)

    def record(self, name, *arguments):
        """Returns the archive of a recorded run."""
        archive = self.folder / name
        # Each run has a temporary folder of its own, because Open MPI keeps its session folder there.
        with tempfile.TemporaryDirectory(prefix="mpi-") as own:
            folders = ("TMPDIR", "OMPI_MCA_orte_tmpdir_base", "PRTE_MCA_prte_tmpdir_base")
            environment = os.environ | dict.fromkeys(folders, own)
            command = ["mpirun", "--oversubscribe", "--allow-run-as-root", "-np", "4"]
            command += ["eztrace", "-t", "openmpi", "-o", archive, self.folder / "solver", "steps=100", *arguments]
            subprocess.run(command, env=environment, check=True, capture_output=True)
        [anchor] = archive.rglob("*.otf2")
        return anchor

    def test_two_recordings(self):
        first, second = self.record("first"), self.record("second")
        for comparison in compare(first, first, second):
            self.assertEqual(comparison["findings"], [])
            self.assertGreater(comparison["tested"], 5)

    def test_work_of_a_loop(self):
        finding = compare(self.record("before"), self.record("after", "norm=2"))["findings"][0]
        self.assertEqual(finding["what"], "computation slower")
        self.assertEqual(finding["construct"], "loop 3 (MPI_Reduce, MPI_Bcast): computation before MPI_Reduce")


class Program:
    """A random program: loops of computation, each before a collective operation that only this loop calls."""

    ROUTINES = ("MPI_Barrier", "MPI_Allreduce", "MPI_Alltoall", "MPI_Allgather", "MPI_Scan", "MPI_Exscan")

    def __init__(self, generator):
        routines = generator.sample(self.ROUTINES, generator.randint(2, 5))
        self.processes = generator.randint(2, 6)
        self.loops = [
            (routine, generator.randint(10, 90), generator.randint(1_000, 50_000), generator.randint(100, 900))
            for routine in routines
        ]

    def write(self, path, generator, noise, scaled=None, factor=1.0):
        """Writes a trace with times that vary by `noise`. Returns the time of the computation in each loop."""
        spent = {routine: 0 for routine, *_ in self.loops}
        lines = []
        for process in range(self.processes):
            time = 0
            for routine, iterations, work, call in self.loops:
                for _ in range(iterations):
                    lasts = work * (factor if routine == scaled else 1) * generator.uniform(1 - noise, 1 + noise)
                    time += round(lasts)
                    spent[routine] += round(lasts) / self.processes
                    lines.append(f"{process} local enter {routine} time={time}")
                    time += call
                    lines.append(f"{process} local leave {routine} time={time}")
        path.write_text("\n".join(lines) + "\n")
        return spent


class Random(Folder):
    """Random programs in which one loop is slower or faster."""

    def test_the_scaled_loop_is_the_only_finding(self):
        for seed in range(30):
            generator = random.Random(seed)
            program = Program(generator)
            noise = generator.choice([0, 0.005, 0.05])
            scaled = generator.choice(program.loops)[0]
            factor = generator.choice([0.5, 0.75, 1.5, 2.0])
            first, same, other = (self.folder / f"{name}.trace" for name in ("first", "same", "other"))
            before = program.write(first, generator, noise)
            program.write(same, generator, noise)
            after = program.write(other, generator, noise, scaled, factor)
            difference = after[scaled] - before[scaled]
            with self.subTest(seed=seed, noise=noise, scaled=scaled, factor=factor):
                unchanged, changed = compare(first, same, other)
                self.assertEqual(unchanged["findings"], [])
                matters = abs(difference) > 0.002 * changed["durations"][0]
                self.assertTrue(matters or not changed["findings"])
                for finding in changed["findings"][:1]:
                    self.assertTrue(finding["construct"].endswith(f"computation before {scaled}"), finding["construct"])
                    self.assertAlmostEqual(finding["ratio"] / factor, 1, delta=0.1)
                    self.assertAlmostEqual(finding["impact"] / difference, 1, delta=0.25)
                self.assertEqual(len(changed["findings"]), int(matters))


if __name__ == "__main__":
    unittest.main()
