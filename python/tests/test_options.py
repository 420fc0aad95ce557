"""docs/options.md against what there is: headers, help pages and signatures."""

from __future__ import annotations

import inspect
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import bootfold as bf

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "options.md"
PROGRAM = os.environ.get("BOOTFOLD_PROGRAM", "bootfold")

COMMANDS = {
    "bootstrap": [["bootstrap"], ["explain"]],
    "compare": [["compare"]],
    "interval": [["interval"]],
    "extend": [["extend"]],
    "train": [["ensemble", "train"]],
    "predict": [["ensemble", "predict"]],
    "evaluate": [["ensemble", "evaluate"]],
    "look": [["look"]],
    "plan": [["plan"]],
    "part": [["part"]],
    "merge": [["merge"]],
}
STRUCTS = {
    "Options": "plan.h",
    "interval::Options": "interval.h",
    "comparison::Options": "compare.h",
    "exact::Options": "exact.h",
    "exact::IntervalOptions": "exact.h",
    "Precision": "precision.h",
    "Execution": "execution.h",
    "ReadOptions": "data.h",
    "EncodingOptions": "encoding.h",
    "Architecture": "network.h",
    "Settings": "training.h",
    "Stopping": "training.h",
    "Training": "training.h",
    "ConformalOptions": "conformal.h",
    "LookOptions": "shards.h",
    "PartOptions": "shards.h",
    **dict.fromkeys(
        [
            *("Iid", "Unequal", "Stratified", "Cluster", "Jackknife"),
            *("MovingBlocks", "CircularBlocks", "StationaryBlocks"),
        ],
        "scheme.h",
    ),
}


@dataclass
class Row:
    key: str
    places: list[str]
    cpp: list[str]
    cli: list[str]
    python: list[str]
    default: str
    meaning: str
    difference: str


def words(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def rows() -> list[Row]:
    found = []
    for line in PAGE.read_text().splitlines():
        if not line.startswith("| `"):
            continue
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        assert len(cells) == 8, line
        key, places, cpp, cli, python, default, meaning, difference = cells
        found.append(
            Row(
                words(key)[0],
                [place.strip() for place in places.split(",") if place.strip()],
                words(cpp),
                words(cli),
                words(python),
                default,
                meaning,
                difference,
            )
        )
    return found


ROWS = rows()


def plain(value: Any) -> str:
    """A default as all three write it: 10'000, 10_000 and 1e4 are one number, True is yes, and
    kAutomatic is auto."""
    text = str(value).strip().strip("'\"")
    text = {"True": "yes", "true": "yes", "False": "no", "false": "no", "None": "none"}.get(
        text, text
    )
    text = re.sub(r"^[(\[{]([^,]*),?[)\]}]$", r"\1", text)  # {32}, (32,)
    if re.fullmatch(r"(\w+::)+\w+", text):  # Alternative::two_sided
        text = text.rpartition("::")[2].replace("_", "-")
    if re.fullmatch(r"kAutomatic\w*|automatic", text):
        return "auto"
    try:
        return str(float(text.replace("'", "").replace("_", "")))
    except ValueError:
        return text


def help_of(command: list[str]) -> dict[str, str | None]:
    """The options of a help page, each with the default that its text ends with."""
    page = subprocess.run(
        [PROGRAM, *command, "--help"], check=True, capture_output=True, text=True
    ).stdout
    options: dict[str, str | None] = {}
    blocks = re.split(r"\n(?=  (?:-\w,)?--|\n|\S)", page)
    for block in blocks:
        match = re.match(r"\s*(?:-\w,)?(--[\w-]+(?:,\s*--[\w-]+)*)", block)
        if match is None:
            continue
        default = re.search(r"\[([^\]]*)\]\s*$", " ".join(block.split()))
        for name in re.findall(r"--[\w-]+", match[1]):
            if name != "--help":
                options[name] = default[1] if default else None
    return options


def fields_of(struct: str) -> dict[str, str]:
    """The fields of a struct in the public headers, each with its default."""
    (header,) = (ROOT / "include" / "bootfold").rglob(STRUCTS[struct])
    text = re.sub(r"//[^\n]*", "", header.read_text())
    name = struct.rpartition("::")[2]
    match = re.search(rf"\bstruct (?:BOOTFOLD_API )?{name} \{{(.*?)\n\}};", text, re.DOTALL)
    assert match is not None, f"{struct} is not in {header.name}"
    found = {}
    for statement in match[1].split(";"):
        if "operator" in statement or "static constexpr" in statement:
            continue
        field = re.search(r"(\w+)\s*(?:=\s*(.*))?$", statement.strip(), re.DOTALL)
        if field is not None:
            found[field[1]] = (field[2] or "").strip()
    return found


def keywords(function: Any, *positional: str) -> dict[str, Any]:
    """Parameters with their defaults, without those that hold data."""
    return {
        name: parameter.default
        for name, parameter in inspect.signature(function).parameters.items()
        if name not in ("self", *positional) and parameter.kind is not parameter.VAR_KEYWORD
    }


def python_options() -> dict[str, dict[str, Any]]:
    estimators = (bf.EnsembleClassifier, bf.EnsembleRegressor)
    train: dict[str, Any] = {}
    for estimator in estimators:
        train |= keywords(estimator) | keywords(estimator.sweep, "X", "y")
        train |= keywords(estimator.fit, "X", "y")
    return {
        "bootstrap": keywords(bf.bootstrap, "data"),
        "compare": keywords(bf.compare, "df"),
        "interval": keywords(bf.Result.interval),
        "train": train,
        "predict": keywords(bf.EnsembleRegressor.predict_interval, "X"),
        "evaluate": {},
        "extend": {},
        "look": keywords(bf.shards.look, "data"),
        "plan": keywords(bf.shards.plan, "look"),
        "part": keywords(bf.shards.Plan.part, "data"),
        "merge": keywords(bf.shards.Plan.finish, "part"),
    }


def test_names_follow_from_the_key_or_the_difference_is_explained() -> None:
    for row in ROWS:
        assert row.meaning.endswith("."), row.key
        usual = (
            row.cli == ["--" + row.key.replace("_", "-")]
            and row.python == [row.key]
            and row.cpp != []
            and all(field.rpartition("::")[2] == row.key for field in row.cpp)
        )
        assert usual or row.difference, f"{row.key} ({row.places}) needs an explanation"


@pytest.mark.parametrize("place", COMMANDS)
def test_command_line(place: str) -> None:
    told = {name: row for row in ROWS if place in row.places for name in row.cli}
    for command in COMMANDS[place]:
        found = help_of(command)
        assert set(found) == set(told), command
        for name, default in found.items():
            row = told[name]
            literal = words(row.default)
            if default is None or len(literal) != 1 or row.difference:
                continue
            assert plain(default) == plain(literal[0]), f"default of {name} of {command}"


@pytest.mark.parametrize("place", COMMANDS)
def test_python(place: str) -> None:
    told = {name: row for row in ROWS if place in row.places for name in row.python}
    found = python_options()[place]
    assert set(found) == set(told)
    for name, default in found.items():
        row = told[name]
        literal = words(row.default)
        if len(literal) == 1 and not row.difference and default is not None:
            assert plain(default) == plain(literal[0]), f"default of {name} of {place}"


def test_explain_takes_what_bootstrap_takes() -> None:
    bootstrap = keywords(bf.bootstrap)
    del bootstrap["progress"]
    assert keywords(bf.explain) == bootstrap


@pytest.mark.parametrize("struct", STRUCTS)
def test_cpp(struct: str) -> None:
    found = fields_of(struct)
    told = {}
    for row in ROWS:
        for name in row.cpp:
            if name.rpartition("::")[0] == struct:
                told[name.rpartition("::")[2]] = row
    assert set(found) == set(told)
    for field, default in found.items():
        row = told[field]
        literal = words(row.default)
        if len(literal) == 1 and not row.difference and default not in ("", "std::nullopt"):
            assert plain(default) == plain(literal[0]), f"default of {struct}::{field}"


def test_default_seeds_are_0() -> None:
    seeds = [row for row in ROWS if row.key == "seed"]
    assert len(seeds) == 3
    assert all(row.default == "`0`" for row in seeds)
    assert fields_of("Options")["seed"] == fields_of("Training")["seed"] == "0"
    assert help_of(["bootstrap"])["--seed"] == help_of(["ensemble", "train"])["--seed"] == "0"
    assert keywords(bf.bootstrap)["seed"] == keywords(bf.EnsembleClassifier)["random_state"] == 0


def test_the_library_speaks_no_command_line() -> None:
    """Messages of the library name options by key: no string in src/ holds two dashes."""
    for path in sorted((ROOT / "src").rglob("*")):
        if path.suffix not in (".h", ".cpp"):
            continue
        code = re.sub(r"//[^\n]*", "", path.read_text())
        for text in re.findall(r'"(?:[^"\\\n]|\\.)*"', code):
            assert "--" not in text, f"{path.relative_to(ROOT)}: {text}"
