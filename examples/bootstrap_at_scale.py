"""A bootstrap at scale: a million replicates, every kind of statistic, and what it costs.

    python examples/bootstrap_at_scale.py [rows]

Writes at_scale.png and at_scale.html beside it. With 5,000,000 rows it is what people do with whole
tables; 200,000 take seconds.
"""

import sys
import time
from functools import partial

import numpy as np

import bootfold as bf

rows = int(float(sys.argv[1])) if len(sys.argv) > 1 else 200_000
rng = np.random.default_rng(1)
size = rng.lognormal(3.0, 0.8, size=rows).astype(np.float32)  # float32 is read where it lies
price = 40.0 * size**0.6 * rng.lognormal(0.0, 0.3, size=rows)
sold = rng.random(rows) < 0.12


def timed(what, run):
    start = time.perf_counter()
    result = run()
    seconds = time.perf_counter() - start
    low, high = result.interval("bca")
    print(f"{what:38s} {result.estimate:10.4f}  {low:10.4f} to {high:10.4f}  {seconds:7.3f} s")
    return result


print(f"{rows:,} rows; estimate, 95 % BCa interval, time of the replicates\n")

# %% Shares and quantiles cost a draw or two a replicate, whatever the number of rows.
timed("share sold, 1,000,000 replicates", lambda: bf.bootstrap(sold, "mean", replicates=1_000_000))
median = timed(
    "median price, 1,000,000 replicates",
    lambda: bf.bootstrap(price, np.median, replicates=1_000_000, seed=7),
)
print(f"{'':38s} {median.plan.reason}")
timed(
    "90 % quantile, 1,000,000 replicates",
    lambda: bf.bootstrap(price, partial(np.quantile, q=0.9), replicates=1_000_000, seed=7),
)

# %% Means, and any function of means, stream over the rows.
timed("mean price, 2,000 replicates", lambda: bf.bootstrap(price, "mean", replicates=2000, seed=7))


def features(size, price):
    x, y = np.log(size), np.log(price)
    return x, y, x * x, x * y


def elasticity(means):
    x, y, xx, xy = means
    return (xy - x * y) / (xx - x * x)


slope = timed(
    "elasticity of price, 2,000 replicates",
    lambda: bf.bootstrap(
        (size, price),
        bf.sums(features, elasticity, name="elasticity"),
        paired=True,
        replicates=2000,
        seed=7,
    ),
)

# %% Any function at all sees resamples in batches.
timed(
    "spread of 10,000 rows, 2,000 replicates",
    lambda: bf.bootstrap(
        price[:10_000], lambda x, axis: np.std(np.log(x), axis=axis), replicates=2000, seed=7
    ),
)

# %% More replicates later, the same bits as one long run; intervals without the data.
longer = slope.extend(2000)
longer.save("at_scale.safetensors")
again = bf.load("at_scale.safetensors")
assert again.replicates.shape == (4000,) and again.interval("bca") == longer.interval("bca")

longer.plot("at_scale.png")
longer.plot("at_scale.html")
print("\nat_scale.png, at_scale.html\n")
print(longer)
