"""Compares Perfetto traces, read with Perfetto's published schema, with the output of otf2-print for the sources."""

import tempfile
import unittest
from collections import Counter
from pathlib import Path

from google.protobuf.unknown_fields import UnknownFieldSet
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent

from sources import FOLDTRACE, ROOT, printed, run

# The fields of packets that only foldtrace reads.
OURS = {2040, 2041}
SLICES = {
    "enter": TrackEvent.TYPE_SLICE_BEGIN,
    "leave": TrackEvent.TYPE_SLICE_END,
}


def messages(message):
    """Yields a message and all messages within it."""
    yield message
    for field, value in message.ListFields():
        if field.message_type:
            for inner in value if field.is_repeated else [value]:
                yield from messages(inner)


class Perfetto(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = Path(scratch.name)
        cls.archives = sorted(anchor.parent for anchor in (ROOT / "examples").glob("*/eztrace_log.otf2"))
        assert cls.archives

    def trace(self, archive, *options):
        path = self.folder / f"{archive.name}.pftrace"
        run(FOLDTRACE, "convert", "--quiet", "--force", str(archive), str(path), *options)
        trace = Trace()
        trace.ParseFromString(path.read_bytes())
        return trace

    def test_the_schema_knows_every_field_but_those_of_foldtrace(self):
        for archive in self.archives:
            with self.subTest(archive.name):
                for packet in self.trace(archive).packet:
                    unknown = {field.field_number for field in UnknownFieldSet(packet)}
                    self.assertLessEqual(unknown, OURS, packet)
                    for message in messages(packet):
                        if message is not packet:
                            self.assertEqual(len(UnknownFieldSet(message)), 0, packet)

    def test_slices_instants_and_flows_are_those_of_the_source(self):
        for archive in self.archives:
            with self.subTest(archive.name):
                source = Counter(kind for _, kind, _, _ in printed(archive))
                seen = Counter()
                flows, ends = set(), set()
                for packet in self.trace(archive).packet:
                    if packet.HasField("track_event"):
                        seen[packet.track_event.type] += 1
                        flows.update(packet.track_event.flow_ids)
                        ends.update(packet.track_event.terminating_flow_ids)
                # Calls that are left out of order have two slices.
                again = seen[TrackEvent.TYPE_SLICE_BEGIN] - source["enter"]
                self.assertGreaterEqual(again, 0)
                self.assertEqual(seen[TrackEvent.TYPE_SLICE_END], source["leave"] + again)
                instants = sum(source.values()) - source["enter"] - source["leave"]
                self.assertEqual(seen[TrackEvent.TYPE_INSTANT], instants)
                sends = source["mpi_send"] + source["mpi_isend"]
                self.assertEqual(len(flows), sends)
                self.assertEqual(len(ends), source["mpi_recv"] + source["mpi_irecv"])
                # A message has no end if EZTrace did not record its receive.
                self.assertLessEqual(ends, flows)

    def test_times_and_names_are_those_of_the_source(self):
        archive = ROOT / "examples" / "ring-4"
        names, seen = {}, []
        for packet in self.trace(archive).packet:
            sequence = packet.trusted_packet_sequence_id
            for name in packet.interned_data.event_names:
                names[sequence, name.iid] = name.name
            event = packet.track_event
            if packet.HasField("track_event") and event.type == TrackEvent.TYPE_SLICE_BEGIN:
                seen.append((packet.timestamp, names[sequence, event.name_iid]))
        entered = [
            (time, operands.split('"')[1])
            for _, kind, time, operands in printed(archive)
            if kind == "enter"
        ]
        self.assertLessEqual(Counter(entered), Counter(seen))

    def test_each_process_is_named_and_sorted_by_its_rank(self):
        packets = self.trace(ROOT / "examples" / "ring-4").packet
        tracks = [packet.track_descriptor for packet in packets if packet.HasField("track_descriptor")]
        processes = [track.process for track in tracks if track.HasField("process")]
        self.assertEqual([p.process_name for p in processes], [f"P#{rank}" for rank in range(4)])
        self.assertEqual([(p.pid, p.legacy_sort_index) for p in processes], [(r + 1, r) for r in range(4)])
        threads = [track.thread for track in tracks if track.HasField("thread")]
        self.assertEqual(len({thread.tid for thread in threads}), len(threads))
        self.assertEqual(len({track.uuid for track in tracks}), len(tracks))


if __name__ == "__main__":
    unittest.main()
