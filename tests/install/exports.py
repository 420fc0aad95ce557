#!/usr/bin/env python3
"""Checks that a shared library exports what public headers declare, and nothing else of ours.

    tests/install/exports.py libbootfold.so include/bootfold
"""

import re
import subprocess
import sys
from pathlib import Path


def exported(library: str) -> list[str]:
    """Returns the names of bootfold's exported functions, classes and variables."""
    command = ["nm", "--dynamic", "--demangle", "--defined-only", library]
    listing = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    names = []
    for line in listing.splitlines():
        symbol = re.sub(r"^\w* *\w ", "", line)
        symbol = re.sub(r"^(?:typeinfo(?: name)?|vtable|VTT|guard variable) for ", "", symbol)
        symbol = re.sub(r"\[abi:\w+\]", "", symbol)
        if symbol.startswith("bootfold::"):
            names.append(re.split(r"[(<]", symbol)[0])
    return names


def main() -> int:
    library, headers = sys.argv[1:]
    declared = set()
    for header in Path(headers).rglob("*.h"):
        text = re.sub(r"//.*", "", header.read_text())
        declared.update(re.findall(r"operator *[^\w\s(]+|~?\w+", text))
    names = exported(library)
    if "bootfold::bootstrap" not in names:
        print(f"{library} does not export bootfold::bootstrap")
        return 1
    private = sorted({name for name in names if name.split("::")[-1] not in declared})
    for name in private:
        print(f"{library} exports {name}, which no public header declares")
    return 1 if private else 0


if __name__ == "__main__":
    sys.exit(main())
