#!/bin/sh
# Runs a program with the virtual environment of the tests, which `make test` makes.
#
#   tests/python.sh PROGRAM.py [arguments]
#
# Ends with 77, which ctest calls "skipped", and one line why, where there is none: after a build by
# hand. BOOTFOLD_TEST_PYTHON names another Python.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
python=${BOOTFOLD_TEST_PYTHON:-$here/../.venv-test/bin/python}

if [ ! -x "$python" ]; then
  echo "tests: skipped, there is no $python; 'make .venv-test/installed' makes it" >&2
  exit 77
fi
exec "$python" "$@"
