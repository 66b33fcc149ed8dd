"""Decodes the quantities of a segment of an archive. Written from schemas/archive.md alone."""

from collections import defaultdict

from blake3 import blake3

LOW32 = (1 << 32) - 1
LOW64 = (1 << 64) - 1
COLUMNS = ["time", "bytes", "bytes_received", "request", "value", "offset"]


def mix(x):
    x = (x ^ 0x5BD10000 ^ (x >> 15)) * 0x9E3779B1 & LOW32
    x = (x ^ (x >> 13)) * 0x9E3779B1 & LOW32
    return x ^ (x >> 16)


def context(first, *others):
    """Returns the context new(first).and(...).and(...)."""
    c = mix(first)
    for other in others:
        c = mix((c << 9 | c >> 23) & LOW32 ^ mix(other))
    return c


def narrowed(c, n):
    return mix((c << 9 | c >> 23) & LOW32 ^ mix(n))


def weight(n):
    return (1 << 17) // (2 * n + 3) // 2


class Bits:
    """The range decoder of a column."""

    def __init__(self, column):
        self.bytes = iter(column)
        self.range, self.code = LOW32, 0
        for _ in range(4):
            self.shift()

    def shift(self):
        self.code = (self.code << 8) + next(self.bytes, 0)

    def widen(self):
        while self.range < 1 << 24:
            self.range <<= 8
            self.shift()

    def bit(self, model):
        quick, slow, seen = model
        p = min(max((quick + slow) // 2, 24), 65512)
        bound = (self.range >> 16) * p
        bit = self.code < bound
        if bit:
            self.range = bound
        else:
            self.code -= bound
            self.range -= bound
        target = 65535 if bit else 0

        def learned(value, most):
            step = (target - value) * weight(min(seen, most))
            return value + (step >> 15 if step >= 0 else -(-step >> 15))

        model[:] = learned(quick, 23), learned(slow, 399), min(seen + 1, 399)
        self.widen()
        return int(bit)

    def plain(self, bits):
        self.range >>= bits
        number = min(self.code // self.range, (1 << bits) - 1)
        self.code -= number * self.range
        self.widen()
        return number


class Numbers:
    """The models of a column of `count` numbers."""

    def __init__(self, column, count):
        self.bits = Bits(column)
        wanted = max(16 * count, 1)
        self.groups = min(max(1 << (wanted - 1).bit_length(), 1 << 8), 1 << 14)
        self.models = defaultdict(lambda: [[1 << 15, 1 << 15, 0] for _ in range(16)])
        self.last = defaultdict(int)

    def small(self, c, bits):
        number, left = 0, bits
        while left:
            piece = min(left, 4)
            group = self.models[narrowed(c, left << 16 | number) % self.groups]
            model = 1
            for _ in range(piece):
                bit = self.bits.bit(group[model])
                model = 2 * model + bit
                number = 2 * number + bit
            left -= piece
        return number

    def number(self, c, k):
        length = min(self.small(k, 7), 64)
        if length <= 1:
            return length
        left = length - 1
        bits = min(4, left)
        first = self.small(narrowed(c, length), bits)
        number, left = 1 << bits | first, left - bits
        bits = left if left < 4 else 2
        number, left = number << bits | self.small(context(length, first), bits), left - bits
        if left == 0:
            return number
        group = c % self.groups
        if self.last[group] >> left == number and self.small(narrowed(c, 128), 1):
            return self.last[group]
        while left:
            bits = min(left, 16)
            number, left = number << bits | self.bits.plain(bits), left - bits
        self.last[group] = number
        return number


def fingerprint(symbol, operands):
    """Returns the fingerprint of a symbol. `operands` are the names of the operands of its kind, in order."""
    words = [symbol.operands[name] for name in operands if name in symbol.operands]
    said = symbol.kind.encode() + b"".join(word.to_bytes(8, "little") for word in words)
    return int.from_bytes(blake3(said).digest()[:4], "little")


class Grid:
    """The times that a clock with a period can show."""

    def __init__(self, period):
        self.period, self.ahead, self.shift, self.early = period, 1 << 31, 1 << 28, False

    def advance(self, periods):
        exact = self.ahead + periods * self.period
        self.ahead = exact & LOW32
        return exact >> 32

    def correct(self, deviation):
        early = deviation < 0
        self.shift = min(2 * self.shift, 1 << 28) if early == self.early else max(self.shift // 2, 1 << 24)
        self.early = early
        if deviation == 1:
            self.ahead += self.shift - (1 << 32)
        elif deviation == -1:
            self.ahead += (1 << 32) - self.shift


def times(column, fingerprints, period, ascend):
    numbers, grid = Numbers(column, len(fingerprints)), Grid(period)
    time = before = length = 0
    for f, following in zip(fingerprints, [*fingerprints[1:], 0]):
        back = not ascend and numbers.small(context(2, f), 1)
        pair = context(7, before, f)
        periods = numbers.number(narrowed(pair, following), narrowed(pair, length))
        time += grid.advance(-periods if back else periods)
        if period > 1 << 32:
            c = context(5, (grid.ahead >> 28) * 32 + ((periods >> 12).bit_length() + 1) // 2)
            if numbers.small(c, 1):
                early = numbers.small(narrowed(c, 1 << 16), 1)
                large = context(5, 1 << 17)
                deviation = numbers.number(large, large) + 1
                deviation = -deviation if early else deviation
                time += deviation
                grid.correct(deviation)
        time &= LOW64
        before, length = f, periods.bit_length()
        yield time


def times_before_4(column, fingerprints, unit, ascend):
    numbers = Numbers(column, len(fingerprints))
    time = before = length = 0
    for f in fingerprints:
        back = not ascend and numbers.small(context(2, f), 1)
        pair = context(1, before, f)
        units = numbers.number(pair, narrowed(pair, length))
        length, rest = units.bit_length(), 0
        if unit > 1:
            known = units if length < 7 else 64 + length
            rest = numbers.small(context(3, known), (unit - 1).bit_length())
        ticks = units * unit + rest
        time = (time - ticks if back else time + ticks) & LOW64
        before = f
        yield time


class Hash:
    """A hash of the last `length` values."""

    FACTOR = 0x9E3779B1

    def __init__(self, length):
        self.last, self.hash = [0] * length, 0
        self.power = pow(self.FACTOR, length, 1 << 32)

    def append(self, value):
        new, old = mix((value ^ value >> 32) & LOW32), self.last.pop(0)
        self.last.append(new)
        self.hash = (self.hash * self.FACTOR + new - old * self.power) & LOW32


def values(column, index, symbols):
    """Decodes a quantity. `symbols` has a pair (symbol, fingerprint) for each event with the quantity."""
    numbers = Numbers(column, len(symbols))
    slots = min(max(1 << (2 * len(symbols) - 1).bit_length(), 1 << 8), 1 << 14)
    followers = defaultdict(lambda: (0, 0))
    hashes, streaks, last = [Hash(8), Hash(2)], [0, 0], defaultdict(int)
    for symbol, f in symbols:
        c = context(4, index, f)
        keys = [narrowed(c, h.hash) for h in hashes]
        wrong = value = None
        for i, key in enumerate(keys):
            known, follower = followers[key % slots]
            if known != key or follower == wrong:
                continue
            if numbers.small(context(6, i, streaks[i]), 1):
                streaks[i], value = min(streaks[i] + 1, 7), follower
                break
            streaks[i], wrong = 0, follower
        if value is None:
            value = (last[symbol] + signed(numbers.number(c, c))) & LOW64
        last[symbol] = value
        for key in keys:
            followers[key % slots] = (key, value)
        for h in hashes:
            h.append(value)
        yield value


def values_before_4(column, index, symbols):
    numbers = Numbers(column, len(symbols))
    last = defaultdict(int)
    for symbol, f in symbols:
        c = context(4, index, f)
        last[symbol] = (last[symbol] + signed(numbers.number(c, c))) & LOW64
        yield last[symbol]


def signed(coded):
    return -(coded + 1) // 2 if coded & 1 else coded // 2


def decode(block, symbols, kinds, table, version):
    """Returns a dictionary per event of an archive of a version.

    `symbols` are indices in `table`; `kinds` are those in events.md.
    """
    head = 4 if version < 4 else 10
    count, ascend, clock = block[0], block[1], int.from_bytes(block[2:head], "little")
    ends = [head + 4 * count]
    for at in range(head, ends[0], 4):
        ends.append(ends[-1] + int.from_bytes(block[at : at + 4], "little"))
    assert count == len(COLUMNS) and ends[-1] == len(block)
    decode_times, decode_values = (times_before_4, values_before_4) if version < 4 else (times, values)
    columns = [block[begin:end] for begin, end in zip(ends, ends[1:])]

    def contents(s):
        counted = [name for name in kinds[table[s].kind][0] if version < 3 or name != "tag"]
        return (table[s].kind, *((name, table[s].operands.get(name)) for name in counted))

    alike = {s: contents(s) for s in set(symbols)}
    prints = {s: fingerprint(table[s], [name for name, _ in alike[s][1:]]) for s in alike}
    rows = [{"time": time} for time in decode_times(columns[0], [prints[s] for s in symbols], clock, ascend)]
    for index, name in enumerate(COLUMNS[1:]):
        having = [n for n, s in enumerate(symbols) if name in kinds[table[s].kind][1]]
        numbers = decode_values(columns[index + 1], index, [(alike[symbols[n]], prints[symbols[n]]) for n in having])
        for n, value in zip(having, numbers if having else ()):
            rows[n][name] = value
    return rows
