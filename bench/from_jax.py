"""The recipes of docs/from-jax.md, timed: JAX beside bootfold's Python package.

    make bench-jax                          builds what is missing; prints a Markdown table
    make bench-jax BENCH_ARGS=--write       puts it into docs/from-jax.md too
    make bench-jax BENCH_ARGS="--rows 1000 --replicates 100 --members 4"     quickly

The code that runs is that of the page. Each recipe runs in a process of its own, once to compile
and then as often as --seconds allow; the median counts. The two take turns, so that whatever else
the machine does meets both.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "docs" / "from-jax.md"
PLACE = re.compile(r"(<!-- begin: bench/from_jax.py --write -->\n).*?(<!-- end -->)", re.DOTALL)
RECIPES = ("bootstrap", "counts", "ensemble", "devices")


def blocks(page: str) -> dict[str, str]:
    """The code of the page, by the function that it defines: "jax_bootstrap", ..."""
    found = {}
    for code in re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL):
        name = re.findall(r"^def ((?:jax|our)_\w+)\(", code, flags=re.MULTILINE)[-1]
        found[name] = code
    return found


def function(name: str):
    """One of them, ready to be called."""
    space: dict = {"__name__": name}
    exec(compile(blocks(PAGE.read_text())[name], f"{PAGE.name}: {name}", "exec"), space)
    return space[name]


def make_data(recipe: str, arguments: argparse.Namespace) -> tuple:
    import numpy as np

    source = np.random.default_rng(7)
    if recipe != "ensemble":
        replicates = arguments.replicates
        if recipe == "devices":  # of which each device has as many
            replicates -= replicates % cores()
        x = source.gamma(2.0, size=arguments.rows).astype(np.float32)
        if recipe == "counts":
            return x, (x + source.normal(size=len(x))).astype(np.float32), replicates
        return x, replicates
    turn = np.sqrt(source.random(100))
    y = source.integers(0, 2, 100)
    angle = 2 * np.pi * turn + np.pi * y
    x = np.stack([turn * np.cos(angle), turn * np.sin(angle)], axis=1)
    x += source.normal(scale=0.05, size=x.shape)
    return x.astype(np.float32), y.astype(np.int32), arguments.members, arguments.steps


def cores() -> int:
    return len(os.sched_getaffinity(0))


def measure(recipe: str, arguments: argparse.Namespace) -> dict:
    """Seconds of both."""
    given = make_data(recipe, arguments)
    functions = {who: function(f"{who}_{recipe}") for who in ("jax", "our")}

    def seconds(who: str) -> float:
        begin = time.perf_counter()
        found = functions[who](*given)
        if hasattr(found, "block_until_ready"):
            found.block_until_ready()
        return time.perf_counter() - begin

    first = {who: seconds(who) for who in functions}
    times: dict[str, list[float]] = {who: [] for who in functions}
    spent = time.perf_counter()
    while len(times["our"]) < 3 or time.perf_counter() - spent < arguments.seconds:
        for who in functions:
            times[who].append(seconds(who))
    import jax

    import bootfold

    return {
        "recipe": recipe,
        "first": first,
        "median": {who: statistics.median(values) for who, values in times.items()},
        "runs": len(times["our"]),
        "versions": f"JAX {jax.__version__}, bootfold {bootfold.__version__}",
    }


def say(seconds: float) -> str:
    return f"{seconds * 1e3:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"


def processor() -> str:
    found = re.search(r"^model name\s*:\s*(.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return found[1] if found else "unknown processor"


def table(found: list[dict], arguments: argparse.Namespace) -> str:
    size = f"{arguments.rows:,} rows, {arguments.replicates:,} replicates"
    works = {
        "bootstrap": f"mean, {size}: lax.map",
        "counts": f"slope, {size}: lax.map, and JAX on counts",
        "ensemble": f"{arguments.members:,} networks 2-32-2, {arguments.steps} steps: vmap",
        "devices": f"mean, {size}: pmap over {cores()} devices",
    }
    lines = ["| recipe | JAX | compiling | bootfold | ratio |", "| --- | --- | --- | --- | --- |"]
    for one in found:
        median = one["median"]
        compiling = max(0.0, one["first"]["jax"] - median["jax"])
        ratio = median["jax"] / median["our"]
        lines.append(
            f"| {works[one['recipe']]} | {say(median['jax'])} | {say(compiling)} "
            f"| {say(median['our'])} | {ratio:.3g} x |"
        )
    runs = ", ".join(str(one["runs"]) for one in found)
    facts = f"> {processor()}, {cores()} threads; {found[0]['versions']}; medians of {runs} runs."
    return "\n".join([*lines, "", facts]) + "\n"


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--replicates", type=int, default=1000)
    parser.add_argument("--members", type=int, default=100)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=10.0, help="for each recipe (default 10)")
    parser.add_argument("--write", action="store_true", help="into docs/from-jax.md")
    parser.add_argument("--only", choices=RECIPES, help="measure one and print it as JSON")
    return parser.parse_args()


def main() -> None:
    arguments = parse()
    if arguments.only:
        print(json.dumps(measure(arguments.only, arguments)))
        return
    found = []
    for recipe in RECIPES:
        environment = dict(os.environ)
        if recipe == "devices":
            environment["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={cores()}"
        given = [v for v in sys.argv[1:] if v != "--write"]
        run = subprocess.run(
            [sys.executable, __file__, *given, "--only", recipe],
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        found.append(json.loads(run.stdout.splitlines()[-1]))
    text = table(found, arguments)
    print(text, end="")
    if arguments.write:
        page = PAGE.read_text()
        PAGE.write_text(PLACE.sub(lambda match: match[1] + text + match[2], page))


if __name__ == "__main__":
    main()
