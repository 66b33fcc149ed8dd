"""Makes the traces of several ranks out of the trace of one rank of PyTorch's profiler.

All ranks do the same, up to some microseconds; one of them needs longer before each collective operation. An operation
ends at the same time for all ranks, when the last one has begun. In between, times are stretched.
"""

import bisect
import gzip
import json
import random
from pathlib import Path

SAMPLE = Path(__file__).parents[1] / "data/kineto/good/training_steps/input.json"
RANKS = 8
# Microseconds by which the late rank is late before each operation, and by which the others differ.
DELAY = 2000
JITTER = 20


def collectives(events):
    """Returns the kernels of collective operations as pairs of their begin and end, in order."""
    kernels = [e for e in events if e.get("cat") == "kernel" and "Collective name" in e["args"]]
    return sorted((e["ts"], e["ts"] + e["dur"]) for e in kernels)


class Warp:
    """Maps times of the sample to times of a rank, linearly between the given points."""

    def __init__(self, points):
        self.before = [before for before, _ in points]
        self.after = [after for _, after in points]

    def __call__(self, time):
        place = min(max(bisect.bisect_right(self.before, time) - 1, 0), len(self.before) - 2)
        (a, b), (c, d) = self.before[place : place + 2], self.after[place : place + 2]
        return c + (time - a) * (d - c) / (b - a)


def warps(events, ranks, late, delay):
    """Returns the map of times of each rank."""
    chance = random.Random(1)
    first = min(e["ts"] for e in events if "ts" in e)
    last = max(e["ts"] + e.get("dur", 0) for e in events if "ts" in e)
    points = [[(first, first)] for _ in range(ranks)]
    ended, now = first, first
    for begin, end in collectives(events):
        begins = [now + begin - ended + chance.uniform(0, JITTER) + (delay if r == late else 0) for r in range(ranks)]
        now = max(begins) + end - begin
        for own, begun in zip(points, begins):
            own += [(begin, begun), (end, now)]
        ended = end
    for own in points:
        own.append((last + 1, now + last + 1 - ended))
    return [Warp(own) for own in points]


def of_rank(trace, rank, ranks, warp):
    """Returns the trace of a rank."""
    members = list(range(ranks))
    info = dict(trace["distributedInfo"], rank=rank, world_size=ranks)
    info["pg_config"] = [dict(info["pg_config"][0], pg_size=ranks, ranks=members)]
    events = []
    for event in trace["traceEvents"]:
        event = dict(event)
        args = event["args"] = dict(event.get("args", {}))
        if isinstance(event["pid"], int):
            # Each rank uses one GPU, whose number is that of the rank; the events of a GPU have its number as process.
            event["pid"] = rank if event["pid"] == 0 else event["pid"] + rank
        if event["ph"] == "M" and args.get("labels") == "GPU 0":
            args["labels"] = f"GPU {rank}"
        if "Group size" in args and args.get("Process Group Ranks") not in (None, "[]"):
            args["Group size"] = ranks
            args["Process Group Ranks"] = str(members)
        if "device" in args:
            args["device"] = rank
        end = event["ts"] + event.get("dur", 0)
        event["ts"] = round(warp(event["ts"]), 3)
        if "dur" in event:
            event["dur"] = round(warp(end) - event["ts"], 3)
        events.append(event)
    return dict(trace, distributedInfo=info, traceEvents=events)


def write_ranks(folder, ranks=RANKS, late=5, delay=DELAY, sample=SAMPLE):
    """Writes a file for each rank, of which every other one is compressed."""
    trace = json.loads(Path(sample).read_text())
    maps = warps(trace["traceEvents"], ranks, late, delay)
    for rank, warp in enumerate(maps):
        text = json.dumps(of_rank(trace, rank, ranks, warp))
        path = Path(folder) / f"worker{rank}.{1000 + rank}.pt.trace.json"
        if rank % 2:
            path.with_name(path.name + ".gz").write_bytes(gzip.compress(text.encode(), mtime=0))
        else:
            path.write_text(text)


def write_pipeline(folder, ranks=4, batches=10):
    """Writes the files of a pipeline: each rank receives a batch from the previous one, and sends it to the next one."""
    for rank in range(ranks):
        events = [{"ph": "M", "name": "process_labels", "pid": rank, "tid": 0, "args": {"labels": f"GPU {rank}"}}]
        for batch in range(batches):
            begin = 1000 * batch + 400 * rank
            if rank > 0:
                events += message(rank, begin, "recv", {"Src Rank": rank - 1}, ranks)
            if rank + 1 < ranks:
                events += message(rank, begin + 200, "send", {"Dst Rank": rank + 1}, ranks)
        info = {"backend": "nccl", "rank": rank, "world_size": ranks}
        trace = {"schemaVersion": 1, "distributedInfo": info, "traceEvents": events}
        (Path(folder) / f"rank{rank}.json").write_text(json.dumps(trace))


def message(rank, begin, operation, peer, ranks):
    """Returns the call on the host and the kernel of one end of a message."""
    args = {
        "Collective name": operation,
        "In msg nelems": 1024,
        "Out msg nelems": 1024,
        "dtype": "BFloat16",
        "Group size": ranks,
        "Process Group Name": "0",
        "Process Group Description": "default_pg",
        "Process Group Ranks": str(list(range(ranks))),
        **peer,
    }
    host = {"cat": "cpu_op", "name": "record_param_comms", "pid": 1000 + rank, "tid": 1000 + rank, "ts": begin}
    kernel = {"cat": "kernel", "name": "ncclDevKernel_SendRecv()", "pid": rank, "tid": 20, "ts": begin + 50}
    return [{"ph": "X", "dur": 100, "args": args, **event} for event in (host, kernel)]
