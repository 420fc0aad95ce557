#!/usr/bin/env python3
"""Checks the text of sources and documentation.

    tools/check_text.py

- C++ and Python lines have at most 100 columns, and C++ sources are ASCII.
- No source has a note to do something later.
- The files and folders of this repository that comments and documentation name exist.
- The table of modules in CONTRIBUTING.md is the list in src/CMakeLists.txt.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from check_includes import MODULES, ROOT, public

COLUMNS = 100
CPP = (".c", ".cpp", ".h")
NOTES = re.compile(r"\b(?:TO" + r"DO|FIX" + r"ME|X" + r"XX)\b")
FOLDERS = "bench|bootfold|cli|cmake|docs|examples|fuzz|include|python|src|tests|tools"
# A file with its ending, or a module's folder; not a pattern, a placeholder or a part of a longer
# path (build/dev/cli/bootfold, /usr/include/x.h).
PATH = re.compile(
    rf"(?<![\w./<>*{{}}-])(?:(?:{FOLDERS})/[\w./-]*\w\.(?:c|cmake|cpp|h|md|py|R|sh|svg|txt)"
    rf"|(?:src|tests)/\w+)(?![\w/*<>{{}}-])"
)
LINK = re.compile(r"\]\((?!\w+:|#)([^)#\s]+)")


def sources(text: str, name: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > COLUMNS:
            yield number, f"{len(line)} columns, but {COLUMNS} are allowed"
        if name.endswith(CPP) and not line.isascii():
            yield number, "a character that is not ASCII"
        if NOTES.search(line):
            yield number, "a note to do something later"


def exists(path: str, name: str) -> bool:
    if path.startswith("bootfold/"):
        return public(path) or (ROOT / "python" / path).exists()
    places = [ROOT, ROOT / "python", (ROOT / name).parent]
    return any((place / path).exists() for place in places)


def paths(text: str, name: str) -> Iterator[tuple[int, str]]:
    """Yields the paths that comments (of C++) or any line (of other files) name in vain."""
    for number, line in enumerate(text.split("\n"), 1):
        if name.endswith(CPP):
            line = line[line.find("//") :] if "//" in line else ""
        for path in PATH.findall(line):
            if not exists(path, name):
                yield number, f"there is no {path}"
        if name.endswith(".md"):
            for link in LINK.findall(line):
                if not ((ROOT / name).parent / link).exists():
                    yield number, f"there is no {link}"


def module_table() -> Iterator[str]:
    """Compares the first column of the table whose header begins with "module"."""
    table: list[str] = []
    inside = False
    for line in (ROOT / "CONTRIBUTING.md").read_text().split("\n"):
        cells = [cell.strip() for cell in line.split("|")]
        if inside and len(cells) < 3:
            break
        if inside and not cells[1].startswith("---"):
            table.append(cells[1].strip("`"))
        inside = inside or cells[1:2] == ["module"]
    if table != MODULES:
        yield (
            f"CONTRIBUTING.md: the table of modules lists {' '.join(table) or 'none'}, "
            f"but src/CMakeLists.txt lists {' '.join(MODULES)}"
        )


def main() -> int:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout.splitlines()
    problems = list(module_table())
    for name in listed:
        file = ROOT / name
        is_source = name.endswith((*CPP, ".py"))
        is_text = is_source or name.endswith((".cmake", ".md", ".sh", ".txt", "Makefile"))
        if not is_text or not file.is_file():
            continue
        text = file.read_text(encoding="utf-8")
        found = list(sources(text, name)) if is_source else []
        if name != "CHANGELOG.md":  # which also tells of what is gone
            found += paths(text, name)
        problems += [f"{name}:{number}: {what}" for number, what in found]
    print(*problems, sep="\n", end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
