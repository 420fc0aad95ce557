"""Conformal scores of held-out rows, from which intervals and sets are made.

Scores of held-out rows tell how far the truth is from the prediction. The interval or set of a new
row has every value whose score is at most the ceil(confidence (n + 1))-th smallest of n scores. If
held-out rows and new rows are exchangeable, it has the truth with probability at least
`confidence`, whatever the networks do (Vovk, Gammerman and Shafer 2005).
"""

from __future__ import annotations

from bootfold import _core


def check_confidence(confidence: float) -> float:
    found = float(confidence)
    if not 0 < found < 1:
        raise ValueError(f"confidence is {confidence!r} but must be above 0 and below 1")
    return found


def _all_rows(core: _core.Ensemble) -> str:
    return "subsample 1" if core.resampling == "subsample" else f"resampling {core.resampling!r}"


def no_scores(core: _core.Ensemble) -> str:
    """Why an ensemble has no conformal scores, and what to do."""
    if core.leaves_rows_out:
        why = (
            "there are no out-of-bag scores: subset drops them, sample weights that repeat rows "
            "make them too small, and files of earlier versions do not have them"
        )
        remedy = ""
    else:
        why = (
            f"with {_all_rows(core)} members are trained on all rows, "
            "so nothing tells how far they are off"
        )
        remedy = ", or train with resampling 'bootstrap' or 'subsample'"
    return (
        f"{why}; give rows that were not used for training as calibration=(X, y), or as "
        f"validation=(X, y) to fit{remedy}"
    )


def held_out_scores(
    core: _core.Ensemble, rows: _core.ExampleRows | None, threads: int
) -> _core.ConformalScores:
    """The scores of these rows, or those that the ensemble keeps."""
    if rows is not None:
        return _core.conformal_scores(core, rows, threads)
    if core.conformal.rows == "none":
        raise ValueError(no_scores(core))
    return core.conformal
