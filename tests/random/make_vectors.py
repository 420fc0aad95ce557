#!/usr/bin/env python3
"""Makes vectors.txt: what the streams of version 2 must give.

    python3 tests/random/make_vectors.py            # rewrites vectors.txt beside this script
    python3 tests/random/make_vectors.py --check    # only compares, exit 1 if it differs

Nothing here comes from the C++ code: Philox4x32-10 and sfc64 are written again from their
definitions (and checked below against published answers), the laws of the counts are computed in
decimal arithmetic, and all draws follow docs/random-streams.md one at a time. Python's floats are
IEEE doubles, so that binomial, beta, normal and exponential draws agree to the bit.
"""

import argparse
import bisect
import struct
import sys
from bisect import bisect_right
from decimal import ROUND_FLOOR, Decimal, getcontext
from itertools import count
from math import ceil, floor, frexp, sqrt
from pathlib import Path

getcontext().prec = 70
M32 = 2**32 - 1
M64 = 2**64 - 1
COUNTS, TIE, SPLIT, INDEX, INDEX_RETRY, SHORT_INDEX = 1, 2, 3, 4, 5, 6
BLOCK, BLOCK_RETRY, WEIGHTED, BLOCK_LENGTH = 10, 11, 12, 18
DIRICHLET = 16
USER = 255
SUPER_BLOCK = 2**20
TILE = 4096
SHORT_ROWS = 256
MARGIN = 3.0
MOST = 31  # the largest count
LAST_ATTEMPT = 255  # counts nothing


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


def stream(seed, replicate, purpose, attempt, position=0):
    """The words of a stream as 64-bit numbers, for ever."""
    while True:
        w = block(seed, replicate, purpose, attempt, position)
        yield w[1] << 32 | w[0]
        yield w[3] << 32 | w[2]
        position += 1


def sfc(state):
    """One step of sfc64; changes the list `state`: a, b, c and the counter."""
    a, b, c, counter = state
    result = (a + b + counter) & M64
    rotated = (c << 24 | c >> 40) & M64
    state[:] = [b ^ b >> 11, (c + (c << 3)) & M64, (rotated + result) & M64, (counter + 1) & M64]
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
        return [sfc(state) for state in self.states]

    def bytes(self):
        return b"".join(word.to_bytes(8, "little") for word in self.words())

    def draws(self):
        """Sixteen 32-bit numbers: the low half of a lane before its high half."""
        return [half for word in self.words() for half in (word & M32, word >> 32)]


# Logarithms and exponentials by single operations, in the order that the definition gives.

LOG2_HIGH = float.fromhex("0x1.62e42feep-1")
LOG2_LOW = float.fromhex("0x1.a39ef35793c76p-33")


def atanh_series(square):
    series = 1.0 / 23
    for k in range(21, 1, -2):
        series = series * square + 1.0 / k
    return series * square


def log(x):
    bits = struct.unpack("<Q", struct.pack("<d", x))[0]
    exponent = (bits >> 52) - 1023
    m = struct.unpack("<d", struct.pack("<Q", bits & 0xFFFFFFFFFFFFF | 0x3FF0000000000000))[0]
    if m > float.fromhex("0x1.6a09e667f3bcdp0"):
        m *= 0.5
        exponent += 1
    f = m - 1
    s = f / (2 + f)
    tail = 2 * s * atanh_series(s * s) - s * f
    e = float(exponent)
    return e * LOG2_HIGH + (f + (tail + e * LOG2_LOW))


def log1p_minus(x):
    if x < -0.25 or x > 0.35:
        return log(1 + x) - x
    s = x / (2 + x)
    return 2 * s * atanh_series(s * s) - s * x


def exp(x):
    n = float(floor(x * float.fromhex("0x1.71547652b82fep0") + 0.5))
    r = (x - n * LOG2_HIGH) - n * LOG2_LOW
    total = 1.0
    for k in range(14, 0, -1):
        total = total * r / k + 1
    return total * 2.0 ** int(n)


def decimal_pi():
    """Machin's formula."""

    def arctan_of_one_over(x):
        term = total = Decimal(1) / x
        n = 1
        while abs(term) > Decimal(10) ** -68:
            term = -term / (x * x)
            n += 2
            total += term / n
        return total

    return 4 * (4 * arctan_of_one_over(5) - arctan_of_one_over(239))


def small_stirling_errors():
    found = [0.0]
    factorial = Decimal(1)
    pi = decimal_pi()
    for n in range(1, 16):
        factorial *= n
        stirling = (2 * pi * n).ln() / 2 + n * (Decimal(n).ln() - 1)
        found.append(float(factorial.ln() - stirling))
    return found


STIRLING = small_stirling_errors()


def stirling_error(n):
    if n < 15.5:
        return STIRLING[int(n)]
    square = n * n
    total = 1.0 / 156
    for term in (691.0 / 360360, 1.0 / 1188, 1.0 / 1680, 1.0 / 1260, 1.0 / 360, 1.0 / 12):
        total = term - total / square
    return total / n


def deviance(x, mean, difference):
    if x == 0:
        return mean
    e = difference / mean
    return mean * (e * e + (1 + e) * log1p_minus(e))


# Draws.


def uniform(source):
    return (next(source) >> 12) * 2.0**-52 + 2.0**-53


def exponential(source):
    return -log(uniform(source))


def normal(source):
    while True:
        x = 2 * uniform(source) - 1
        y = 2 * uniform(source) - 1
        square = x * x + y * y
        if square < 1:
            return x * sqrt(-2 * log(square) / square)


def log_probability(trials, p, k):
    """Logarithm of the binomial probability of k, up to a constant."""
    mean = trials * p
    failures = trials * (1 - p)
    if k in (0, trials):
        ends = (failures, mean) if k == 0 else (mean, failures)
        return (
            -stirling_error(trials)
            - deviance(trials, *ends)
            - (mean if k == 0 else failures)
            + 0.5 * float.fromhex("0x1.d67f1c864beb5p0")
        )
    misses = trials - k
    return (
        -stirling_error(k)
        - stirling_error(misses)
        - deviance(k, mean, k - mean)
        - deviance(misses, failures, mean - k)
        - 0.5 * log(k * (misses / trials))
    )


def binomial(source, trials, p):
    if trials == 0 or p == 0:
        return 0
    if p == 1:
        return trials
    if p > 0.5:
        return trials - binomial(source, trials, 1 - p)
    n = float(trials)
    if p * n < 10:
        room = p - log1p_minus(-p)
        waited = 0.0
        for count in range(trials):
            waited += exponential(source) / float(trials - count)
            if waited > room:
                return count
        return trials
    deviation = sqrt(n * p * (1 - p))
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * p
    centre = n * p + 0.5
    inside = 0.92 - 4.2 / b
    alpha = (2.83 + 5.1 / b) * deviation
    while True:
        u = uniform(source) - 0.5
        v = uniform(source)
        edge = 0.5 - abs(u)
        k = float(floor((2 * a / edge + b) * u + centre))
        if edge >= 0.07 and v <= inside:
            return int(k)
        if k < 0 or k > n:
            continue
        mode = log_probability(n, p, float(floor((n + 1) * p)))
        if log(v * alpha / (a / (edge * edge) + b)) <= log_probability(n, p, k) - mode:
            return int(k)


def gamma(source, shape):
    d = shape - 1.0 / 3
    c = 1 / (3 * sqrt(d))
    while True:
        x = normal(source)
        t = c * x
        if t <= -1:
            continue
        u = uniform(source)
        square = x * x
        cube = (1 + t) * (1 + t) * (1 + t)
        if u < 1 - 0.0331 * square * square:
            return d * cube
        if log(u) < 0.5 * square + d * (3 * log1p_minus(t) - 3 * t * t - t * t * t):
            return d * cube


def log_gamma(source, shape):
    if shape >= 1:
        return log(gamma(source, shape))
    larger = log(gamma(source, shape + 1))
    return larger + log(uniform(source)) / shape


def beta(source, a, b):
    if min(a, b) >= 1:
        x = gamma(source, a)
        y = gamma(source, b)
        return x / (x + y)
    x = log_gamma(source, a)
    y = log_gamma(source, b)
    return 1 / (1 + exp(min(max(y - x, -700.0), 700.0)))


# Counts.


def count_mean(rows, draws):
    n = float(draws)
    share = n / rows * max(0.5, 1 - MARGIN / sqrt(n))
    grid = 4.0 * 2 ** (((rows - 1).bit_length() + 1) // 2)
    return min(float(floor(share * grid)), 2 * grid) / grid


def seats_of(weights):
    """Sixteen seats by D'Hondt's method, and what they keep of the weights."""
    seats = [0] * len(weights)
    for _ in range(16):
        best = 0
        for k in range(1, len(weights)):
            if weights[k] * (seats[best] + 1) > weights[best] * (seats[k] + 1):
                best = k
        seats[best] += 1
    kept = min([Decimal(1)] + [w * 16 / s for w, s in zip(weights, seats) if s > 0])
    rest = [w - kept * s / 16 for w, s in zip(weights, seats)]
    rest = [w if w >= Decimal(2) ** -140 else Decimal(0) for w in rest]
    table = [k for k, s in enumerate(seats) for _ in range(s)]
    return table, kept, [w / sum(rest) for w in rest]


def number_thresholds(mean):
    """floor(F(k) 2^128) of a Poisson law."""
    scale = Decimal(2) ** 128
    probability = (-mean).exp()
    below = probability
    found = []
    k = 0
    while True:
        threshold = int((below * scale).to_integral_value(ROUND_FLOOR))
        if threshold >> 128:
            return found
        found.append(threshold)
        k += 1
        if k > mean and (1 - below) * scale < 1:
            return found
        probability = probability * mean / k
        below += probability


class Law:
    """The counts of a tile."""

    made = {}

    @classmethod
    def of(cls, mean, positions):
        if (mean, positions) not in cls.made:
            cls.made[mean, positions] = cls(mean, positions)
        return cls.made[mean, positions]

    def __init__(self, mean, positions):
        poisson = [(-Decimal(mean)).exp()]
        for k in range(1, MOST + 1):
            poisson.append(poisson[-1] * Decimal(mean) / k)
        self.positions = positions
        self.dense, kept, rest = seats_of(poisson)
        self.sparse, kept_then, rare = seats_of(rest)
        rare_share = (1 - kept) * (1 - kept_then)
        sparse_share = (1 - kept) * kept_then / (1 - rare_share)
        self.sparse_rows = number_thresholds(-(1 - sparse_share).ln() * positions)
        self.rare_rows = number_thresholds(-(1 - rare_share).ln() * positions)
        first = next(k for k, w in enumerate(rare) if w * 65536 >= 1)
        shares = [w * 65536 for w in rare]
        whole = [int(x) if first <= k <= first + 9 else 0 for k, x in enumerate(shares)]
        self.rare = [k for k, values in enumerate(whole) for _ in range(values)]
        left = [x - w for x, w in zip(shares, whole)]
        self.open = []
        below = Decimal(0)
        for x in left[:-1]:
            below += x / (65536 - len(self.rare))
            self.open.append(min(M64, int(below * 2**64)))


def tile_counts(lanes, law, rows, tie):
    """The counts of a tile; `tie(event)` gives 64 bits more. Also how often it was asked."""
    words = lanes.words()
    sparse = bisect_right(law.sparse_rows, words[0] << 64 | words[2])
    rare = bisect_right(law.rare_rows, words[1] << 64 | words[3])
    inside = law.positions - 1
    replaced = []
    ties = 0
    for first in range(0, sparse, 32):
        bits = struct.unpack("<32H", lanes.bytes())
        replaced += [(w & inside, law.sparse[w >> 12]) for w in bits[: sparse - first]]
    for first in range(0, rare, 16):
        bits = struct.unpack("<32H", lanes.bytes())
        for event in range(first, min(first + 16, rare)):
            word = bits[16 + event - first]
            if word < len(law.rare):
                count = law.rare[word]
            else:
                count = bisect_right(law.open, tie(event))
                ties += 1
            replaced.append((bits[event - first] & inside, count))
    dense = law.dense
    counts = []
    for _ in range(0, rows, 128):
        bits = lanes.bytes()
        counts += [dense[byte & 15] for byte in bits]
        counts += [dense[byte >> 4] for byte in bits]
    for position, count in replaced:
        if position < rows:
            counts[position] = count
    return counts[:rows], ties


def block_counts(rows, draws, seed, replicate, number):
    """The counts of super-block `number`; also void attempts and ties."""
    if draws == 0:
        return [0] * rows, 0, 0
    mean = count_mean(rows, draws)
    attempt = 0
    while True:
        lanes = Lanes(seed, replicate, COUNTS, attempt, number)
        found = []
        ties = 0
        for row in range(0, rows, TILE):
            size = min(TILE, rows - row)
            at = (number * (SUPER_BLOCK // TILE) + row // TILE) << 16

            def tie(event, at=at, attempt=attempt):
                w = block(seed, replicate, TIE, attempt, at | event)
                return w[1] << 32 | w[0]

            if mean == 0 or attempt == LAST_ATTEMPT:
                found += [0] * size
                continue
            law = Law.of(mean, 1 << (size - 1).bit_length())
            counts, more = tile_counts(lanes, law, size, tie)
            found += counts
            ties += more
        missing = draws - sum(found)
        if missing >= 0:
            break
        attempt += 1
    reject = 2**32 % rows
    while missing > 0:
        for bits in lanes.draws():  # the same lanes go on
            if missing > 0 and bits * rows & M32 >= reject:
                found[bits * rows >> 32] += 1
                missing -= 1
    return found, attempt, ties


def split(rows, draws, seed, replicate, size):
    """How many draws fall into each super-block of `size` rows."""
    found = []

    def divide(first, last, draws):
        if last - first == 1:
            found.append(draws)
            return
        middle = first + (last - first) // 2
        begin, cut, end = (min(rows, b * size) for b in (first, middle, last))
        source = stream(seed, replicate, SPLIT, 0, middle << 16)
        left = binomial(source, draws, float(cut - begin) / float(end - begin))
        divide(first, middle, left)
        divide(middle, last, draws - left)

    divide(0, -(-rows // size), draws)
    return found


def counts(rows, seed, replicate, size=SUPER_BLOCK):
    """Counts of path stream; also how many attempts were void and ties there were."""
    found = []
    attempts = ties = 0
    for number, draws in enumerate(split(rows, rows, seed, replicate, size)):
        own = min(size, rows - number * size)
        block_found, attempt, block_ties = block_counts(own, draws, seed, replicate, number)
        found += block_found
        attempts += attempt
        ties += block_ties
    return found, attempts, ties


# Counts under unequal probabilities.


def two_sum(numbers):
    """A sum in two doubles."""
    total = lost = 0.0
    for x in numbers:
        after = total + x
        back = after - total
        lost += (total - (after - back)) + (x - back)
        total = after
    return total + lost


def alias_table(weights):
    """Vose's construction: (threshold, other) of each cell."""
    total = 0.0
    for w in weights:
        total += w
    held = [w / total * float(len(weights)) for w in weights]
    cells = [(M64, i) for i in range(len(weights))]
    small = [i for i, h in enumerate(held) if h < 1]
    large = [i for i, h in enumerate(held) if h >= 1]
    while small and large:
        low, high = small.pop(), large[-1]
        cells[low] = (int(held[low] * 2.0**64), high)
        held[high] -= 1 - held[low]
        if held[high] < 1:
            large.pop()
            small.append(high)
    for i in small:
        if weights[i] == 0:
            cells[i] = (0, next(k for k, w in enumerate(weights) if w > 0))
    return cells


def alias_draw(cells, word):
    product = word * len(cells)
    threshold, other = cells[product >> 64]
    return product >> 64 if product & M64 < threshold else other


def seven_bits(mean):
    fraction, exponent = frexp(mean)
    return floor(fraction * 128) * 2.0 ** (exponent - 7)


class Places:
    """Rows sorted by weight, in super-blocks of `size` places."""

    def __init__(self, weights, draws, size, least_draws, least_mean):
        total = two_sum(weights)
        self.draws = draws
        places = []
        for row, weight in enumerate(weights):
            mean = weight / total * float(draws)
            copies = ceil(mean / 2) if mean > 2 else int(weight > 0)
            if copies > 1:
                mean /= copies
            key = struct.unpack("<Q", struct.pack("<d", mean))[0] >> 32
            places += [(-key, row, mean)] * copies
        places.sort(key=lambda place: place[:2])
        self.rows = [row for _, row, _ in places]
        means = [mean for _, _, mean in places]
        self.blocks = [
            self.block(means[first : first + size], least_draws, least_mean)
            for first in range(0, len(places), size)
        ]
        self.share = {}
        self.add_shares(0, len(self.blocks))

    def block(self, means, least_draws, least_mean):
        total = two_sum(means)
        counting = total >= least_draws
        below = max(0.5, 1 - 4 / sqrt(total)) if counting else 0.0
        tiles = []
        for first in range(0, len(means), TILE):
            own = means[first : first + TILE]
            law = seven_bits(below * min(own))
            counting = counting and law >= least_mean
            rate = law / below if counting else 0.0
            tiles.append((len(own), law if counting else None, rate, max(0.0, max(own) - rate)))
        counted = two_sum(size * rate for size, _, rate, _ in tiles)
        rates = [tile[2] for tile in tiles for _ in range(tile[0])]
        left = two_sum(max(0.0, mean - rate) for mean, rate in zip(means, rates))
        return {
            "means": means,
            "expected": total,
            "tiles": tiles,
            "share": counted / (counted + left),
            "rate_tile": alias_table([t[0] * t[2] for t in tiles]) if counted > 0 else None,
            "left_tile": alias_table([t[0] * t[3] for t in tiles]) if left > 0 else None,
        }

    def add_shares(self, first, last):
        if last - first < 2:
            return self.blocks[first]["expected"]
        middle = first + (last - first) // 2
        left = self.add_shares(first, middle)
        right = self.add_shares(middle, last)
        self.share[middle] = left / (left + right)
        return left + right

    def split(self, seed, replicate, first, last, draws):
        if last - first == 1:
            return [draws]
        middle = first + (last - first) // 2
        source = stream(seed, replicate, SPLIT, 0, middle << 16)
        left = binomial(source, draws, self.share[middle])
        return self.split(seed, replicate, first, middle, left) + self.split(
            seed, replicate, middle, last, draws - left
        )

    def counts(self, seed, replicate):
        """The count of each place; also void attempts and places drawn one by one."""
        found = []
        voids = late = 0
        every = self.split(seed, replicate, 0, len(self.blocks), self.draws)
        for number, (own, draws) in enumerate(zip(self.blocks, every)):
            counts, attempt, singly = weighted_block(own, draws, seed, replicate, number)
            found += counts
            voids += attempt
            late += singly
        return found, voids, late


def weighted_block(own, draws, seed, replicate, number):
    counted = 0
    if own["tiles"][0][1] is not None:
        source = stream(seed, replicate, WEIGHTED, 2, number << 16)
        counted = binomial(source, draws, own["share"])
    attempt = 0
    while True:
        lanes = Lanes(seed, replicate, COUNTS, attempt, number)
        found = []
        for tile, (size, law, _, _) in enumerate(own["tiles"]):
            if law is None or counted == 0 or attempt == LAST_ATTEMPT:
                found += [0] * size
                continue
            at = (number * (SUPER_BLOCK // TILE) + tile) << 16

            def tie(event, at=at, attempt=attempt):
                w = block(seed, replicate, TIE, attempt, at | event)
                return w[1] << 32 | w[0]

            found += tile_counts(lanes, Law.of(law, 1 << (size - 1).bit_length()), size, tie)[0]
        missing = counted - sum(found)
        if missing >= 0:
            break
        attempt += 1
    lanes = Lanes(seed, replicate, WEIGHTED, 1, number)
    words = (word for _ in count() for word in lanes.words())
    late = missing + draws - counted
    for _ in range(missing):
        tile = alias_draw(own["rate_tile"], next(words))
        found[tile * TILE + (next(words) * own["tiles"][tile][0] >> 64)] += 1
    rest = draws - counted
    while rest > 0:
        tile = alias_draw(own["left_tile"], next(words))
        size, _, rate, most = own["tiles"][tile]
        product = next(words) * size
        place = tile * TILE + (product >> 64)
        if own["means"][place] > rate + ((product & M64) >> 11) * 2.0**-53 * most:
            found[place] += 1
            rest -= 1
    return found, attempt, late


def redraw(seed, replicate, purpose, attempt, position, rows):
    """The row that replaces a rejected 32-bit draw."""
    reject = 2**32 % rows
    call = position << 16
    while True:
        for bits in block(seed, replicate, purpose, attempt, call):
            if bits * rows & M32 >= reject:
                return bits * rows >> 32
        call += 1


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


def single(x):
    """Rounded to an IEEE float of 32 bits: what one operation on such numbers gives."""
    return struct.unpack("<f", struct.pack("<f", x))[0]


# 2^23 (log2(1 + x) - x) / (x (1 - x)) as a polynomial.
LOG_REST = [3713550.0, -2335969.75, 1678962.125, -1231879.875, 790954.125, -354712.59375]
LOG_REST += [76641.828125]


def weight(bits):
    """2^20 times -log2((k + 1/2) / 2^30), k the first 30 bits, as an odd integer."""
    odd = single(float(bits >> 1 | 1))
    mantissa, exponent = frexp(odd)
    x = 2 * mantissa - 1
    rest = LOG_REST[6]
    for coefficient in LOG_REST[5::-1]:
        rest = single(single(rest * x) + coefficient)
    rest = round(single(single(x * (1 - x)) * rest))  # half to even
    return (31 - exponent + 1) * 2**23 - int(x * 2**23) - rest >> 3 | 1


def bayesian_weights(rows, seed, replicate):
    found = []
    for first in range(0, rows, 65536):
        lanes = Lanes(seed, replicate, DIRICHLET, 0, first // 65536)
        while len(found) < min(rows, first + 65536):
            found += map(weight, lanes.draws())
    return found[:rows]


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
    cases += [(100, 7, 9273, SUPER_BLOCK)] + [(1000, 7, r, SUPER_BLOCK) for r in (2094, 5905)]
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

    def reals(kind, names, draw):
        source = stream(7, 41, USER, 0)
        found = [float(draw(source)).hex() for _ in range(20)]
        return line(kind, {"seed": 7, "replicate": 41, **names}, found)

    yield reals("normal", {}, normal)
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
