"""CTF traces that foldtrace writes, read by babeltrace2 and compared with the output of otf2-print for the sources."""

import json
import re
import tempfile
import unittest
from pathlib import Path

from sources import FOLDTRACE, ROOT, printed, run

EXAMPLES = ["ring-4", "tree-4", "wave-4", "vcycle-4", "stencil-9", "farm-5"]

EVENT = re.compile(r"\[(\d+)\] ([a-z_]+): \{ location = \( .* : container = (\d+) \), process = .*? \}, (\{.*\})$")
REGION = re.compile(r"region = \( (\"(?:[^\"\\]|\\.)*\") : container = (\d+) \)")
MESSAGE = re.compile(
    r"\{ peer = (\d+), communicator = \( .* : container = \d+ \), tag = (\d+), bytes = (\d+)(?:, request = \d+)? \}"
)
PRINTED_REGION = re.compile(r"Region: (\".*\") <(\d+)>")
PRINTED_MESSAGE = re.compile(r"(?:Receiver|Sender): (\d+) .*, Tag: (\d+), Length: (\d+)(?:, Request: \d+)?")

TEXT = """\
#: string id=0 "colour \\"of\\" rain\\n\\\\"
#: attribute id=3 name=0 description=0 type=10
0 local enter main time=5 attribute.3=double:4611686018427387904
0 local leave main time=3
0 local enter main time=300000000000
"""


def events(trace):
    """Returns (location, kind, time, fields) of every event that babeltrace2 prints, sorted by location."""
    lines = run("babeltrace2", "--clock-cycles", "--no-delta", str(trace)).splitlines()
    found = [EVENT.fullmatch(line) for line in lines]
    assert None not in found, lines[found.index(None)]
    events = ((int(location), kind, int(time), fields) for time, kind, location, fields in (it.groups() for it in found))
    return sorted(events, key=lambda event: event[0])


class Writing(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.path = Path(scratch.name) / "run.ctf"

    def convert(self, source, version="ctf"):
        run(FOLDTRACE, "convert", "-q", "--force", str(source), str(self.path), "--to", version)

    def test_babeltrace2_finds_every_event_of_every_example(self):
        for name in EXAMPLES:
            with self.subTest(name):
                self.convert(ROOT / "examples" / name)
                found, expected = events(self.path), printed(ROOT / "examples" / name)
                self.assertGreater(len(found), 100)
                self.assertEqual([event[:3] for event in found], [event[:3] for event in expected])
                for (*_, fields), (*_, operands) in zip(found, expected):
                    if region := PRINTED_REGION.fullmatch(operands):
                        self.assertEqual(REGION.search(fields).groups(), region.groups())
                    if message := PRINTED_MESSAGE.fullmatch(operands):
                        self.assertEqual(MESSAGE.fullmatch(fields).groups(), message.groups())

    def test_names_times_and_values_that_need_care_are_right(self):
        source = self.path.with_suffix(".trace")
        source.write_text(TEXT)
        self.convert(source)
        main = '{ region = ( "main" : container = 0 )'
        self.assertEqual(
            events(self.path),
            [
                (0, "enter", 5, main + ", colour__of__rain__ = 2 }"),
                # Times do not decrease in CTF: the event says its own.
                (0, "leave", 5, '{ time = 3, region = ( "main" : container = 0 ) }'),
                (0, "enter", 300000000000, main + " }"),
            ],
        )

    def test_the_metadata_of_version_2_are_a_sequence_of_json_texts(self):
        self.convert(ROOT / "examples" / "ring-4", "ctf2")
        fragments = (self.path / "metadata").read_text().split("\x1e")
        self.assertEqual(fragments[0], "")
        fragments = [json.loads(fragment) for fragment in fragments[1:]]
        self.assertEqual((fragments[0]["type"], fragments[0]["version"]), ("preamble", 2))
        kinds = {event[1] for event in printed(ROOT / "examples" / "ring-4")}
        classes = [fragment["name"] for fragment in fragments if fragment["type"] == "event-record-class"]
        self.assertEqual(sorted(classes), sorted(kinds))


if __name__ == "__main__":
    unittest.main()
