#!/usr/bin/env python3
"""Makes vectors.txt: what the streams of version 1 must give.

    python3 tests/random/make_vectors.py            # rewrites vectors.txt beside this script
    python3 tests/random/make_vectors.py --check    # only compares, exit 1 if it differs

Nothing here comes from the C++ code: Philox4x32-10 and xoshiro256++ are written again from their
papers (and checked below against their authors' published answers), the Poisson thresholds are
computed in decimal arithmetic, and counts, top-up and row numbers follow docs/random-streams.md one
row at a time. Draws that the library leaves to Boost.Random cannot be made again here; the lines
marked `pinned` were printed by the program (Boost 1.74) and are copied from the existing file.
"""

import argparse
import bisect
import sys
from bisect import bisect_right
from decimal import ROUND_FLOOR, Decimal, getcontext
from math import sqrt
from pathlib import Path

getcontext().prec = 70
M32 = 2**32 - 1
M64 = 2**64 - 1
COUNTS, TIE, TOP_UP, INDEX, INDEX_RETRY, SHORT_INDEX, TOP_UP_RETRY = 1, 2, 3, 4, 5, 6, 9
BLOCK, BLOCK_RETRY, BLOCK_LENGTH = 10, 11, 18
USER = 255
BLOCK_ROWS = 65536
SHORT_ROWS = 256
MARGIN = 3.0


def philox(counter, key):
    """Philox4x32-10: Salmon, Moraes, Dror and Shaw 2011."""
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(10):
        a = 0xD2511F53 * c0
        b = 0xCD9E8D57 * c2
        c0, c1, c2, c3 = (b >> 32) ^ c1 ^ k0, b & M32, (a >> 32) ^ c3 ^ k1, a & M32
        k0 = (k0 + 0x9E3779B9) & M32
        k1 = (k1 + 0xBB67AE85) & M32
    return [c0, c1, c2, c3]


def block(seed, replicate, purpose, attempt, position):
    """The four words at a position of a stream."""
    return philox(
        (
            position & M32,
            purpose << 24 | attempt << 16 | (position >> 32) & 0xFFFF,
            replicate & M32,
            replicate >> 32,
        ),
        (seed & M32, seed >> 32),
    )


def stream(seed, replicate, purpose, attempt):
    """The words of a stream as 64-bit numbers, for ever."""
    position = 0
    while True:
        w = block(seed, replicate, purpose, attempt, position)
        yield w[1] << 32 | w[0]
        yield w[3] << 32 | w[2]
        position += 1


def xoshiro(state):
    """xoshiro256++ (Blackman and Vigna 2019); changes the list `state`."""

    def rotate(x, bits):
        return (x << bits | x >> (64 - bits)) & M64

    s0, s1, s2, s3 = state
    result = (rotate((s0 + s3) & M64, 23) + s0) & M64
    t = (s1 << 17) & M64
    s2 ^= s0
    s3 ^= s1
    s1 ^= s2
    s0 ^= s3
    s2 ^= t
    s3 = rotate(s3, 45)
    state[:] = [s0, s1, s2, s3]
    return result


class Lanes:
    """Eight generators side by side, seeded by sixteen calls of Philox."""

    def __init__(self, seed, replicate, purpose, attempt, number):
        calls = [block(seed, replicate, purpose, attempt, 16 * number + i) for i in range(16)]
        self.states = [
            [calls[2 * lane + 1][w] << 32 | calls[2 * lane][w] for w in range(4)]
            for lane in range(8)
        ]

    def words(self):
        return [xoshiro(state) for state in self.states]

    def bytes(self):
        return b"".join(word.to_bytes(8, "little") for word in self.words())

    def draws(self):
        """Sixteen 32-bit numbers: the low half of a lane before its high half."""
        return [half for word in self.words() for half in (word & M32, word >> 32)]


def count_mean(rows):
    return max(0.5, 1 - MARGIN / sqrt(float(rows)))


def thresholds(mean):
    """floor(F(k) * 2^80) for k = 0, 1, ... up to the first k with 1 - F(k) < 2^-80."""
    mean = Decimal(mean)  # exact
    scale = Decimal(2) ** 80
    probability = (-mean).exp()
    below = probability
    found = []
    k = 0
    while True:
        found.append(int((below * scale).to_integral_value(ROUND_FLOOR)))
        if (1 - below) * scale < 1:
            return found
        k += 1
        probability = probability * mean / k
        below += probability


def redraw(seed, replicate, purpose, attempt, position, rows):
    """The row that replaces a rejected 32-bit draw."""
    reject = 2**32 % rows
    call = position << 16
    while True:
        for bits in block(seed, replicate, purpose, attempt, call):
            if bits * rows & M32 >= reject:
                return bits * rows >> 32
        call += 1


def redraw_long(seed, replicate, purpose, attempt, position, rows):
    """The row that replaces a rejected 64-bit draw: one number a call."""
    reject = 2**64 % rows
    call = position << 16
    while True:
        w = block(seed, replicate, purpose, attempt, call)
        bits = w[1] << 32 | w[0]
        if bits * rows & M64 >= reject:
            return bits * rows >> 64
        call += 1


def long_top_up(seed, replicate, attempt, rows, size):
    """Rows of a top-up among several blocks."""
    lanes = Lanes(seed, replicate, TOP_UP, attempt, 0)
    reject = 2**64 % rows
    drawn = []
    while len(drawn) < size:
        for bits in lanes.words():
            product = bits * rows
            if product & M64 >= reject:
                drawn.append(product >> 64)
            else:
                drawn.append(redraw_long(seed, replicate, TOP_UP_RETRY, attempt, len(drawn), rows))
    return drawn[:size]


def block_length(bits, limits):
    """The geometric length that 64 bits give; 0 if it is beyond the table."""
    below = bisect.bisect_right(limits, bits)
    return 0 if below == len(limits) else below + 1


def blocks(scheme, length, rows, seed, replicate):
    """Starts and lengths of the blocks of a replicate; `length` is the mean if stationary."""
    lanes = Lanes(seed, replicate, BLOCK, 0, 0)
    starts = rows - int(length) + 1 if scheme == "moving" else rows
    limits = []
    beyond = 1.0
    while len(limits) < 4096:
        beyond *= 1 - 1 / length
        if (1 - beyond) * 2.0**64 >= 2.0**64:
            limits.append(M64)
            break
        limits.append(int((1 - beyond) * 2.0**64))
    found = []
    left = rows
    while left > 0:
        for word in lanes.words():
            position = len(found) // 2
            product = (word >> 32) * starts
            start = product >> 32
            if product & M32 < 2**32 % starts:
                start = redraw(seed, replicate, BLOCK_RETRY, 0, position, starts)
            size = int(length)
            if scheme == "stationary":
                more = block(seed, replicate, BLOCK_LENGTH, 0, position)
                size = block_length((word & M32) << 32 | more[0], limits)
                source = stream(more[2] << 32 | more[1], more[3], BLOCK_LENGTH, 0)
                before = 0
                while size == 0 and before < rows:
                    before += len(limits)
                    size = block_length(next(source), limits)
                size += before
            if left > 0:
                found += [start, min(size, left)]
                left -= min(size, left)
    return found


def counts(rows, seed, replicate):
    """Counts of path stream; also how many attempts were void and ties the last one had."""
    limits = thresholds(count_mean(rows))
    firsts = {t >> 64 for t in limits}
    attempt = 0
    while True:
        result = []
        ties = 0
        for start in range(0, rows, BLOCK_ROWS):
            lanes = Lanes(seed, replicate, COUNTS, attempt, start // BLOCK_ROWS)
            end = min(start + BLOCK_ROWS, rows)
            for step in range(start, end, 64):
                high = lanes.bytes()
                low = lanes.bytes()
                for i in range(min(64, end - step)):
                    bits = high[i] << 8 | low[i]
                    more = 0
                    if bits in firsts:
                        w = block(seed, replicate, TIE, attempt, step + i)
                        more = w[1] << 32 | w[0]
                        ties += 1
                    result.append(bisect_right(limits, bits << 64 | more))
        missing = rows - sum(result)
        if missing < 0:
            attempt += 1
            continue
        if rows > BLOCK_ROWS:
            drawn = long_top_up(seed, replicate, attempt, rows, missing)
        else:
            drawn = []
            while len(drawn) < missing:
                for bits in lanes.draws():  # the same lanes go on
                    if bits * rows & M32 >= 2**32 % rows:
                        drawn.append(bits * rows >> 32)
                    else:
                        at = len(drawn)
                        drawn.append(redraw(seed, replicate, TOP_UP_RETRY, attempt, at, rows))
        for row in drawn[:missing]:
            result[row] += 1
        return result, attempt, ties


def indices(rows, seed, replicate, size):
    """Row numbers of path gather; also how many draws were rejected."""
    reject = 2**32 % rows
    drawn = []
    rejected = 0
    short = rows <= SHORT_ROWS
    if short:
        lanes = Lanes(seed, replicate // 16, SHORT_INDEX, 0, 0)
    else:
        lanes = Lanes(seed, replicate, INDEX, 0, 0)
    while len(drawn) < size:
        step = lanes.draws()
        for bits in [step[replicate % 16]] if short else step[: size - len(drawn)]:
            if bits * rows & M32 >= reject:
                drawn.append(bits * rows >> 32)
            else:
                rejected += 1
                drawn.append(redraw(seed, replicate, INDEX_RETRY, 0, len(drawn), rows))
    return drawn, rejected


def uniform_indices(seed, replicate, bound, size):
    reject = 2**64 % bound
    found = []
    for bits in stream(seed, replicate, USER, 0):
        if bits * bound & M64 >= reject:
            found.append(bits * bound >> 64)
            if len(found) == size:
                return found
    return found


def digest(numbers):
    """FNV-1a of the numbers as 32-bit little-endian words."""
    value = 0xCBF29CE484222325
    for number in numbers:
        for byte in number.to_bytes(4, "little"):
            value = ((value ^ byte) * 0x100000001B3) & M64
    return f"fnv1a:{value:016x}"


def line(kind, names, answers):
    left = " ".join([kind, *(f"{name}={value}" for name, value in names.items())])
    return f"{left} : {' '.join(answers)}"


def stream_names(seed, replicate, purpose, attempt):
    return {"seed": seed, "replicate": replicate, "purpose": purpose, "attempt": attempt}


def words(numbers, digits):
    return [f"{number:0{digits}x}" for number in numbers]


# Random123's kat_vectors: counter, key, answer. bootfold reaches every counter through the fields
# of a stream.
PUBLISHED_PHILOX = [
    ([0] * 4, [0] * 2, [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
    ([M32] * 4, [M32] * 2, [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]),
    (
        [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344],
        [0xA4093822, 0x299F31D0],
        [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1],
    ),
]
# Blackman and Vigna's program with the state 1, 2, 3, 4.
PUBLISHED_XOSHIRO = [
    41943041,
    58720359,
    3588806011781223,
    3591011842654386,
    9228616714210784205,
    9973669472204895162,
    14011001112246962877,
    12406186145184390807,
    15849039046786891736,
    10450023813501588000,
]


def published():
    yield "# Published answers: Random123 kat_vectors (the counter spread over the fields of a"
    yield "# stream) and the xoshiro256++ authors' program (state 1 2 3 4)."
    for counter, key, answer in PUBLISHED_PHILOX:
        assert philox(counter, key) == answer
        names = stream_names(
            key[1] << 32 | key[0],
            counter[3] << 32 | counter[2],
            counter[1] >> 24,
            counter[1] >> 16 & 0xFF,
        )
        names["position"] = (counter[1] & 0xFFFF) << 32 | counter[0]
        yield line("block", names, words(answer, 8))
    state = [1, 2, 3, 4]
    assert [xoshiro(state) for _ in PUBLISHED_XOSHIRO] == PUBLISHED_XOSHIRO
    yield line("xoshiro", {"state": "1,2,3,4"}, words(PUBLISHED_XOSHIRO, 16))


def raw_streams():
    yield "# Words of streams."
    cases = [(0, 0, USER, 0), (7, 41, USER, 0), (7, 42, USER, 0), (2**64 - 1, 2**40 + 1, 8, 3)]
    for case in cases:
        source = stream(*case)
        yield line("stream", stream_names(*case), words([next(source) for _ in range(6)], 16))
    yield "# Words of the eight lanes, lane 0 first, three calls."
    for case, number in [
        ((0, 0, COUNTS, 0), 0),
        ((7, 41, COUNTS, 0), 1),
        ((7, 41, COUNTS, 2), 1),
        ((7, 41, INDEX, 0), 0),
        ((2**63, 2**33, TOP_UP, 255), 2**44 - 1),
    ]:
        lanes = Lanes(*case, number)
        answer = [word for _ in range(3) for word in lanes.words()]
        yield line("lanes", {**stream_names(*case), "number": number}, words(answer, 16))


def poisson():
    yield "# floor(F(k) * 2^80) of the Poisson law of mean count_mean(rows, 3)."
    for rows in [1, 37, 164, 1000, 2502, 65536, 70000, 10**6, 10**9, 10**12]:
        yield line("thresholds", {"rows": rows}, words(thresholds(count_mean(rows)), 20))


def resamples():
    yield "# Counts of path stream. void: attempts with too large a total; ties: rows of the last"
    yield "# attempt whose 16 bits were not enough. Long answers by their digest."
    cases = [(1, 7, r) for r in range(12)] + [(2, 7, r) for r in range(6)]
    cases += [(6, 7, r) for r in range(6)] + [(37, 7, 41), (64, 7, 41), (100, 2**40, 2**33)]
    cases += [(1000, 7, r) for r in (0, 1, 1392)]  # the last has a void attempt
    # With 2502 and 2503 rows two thresholds have 255 as their low byte; here ties fall on them.
    cases += [(2502, 7, r) for r in (9, 50, 51)] + [(2503, 7, r) for r in (50, 63)]
    cases += [(n, 7, r) for n in (4097, 65536) for r in range(3)]
    cases += [(n, 7, r) for n in (65537, 70000, 200000) for r in range(2)]
    cases += [(70000, 7, 530)]  # a void attempt
    for rows, seed, replicate in cases:
        found, attempt, ties = counts(rows, seed, replicate)
        assert sum(found) == rows
        names = {"rows": rows, "seed": seed, "replicate": replicate, "void": attempt, "ties": ties}
        yield line("counts", names, map(str, found) if rows <= 100 else [digest(found)])
    yield "# Row numbers of path gather: `draws` from `rows` rows, `rejected` of them made again."
    cases = [(1, 7, 0, 3), (6, 7, 0, 6), (6, 7, 1, 6), (6, 7, 15, 6), (6, 7, 16, 6)]
    cases += [(100, 2**40, 2**33 + 5, 100), (256, 7, 41, 256), (257, 7, 41, 257)]
    cases += [(200000, 7, 0, 200000), (200000, 7, 1, 200000)]
    cases += [(3 * 2**30, 7, 41, 40), (3 * 2**30, 7, 41, 5000), (0xFFFFFFF0, 7, 41, 5000)]
    for rows, seed, replicate, size in cases:
        found, rejected = indices(rows, seed, replicate, size)
        names = {"rows": rows, "seed": seed, "replicate": replicate, "draws": size}
        names["rejected"] = rejected
        yield line("indices", names, map(str, found) if size <= 100 else [digest(found)])
    yield "# Rows of a top-up among several blocks; a quarter of 3 * 2^62 is rejected."
    for rows, seed, replicate, attempt in [(n, 7, 41, a) for n in (70000, 3 << 62) for a in (0, 1)]:
        found = long_top_up(seed, replicate, attempt, rows, 20)
        names = {"rows": rows, "seed": seed, "replicate": replicate, "attempt": attempt}
        yield line("top_up", names, map(str, found))


def block_schemes():
    yield "# Blocks of neighbouring rows: start and length of each."
    cases = [("moving", 3, 20), ("circular", 7, 20), ("stationary", 3.5, 20), ("stationary", 1, 9)]
    cases += [("stationary", 20, 2000), ("stationary", 1.25, 5000), ("stationary", 1000, 200000)]
    cases += [("stationary", 50000, 3 * 2**20), ("stationary", 10**6, 2 * 10**6)]
    cases += [("circular", 10**7, 3 * 2**30)]
    for scheme, length, rows in cases:
        found = blocks(scheme, length, rows, 7, 41)
        names = {"scheme": scheme, "length": length, "rows": rows, "seed": 7, "replicate": 41}
        yield line("blocks", names, map(str, found) if len(found) <= 100 else [digest(found)])


def draws():
    yield "# Draws from {seed, replicate, user}."
    for bound in [1, 2, 6, 1000003, 2**63 + 1, 3 << 62, 2**64 - 1]:
        found = uniform_indices(7, 41, bound, 6)
        yield line("uniform_index", {"seed": 7, "replicate": 41, "bound": bound}, map(str, found))
    source = stream(7, 41, USER, 0)
    found = [((next(source) >> 12) * 2 + 1) * 2.0**-53 for _ in range(6)]
    yield line("uniform", {"seed": 7, "replicate": 41}, [x.hex() for x in found])


def pinned(old):
    yield "# Pinned: printed by the program, which leaves these laws to Boost.Random (1.74)."
    for text in old.splitlines():
        if " pinned=1 " in text:
            yield text


def everything(old):
    yield "# Known answers of bootfold's random streams, version 1. Made by make_vectors.py."
    yield from published()
    yield from raw_streams()
    yield from poisson()
    yield from resamples()
    yield from block_schemes()
    yield from draws()
    yield from pinned(old)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare and write nothing")
    arguments = parser.parse_args()
    path = Path(__file__).with_name("vectors.txt")
    old = path.read_text() if path.exists() else ""
    new = "\n".join(everything(old)) + "\n"
    if arguments.check:
        if new != old:
            sys.exit(f"{path} is not what make_vectors.py makes")
    else:
        path.write_text(new)


if __name__ == "__main__":
    main()
