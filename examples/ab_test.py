"""An A/B test: three variants against a control, with lifts, p-values and a picture.

    python examples/ab_test.py

Revenue per visit is mostly zero and has a long tail: no formula, and a t-test only nearly. Writes
ab_test.png.
"""

import altair as alt
import numpy as np
import pandas as pd

import bootfold as bf

rng = np.random.default_rng(7)
rates = {"A": 0.050, "B": 0.050, "C": 0.056, "D": 0.064}  # B changes nothing
visits = 20_000
table = pd.concat(
    pd.DataFrame(
        {
            "variant": name,
            "revenue": (rng.random(visits) < rate) * rng.lognormal(3.0, 1.0, size=visits),
        }
    )
    for name, rate in rates.items()
)

# %% Every variant against A: the lift, and what is left of it with three chances to be wrong.
found = bf.compare(
    table,
    value="revenue",
    by="variant",
    control="A",
    difference="relative",
    correction="holm",
    replicates=100_000,
    seed=7,
)
shown = found[["group", "estimate", "difference", "low", "high", "p_value", "adjusted_p_value"]]
print(shown.to_string(index=False, float_format=lambda value: f"{value:.4f}"))

# %% A group's own numbers are those of a plain bootstrap, of any statistic.
control = table.loc[table["variant"] == "A", "revenue"]
print()
print(bf.bootstrap(control, ["mean", "quantile:0.99", "max"], seed=7))

# %% The picture that people want to see.
base = alt.Chart(found).encode(y=alt.Y("group:N", title="variant"))
limits = base.mark_rule(strokeWidth=3).encode(
    x=alt.X("low:Q", title="lift over A, 95 %", axis=alt.Axis(format="%")), x2="high:Q"
)
points = base.mark_point(filled=True, size=90).encode(x="difference:Q")
zero = alt.Chart(pd.DataFrame({"x": [0.0]})).mark_rule(strokeDash=[4, 3]).encode(x="x:Q")
chart = (zero + limits + points).properties(width=420, height=140)
chart.save("ab_test.png", scale_factor=2)
print("\nab_test.png")

# B is as good as A, and D is better by 28 %: what was put in comes out.
b, _, d = found.itertuples()
assert b.low < 0.0 < b.high and b.adjusted_p_value > 0.05
assert d.low < 0.28 < d.high and d.adjusted_p_value < 0.05
