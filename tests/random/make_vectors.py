#!/usr/bin/env python3
"""Makes vectors.txt: what the streams of version 2 must give.

    python3 tests/random/make_vectors.py            # rewrites vectors.txt beside this script
    python3 tests/random/make_vectors.py --check    # only compares, exit 1 if it differs

Nothing here comes from the C++ code: Philox4x32-10 and sfc64 are written again from their
definitions (and checked below against published answers), the laws of the counts are computed in
decimal arithmetic (stream_laws.py), and all draws follow docs/random-streams.md one at a time
(stream_draws.py). Python's floats are IEEE doubles, so that binomial, beta, normal and exponential
draws agree to the bit.
"""

import argparse
import sys
from pathlib import Path

from stream_draws import (
    Places,
    bayesian_weights,
    blocks,
    counts,
    indices,
    split,
    uniform_indices,
    weight,
)
from stream_laws import (
    COUNTS,
    INDEX,
    M32,
    M64,
    MOST,
    SPLIT,
    SUPER_BLOCK,
    TILE,
    USER,
    Lanes,
    Law,
    beta,
    binomial,
    count_mean,
    exponential,
    normal,
    philox,
    sfc,
    stream,
)


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
# NumPy's SFC64 with the state 1, 2, 3, 4.
PUBLISHED_SFC = [
    7,
    34,
    452984928,
    7599825881358712,
    25336469023883162,
    240669917008063140,
    2867843273600992353,
    7240731414128234765,
    15821902064770144921,
    17713508104007409768,
]


def published():
    yield "# Published answers: Random123 kat_vectors (the counter spread over the fields of a"
    yield "# stream) and NumPy's SFC64 (state 1 2 3 4)."
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
    assert [sfc(state) for _ in PUBLISHED_SFC] == PUBLISHED_SFC
    yield line("sfc64", {"state": "1,2,3,4"}, words(PUBLISHED_SFC, 16))


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
        ((2**63, 2**33, SPLIT, 255), 2**44 - 1),
    ]:
        lanes = Lanes(*case, number)
        answer = [word for _ in range(3) for word in lanes.words()]
        yield line("lanes", {**stream_names(*case), "number": number}, words(answer, 16))


def laws():
    yield "# Laws of counts: seats of the first two layers, and digests of the thresholds."
    cases = [(count_mean(n, n), 1 << (min(n, TILE) - 1).bit_length()) for n in (1, 37, 1000, 2**20)]
    for mean, positions in [*cases, (1.0, 4096), (2.0, 64), (2.0**-12, 4096)]:
        law = Law.of(mean, positions)
        names = {"mean": mean.hex(), "positions": positions}
        numbers = law.sparse_rows + law.rare_rows
        thresholds = [n >> shift & M32 for n in numbers for shift in range(0, 128, 32)]
        rare = [law.rare.count(k) for k in range(MOST + 1)]
        rare += [n >> shift & M32 for n in law.open for shift in (0, 32)]
        seats = ["".join(f"{k:x}" for k in table) for table in (law.dense, law.sparse)]
        yield line("law", names, [*seats, digest(thresholds), digest(rare)])


def resamples():
    yield "# Draws that fall into super-blocks of `size` rows."
    for rows, size in [(5, 2), (1000, 64), (5 * 2**20 + 1, 2**20), (10**10, 2**20)]:
        found = split(rows, rows, 7, 41, size)
        names = {"rows": rows, "seed": 7, "replicate": 41, "size": size}
        yield line("split", names, map(str, found) if len(found) <= 100 else [digest(found)])
    yield "# Counts of path stream in super-blocks of `size` rows. void: attempts with too large a"
    yield "# total; ties: rows whose 16 bits were not enough. Long answers by their digest."
    cases = [(1, 7, r, SUPER_BLOCK) for r in range(12)] + [(2, 7, r, SUPER_BLOCK) for r in range(6)]
    cases += [(6, 7, r, SUPER_BLOCK) for r in range(6)] + [(6, 7, r, 2) for r in range(6)]
    cases += [(7, 7, r, 3) for r in range(6)] + [(n, 7, 41, SUPER_BLOCK) for n in (37, 64, 100)]
    # These three have ties.
    cases += [(n, 7, r, SUPER_BLOCK) for n, r in ((100, 9273), (4099, 208), (9001, 40711))]
    cases += [(100, 2**40, 2**33, 37)] + [(1000, 7, r, SUPER_BLOCK) for r in range(40)]
    cases += [(n, 7, r, SUPER_BLOCK) for n in (4095, 4096, 4097) for r in range(2)]
    cases += [(65536, 7, 0, SUPER_BLOCK), (70000, 7, 0, 16384), (200000, 7, 1, SUPER_BLOCK)]
    cases += [(2**20 - 1, 7, 0, SUPER_BLOCK), (2**20 + 1, 7, 1, SUPER_BLOCK)]
    for rows, seed, replicate, size in cases:
        found, attempt, ties = counts(rows, seed, replicate, size)
        assert sum(found) == rows
        names = {"rows": rows, "seed": seed, "replicate": replicate, "size": size}
        names |= {"void": attempt, "ties": ties}
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


def weighted_schemes():
    yield "# Counts of path stream under weights, row by row: `size` places in a super-block, tiles"
    yield "# are counted from `least_draws` and `least_mean` expected draws on. late: places drawn"
    yield "# one by one. Row i of kind `cycle` has the weight (5 i mod 7) + 1/4, of kind `steep`"
    yield "# 2^-(i mod 64), of kind `heavy` 1/8, but row 1 has the weight 4096 and row 2 has 0."
    tiny = {"least_draws": 0.0, "least_mean": 2.0**-10}
    usual = {"least_draws": 256.0, "least_mean": 0.03125}
    cases = [("cycle", 6, 6, r, SUPER_BLOCK, tiny) for r in range(6)]
    cases += [("cycle", 9, 20, r, 4, tiny) for r in range(6)]
    cases += [("heavy", 5, 30, r, 8, tiny) for r in range(3)]
    cases += [("cycle", 100, 100, r, SUPER_BLOCK, usual) for r in range(3)]
    cases += [("cycle", n, n, 3, SUPER_BLOCK, usual) for n in (255, 4095, 4096, 4097, 30000)]
    cases += [("steep", 20000, 20000, r, 8192, usual) for r in range(3)]
    cases += [("heavy", 20000, 5000, r, 8192, usual) for r in range(3)]
    kinds = {
        "cycle": lambda i: (5 * i % 7) + 0.25,
        "steep": lambda i: 2.0 ** -(i % 64),
        "heavy": lambda i: {1: 4096.0, 2: 0.0}.get(i, 0.125),
    }
    for kind, rows, size, replicate, places, limits in cases:
        weights = [kinds[kind](i) for i in range(rows)]
        made = Places(weights, size, places, **limits)
        found, voids, late = made.counts(7, replicate)
        assert sum(found) == size
        of_rows = [0] * rows
        for row, times in zip(made.rows, found):
            of_rows[row] += times
        names = {"kind": kind, "rows": rows, "draws": size, "seed": 7, "replicate": replicate}
        names |= {"size": places, **limits, "void": voids, "late": late}
        yield line("weighted", names, map(str, of_rows) if rows <= 100 else [digest(of_rows)])


def weights():
    yield "# Weights of the Bayesian bootstrap: of 32 bits, and of all rows of a replicate."
    bits = [0, 1, 2, 3, 4, 5, 2**31 - 1, 2**31, 2**32 - 256, 2**32 - 2, 2**32 - 1, 0xB504F334]
    yield line("weight", {"bits": ",".join(map(str, bits))}, [str(weight(b)) for b in bits])
    cases = [(1, 7, 0), (17, 7, 41), (100, 2**40, 2**33 + 5), (4097, 7, 1), (131100, 7, 2)]
    for rows, seed, replicate in cases:
        found = bayesian_weights(rows, seed, replicate)
        names = {"rows": rows, "seed": seed, "replicate": replicate}
        yield line("weights", names, map(str, found) if rows <= 100 else [digest(found)])


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

    def reals(kind, names, draw, replicate=41):
        source = stream(7, replicate, USER, 0)
        found = [float(draw(source)).hex() for _ in range(20)]
        return line(kind, {"seed": 7, "replicate": replicate, **names}, found)

    # The first draw of 212 is in the tail, that of 188 beside the curve of its layer and kept,
    # that of 101 rejected there.
    for replicate in [41, 212, 188, 101]:
        yield reals("normal", {}, normal, replicate)
    yield reals("exponential", {}, exponential)
    cases = [(10, 0.3), (1, 0.5), (40, 0.5), (10**6, 1e-9), (5000000, 0.05), (5000000, 0.9)]
    for trials, p in [*cases, (2**40, 0.5), (10**12, 1e-11)]:
        names = {"trials": trials, "probability": p}
        yield reals("binomial", names, lambda source, n=trials, q=p: binomial(source, n, q))
    for a, b in [(0.5, 2.0), (1.0, 1.0), (3.0, 40.0), (2500000.0, 2500001.0), (0.001, 0.001)]:
        yield reals("beta", {"a": a, "b": b}, lambda source, a=a, b=b: beta(source, a, b))


def everything():
    yield "# Known answers of bootfold's random streams, version 2. Made by make_vectors.py."
    yield from published()
    yield from raw_streams()
    yield from laws()
    yield from resamples()
    yield from weighted_schemes()
    yield from weights()
    yield from block_schemes()
    yield from draws()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare and write nothing")
    arguments = parser.parse_args()
    path = Path(__file__).with_name("vectors.txt")
    old = path.read_text() if path.exists() else ""
    new = "\n".join(everything()) + "\n"
    if arguments.check:
        if new != old:
            sys.exit(f"{path} is not what make_vectors.py makes")
    else:
        path.write_text(new)


if __name__ == "__main__":
    main()
