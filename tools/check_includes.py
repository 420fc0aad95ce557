#!/usr/bin/env python3
"""Checks that every #include respects the order of the modules.

    tools/check_includes.py

src/CMakeLists.txt lists the modules in the order in which data flows. The rules:

- A file in src/<module> includes only headers of its own module and of earlier modules. Public
  headers count too: bootfold/<module>.h, the headers in bootfold/<module>/, and every public header
  that includes one of them belong to that module.
- Public headers include only other public headers and the standard library.
- cli/ and python/ include only public headers, their own headers and text/.
- No file includes a source file, and every header that is included in quotes exists.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)


CMAKE = (ROOT / "src/CMakeLists.txt").read_text()
GENERATED = set(re.findall(r"\$\{CMAKE_CURRENT_BINARY_DIR\}/include/(bootfold/[\w/]+\.h)", CMAKE))


def modules() -> list[str]:
    """Returns the modules of the library, in the order in which data flows."""
    found = re.search(r"set\(bootfold_modules\s+([^)]*)\)", CMAKE)
    if not found:
        sys.exit("check_includes: src/CMakeLists.txt does not set bootfold_modules")
    return found[1].split()


MODULES = modules()
RANK = {module: rank for rank, module in enumerate(MODULES)}


def includes(file: Path) -> Iterator[tuple[int, str, bool]]:
    """Yields the line number, the name and whether it is in quotes, for every #include."""
    text = file.read_text()
    for found in INCLUDE.finditer(text):
        line = text.count("\n", 0, found.start(1) if found[1] else found.start(2)) + 1
        yield line, found[1] or found[2], bool(found[1])


def public(name: str) -> bool:
    """Tells whether `name` is a public header: one in include/, or one that CMake makes."""
    return name.startswith("bootfold/") and (
        (ROOT / "include" / name).is_file() or name in GENERATED
    )


@cache
def public_rank(name: str) -> int:
    """Returns the rank of the latest module that the public header `name` needs, -1 if none."""
    if name == "bootfold/bootfold.h":
        return len(MODULES)
    part = Path(name).parts[1]
    rank = RANK.get(part.removesuffix(".h"), -1)
    file = ROOT / "include" / name
    if file.is_file():
        rank = max([rank, *(public_rank(n) for _, n, _ in includes(file) if public(n))])
    return rank


def problem(file: Path, name: str, quoted: bool) -> str:
    """Says which rule `#include name` in `file` breaks, or returns an empty text."""
    place = file.relative_to(ROOT).parts
    is_public = public(name)
    if name.endswith((".cpp", ".cc", ".c")):
        return "is a source file"
    if place[0] == "include":
        # Standard headers have neither a folder nor an ending.
        return "" if is_public or re.fullmatch(r"\w+", name) else "is not a public header"
    if not quoted and not name.startswith("bootfold/"):
        return ""
    if place[0] == "src":
        if is_public:
            if public_rank(name) > RANK[place[1]]:
                return f"needs a module that comes after {place[1]}"
            return ""
        if (file.parent / name).is_file():
            return ""
        if not (ROOT / "src" / name).is_file():
            return "does not exist"
        if RANK.get(Path(name).parts[0], len(MODULES)) > RANK[place[1]]:
            return f"belongs to a module that comes after {place[1]}"
        return ""
    if is_public or (file.parent / name).is_file():
        return ""
    if place[0] in ("cli", "python"):
        if (ROOT / "cli" / name).is_file() and place[0] == "cli":
            return ""
        if (ROOT / "src" / name).is_file():
            return "" if name.startswith("text/") else "is a private header of the library"
        return "does not exist"
    folders = [ROOT / folder for folder in (".", "src", "tests", "bench", "cli")]
    return "" if any((folder / name).is_file() for folder in folders) else "does not exist"


def main() -> int:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", "*.h", "*.cpp"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout.split()
    problems = []
    folders = sorted(path.name for path in (ROOT / "src").iterdir() if path.is_dir())
    for folder in sorted(set(folders) ^ set(MODULES)):
        problems.append(f"src/CMakeLists.txt: folders and bootfold_modules differ in {folder}")
    for name in listed:
        file = ROOT / name
        if not file.is_file():
            continue  # git also lists what was just deleted
        if name.startswith("src/") and Path(name).parts[1] not in RANK:
            continue  # reported above
        for line, header, quoted in includes(file):
            why = problem(file, header, quoted)
            if why:
                problems.append(f"{name}:{line}: {header} {why}")
    print(*problems, sep="\n", end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
