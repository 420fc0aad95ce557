"""What a hundred networks know, and where they know that they do not: two pictures.

    python examples/uncertainty.py [members]

Writes uncertainty_classes.png and uncertainty_curve.png. 100 members unless given.
"""

import sys

import altair as alt
import numpy as np
import pandas as pd
from sklearn.datasets import make_moons
from sklearn.model_selection import train_test_split

import bootfold as bf

members = int(sys.argv[1]) if len(sys.argv) > 1 else 100

# %% Two moons of points. Far from both nobody can know; between them the noise decides.
X, y = make_moons(400, noise=0.3, random_state=7)
names = np.where(y == 1, "lower", "upper")
X_train, X_test, y_train, y_test = train_test_split(X, names, random_state=7)
model = bf.EnsembleClassifier(members, hidden=(32, 32), learning_rate=1e-2, epochs=20)
model.fit(X_train, y_train)
print(f"{len(model.members_)} networks; accuracy out of bag {model.oob_score_:.3f}")

score = bf.bootstrap_score(model, X_test, y_test, "accuracy", seed=7)
low, high = score.interval("bca")
print(f"accuracy on {len(X_test)} new rows {score.estimate:.3f}, 95 % {low:.3f} to {high:.3f}")

# %% Total uncertainty = noise (aleatoric) + disagreement of the members (epistemic).
step = 0.1
grid = np.stack(np.meshgrid(np.arange(-3, 4, step), np.arange(-2.5, 3, step)), -1).reshape(-1, 2)
told = model.uncertainty(grid)
points = pd.DataFrame({"x": X[:, 0], "y": X[:, 1], "class": names})


def field(kind, title):
    table = pd.DataFrame({"x": grid[:, 0], "y": grid[:, 1], "nats": getattr(told, kind)})
    x_axis = alt.X("x:Q", title=None, scale=alt.Scale(domain=[-3, 4], nice=False))
    y_axis = alt.Y("y:Q", title=None, scale=alt.Scale(domain=[-2.5, 3], nice=False))
    cells = (
        alt.Chart(table.assign(x2=table["x"] + 1.2 * step, y2=table["y"] + 1.2 * step))
        .mark_rect(clip=True, strokeWidth=0)
        .encode(
            x=x_axis,
            x2="x2:Q",
            y=y_axis,
            y2="y2:Q",
            color=alt.Color("nats:Q", scale=alt.Scale(scheme="viridis", domain=[0, np.log(2)])),
        )
    )
    dots = (
        alt.Chart(points)
        .mark_point(filled=True, size=14, stroke="black", strokeWidth=0.3, opacity=0.9)
        .encode(
            x=x_axis,
            y=y_axis,
            shape=alt.Shape("class:N", title="class"),
            fill=alt.Fill("class:N", scale=alt.Scale(range=["#E69F00", "#FFFFFF"]), title="class"),
        )
    )
    return (cells + dots).properties(width=270, height=220, title=title)


chart = alt.hconcat(
    field("total", "total: how unsure it is"),
    field("aleatoric", "aleatoric: the classes overlap"),
    field("epistemic", "epistemic: members disagree"),
)
chart.save("uncertainty_classes.png", scale_factor=2)

# %% A curve with a gap in the data: members disagree where nothing was seen. The interval for new
# points is right for points like the old ones, and says nothing of others: it does not widen.
rng = np.random.default_rng(7)
x = np.concatenate([rng.uniform(-3, -1, 120), rng.uniform(1, 3, 120)])
z = np.sin(2 * x) + rng.normal(scale=0.2, size=x.size)
curve = bf.EnsembleRegressor(members, hidden=(32, 32), learning_rate=1e-2, epochs=100)
curve.fit(x[:, None], z)
line = np.linspace(-4, 4, 201)
mean, std = curve.predict(line[:, None], return_std=True)
total, aleatoric, epistemic = curve.uncertainty(line[:, None])
low, high = curve.predict_interval(line[:, None], confidence=0.9)
table = pd.DataFrame(
    {"x": line, "mean": mean, "low": low, "high": high, "truth": np.sin(2 * line)}
).assign(under=mean - 2 * epistemic, over=mean + 2 * epistemic)
base = alt.Chart(table).encode(x=alt.X("x:Q", title="x"))
level = alt.Scale(domain=[-2, 2], nice=False)
picture = (
    base.mark_area(opacity=0.3, color="#0072B2", clip=True).encode(
        y=alt.Y("under:Q", title="y", scale=level), y2="over:Q"
    )
    + base.mark_line(color="#0072B2", clip=True).encode(y="mean:Q")
    + base.mark_line(color="#D55E00", strokeWidth=1.2, clip=True).encode(y="low:Q")
    + base.mark_line(color="#D55E00", strokeWidth=1.2, clip=True).encode(y="high:Q")
    + base.mark_line(color="black", strokeDash=[4, 3], strokeWidth=1.5).encode(y="truth:Q")
    + alt.Chart(pd.DataFrame({"x": x, "z": z}))
    .mark_point(filled=True, size=12, color="black", opacity=0.5)
    .encode(x="x:Q", y="z:Q")
).properties(
    width=620,
    height=260,
    title=alt.TitleParams(
        "A curve with a gap in its data",
        subtitle=[
            "blue: mean over the members, -+ 2 of their standard deviations; dashed: the truth",
            "orange: 90 % for new points like the old ones (conformal)",
        ],
    ),
)
picture.save("uncertainty_curve.png", scale_factor=2)
print("\nuncertainty_classes.png\nuncertainty_curve.png")

# Members agree where there are data, and disagree in the gap and outside.
seen = (abs(line) > 1.2) & (abs(line) < 2.8)
assert np.median(epistemic[~seen]) > 2 * np.median(epistemic[seen])
assert abs(aleatoric[0] - 0.2) < 0.1
assert model.oob_score_ > 0.85 and low.shape == high.shape == std.shape
