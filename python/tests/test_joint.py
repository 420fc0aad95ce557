"""Statistics of different kinds in one call: each by its own path, or all on the same resamples."""

from __future__ import annotations

import numpy as np

import bootfold as bf

ROWS = 4000
TABLE = {
    "a": np.random.default_rng(1).normal(size=ROWS),
    "b": np.random.default_rng(2).exponential(size=ROWS),
}
BOTH = ["median(a)", "mean(b)"]


def replicates(statistic: str | list[str], **options: object) -> np.ndarray:
    result = bf.bootstrap(TABLE, statistic, replicates=200, seed=5, **options)
    return np.asarray(result.replicates)


def test_each_kind_has_the_replicates_that_it_has_alone() -> None:
    both = replicates(BOTH)
    for column, statistic in enumerate(BOTH):
        np.testing.assert_array_equal(both[:, column], replicates(statistic))


def test_joint_statistics_have_the_resamples_of_a_formula() -> None:
    joint = replicates(BOTH, joint=True)
    np.testing.assert_array_equal(joint[:, 0] / joint[:, 1], replicates("median(a) / mean(b)"))
    assert (joint[:, 0] != replicates(BOTH)[:, 0]).any()


def test_plan_lists_the_runs() -> None:
    plan = bf.explain(TABLE, BOTH, replicates=200)
    assert [run.path for run in plan.runs] == ["order", "stream"]
    assert [run.outputs for run in plan.runs] == [["median(a)"], ["mean(b)"]]
    assert plan.paths == "order and stream"
    assert "order and stream" in repr(plan)
    assert not bf.explain(TABLE, BOTH, replicates=200, joint=True).runs
    assert "path order and stream" in str(bf.bootstrap(TABLE, BOTH, replicates=200))
