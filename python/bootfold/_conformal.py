"""Conformal scores of held-out rows, from which intervals and sets are made.

Scores of held-out rows tell how far the truth is from the prediction. The interval or set of a new
row has every value whose score is at most the ceil(confidence (n + 1))-th smallest of n scores. If
held-out rows and new rows are exchangeable, it has the truth with probability at least
`confidence`, whatever the networks do (Vovk, Gammerman and Shafer 2005).
"""

from __future__ import annotations

from math import isnan

from bootfold import _core


def check_confidence(confidence: float) -> float:
    found = float(confidence)
    if not 0 < found < 1:
        raise ValueError(f"confidence is {confidence!r} but must be above 0 and below 1")
    return found


def _all_rows(core: _core.Ensemble) -> str:
    return "subsample 1" if core.resampling == "subsample" else f"resampling {core.resampling!r}"


#: Why an estimator has no scores, and what else can be done than to give other rows.
_REASONS = {
    "subset": ("subset drops the scores of intervals and sets", ""),
    "copies": (
        "sample_weight repeats rows, and a copy is predicted by members that were trained on "
        "another copy, so out-of-bag scores would be too small",
        ", or as validation=(X, y) to fit",
    ),
    "moved": (
        "rows of an earlier call came again in another order or among other rows, so members were "
        "trained on rows that count as out of bag, and intervals and sets would be too small",
        ", or as validation=(X, y) to fit; or give the same rows in the same order in every call, "
        "which need not be shuffled because each member draws its own",
    ),
    "parameters": (
        "the parameters came from elsewhere (from_torch or from_jax), so it is not known on which "
        "rows they were trained",
        "",
    ),
    "file": (
        "the file has no out-of-bag scores: an earlier version wrote it, or an estimator without "
        "them (after subset, or with sample weights that repeat rows)",
        "",
    ),
}


def no_scores(core: _core.Ensemble, reason: str) -> str:
    """Why an ensemble has no conformal scores, and what to do. `reason`: what is known of it."""
    why, remedy = _REASONS.get(reason, ("there are no out-of-bag scores", ""))
    # Without losses parameters came from elsewhere, as those of a file do.
    if not core.leaves_rows_out and all(isnan(member.loss) for member in core.members):
        why, remedy = _REASONS["parameters"]
    elif not core.leaves_rows_out and reason in ("", "file"):
        why = (
            f"with {_all_rows(core)} members are trained on all rows, "
            "so nothing tells how far they are off"
        )
        remedy = (
            ", or as validation=(X, y) to fit, or train with resampling 'bootstrap' or 'subsample'"
        )
    return f"{why}; give rows that were not used for training as calibration=(X, y){remedy}"


def held_out_scores(
    core: _core.Ensemble, rows: _core.ExampleRows | None, threads: int, reason: str
) -> _core.ConformalScores:
    """The scores of these rows, or those that the ensemble keeps; `reason`: why it has none."""
    if rows is not None:
        return _core.conformal_scores(core, rows, threads)
    if core.conformal.rows == "none":
        raise ValueError(no_scores(core, reason))
    return core.conformal
