"""Opening traces and stores: the cache, errors, diagnostics, threads, forks and signals."""

import contextlib
import gc
import multiprocessing
import os
import pty
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import foldtrace


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A trace of 4,000,000 events, which takes a while to convert."""
    trace = tmp_path_factory.mktemp("long") / "long.trace"
    with trace.open("w") as file:
        for _ in range(100):
            file.write("0 send 1 4\n1 recv 0 4\n" * 20_000)
    return trace


def rows(trace: foldtrace.Trace) -> int:
    """Reads the times of a trace."""
    return int(trace.events(columns=["time"]).to_arrow().num_rows)


def test_a_trace_is_converted_once(wave: Path, tmp_path: Path) -> None:
    first = foldtrace.open(wave, cache=tmp_path)
    changed = first.store.stat().st_mtime_ns
    assert (len(first), first.path) == (3896, wave)
    assert foldtrace.open(wave, cache=tmp_path).store.stat().st_mtime_ns == changed
    assert list(tmp_path.iterdir()) == [first.store.parent]
    assert first.store.name == "wave-4.fold"


def test_a_changed_trace_is_converted_again(wave: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(wave, tmp_path / "copy")
    before = foldtrace.open(copy, cache=tmp_path / "cache")
    os.utime(next((copy / "eztrace_log").iterdir()), ns=(1, 1))
    after = foldtrace.open(copy, cache=tmp_path / "cache")
    assert before.store != after.store
    assert rows(before) == rows(after) == 3896


def test_processes_convert_a_trace_together(long: Path, tmp_path: Path) -> None:
    program = f"""if True:
        import foldtrace
        trace = foldtrace.open({str(long)!r}, cache={str(tmp_path)!r})
        print(trace.events(columns=["time"]).to_arrow().num_rows, trace.store)
    """
    run = [sys.executable, "-c", program]
    processes = [subprocess.Popen(run, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    said = {process.communicate(timeout=120)[0] for process in processes}
    assert said == {f"4000000 {next(tmp_path.glob('*/long.fold'))}\n"}


def test_the_cache_is_in_the_folder_of_the_user(wave: Path, cache: Path) -> None:
    assert foldtrace.open(wave).store.parent.parent == cache / "foldtrace"


def test_progress_is_reported_and_can_stop_the_conversion(long: Path, tmp_path: Path) -> None:
    def stop(events: int) -> None:
        if events > 0:
            raise RuntimeError(f"{events} events are enough")

    with pytest.raises(RuntimeError, match="events are enough"):
        foldtrace.open(long, cache=tmp_path, progress=stop)
    assert not list(tmp_path.iterdir())


def read_to_end(terminal: int) -> str:
    """What is written to a terminal until its other end is closed, which is an error in Linux."""
    shown = b""
    with contextlib.suppress(OSError):
        while read := os.read(terminal, 1 << 16):
            shown += read
    return shown.decode()


def test_a_terminal_shows_progress(long: Path, tmp_path: Path) -> None:
    program = f"""if True:
        import foldtrace, foldtrace._progress
        foldtrace._progress._SILENT = 0
        foldtrace.open({str(long)!r}, cache={str(tmp_path)!r})
    """
    ours, theirs = pty.openpty()
    with subprocess.Popen([sys.executable, "-c", program], stderr=theirs) as process:
        os.close(theirs)
        shown = read_to_end(ours)
    assert process.returncode == 0, shown
    lines = shown.split("\r")
    assert all(re.fullmatch(r"long\.trace: \d+ %, [\d,]+ events, \d+ s *", line) for line in lines[1:-2]), shown
    assert len(lines) > 3 and lines[-2:] == [" " * len(lines[-3]), ""]


def test_errors_have_a_kind_a_place_and_a_hint(tmp_path: Path) -> None:
    missing = tmp_path / "missing.otf2"
    with pytest.raises(foldtrace.Error) as raised:
        foldtrace.open(missing)
    error = raised.value
    assert (error.kind, error.place) == ("unreadable", str(missing))
    assert error.hint == "check the path; nothing exists there"
    assert str(error).startswith(f"cannot read {missing}")


def test_wrong_arguments_are_errors(trace: foldtrace.Trace) -> None:
    with pytest.raises(foldtrace.Error, match="no column 'nam'") as raised:
        trace.events(columns=["nam"])
    assert raised.value.kind == "usage"
    with pytest.raises(foldtrace.Error, match="there is no location '99'"):
        trace.events(location=99)
    with pytest.raises(foldtrace.Error, match="no kind of event 'sends'"):
        trace.events(kind="sends")


def test_a_damaged_store_is_an_error(wave_store: Path, tmp_path: Path) -> None:
    damaged = shutil.copytree(wave_store, tmp_path / "damaged.fold")
    part = next((damaged / "quantity").iterdir())
    data = bytearray(part.read_bytes())
    data[100] ^= 1
    part.write_bytes(data)
    trace = foldtrace.open(damaged)
    with pytest.raises(foldtrace.Error) as raised:
        trace.events(columns=["time"]).to_arrow()
    assert raised.value.kind == "malformed"
    assert [path for path, _ in trace.verify()] == [f"quantity/{part.name}"]


def test_losses_are_warnings(tmp_path: Path) -> None:
    trace = tmp_path / "broken.trace"
    trace.write_text("0 send 1 4\n0 sned 1 4\n")
    with pytest.raises(foldtrace.Error, match="found 'sned'") as raised:
        foldtrace.open(trace)
    assert raised.value.place == f"{trace}, byte 13, line 2"
    with pytest.warns(foldtrace.Diagnostic) as warned:
        assert len(foldtrace.open(trace, salvage=True)) == 1
    diagnostic = warned[0].message
    assert isinstance(diagnostic, foldtrace.Diagnostic)
    assert (diagnostic.severity, diagnostic.count) == ("loss", 1)
    assert warned[0].filename == __file__


def test_an_intact_store_has_no_problems(trace: foldtrace.Trace) -> None:
    assert trace.verify() == []


def test_stores_that_are_open_together_do_not_mix(wave: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.trace"
    other.write_text("0 send 1 4\n1 recv 0 4\n")
    one, two = foldtrace.open(wave), foldtrace.open(other)
    assert (rows(one), rows(two), rows(one)) == (3896, 2, 3896)


def test_threads_scan_side_by_side(trace: foldtrace.Trace) -> None:
    with ThreadPoolExecutor(8) as threads:
        assert set(threads.map(lambda _: rows(trace), range(64))) == {3896}


def test_a_fork_works_before_and_after_the_first_scan(wave_store: Path) -> None:
    context = multiprocessing.get_context("fork")

    def scan() -> None:
        assert rows(foldtrace.open(wave_store)) == 3896

    for _ in range(2):
        child = context.Process(target=scan)
        child.start()
        child.join(timeout=60)
        assert child.exitcode == 0
        scan()


def test_memory_does_not_grow(wave_store: Path) -> None:
    def resident() -> int:
        gc.collect()
        pages = Path("/proc/self/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    def scan(times: int) -> None:
        for _ in range(times):
            rows(foldtrace.open(wave_store))

    scan(100)
    before = resident()
    scan(1000)
    assert resident() - before < 8 << 20


def test_ctrl_c_stops_a_conversion(long: Path, tmp_path: Path) -> None:
    program = f"""if True:
        import _thread, threading, foldtrace
        threading.Timer(0.2, _thread.interrupt_main).start()
        try:
            foldtrace.open({str(long)!r}, cache={str(tmp_path / "cache")!r})
        except KeyboardInterrupt:
            print("interrupted")
    """
    begin = time.monotonic()
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("interrupted\n", "")
    assert time.monotonic() - begin < 30
    assert not list((tmp_path / "cache").iterdir())
