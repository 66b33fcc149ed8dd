"""Compares the events of CTF traces as babeltrace2 and foldtrace read them.

    python3 tests/python/ctf_corpus.py FOLDER [PROGRAM] [--like OTHER]

FOLDER contains traces at any depth, such as `tests/data/ctf-traces` of a checkout of babeltrace. PROGRAM is the example `events`
of the crate foldtrace-ctf; without it, cargo builds and runs it. Each trace must give the same events with the same fields at
the same times, or be refused by both. The reader shares no code with this script, which takes the details that babeltrace2
prints as the truth.

With `--like OTHER`, FOLDER has traces of version 2 with names such as CTF2-NAME, and babeltrace2, which does not read them, reads
the traces NAME of version 1.8 in OTHER, which have the same content.
"""

import argparse
import collections
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

REPOSITORY = pathlib.Path(__file__).parents[2]
# Builds and runs the example `events`.
PROGRAM = ["cargo", "run", "--quiet", "--manifest-path", str(REPOSITORY / "Cargo.toml"), "-p", "foldtrace-ctf", "--example", "events", "--"]
# Without calls, all events keep their names.
CONVENTIONS = '[[rule]]\nevent = "*"\nrole = "event"\n'
# Members of contexts that identify locations, by the names of the properties of locations.
OBJECTS = {"vtid": "tid", "tid": "tid", "vpid": "pid", "pid": "pid"}
PREFIXES = {"Payload": "", "Common context": "context.", "Specific context": "event_context."}
MESSAGE = re.compile(r"(?:\[(?:Unknown|(?P<cycles>-?[\d,]+) cycles(?:, (?P<ns>-?[\d,]+) ns from origin)?)\]\n)?\{Trace (?P<trace>\d+), Stream class ID (?P<stream>\d+)")
CLOCK = re.compile(r"Frequency \(Hz\): ([\d,]+)\n.*?Offset \(s\): (-?[\d,]+)\n\s*Offset \(cycles\): (-?[\d,]+)", re.DOTALL)
NANOSECONDS = 1_000_000_000
EVENT = re.compile(r"^Event `(?P<name>.*)` \(Class ID (?P<id>\d+)\)")
# An array or a structure without content; only its class tells which.
EMPTY = {}


class Tree:
    """A line of an indented text, with the lines below it."""

    def __init__(self, text):
        self.text, self.below = text, []


def tree(lines):
    """Returns the trees of indented lines. A line that is not indented by whole steps continues the line before it."""
    root = Tree("")
    path = [root]
    for line in lines:
        text = line.lstrip(" ")
        depth, rest = divmod(len(line) - len(text), 2)
        if rest or depth >= len(path):
            path[-1].text += "\n" + line
            continue
        del path[depth + 1:]
        path[depth].below.append(Tree(text))
        path.append(path[depth].below[-1])
    return root.below


def scalar(text):
    """Returns the value of a field that is no compound: a number if it looks like one, otherwise a text."""
    if re.fullmatch(r"-?0x[0-9a-f:]+", text, re.IGNORECASE):
        return int(text.replace(":", ""), 16)
    if re.fullmatch(r"-?0[0-7:]+", text):
        return int(text.replace(":", ""), 8)
    if re.fullmatch(r"-?[\d,]*\d", text):
        return int(text.replace(",", ""))
    try:
        return float(text)
    except ValueError:
        return text


def value(node):
    """Returns the name and the value of a field."""
    name, _, rest = node.text.partition(":")
    rest = rest.removeprefix(" ")
    if rest == "Empty":
        return name, EMPTY
    if re.fullmatch(r"Length \d+:?", rest) and (node.below or rest == "Length 0"):
        return name, [value(below)[1] for below in node.below]
    if node.below:
        return name, dict(value(below) for below in node.below)
    return name, scalar(rest)


def flattened(fields, prefix):
    """Returns fields with dotted names; those within arrays stay where they are."""
    for name, field in fields.items():
        if field is EMPTY:
            yield prefix + name, field
        elif isinstance(field, dict):
            yield from flattened(field, f"{prefix}{name}.")
        else:
            yield prefix + name, field


def labels(text):
    """Returns the labels of enumerations by event, scope and field, each with its ranges."""
    found = collections.defaultdict(list)
    stack, event = [], ""
    for line in text.splitlines():
        content = line.lstrip(" ")
        depth = (len(line) - len(content)) // 2
        del stack[depth:]
        stack += [""] * (depth - len(stack))
        stack.append(content)
        match = re.match(r"Event class `(.*)` \(ID", content)
        event = match[1] if match else event
        match = re.fullmatch(r"(.*): ((?:\[[^\]]*\] ?)+)", content)
        parents = [parent for parent in stack if re.search(r"(enumeration|nteger) \(", parent)]
        if match and parents:
            field = parents[-1].partition(":")[0]
            for low, high in re.findall(r"\[(-?[\w,]+?)(?:, (-?[\w,]+?))?\]", match[2]):
                bounds = [int(bound.replace(",", ""), 0) for bound in (low, high or low)]
                found[event, field].append((match[1], bounds))
    return found


def babeltrace(folder):
    """Returns the events that babeltrace2 reads, by time, and whether it reads the whole trace."""
    command = ["babeltrace2", "-c", "sink.text.details", folder]
    done = subprocess.run(command, capture_output=True, check=False)
    text = done.stdout.decode(errors="replace")
    events = collections.defaultdict(list)
    clock = CLOCK.search(text)
    rate, seconds, cycles = (int(number.replace(",", "")) for number in clock.groups()) if clock else (NANOSECONDS, 0, 0)
    for block in text.split("\n\n"):
        # A text that ends with a line break leaves an empty line.
        block = block.lstrip("\n")
        header = MESSAGE.search(block)
        if not header or not block.startswith(("[", "{")):
            continue
        body = block[block.index("}\n") + 2:].split("\n")
        match = EVENT.match(body[0])
        if not match:
            continue
        fields = {}
        for scope in tree(body)[0].below:
            title = scope.text.rstrip(":")
            if title in PREFIXES:
                fields |= flattened(dict(value(node) for node in scope.below), PREFIXES[title])
        time = header["ns"] and int(header["ns"].replace(",", ""))
        if time and rate != NANOSECONDS:
            # Nanoseconds are rounded.
            time = int(header["cycles"].replace(",", "")) + seconds * rate + cycles
        events[time].append((match["name"], fields))
    return events, labels(text), done.returncode == 0


def foldtrace(program, folder):
    """Returns the events that foldtrace reads, by time, and whether it reads the whole trace."""
    with tempfile.NamedTemporaryFile("w", suffix=".toml") as conventions:
        conventions.write(CONVENTIONS)
        conventions.flush()
        environment = os.environ | {"FOLDTRACE_CTF_CONVENTIONS": conventions.name}
        done = subprocess.run([*program, folder], capture_output=True, check=False, env=environment)
    lines = [json.loads(line) for line in done.stdout.decode().splitlines()]
    if not lines:
        return {}, done.returncode == 0, done.stderr.decode().strip()
    match = re.search(r"begins before its origin; (\d+) ticks", json.dumps(lines[-1]["diagnostics"]))
    shift = int(match[1]) if match else 0
    events = collections.defaultdict(list)
    names = {}
    for line in lines[:-1]:
        fields = {}
        location = line["location"]
        names.setdefault(location, line["object"].get("procname", ""))
        for name, field in line["fields"].items():
            if name == "context.procname":
                names[location] = field
            elif not name.startswith(("packet.", "header.")):
                fields[name] = field
        fields["(procname)"] = names[location]
        fields["(object)"] = line["object"]
        events[line["time"] - shift].append((line["name"], fields))
    return events, done.returncode == 0, done.stderr.decode().strip()


def is_same(theirs, ours):
    """Returns whether two values are the same, texts that look like numbers included."""
    if isinstance(theirs, list) and isinstance(ours, str):
        ours = json.loads(ours)
    if isinstance(theirs, list):
        return isinstance(ours, list) and len(theirs) == len(ours) and all(map(is_same, theirs, ours))
    if isinstance(theirs, dict):
        return isinstance(ours, dict) and theirs.keys() == ours.keys() and all(is_same(theirs[key], ours[key]) for key in theirs)
    if isinstance(theirs, (int, float)) and isinstance(ours, str):
        return theirs == scalar(ours) or (theirs != theirs and ours == "nan")
    if isinstance(theirs, float) or isinstance(ours, float):
        return math.isclose(theirs, ours, rel_tol=1e-5, abs_tol=1e-6)
    # The line break at the end of a text cannot be told from those between events.
    return theirs == (ours.rstrip("\n") if isinstance(ours, str) else ours)


def difference(theirs, ours, known_labels):
    """Returns what is different in two events, or None."""
    (name, fields), (our_name, our_fields) = theirs, ours
    if name != our_name:
        return f"event {name!r} is {our_name!r}"
    left = dict(our_fields)
    process_name, location = left.pop("(procname)"), left.pop("(object)")
    for field, expected in fields.items():
        last = field.rpartition(".")[2]
        scope = field.partition(".")[0]
        if scope == "context" and field not in left and last in OBJECTS:
            found = location.get(OBJECTS[last])
        elif field == "context.procname":
            found = process_name
        elif field in left:
            found = left.pop(field)
            number = left.pop(f"{field}.value", None)
            matching = [label for label, (low, high) in known_labels.get((name, last), known_labels.get(("", last), []))
                        if isinstance(expected, int) and low <= expected <= high]
            if isinstance(found, str) and matching:
                if found not in matching or number not in (None, expected):
                    return f"{name}: {field} is {found!r} ({number}) instead of {expected!r}"
                continue
        elif expected is EMPTY:
            continue
        else:
            return f"{name}: {field} is missing"
        if expected is EMPTY and found in ("[]", ""):
            continue
        if not is_same(expected, found):
            return f"{name}: {field} is {found!r} instead of {expected!r}"
    return f"{name}: {sorted(left)} are not in the trace" if left else None


def compare(program, folder, like=None):
    """Returns the number of events of a trace and what is different, or None. babeltrace2 may read another trace with the same content."""
    theirs, known_labels, is_whole = babeltrace(like or folder)
    ours, we_read_all, error = foldtrace(program, folder)
    count = sum(map(len, theirs.values()))
    if is_whole != we_read_all:
        return count, "foldtrace refuses it: " + error if is_whole else "only babeltrace2 refuses it"
    if set(theirs) == {None}:
        # Without a clock, events are in the order of their streams.
        theirs = {0: theirs[None]}
        ours = {0: [event for time in sorted(ours) for event in ours[time]]}
    if not is_whole:
        # The events before the damage, of which foldtrace may read more.
        ours = {time: ours.get(time, []) for time in theirs}
    if theirs.keys() != ours.keys():
        return count, f"times differ: {sorted(theirs.keys() ^ ours.keys())[:3]}"
    for time, events in theirs.items():
        if len(events) != len(ours[time]):
            return count, f"{len(ours[time])} events instead of {len(events)} at {time}"
        left = list(ours[time])
        for event in events:
            # Events at the same time may be in another order.
            problem = None
            for index, candidate in enumerate(left):
                found = difference(event, candidate, known_labels)
                if found is None:
                    break
                problem = problem or found
            else:
                return count, f"at {time}: {problem}"
            left.pop(index)
    return count, None


def executable(messages):
    """Returns the program that cargo has built, from its messages."""
    built = [json.loads(line).get("executable") for line in messages.splitlines()]
    return next(path for path in reversed(built) if path)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("program", nargs="*", default=PROGRAM)
    parser.add_argument("--like", type=pathlib.Path)
    arguments = parser.parse_args()
    root = arguments.folder
    different = total = 0
    folders = sorted({metadata.parent for metadata in root.rglob("metadata")})
    if arguments.like:
        others = {other.parent.name: other.parent for other in arguments.like.rglob("metadata")}
        likes = {folder: next((others[name] for name in others if folder.name.endswith("-" + name)), None) for folder in folders}
        folders = [folder for folder in folders if likes[folder]]
    for folder in folders:
        count, problem = compare(arguments.program, folder, arguments.like and likes[folder])
        total += count
        different += problem is not None
        print(f"{folder.relative_to(root)}: {count} events, {problem or 'the same'}")
    print(f"{len(folders)} traces, {total} events, {different} differ")
    return different > 0 or not folders


if __name__ == "__main__":
    sys.exit(main())
