"""Resamples of version 2, from their streams and laws: counts, row numbers, blocks and weights."""

import bisect
import struct
from bisect import bisect_right
from itertools import count
from math import ceil, floor, frexp, sqrt

from stream_laws import (
    BLOCK,
    BLOCK_LENGTH,
    BLOCK_RETRY,
    COUNTS,
    DIRICHLET,
    INDEX,
    INDEX_RETRY,
    LAST_ATTEMPT,
    M32,
    M64,
    SHORT_INDEX,
    SHORT_ROWS,
    SPLIT,
    SUPER_BLOCK,
    TIE,
    TILE,
    USER,
    WEIGHTED,
    Lanes,
    Law,
    binomial,
    block,
    count_mean,
    stream,
)


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
