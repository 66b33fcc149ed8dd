"""A checker of Paraver traces, written from the description of the format alone: records, labels and names must fit together.

    python paraver_checker.py TRACE.prv

prints what the trace has, or fails at the first record that is wrong.
"""

import re
import sys
from collections import Counter, defaultdict
from pathlib import Path

HEADER = re.compile(r"#Paraver \(([^)]*)\):(\d+)(_[num]s)?:(\d+)(\([\d,]+\))?:(\d+):(.*)")
APPLICATION = re.compile(r"(\d+)\(([\d:,]+)\)(?:,(\d+))?(?::|$)")
MPI = range(50000001, 50000006)


class Labels:
    """A .pcf file: names of states, of types, and of the values of types."""

    def __init__(self, path):
        self.states, self.types, self.values = {}, {}, defaultdict(dict)
        section, block = None, []
        for line in path.read_text().splitlines():
            line = line.strip()
            if not line:
                continue
            if re.fullmatch(r"[A-Z_]+", line):
                if line != "VALUES":
                    block = []
                section = line
            elif section == "STATES":
                number, name = line.split(maxsplit=1)
                self.states[int(number)] = name
            elif section == "EVENT_TYPE":
                _, number, name = line.split(maxsplit=2)
                self.types[int(number)] = name
                block.append(int(number))
            elif section == "VALUES":
                number, name = line.split(maxsplit=1)
                for of_type in block:
                    assert int(number) not in self.values[of_type], f"value {number} of {of_type} has two labels"
                    self.values[of_type][int(number)] = name


def names(path):
    """A .row file: the names of the objects of each level."""
    found, lines = {}, iter(path.read_text().splitlines())
    for line in lines:
        if match := re.fullmatch(r"LEVEL (\w+) SIZE (\d+)", line):
            found[match[1]] = [next(lines) for _ in range(int(match[2]))]
        else:
            assert not line, f"{line!r} is no level"
    return found


class Trace:
    """A trace that has been checked: counts of its records, and of the events of each type and value."""

    def __init__(self, path):
        path = Path(path)
        self.labels = Labels(path.with_suffix(".pcf"))
        self.counts, self.events, self.messages = Counter(), Counter(), []
        self.last_state, self.open = {}, defaultdict(Counter)
        self.latest = 0
        with path.open() as lines:
            self._header(next(lines).rstrip("\n"))
            self.communicators = [self._communicator(next(lines).rstrip("\n")) for _ in range(self.communicators)]
            for line in lines:
                line = line.rstrip("\n")
                if not line.startswith("#"):
                    self._record(line.split(":"), line)
        rows = names(path.with_suffix(".row"))
        threads = sum(self.threads.values())
        for level, size in ("NODE", len(self.nodes)), ("TASK", len(self.threads)), ("THREAD", threads):
            assert len(rows[level]) == size, f"{size} objects of level {level} have {len(rows[level])} names"

    def _header(self, line):
        match = HEADER.fullmatch(line)
        assert match, f"{line!r} is no header"
        self.length, applications = int(match[2]), int(match[6])
        self.nodes = [int(cpus) for cpus in (match[5] or "()")[1:-1].split(",") if cpus]
        assert len(self.nodes) == int(match[4])
        self.threads, rest, self.communicators = {}, match[7], 0
        for application in range(1, applications + 1):
            tasks = APPLICATION.match(rest)
            assert tasks, f"{rest!r} has no tasks"
            rest = rest[tasks.end() :]
            listed = [tuple(map(int, task.split(":"))) for task in tasks[2].split(",")]
            assert len(listed) == int(tasks[1])
            for number, (threads, node) in enumerate(listed, 1):
                assert threads > 0 and 0 <= node <= len(self.nodes)
                self.threads[application, number] = threads
            self.communicators += int(tasks[3] or 0)
        assert not rest, f"{rest!r} after the header"

    def _communicator(self, line):
        kind, application, _, size, *members = line.split(":")
        assert kind == "c" and len(members) == int(size), line
        assert all((int(application), int(task)) in self.threads for task in members), line
        return members

    def _object(self, fields, line):
        cpu, application, task, thread = map(int, fields)
        assert 1 <= thread <= self.threads[application, task], f"no such thread: {line}"
        assert cpu <= sum(self.nodes), f"no such CPU: {line}"
        return application, task, thread

    def _time(self, *times, line):
        assert all(0 <= time <= self.length for time in times), f"a time after the end: {line}"
        assert self.latest <= times[0], f"not in the order of time: {line}"
        self.latest = times[0]

    def _record(self, fields, line):
        kind, where = fields[0], self._object(fields[1:5], line)
        self.counts[kind] += 1
        if kind == "1":
            begin, end, state = map(int, fields[5:])
            self._time(begin, end, line=line)
            assert begin <= end and begin >= self.last_state.get(where, 0), f"states overlap: {line}"
            self.last_state[where] = end
            assert state in self.labels.states, f"a state without a name: {line}"
        elif kind == "2":
            time, *pairs = map(int, fields[5:])
            self._time(time, line=line)
            assert pairs and len(pairs) % 2 == 0, line
            for of_type, value in zip(pairs[::2], pairs[1::2]):
                self._event(where, of_type, value, line)
        elif kind == "3":
            sent, _ = map(int, fields[5:7])
            receiver = self._object(fields[7:11], line)
            _, received, size, tag = map(int, fields[11:])
            self._time(min(sent, received), max(sent, received), line=line)
            self.messages.append((where, receiver, size, tag))
        else:
            raise AssertionError(f"an unknown record: {line}")

    def _event(self, where, of_type, value, line):
        if of_type not in range(50100001, 50100005):
            assert of_type in self.labels.types, f"a type without a name: {line}"
        values = self.labels.values.get(of_type)
        assert values is None or value in values, f"a value without a label: {line}"
        self.events[of_type, value] += 1
        if values and values.get(0) == "End":
            self.open[where][of_type] += 1 if value else -1
            assert self.open[where][of_type] >= 0, f"a call ends that is not open: {line}"
            assert of_type not in MPI or self.open[where][of_type] <= 1, f"calls of MPI are nested: {line}"

    def calls(self):
        """How often each call begins, by name."""
        begun = Counter()
        for (of_type, value), count in self.events.items():
            values = self.labels.values.get(of_type, {})
            if value and values.get(0) == "End":
                begun[values[value]] += count
        return begun


if __name__ == "__main__":
    trace = Trace(sys.argv[1])
    print(f"{trace.counts['1']} states, {sum(trace.events.values())} events, {len(trace.messages)} messages")
