"""R's boot package, through boot.R: all cases in one process."""

from __future__ import annotations

import csv
import math
import subprocess
from pathlib import Path

import cases
import numpy as np
from comparer import Findings

CONVENTION = "r"
STRICT = True


def methods_of(case: cases.Case) -> list[str]:
    # bootfold compare has the convention numpy alone, whose z0 counts ties half.
    return [m for m in case.methods if m != "bca" or case.command == "bootstrap"]


class Process:
    """Started at once, so that R works while the others do; its findings when it is done."""

    def __init__(self, chosen: list[cases.Case], folder: Path, seed: int) -> None:
        self._chosen = chosen
        self._folder = folder
        with open(folder / "cases.csv", "w", newline="") as file:
            out = csv.writer(file)
            names = (
                "data",
                "columns",
                "statistic",
                "scheme",
                "number",
                "replicates",
                "seed",
                "methods",
            )
            out.writerow(names)
            for case in chosen:
                columns = case.peer_columns or case.columns
                if case.scheme == "two samples":
                    columns = ("x", "stratum")
                out.writerow(
                    [
                        case.peer_data or case.data,
                        " ".join(columns),
                        case.measured,
                        case.scheme,
                        case.number,
                        case.replicates,
                        seed + 1 + cases.CASES.index(case),
                        " ".join(methods_of(case)),
                    ]
                )
        script = Path(__file__).with_name("boot.R")
        self._process = subprocess.Popen(
            ["Rscript", "--vanilla", str(script), str(folder)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def finish(self) -> tuple[str, dict[str, Findings]]:
        """The version of R and boot, and findings by the name of the case."""
        out, err = self._process.communicate()
        if self._process.returncode != 0:
            raise RuntimeError(f"boot.R failed: {err.strip()}")
        said: dict[int, dict[str, tuple[float, float]]] = {}
        lines = (self._folder / "limits.csv").read_text().splitlines()
        for number, what, low, high in csv.reader(lines):
            said.setdefault(int(number), {})[what] = (float(low), float(high))
        found = {}
        for number, case in enumerate(self._chosen, 1):
            words = said[number]
            pivots = self._folder / f"{number}.pivots"
            found[case.name] = Findings(
                estimate=words["estimate"][0],
                standard_error=words["standard error"][0],
                replicates=np.fromfile(self._folder / f"{number}.replicates"),
                limits={m: words[m] for m in methods_of(case)},
                pivots=np.fromfile(pivots) if pivots.exists() else None,
                error=words.get("error", (math.nan,))[0],
            )
        return out.strip(), found
