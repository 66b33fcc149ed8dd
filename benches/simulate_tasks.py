"""Simulates the conversion of a large archive by many tasks, with constants that were measured on two cores.

    python benches/simulate_tasks.py [--terabytes 1.5] [--locations 100000] [--bandwidth 100] [--latency 0.2] [--skew 0.5]

The parts of the store are processed at the same time, each by one core. A part is limited by its core or by its share of the file system,
which all parts that are still active share equally. Three steps follow each other: the first task opens the archive and the others read what
it leaves; all tasks write their shards; one node joins them. The result has no error bars: it follows from the constants and from the
assumptions, which docs/scale.md lists.
"""

import argparse
import heapq
import random

# Measured with the profile `profiling` on NPB LU, class A, 22 times as long: 101,055,064 events.
EVENTS = 101_055_064
BYTES_READ = 1_642_640_120 / EVENTS  # of the archive, per event
BYTES_WRITTEN = 180_326_245 / EVENTS  # of the shards, per event
MERGED = (546_045 + 4_378 + 112_183) / EVENTS  # of symbols, models and descriptions, per event
CONVERT = 8.31 / EVENTS  # seconds of a core, per event
JOIN = 0.82 / EVENTS
# Measured on 20,000 locations.
KEPT = 1_261_397 / 20_000  # bytes that the first task leaves, per location
READ_KEPT = 0.015 / 20_000  # seconds of a core to read them, per location
OPENED = 4  # requests to the file system, per location that a task looks at

MIB = 1 << 20
NODE_CORES = 64


def parts_of(locations):
    """Divides locations into parts, as the conversion does. Returns the bytes of the parts."""
    most = min(max(int(sum(locations) / (256 * MIB)), 256), 1 << 14)
    parts, current = [], 0
    for location in locations:
        if current and current + location > MIB:
            parts.append(current)
            current = 0
        current += location
    parts.append(current)
    together = max(1, -(-len(parts) // most))
    return [sum(parts[at : at + together]) for at in range(0, len(parts), together)]


def distribute(parts, tasks):
    """Returns the parts of each task: the next largest one goes to the task with the fewest bytes."""
    loads = [(0, task) for task in range(tasks)]
    own = [[] for _ in range(tasks)]
    for part in sorted(parts, reverse=True):
        load, task = heapq.heappop(loads)
        own[task].append(part)
        heapq.heappush(loads, (load + part, task))
    return own


def time_to_write(own, cores, bandwidth):
    """Returns the seconds until all tasks have written their shards; each has some cores."""
    rate = BYTES_READ / CONVERT
    moved = 1 + BYTES_WRITTEN / BYTES_READ
    waiting = [sorted(parts) for parts in own]
    active = []  # (progress at which the part is complete, task): all active parts progress at the same rate
    progress = clock = 0.0
    for task, parts in enumerate(waiting):
        for _ in range(min(cores, len(parts))):
            heapq.heappush(active, (parts.pop(), task))
    while active:
        end, task = heapq.heappop(active)
        speed = min(rate, bandwidth / moved / (len(active) + 1))
        clock += (end - progress) / speed
        progress = end
        if waiting[task]:
            heapq.heappush(active, (progress + waiting[task].pop(), task))
    return clock


def simulate(locations, nodes, tasks, bandwidth, latency):
    """Returns the seconds of each step."""
    events = sum(locations) / BYTES_READ
    parts = parts_of(locations)
    cores = max(1, nodes * NODE_CORES // tasks)
    count = len(locations)
    opening = count * OPENED * latency / cores
    opening += count * KEPT * tasks / bandwidth + count * READ_KEPT
    own_files = OPENED * latency * count / len(parts)
    writing = own_files + time_to_write(distribute(parts, tasks), cores, bandwidth)
    links = 3 * len(parts) * latency
    joining = links + events * (JOIN / NODE_CORES + 2 * MERGED / bandwidth)
    return len(parts), opening, writing, joining


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--terabytes", type=float, default=1.5, help="size of the archive")
    parser.add_argument("--locations", type=int, default=100_000)
    parser.add_argument("--bandwidth", type=float, default=100, help="of the file system, in GB/s")
    parser.add_argument("--latency", type=float, default=0.2, help="of a request for a file, in ms")
    parser.add_argument("--skew", type=float, default=0.5, help="standard deviation of the logarithm of the sizes of locations")
    arguments = parser.parse_args()
    generator = random.Random(1)
    sizes = [generator.lognormvariate(0, arguments.skew) for _ in range(arguments.locations)]
    scale = arguments.terabytes * 1e12 / sum(sizes)
    locations = [size * scale for size in sizes]
    bandwidth, latency = arguments.bandwidth * 1e9, arguments.latency / 1e3
    events = sum(locations) / BYTES_READ
    print(f"{events / 1e9:.0f} billion events, {events * BYTES_WRITTEN / 1e9:.0f} GB of store, "
          f"{events * MERGED / 1e9:.1f} GB to merge; largest location {max(locations) / 1e6:.0f} MB\n")
    print("nodes  tasks  parts  opening  writing  joining    total    events/s")
    for nodes, tasks in [(1, 1), (16, 16), (64, 64), (64, 1024), (256, 256), (256, 4096)]:
        parts, *steps = simulate(locations, nodes, tasks, bandwidth, latency)
        times = "  ".join(f"{step:5.1f} s" for step in steps)
        total = sum(steps)
        print(f"{nodes:5}  {tasks:5}  {parts:5}  {times}  {total:5.0f} s  {events / total / 1e6:6.0f} M")


if __name__ == "__main__":
    main()
