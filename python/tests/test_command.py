"""The command of the package: the same as the command without Python."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import foldtrace

COMMAND = Path(sys.executable).with_name("foldtrace")


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Runs the command."""
    return subprocess.run([COMMAND, *arguments], capture_output=True, text=True)


def test_the_command_has_the_version_of_the_package() -> None:
    assert run("--version").stdout == f"foldtrace {foldtrace.__version__}\n"


def test_the_command_is_also_a_module() -> None:
    shown = subprocess.run([sys.executable, "-m", "foldtrace", "--help"], capture_output=True, text=True)
    assert shown.stdout == run("--help").stdout
    assert shown.stdout.startswith("Converts, stores, folds and explains")


def test_the_command_converts_a_trace(wave: Path, tmp_path: Path) -> None:
    store = tmp_path / "wave.fold"
    assert run("convert", wave, store).returncode == 0
    assert json.loads(run("info", "--json", store).stdout)["events"] == 3896


def test_exit_codes_and_messages_are_those_of_the_command(tmp_path: Path) -> None:
    usage = run("convert")
    assert usage.returncode == 2
    assert "Usage: foldtrace convert" in usage.stderr
    missing = run("info", tmp_path / "missing.fold")
    assert missing.returncode == 4
    assert missing.stderr.startswith("error: cannot read")


def test_ctrl_c_ends_the_command(tmp_path: Path) -> None:
    arguments = [str(COMMAND), "convert", "-", str(tmp_path / "run.fold"), "--from", "text"]
    with subprocess.Popen(arguments, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as command:
        assert command.stdin is not None and command.stderr is not None
        # A part of a trace: the command now waits for the rest.
        command.stdin.write("0 send 1 4\n" * 100_000)
        command.stdin.flush()
        command.send_signal(signal.SIGINT)
        assert command.wait(timeout=60) == 130
        assert command.stderr.read() == "error: stopped; nothing was written\n"
    assert not any(tmp_path.iterdir())


def test_an_import_changes_nothing_in_the_process() -> None:
    program = """if True:
        import os, signal
        def state():
            handlers = {number: signal.getsignal(number) for number in signal.valid_signals()}
            actions = [line for line in open("/proc/self/status") if line.startswith("Sig")]
            return handlers, actions, os.listdir("/proc/self/task")
        before = state()
        import foldtrace
        assert state() == before
    """
    subprocess.run([sys.executable, "-c", program], check=True, env={**os.environ, "PYTHONPATH": ""})
