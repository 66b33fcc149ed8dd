"""Reads stores. Written from schemas/store.md and schemas/events.md alone.

It uses no code of foldtrace and reads Parquet files with pyarrow. If it lacks information, these pages are
incomplete. As a command, it lists all events of a store, one JSON object per line:

    independent_reader.py NAME.fold
"""

import json
import re
import struct
import sys
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import pyarrow.parquet as parquet
from archive_decoder import decode

SCHEMAS = Path(__file__).resolve().parents[2] / "schemas"
QUANTITIES = ["bytes", "bytes_received", "request", "value", "offset"]
WORD = (1 << 64) - 1


def kinds():
    """Returns the operands and quantities of each kind of event, from the table in events.md."""
    text = (SCHEMAS / "events.md").read_text()
    table = text.split("| kind | operands | quantities | meaning |\n")[1].split("\n\n")[0]
    names = re.compile(r"`(\w+)`")
    rows = [[names.findall(cell) for cell in line.split("|")[1:4]] for line in table.splitlines()[1:]]
    return {kind: (operands, quantities) for (kind,), operands, quantities in rows}


KINDS = kinds()


class Symbol(NamedTuple):
    kind: str
    name: str | None
    operands: dict
    tagged: bool


class Event(NamedTuple):
    """An event; undefined operands and quantities are left out."""

    location: int
    position: int
    time: int
    kind: str
    name: str | None
    operands: dict
    quantities: dict
    metrics: list  # (member, type, value)
    attributes: list  # (attribute, type, bits)


def defined(row, columns):
    return {column: row[column] for column in columns if row[column] is not None}


class Store:
    """An open store: small tables in memory, events on demand."""

    def __init__(self, path):
        self.path = Path(path)
        manifest = json.loads((self.path / "manifest.json").read_text())
        if manifest["kind"] != "foldtrace store" or manifest["version"] > 4:
            raise ValueError(f"{path} is not a store of version 1 to 4")
        self.manifest = manifest
        rows = self.rows("symbols.parquet")
        if [row["symbol"] for row in rows] != list(range(len(rows))):
            raise ValueError("symbols are not numbered by their rows")
        self.symbols = [
            Symbol(
                row["kind"],
                row["name"],
                defined(row, KINDS[row["kind"]][0]),
                row.get("tagged", False),
            )
            for row in rows
        ]
        self.segments = defaultdict(list)
        for segment in self.rows("index.parquet"):
            self.segments[segment["location"]].append(segment)
        self.files = {}

    def rows(self, name):
        """Returns the rows of a small table; an empty list if its file does not exist."""
        path = self.path / name
        return parquet.read_table(path).to_pylist() if path.exists() else []

    def definitions(self, file):
        """Returns the definitions of a kind by id; of several with the same id, the one with the highest order."""
        rows = sorted(self.rows(f"definitions/{file}.parquet"), key=lambda row: row["order"])
        return {row["id"]: row for row in rows}

    def file(self, table, part):
        name = f"{table}/part-{part:05}.parquet"
        if name not in self.files:
            self.files[name] = parquet.ParquetFile(self.path / name)
        return self.files[name]

    # Access through the index: reads only the rows of the requested positions.

    def events(self, location, first=0, end=None):
        """Yields the events of a location from position `first` up to, but not including, `end`."""
        for segment in self.segments[location]:
            begin = segment["first_position"]
            if begin + segment["events"] <= first or (end is not None and end <= begin):
                continue
            for event in self.segment(segment):
                if first <= event.position and (end is None or event.position < end):
                    yield event

    def segment(self, segment):
        topology = self.rows_of(segment, "topology")
        if self.manifest["form"] == "archive":
            quantity = self.decoded(segment, topology)
        else:
            quantity = self.rows_of(segment, "quantity")
        metrics = by_event(self.side("metrics", segment))
        attributes = by_event(self.side("attributes", segment))
        for row in zip(topology, quantity, strict=True):
            yield self.event(*row, metrics, attributes)

    def rows_of(self, segment, table):
        rows = self.file(table, segment["part"]).read_row_group(segment["row_group"])
        return rows.slice(segment["row"], segment["events"]).to_pylist()

    def decoded(self, segment, topology):
        """Yields the rows that the table of quantities has in a plain store."""
        path = self.path / f"archive/part-{segment['part']:05}.coded"
        with path.open("rb") as part:
            part.seek(segment["block_offset"])
            block = part.read(segment["block_bytes"])
        symbols = [row["symbol"] for row in topology]
        rows = decode(block, symbols, KINDS, self.symbols, self.manifest["version"])
        for row, found in zip(topology, rows, strict=True):
            yield {"location": row["location"], "position": row["position"]} | plain(found)

    def side(self, table, segment):
        count = segment[f"{table}_rows"]
        if count == 0:
            return []
        rows = self.file(table, segment["part"]).read().slice(segment[f"{table}_row"], count)
        return rows.to_pylist()

    # Access through the tables: reads all files of all parts, as any program that reads Parquet can.

    def all_events(self):
        """Yields all events, part after part, in the order of the rows."""
        for path in sorted((self.path / "topology").glob("part-*.parquet")):
            name = path.name
            metrics = by_event(self.rows(f"metrics/{name}"))
            attributes = by_event(self.rows(f"attributes/{name}"))
            parts = (self.rows(f"topology/{name}"), self.rows(f"quantity/{name}"))
            for row in zip(*parts, strict=True):
                yield self.event(*row, metrics, attributes)

    def event(self, topology, quantity, metrics, attributes):
        key = (topology["location"], topology["position"])
        if key != (quantity["location"], quantity["position"]):
            raise ValueError(f"topology and quantity differ at {key}")
        return Event(
            *key,
            quantity["time"],
            *self.happened(topology["symbol"], topology.get("tag")),
            defined(quantity, QUANTITIES),
            [(row["member"], row["type"], number(row)) for row in metrics[key]],
            [(row["attribute"], row["type"], row["bits"]) for row in attributes[key]],
        )

    def happened(self, number, tag):
        """Returns kind, name and operands of an event with a symbol, and with a tag if the symbol is tagged."""
        symbol = self.symbols[number]
        operands = symbol.operands | ({"tag": tag} if symbol.tagged else {})
        return symbol.kind, symbol.name, operands

    # Access through the models: yields the topology without reading the tables of events.

    def expand(self, location):
        """Yields the symbols of all events of a location, each with its tag if it is tagged."""
        rows = [row for row in self.rows("models/loops.parquet") if row["location"] == location]
        numbers = {
            (symbol.kind, symbol.tagged, *slots(symbol)): number
            for number, symbol in enumerate(self.symbols)
        }
        yield from self.constructs(rows, [], numbers)

    def constructs(self, rows, indices, numbers):
        depth, at = len(indices), 0
        while at < len(rows):
            row, begin = rows[at], at + 1
            at = begin
            while at < len(rows) and rows[at]["depth"] > depth:
                at += 1
            steps = zip(row["step_slot"], row["step_depth"], row["step_coefficient"], strict=True)
            growth = [(slot, coefficient * indices[of]) for slot, of, coefficient in steps]
            if row["symbol"] is None:
                for index in range(row["count"] + sum(by for _, by in growth)):
                    yield from self.constructs(rows[begin:at], [*indices, index], numbers)
                continue
            symbol = self.symbols[row["symbol"]]
            operands = slots(symbol)
            tag = None
            if symbol.tagged:
                operands[KINDS[symbol.kind][0].index("tag")] = row["tag"]
            for slot, by in growth:
                operands[slot] = (operands[slot] + by) & WORD
            if symbol.tagged:
                slot = KINDS[symbol.kind][0].index("tag")
                tag, operands[slot] = operands[slot], WORD
            yield numbers[(symbol.kind, symbol.tagged, *operands)], tag


def slots(symbol):
    """Returns the operands of a symbol as numbers, in the order of its kind."""
    return [symbol.operands.get(operand, -1) & WORD for operand in KINDS[symbol.kind][0]]


def plain(quantities):
    """Converts decoded quantities to a row of the table: undefined quantities are null, and `value` is signed."""
    row = dict.fromkeys(QUANTITIES) | quantities
    for name in QUANTITIES:
        if name == "value" and row[name] is not None:
            row[name] -= (row[name] >> 63) << 64
        elif row[name] == WORD:
            row[name] = None
    return row


def by_event(rows):
    grouped = defaultdict(list)
    for row in rows:
        grouped[row["location"], row["position"]].append(row)
    return grouped


def number(row):
    """Returns the value of a metric from the column that is set."""
    (value,) = (row[column] for column in ("uint64", "int64", "double") if row[column] is not None)
    return value


def bits(value_type, value):
    """Returns the 64 bits of a metric's value."""
    if value_type in ("float", "double"):
        single = value_type == "float"
        return int.from_bytes(struct.pack("<f" if single else "<d", value), "little")
    return value & WORD


if __name__ == "__main__":
    store = Store(sys.argv[1])
    for location in store.segments:
        for event in store.events(location):
            print(json.dumps(event._asdict()))
