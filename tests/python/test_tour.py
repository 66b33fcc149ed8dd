"""Runs every command of the README and of the tour, in order, in one empty folder, and compares the output.

A console block of a page shows commands, each after `$ `, and their output. After `cat FILE`, the page shows a file
that the reader writes; the test creates it. With FOLDTRACE_BLESS=1, the pages are updated with the current output.
"""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
PAGES = ["README.md", "docs/tour.md"]
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def commands(block):
    """Splits a block into commands and their output lines."""
    parts = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
    return [(part.split("\n", 1)[0], part.split("\n", 1)[1]) for part in parts]


class Tour(unittest.TestCase):
    """Tests for the pages, in one folder."""

    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name, "empty")
        self.folder.mkdir()
        for shown in ["examples", "schemas"]:
            (self.folder / shown).symlink_to(REPOSITORY / shown)
        path = [Path(os.environ["FOLDTRACE"]).parent, REPOSITORY / "target/venv/bin"]
        self.environment = {
            **os.environ,
            "PATH": os.pathsep.join([*map(str, path), os.environ["PATH"]]),
            "LC_ALL": "C.UTF-8",
            "TMPDIR": folder.name,
            # Allows Open MPI to run six processes as root on any machine.
            "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_rmaps_base_oversubscribe": "1",
        }

    def output(self, command):
        """Returns the standard output and the standard error of a command."""
        run = subprocess.run(
            ["bash", "-c", command],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=300,
            check=False,
        )
        return "".join(f"{line.rstrip()}\n" for line in run.stdout.splitlines())

    def run_block(self, block):
        """Returns the block with the current output of its commands."""
        lines = []
        for command, shown in commands(block):
            if command.startswith("cat "):
                (self.folder / command.removeprefix("cat ")).write_text(shown, "utf-8")
            lines.append(f"$ {command}\n{self.output(command)}")
        return "".join(lines)

    def test_pages_show_what_commands_print(self):
        for name in PAGES:
            page = REPOSITORY / name
            text = page.read_text("utf-8")
            now = BLOCK.sub(lambda block: f"```console\n{self.run_block(block[1])}```", text)
            if os.environ.get("FOLDTRACE_BLESS"):
                page.write_text(now, "utf-8")
            else:
                self.assertGreater(len(BLOCK.findall(text)), 5, name)
                self.assertMultiLineEqual(text, now, name)


if __name__ == "__main__":
    unittest.main()
