"""The program under test: what it prints about a case."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import cases
from comparer import Ours


def run(
    program: str,
    case: cases.Case,
    folder: Path,
    *,
    convention: str,
    replicates: int,
    seed: int,
    confidence: float = 0.95,
) -> Ours:
    methods = case.methods
    common = [str(folder / f"{case.data}.csv"), "--statistic", case.statistic, "--json"]
    common += ["--column", ",".join(case.columns), "--replicates", str(replicates)]
    common += ["--seed", str(seed), "--confidence", str(confidence), *case.options]
    if case.command == "compare":  # one interval at a time
        said = [_call(program, ["compare", *common, "--interval", m]) for m in methods]
        found = said[0]["contrasts"][0]
        intervals = [s["contrasts"][0]["interval"] for s in said]
    else:
        chosen = ["--interval", ",".join(methods), "--convention", convention, "--strict"]
        found = _call(program, ["bootstrap", *common, *chosen])
        intervals = found.get("intervals", [found["interval"]])
    named = {i["method"]: i for i in intervals}
    bad = [m for m in methods if named[m]["status"] != "good"]
    if bad:
        raise RuntimeError(f"bootfold cannot make {', '.join(bad)} of {case.name}")
    # The peers leave the replicates of moving blocks where they are; bootfold moves them to the
    # estimate, and with them every limit. Basic and normal limits are mirrored, yet move alike.
    moved = found.get("centre", found["estimate"]) - found["estimate"]
    back = {m: moved if m == "percentile" else -moved for m in methods}
    return Ours(
        estimate=found["estimate"],
        standard_error=found["standard_error"],
        standard_error_error=found["standard_error_error"],
        replicates=replicates,
        limits={m: (named[m]["low"] + back[m], named[m]["high"] + back[m]) for m in methods},
        errors={m: (named[m]["low_error"], named[m]["high_error"]) for m in methods},
    )


def _call(program: str, arguments: list[str]) -> dict:
    done = subprocess.run([program, *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"bootfold {' '.join(arguments)}: {done.stderr.strip()}")
    return json.loads(done.stdout)
