"""Compares wait states and critical paths with the states and links of pj_dump, which shares no code with foldtrace.

The programs are simulated, so their clocks are exact and the origin of all delays is known. The definitions are in
analyses/waits/README.md and analyses/critical/README.md. FOLDTRACE_TRACES=FOLDER adds the Pajé traces of SMPI
(`smpi-*.paje`) below a folder.
"""

import json
import tempfile
import unittest
from collections import Counter, defaultdict, deque
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import pyarrow.parquet

from simulated import RANKS, compile_patterns, dumped, simulate, traces
from sources import FOLDTRACE, run

STEPS = 30
SLOW = RANKS // 2
DELAYED = [step for step in range(STEPS) if step % 7 == 3]

# Each tenth step of the stencil has a collective operation, so its outermost loop has ten steps per iteration.
STEPS_PER_ITERATION = {"ring": 1, "stencil": 10, "tree": 1}

RENDEZVOUS = ("-trace", "--cfg=smpi/send-is-detached-thresh:0")
CASES = {
    "plain": {},
    "slow network": {"slowdown": 10},
    "synchronous sends": {"options": RENDEZVOUS},
}

SENDS = {"PMPI_Send", "PMPI_Isend"}
COLLECTIVES = {
    "PMPI_Barrier": "wait_at_barrier",
    "PMPI_Allreduce": "wait_at_nxn",
    "PMPI_Alltoall": "wait_at_nxn",
    "PMPI_Alltoallv": "wait_at_nxn",
}
KEPT_LATE_SENDERS = 32


@dataclass
class Call:
    """A call of MPI, with the messages that it receives."""

    rank: int
    name: str
    begin: int
    end: int
    received: list = field(default_factory=list)


@dataclass
class Message:
    """A message, from the call that sends it to the one that receives it."""

    sender: Call
    receiver: Call = None


@dataclass
class Wait:
    """A wait state: how long a call waits, and the ranks that come last."""

    call: Call
    kind: str
    waited: int
    late_ranks: set

    @property
    def until(self):
        return self.call.begin + self.waited

    def key(self):
        return self.call.rank, self.kind, self.call.begin, self.waited


def rank_of(container):
    return int(container.removeprefix("rank-"))


def sending_order(link):
    """Returns the order of the links of a rank: SMPI counts all links in the last number of their keys."""
    return link.begin, int(link.key.rpartition("_")[2])


def calls_of(trace):
    """Returns the outermost calls of each rank with the messages that they receive, and all messages."""
    states, links = dumped(trace)
    calls = {
        rank_of(container): [Call(rank_of(container), s.name, s.begin, s.end) for s in states if s.depth == 0]
        for container, states in states.items()
    }
    started, ended = defaultdict(list), defaultdict(deque)
    for link in links:
        started[rank_of(link.source)].append(link)
        ended[rank_of(link.target)].append(link)
    messages = {}
    for rank, links in started.items():
        senders = [call for call in calls[rank] if call.name in SENDS]
        for link, sender in zip(sorted(links, key=sending_order), senders, strict=True):
            assert link.begin == sender.begin, f"{link} is not sent by {sender}"
            messages[link.key] = Message(sender)
    for rank, own in calls.items():
        posted = 0
        for call in own:
            if call.name == "PMPI_Irecv":
                posted += 1
            received = 0
            if call.name == "PMPI_Recv":
                received = 1
            elif call.name in ("PMPI_Wait", "PMPI_Waitall"):
                received, posted = posted, 0
            for _ in range(received):
                link = ended[rank].popleft()
                assert link.end == call.end, f"{link} is not received by {call}"
                # SMPI records the receive of MPI_Wait after the call, and receives outside of calls do not count.
                if call.name != "PMPI_Wait":
                    messages[link.key].receiver = call
                    call.received.append(messages[link.key])
        assert not ended[rank], f"rank {rank} receives messages outside of its calls"
    return calls, list(messages.values())


def waits_for(call, kind, others):
    """Yields how long a call waits for the last of other calls to begin, if it waits."""
    last = max(other.begin for other in others)
    waited = min(last, call.end) - call.begin
    if waited > 0:
        yield Wait(call, kind, waited, {other.rank for other in others if other.begin == last})


def waits_of_receives(calls):
    """Yields the wait states of the receives of a rank."""
    late = deque(maxlen=KEPT_LATE_SENDERS)
    found = []
    for call in filter(lambda call: call.received, calls):
        for sent in (message.sender.begin for message in call.received):
            for wait, awaited in late:
                if sent < awaited:
                    wait.kind = "wrong_order"
        kind = "late_sender" if call.name == "PMPI_Recv" else "wait_at_completion"
        for wait in waits_for(call, kind, [message.sender for message in call.received]):
            found.append(wait)
            if kind == "late_sender":
                late.append((wait, call.received[0].sender.begin))
    return found


def waits_of_sends(messages):
    """Yields the wait states of blocking sends: those that do not end before their receive begins."""
    for message in messages:
        sender, receiver = message.sender, message.receiver
        is_blocking = receiver and sender.name == "PMPI_Send" and receiver.name == "PMPI_Recv"
        if is_blocking and sender.end >= receiver.begin:
            yield from waits_for(sender, "late_receiver", [receiver])


def waits_of_collectives(calls):
    """Yields the wait states of operations of all ranks, each of which is the n-th call of a routine in each rank."""
    for name, kind in COLLECTIVES.items():
        for members in zip(*([call for call in own if call.name == name] for own in calls.values()), strict=True):
            assert max(call.begin for call in members) <= min(call.end for call in members)
            for call in members:
                yield from waits_for(call, kind, members)


def waits_of(calls, messages):
    """Returns all wait states of a program."""
    receives = [wait for own in calls.values() for wait in waits_of_receives(own)]
    return [*receives, *waits_of_sends(messages), *waits_of_collectives(calls)]


@dataclass
class Program:
    """A program: its store, and its calls and messages after pj_dump."""

    mode: str
    case: str
    store: str
    calls: dict
    messages: list

    def analysis(self, name, *options):
        """Returns the JSON of an analysis of the store."""
        return json.loads(run(FOLDTRACE, name, self.store, "--json", *options))


class Waits(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        compile_patterns(cls.folder)
        cls.simulated = [cls.simulated_program(mode, case) for mode in ("ring", "stencil", "tree") for case in CASES]
        cls.recorded = [cls.program(trace.stem, "recorded", trace) for trace in traces("smpi-*.paje")]

    @classmethod
    def simulated_program(cls, mode, case):
        trace = cls.folder / "run.paje"
        simulate(cls.folder, trace, mode, str(STEPS), **CASES[case])
        return cls.program(mode, case, trace)

    @classmethod
    def program(cls, mode, case, trace):
        """Converts a trace."""
        store = cls.folder / f"{mode}, {case}.fold"
        run(FOLDTRACE, "convert", "-q", str(trace), str(store))
        return Program(mode, case, str(store), *calls_of(trace))

    def check(self, programs, check):
        for program in programs:
            with self.subTest(mode=program.mode, case=program.case):
                check(program)

    def test_wait_states_are_those_of_pj_dump(self):
        self.check(self.simulated + self.recorded, self.compare_wait_states)

    def test_all_classes_without_a_root_occur(self):
        found = {wait.kind for program in self.simulated for wait in waits_of(program.calls, program.messages)}
        receives = {"late_sender", "wrong_order", "wait_at_completion"}
        self.assertEqual(found, {*receives, "late_receiver", *COLLECTIVES.values()})

    def compare_wait_states(self, program):
        table = self.folder / "waits.parquet"
        seen = program.analysis("waits", "--table", str(table), "--force")
        self.assertEqual(seen["clock"]["violations_before"], 0)
        expected = waits_of(program.calls, program.messages)
        self.assertEqual(seen["waited"], sum(wait.waited for wait in expected))
        classes = defaultdict(Counter)
        for wait in expected:
            classes[wait.kind].update(total=wait.waited, occurrences=1)
        self.assertEqual({one.pop("name"): one for one in seen["classes"]}, classes)
        self.compare_calls(table, expected)

    def compare_calls(self, table, expected):
        """Compares each call that waits, and the rank that it waits for, with the rows of a table."""
        resolution = pyarrow.parquet.read_metadata(table).metadata[b"foldtrace.ticks_per_second"]
        self.assertEqual(resolution, b"1000000000")
        late = defaultdict(set)
        for wait in expected:
            late[wait.key()] |= wait.late_ranks
        keys = Counter()
        for row in pyarrow.parquet.read_table(table).to_pylist():
            key = row["location"], row["class"], row["start"], row["waited"]
            keys[key] += 1
            self.assertIn(row["late_location"], late[key], row)
        self.assertEqual(keys, Counter(wait.key() for wait in expected))

    def test_the_slow_rank_is_the_cause(self):
        self.check(self.simulated, self.check_cause)

    def check_cause(self, program):
        causes = program.analysis("waits")["causes"]
        cause = next(one for one in causes if one["location"] == SLOW)
        self.assertEqual(cause["call_path"], [], "outside of MPI")
        # On the slow network, the receives of the root of the tree delay others more.
        if (program.mode, program.case) != ("tree", "slow network"):
            self.assertIs(cause, causes[0])
        self.check_iterations(cause, program.mode)

    def check_iterations(self, cause, mode):
        """Checks that the delayed steps contribute most to a cause, each about the same."""
        # The work before the first call of a step belongs to the iteration before.
        delays = Counter((step - 1) // STEPS_PER_ITERATION[mode] for step in DELAYED)
        top = cause["iterations"][: len(delays)]
        self.assertEqual({one["iteration"] for one in top}, set(delays))
        for one in top:
            share = delays[one["iteration"]] / len(DELAYED)
            self.assertAlmostEqual(one["total"] / cause["total"], share, delta=0.06)
        if mode != "tree":  # Its ranks wait for each other within a step, too.
            self.assertAlmostEqual(sum(one["total"] for one in top), cause["total"], delta=1)

    def test_the_critical_path_follows_the_wait_states(self):
        self.check(self.simulated + self.recorded, self.check_path)

    def check_path(self, program):
        table = self.folder / "critical.parquet"
        seen = program.analysis("critical", "--table", str(table), "--force")
        calls = [call for own in program.calls.values() for call in own]
        first, last = min(call.begin for call in calls), max(call.end for call in calls)
        self.assertEqual(seen["length"], last - first)

        segments = pyarrow.parquet.read_table(table).to_pylist()
        self.assertEqual(len(segments), seen["segments"])
        self.assertEqual(segments[0]["end"], last)
        self.assertEqual(program.calls[segments[0]["location"]][-1].end, last)
        self.assertEqual(segments[-1]["begin"], first)
        waits = defaultdict(list)
        for wait in waits_of(program.calls, program.messages):
            waits[wait.call.rank].append(wait)
        for segment in segments:
            skipped = [w for w in waits[segment["location"]] if segment["begin"] < w.until <= segment["end"]]
            self.assertEqual(skipped, [], segment)
        for segment, before in pairwise(segments):
            self.assertEqual(segment["begin"], before["end"])
            late = [w.late_ranks for w in waits[segment["location"]] if w.until == segment["begin"]]
            self.assertIn(before["location"], set().union(*late), segment)

        times = Counter()
        for segment in segments:
            times[segment["location"]] += segment["end"] - segment["begin"]
        self.assertEqual({one["location"]: one["time"] for one in seen["processes"] if one["time"]}, +times)
        if program.mode in ("ring", "stencil"):  # In the tree, ranks that merge compute more often.
            self.assertEqual(times.most_common(1)[0][0], SLOW)


if __name__ == "__main__":
    unittest.main()
