"""Settings drawn from ranges, and the selection of members."""

from __future__ import annotations

import numpy as np
import pytest

import bootfold as bf

RANDOM = np.random.default_rng(5)
X = RANDOM.normal(size=(150, 3))
Y = (X[:, 0] + 0.5 * RANDOM.normal(size=150) > 0).astype(int)


def classifier(**options):
    return bf.EnsembleClassifier(**{"members": 3, "hidden": (4,), "epochs": 8, **options})


def test_settings_are_drawn_from_ranges():
    ranges = {"learning_rate": "1e-4..3e-2", "hidden": "4..16", "optimizer": ["adam", "adamw"]}
    model = classifier().sweep(X, Y, sample=10, **ranges)
    table = model.sweep_
    assert len(table["loss"]) == 10 and set(table["members"]) == {8}
    rates = table["learning_rate"].astype(float)
    assert ((rates >= 1e-4) & (rates <= 3e-2)).all() and len(set(rates)) == 10
    assert set(table["optimizer"]) == {"adam", "adamw"}
    assert {units for hidden in table["hidden"] for units in hidden} <= {4, 6, 8, 12, 16}
    assert {len(hidden) for hidden in table["hidden"]} == {1, 2, 3}
    assert sorted(model.best_params_) == [
        *("dropout", "hidden", "learning_rate", "optimizer", "weight_decay")
    ]
    again = classifier(**model.best_params_).fit(X, Y)  # they are parameters of the estimator
    assert again.hidden == model.best_params_["hidden"]

    more = classifier().sweep(X, Y, sample=12, **ranges, select="all", members=1)
    np.testing.assert_array_equal(more.sweep_["learning_rate"][:10], table["learning_rate"])
    assert len(more.members_) == 12 and not hasattr(more, "selection_")


def test_selected_members_are_those_of_the_definition():
    model = classifier().sweep(X, Y, sample=6, hidden=[(4,), (6,)], select="greedy")
    chosen = model.selection_
    assert chosen.rule == "greedy"
    assert len(chosen.members) == len(model.members_)
    kept = np.bincount([settings for settings, _ in chosen.members], minlength=6)
    np.testing.assert_array_equal(model.sweep_["kept"], kept)
    # Rounds have one member of each number.
    numbers = [number for _, number in chosen.members]
    assert numbers == [*range(8)] * (len(numbers) // 8)
    assert chosen.same_rows.loss < chosen.other_rows.loss
    assert chosen.other_rows.standard_error > 0 and chosen.other_rows.rows <= 150

    # The loss on the rows that selected, from the out-of-bag probabilities of the kept members.
    probabilities = model.oob_decision_function_
    known = ~np.isnan(probabilities[:, 0])
    loss = -np.log(probabilities[known, Y[known]]).mean()
    assert chosen.same_rows.rows == known.sum()
    assert chosen.same_rows.loss == pytest.approx(loss, rel=1e-5)


def test_the_same_on_any_threads():
    one, seven = (classifier(threads=t).sweep(X, Y, sample=5, hidden="4..8") for t in (1, 7))
    assert one.selection_ == seven.selection_
    np.testing.assert_array_equal(one.predict_proba(X), seven.predict_proba(X))


def test_validation_rows_select():
    model = bf.EnsembleRegressor(epochs=8, resampling="none").sweep(
        X[:100], X[:100, 0], sample=5, hidden="4..8", validation=(X[100:], X[100:, 0])
    )
    assert model.selection_.other_rows.rows == 50
    scale = X[:100, 0].std()
    error = (model.predict(X[100:]) - X[100:, 0]) / scale
    assert model.selection_.same_rows.loss == pytest.approx((error**2).mean(), rel=1e-3)


def test_lists_take_depths_and_greedy_selection():
    model = classifier().sweep(
        X, Y, sample=6, depth=[2], hidden=[6], learning_rate="1e-3..1e-2", members=2
    )
    assert set(model.sweep_["hidden"]) == {(6, 6)}
    swept = classifier().sweep(X, Y, learning_rate=[1e-5, 1e-2], select="greedy")
    assert list(swept.sweep_["kept"]) == [0, 3]
    assert swept.fit(X, Y) is swept and not hasattr(swept, "selection_")


def test_parameters_of_the_estimator_are_not_drawn():
    model = bf.EnsembleClassifier(learning_rate=0.02, hidden=(6, 6), epochs=2)
    table = model.sweep(X, Y, sample=5, members=1).sweep_
    assert "learning_rate" not in table and "hidden" not in table
    assert {"dropout", "weight_decay"} <= set(table)
    drawn = model.sweep(X, Y, sample=5, members=1, hidden="4..8").sweep_["hidden"]
    assert {len(hidden) for hidden in drawn} > {2}  # a range of units draws a depth


def test_the_difference_is_that_of_the_same_rows():
    chosen = classifier().sweep(X, Y, sample=6, hidden=[(4,)], members=2).selection_
    assert chosen.all_members.rows == chosen.other_rows.rows == chosen.difference.rows
    change = chosen.other_rows.loss - chosen.all_members.loss
    assert chosen.difference.loss == pytest.approx(change, abs=1e-9)
    assert chosen.difference.standard_error > 0


def test_mistakes():
    with pytest.raises(ValueError, match="batch_size is '8..4096' but members have 150 rows"):
        classifier().sweep(X, Y, sample=4, batch_size="8..4096")
    with pytest.raises(ValueError, match="sample=64"):
        classifier().sweep(X, Y, learning_rate="1e-4..1e-2")
    with pytest.raises(ValueError, match="low end"):
        classifier().sweep(X, Y, sample=3, learning_rate="1e-2..1e-4")
    with pytest.raises(ValueError, match="give a list"):
        classifier().sweep(X, Y, sample=3, optimizer="adam")
    with pytest.raises(ValueError, match="different settings"):
        classifier().sweep(
            X, Y, sample=3, hidden=[4], learning_rate=[0.1], dropout=[0], weight_decay=[0]
        )
    with pytest.raises(ValueError, match="keep_best=50"):
        classifier().sweep(X, Y, learning_rate=[0.1], select="best")
    with pytest.raises(ValueError, match="omit one"):
        classifier().sweep(X, Y, learning_rate=[0.1], select="all", keep_best=3)
    with pytest.raises(ValueError, match="'greedy', 'best' or 'all'"):
        classifier().sweep(X, Y, learning_rate=[0.1], select="gredy")
    with pytest.raises(ValueError, match="validation"):
        classifier(resampling="none").sweep(X, Y, sample=3)
