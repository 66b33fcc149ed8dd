"""Checks that the description of stores is sufficient: a reader that was written from it alone finds the
events of the source in a store: through the index, through the tables, and through the models."""

import re
import shlex
import tempfile
import unittest
from collections import defaultdict
from pathlib import Path

from independent_reader import KINDS, WORD, Store, bits
from sources import FOLDTRACE, ROOT, printed, run

FIELD = re.compile(r"(\w+)(?:\.(\d+))?=(?:(\w+):)?(-?\d+|\*)$")
MESSAGES = {"send": "mpi_send", "isend": "mpi_isend", "recv": "mpi_recv", "irecv": "mpi_irecv"}
COLLECTIVES = {"sync": "mpi_collective_end", "isync": "non_blocking_collective_complete"}


class Line:
    """An event parsed from a line of text, see schemas/text.md."""

    def __init__(self, line):
        # Quotes are as in a shell, except for names with an apostrophe.
        self.who, self.verb, *words = shlex.split(line.replace("'", "\\'"))
        self.fields, self.metrics, self.attributes = {}, [], []
        self.unknown, said = set(), []
        for word in words:
            match = FIELD.match(word)
            if not match:
                said.append(word)
                continue
            name, index, value_type, value = match.groups()
            if value == "*":
                self.unknown.add(name)
                continue
            value = int(value) & WORD
            if value_type and name == "value":
                self.metrics.append((int(index), value_type, value))
            elif value_type:
                self.attributes.append((int(index), value_type, value))
            else:
                self.fields["communicator" if name == "comm" else name] = value
        self.name = self.group = None
        if self.verb in MESSAGES:
            self.kind = MESSAGES[self.verb]
            if "recv" in self.verb:
                self.who, said[0] = said[0], self.who
            self.fields |= {k: int(v) for k, v in zip(("peer", "tag"), said) if v != "*"}
        elif self.verb in COLLECTIVES:
            self.kind = COLLECTIVES[self.verb]
            self.name, self.group = said
        elif said[0] in KINDS:
            self.kind, *names = said
            self.name = names[0] if names else None
        else:
            self.kind, self.name = "local", " ".join(said)


def members(group):
    """Returns the numbers of a set such as `0-3,5`."""
    ranges = (piece.split("-") for piece in group.split(","))
    return [n for ends in ranges for n in range(int(ends[0]), int(ends[-1]) + 1)]


class Source:
    """Tests for a source and its store."""

    source = None

    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        path = Path(scratch.name) / "independent.fold"
        run(FOLDTRACE, "--quiet", "convert", str(cls.source), str(path))
        cls.store = Store(path)
        cls.labels = {
            row["location"]: row["label"] for row in cls.store.rows("definitions/ranks.parquet")
        }
        comms = cls.store.definitions("comms")
        cls.world = next(comm["id"] for comm in comms.values() if comm["parent"] is None)
        groups = cls.store.definitions("groups")
        cls.members = {
            comm["id"]: groups.get(comm["group"], {"members": None})["members"]
            for comm in comms.values()
        }

    def events(self):
        return [event for location in self.store.segments for event in self.store.events(location)]

    def test_all_events_are_those_of_the_source(self):
        lines = defaultdict(list)
        for line in run(FOLDTRACE, "--quiet", "convert", str(self.source), "-", "--to=text").splitlines():
            if not line.startswith("#"):
                line = Line(line)
                lines[line.who].append(line)
        seen = defaultdict(list)
        for event in self.events():
            seen[self.labels[event.location]].append(event)
        self.assertEqual(
            {who: len(events) for who, events in seen.items()},
            {who: len(events) for who, events in lines.items()},
        )
        self.assertEqual(sum(map(len, seen.values())), self.store.manifest["counts"]["events"])
        for who, events in seen.items():
            for position, (event, line) in enumerate(zip(events, lines[who], strict=True)):
                with self.subTest(location=who, position=position):
                    self.assertEqual(event.position, position)
                    self.compare(event, line)

    def compare(self, event, line):
        self.assertEqual(event.kind, line.kind)
        fields = {"time": event.time, **event.operands, **event.quantities}
        if event.kind in MESSAGES.values():
            if "comm" not in line.unknown:
                line.fields.setdefault("communicator", self.world)
        if event.kind in COLLECTIVES.values():
            self.assertEqual(event.name, line.name)
            del fields["operation"]
            if "communicator" not in line.fields:
                self.assertEqual(self.members[fields.pop("communicator")], members(line.group))
        elif line.name is not None:
            self.assertEqual(event.name, line.name)
            named = "region" if "region" in KINDS[event.kind][0] else "string"
            if named not in line.fields:
                del fields[named]
        fields = {name: value & WORD for name, value in fields.items()}
        self.assertEqual(fields, line.fields)
        metrics = [(member, kind, bits(kind, value)) for member, kind, value in event.metrics]
        self.assertEqual(metrics, line.metrics)
        self.assertEqual(event.attributes, line.attributes)

    def test_the_archive_says_the_same(self):
        path = self.store.path.with_name("archive.fold")
        run(FOLDTRACE, "--quiet", "convert", str(self.store.path), str(path), "--archive")
        archive = Store(path)
        for location in self.store.segments:
            self.assertEqual(list(archive.events(location)), list(self.store.events(location)))

    def test_index_and_tables_agree(self):
        def order(event):
            return event[:2]

        tables = sorted(self.store.all_events(), key=order)
        self.assertEqual(sorted(self.events(), key=order), tables)

    def test_any_event_is_found_by_its_name(self):
        for location, segments in self.store.segments.items():
            events = list(self.store.events(location))
            for segment in segments:
                at = segment["first_position"]
                self.assertEqual(list(self.store.events(location, at, at + 1)), events[at : at + 1])

    def test_models_expand_to_what_happened(self):
        for location in self.store.segments:
            happened = [event[3:6] for event in self.store.events(location)]
            expanded = [self.store.happened(*symbol) for symbol in self.store.expand(location)]
            self.assertEqual(expanded, happened)


class Everything(Source, unittest.TestCase):
    """A trace with all kinds of events, metrics, attributes, and unknown values."""

    source = ROOT / "tests/data/stores/everything.trace"

    def test_everything_is_there(self):
        events = self.events()
        self.assertEqual({event.kind for event in events}, set(KINDS))
        self.assertTrue(any(event.metrics for event in events))
        self.assertTrue(any(event.attributes for event in events))


class Countdown(Source, unittest.TestCase):
    """A sequence of known numbers and then an unknown one, all in one loop."""

    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.source = Path(scratch.name) / "countdown.trace"
        peers = (3, 2, 1, 0, "*")
        cls.source.write_text("".join(f"0 send {peer} 1\n" for peer in peers))
        super().setUpClass()

    def test_it_is_one_loop(self):
        rows = self.store.rows("models/loops.parquet")
        self.assertEqual([row["count"] for row in rows], [5, None])


class Tags(Source, unittest.TestCase):
    """More tags than symbols: each event has its tag in topology."""

    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.source = Path(scratch.name) / "tags.trace"
        tags = [*range(1500), *(7919 * number % 100_003 for number in range(500))]
        cls.source.write_text("".join(f"0 send 1 {tag} bytes=8\n0 recv 1 {tag} bytes=8\n" for tag in tags))
        super().setUpClass()

    def test_symbols_are_few(self):
        self.assertTrue(self.store.manifest["has_tags"])
        self.assertEqual([symbol.tagged for symbol in self.store.symbols], [True, True])


class Clock(Source, unittest.TestCase):
    """A clock that shows every 10.0149 ns and jumps once, and messages whose sizes repeat."""

    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.source = Path(scratch.name) / "clock.trace"
        sizes = (8, 8, 8, 28000, 8, 28000, 28000)
        lines, periods = [], 10**6
        for number in range(3000):
            periods += 5 + number * number % 11 + 1000 * (number % 50 == 0)
            time = int(periods * 10.0149 + 4.7 * (number > 1000)) - 3 * (number == 2000)
            lines.append(f"0 send {number % 3 + 1} 1 bytes={sizes[number % 7] + number // 700} time={time}\n")
        cls.source.write_text("".join(lines))
        super().setUpClass()


class Kept(unittest.TestCase):
    """Archives of all versions hold the same as the plain stores of their version."""

    def test_archives_of_all_versions_say_the_same(self):
        plain = [path for path in (ROOT / "tests/data/stores").glob("v*/*.fold") if "-archive" not in path.name]
        self.assertGreater(len(plain), 8)
        for path in plain:
            with self.subTest(path):
                store, archive = Store(path), Store(path.with_name(f"{path.stem}-archive.fold"))
                for location in store.segments:
                    self.assertEqual(list(archive.events(location)), list(store.events(location)))


class Archive(Source):
    """Archives, which are also compared with the output of otf2-print."""

    def test_all_events_are_those_that_otf2_print_shows(self):
        expected = printed(self.source)
        seen = sorted(self.events(), key=lambda event: event[:2])
        self.assertEqual(
            [(event.location, event.kind, event.time) for event in seen],
            [event[:3] for event in expected],
        )
        for event, (*_, operands) in zip(seen, expected, strict=True):
            if event.kind in ("enter", "leave"):
                self.assertEqual(operands, f'Region: "{event.name}" <{event.operands["region"]}>')
            if match := re.match(r"(?:Receiver|Sender): (\d+).*Tag: (\d+), Length: (\d+)", operands):
                seen_fields = (event.operands["peer"], event.operands["tag"], event.quantities["bytes"])
                self.assertEqual(seen_fields, tuple(map(int, match.groups())))


class Ring(Archive, unittest.TestCase):
    source = ROOT / "examples/ring-4"


class Farm(Archive, unittest.TestCase):
    source = ROOT / "examples/farm-5"


if __name__ == "__main__":
    unittest.main()
