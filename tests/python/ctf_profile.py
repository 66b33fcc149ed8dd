"""Compares the calls of a CTF trace, counted and timed from what babeltrace2 prints, with those that foldtrace reads.

    python3 tests/python/ctf_profile.py FOLDER [PROGRAM]

The trace is one that `scripts/record-ctf.sh` records. PROGRAM is the example `events` of the crate foldtrace-ctf; without it, cargo
builds and runs it. The profiles have, for each process and routine, the number of calls and the time in them, their own and that
of the calls within them.
"""

import collections
import json
import re
import subprocess
import sys

from ctf_corpus import PROGRAM


class Profile:
    """Calls and times in nanoseconds, by process and routine."""

    def __init__(self):
        self.calls = collections.Counter()
        self.inclusive = collections.Counter()
        self.exclusive = collections.Counter()
        self.stacks = collections.defaultdict(list)

    def enter(self, process, thread, routine, time):
        self.stacks[process, thread].append([routine, time, 0])
        self.calls[process, routine] += 1

    def leave(self, process, thread, routine, time):
        stack = self.stacks[process, thread]
        found, begin, within = stack.pop()
        if found != routine:
            raise ValueError(f"process {process} leaves {routine} within {found}")
        self.inclusive[process, routine] += time - begin
        self.exclusive[process, routine] += time - begin - within
        if stack:
            stack[-1][2] += time - begin

    def tables(self):
        return self.calls, self.inclusive, self.exclusive

    def of_routines(self):
        """Returns the tables summed over processes."""
        sums = []
        for table in self.tables():
            sums.append(collections.Counter())
            for (_, routine), number in table.items():
                sums[-1][routine] += number
        return sums


def module_names(modules, process, address):
    for base, size, path in reversed(modules[process]):
        if base <= address < base + size:
            return f"{path.rpartition('/')[2]}+{address - base:#x}"
    return hex(address)


def from_babeltrace(folder):
    profile, modules = Profile(), collections.defaultdict(list)
    command = ["babeltrace2", "--clock-cycles", "--no-delta", folder]
    text = subprocess.run(command, capture_output=True, check=True, text=True).stdout
    for line in text.splitlines():
        match = re.match(r"\[(\d+)\] (?:\S+ )?([\w:]+): .*vpid = (\d+), vtid = (\d+)(.*)", line)
        time, event, process, thread, rest = int(match[1]), match[2], int(match[3]), int(match[4]), match[5]
        if event == "lttng_ust_statedump:bin_info":
            base, size, path = re.search(r"baddr = 0x([0-9A-F]+), memsz = (\d+), path = \"(.*?)\"", rest).groups()
            modules[process].append((int(base, 16), int(size), path))
        elif event.startswith("lttng_ust_cyg_profile:"):
            routine = module_names(modules, process, int(re.search(r"addr = 0x([0-9A-F]+)", rest)[1], 16))
            (profile.enter if event.endswith("entry") else profile.leave)(process, thread, routine, time)
        elif event.startswith("lttng_ust_mpi:"):
            routine, _, end = event.removeprefix("lttng_ust_mpi:").rpartition("_")
            (profile.enter if end == "entry" else profile.leave)(process, thread, routine, time)
    return profile


def from_foldtrace(program, folder):
    profile = Profile()
    text = subprocess.run([*program, folder], capture_output=True, check=True, text=True).stdout
    for line in text.splitlines()[:-1]:
        event = json.loads(line)
        move = {"enter": profile.enter, "leave": profile.leave}.get(event["kind"])
        if move:
            move(event["object"]["pid"], event["object"]["tid"], event["name"], event["time"])
    return profile


def from_otf2(anchor):
    """Returns the profile of an archive, each of whose locations is taken for a process, from what otf2-print prints."""
    profile = Profile()
    text = subprocess.run(["otf2-print", anchor], capture_output=True, check=True, text=True).stdout
    for line in text.splitlines():
        match = re.match(r"(ENTER|LEAVE) +(\d+) +(\d+) +Region: \"(.*)\" <\d+>", line)
        if match:
            move = profile.enter if match[1] == "ENTER" else profile.leave
            move(match[2], 0, match[4], int(match[3]))
    return profile


def main():
    folder = sys.argv[1]
    program = sys.argv[2:] or PROGRAM
    theirs, ours = from_babeltrace(folder), from_foldtrace(program, folder)
    is_same = theirs.tables() == ours.tables()
    processes = {process for process, _ in theirs.calls}
    print(f"{len(processes)} processes, {sum(theirs.calls.values())} calls of {len({it for _, it in theirs.calls})} routines: "
          f"{'the same' if is_same else 'different'} calls and times")
    return not is_same or not processes


if __name__ == "__main__":
    sys.exit(main())
