"""The streams of version 2 and the laws of what is drawn from them, one number at a time.

Written again from docs/random-streams.md, for make_vectors.py: Philox4x32-10, sfc64, elementary
functions by single operations, binomial, beta, normal and exponential draws, and the laws of counts
in decimal arithmetic. Python's floats are IEEE doubles, so that all agree to the bit.
"""

import struct
from decimal import ROUND_FLOOR, Decimal, getcontext
from math import floor, sqrt

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
MARGIN = 2.0
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


TAIL = float.fromhex("0x1.d3bb48209ad33p+1")
AREA = float.fromhex("0x1.43016a5a43732p-8")


def ziggurat():
    """Edges of the 256 layers of the normal curve, and its heights there."""
    height = exp(-0.5 * TAIL * TAIL)
    edges, heights = [AREA / height, TAIL], [0.0, height]
    while len(edges) < 256:
        heights.append(heights[-1] + AREA / edges[-1])
        edges.append(sqrt(-2 * log(heights[-1])))
    return [*edges, 0.0], [*heights, 1.0]


EDGES, HEIGHTS = ziggurat()


def normal(source):
    while True:
        word = next(source)
        layer = word & 255
        x = ((word >> 12) * 2.0**-52 + 2.0**-53) * EDGES[layer]
        sign = -1.0 if word & 256 else 1.0
        if x < EDGES[layer + 1]:
            return sign * x
        if layer == 0:
            while True:
                above = exponential(source) / TAIL
                if 2 * exponential(source) > above * above:
                    return sign * (TAIL + above)
        low, high = HEIGHTS[layer], HEIGHTS[layer + 1]
        if low + uniform(source) * (high - low) < exp(-0.5 * x * x):
            return sign * x


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
