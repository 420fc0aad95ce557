#!/bin/sh
# Runs tests of this folder with the virtual environment of the engines.
#
#   BOOTFOLD_PACKAGE=build/dev/python tests/engines/run.sh FILE.py [arguments of pytest]
#
# Ends with 77, which ctest calls "skipped", and one line why, where the environment or Java is
# missing. BOOTFOLD_ENGINES_PYTHON names another Python.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
python=${BOOTFOLD_ENGINES_PYTHON:-$here/../../.venv-engines/bin/python}

skip() {
  echo "engines: skipped, $*; 'make test-engines' installs it" >&2
  exit 77
}

[ -x "$python" ] || skip "there is no $python"
"$python" -c 'import dask, distributed, mpi4py, pyspark, ray, xarray' 2> /dev/null ||
  skip "$python has not all of dask, distributed, mpi4py, pyspark, ray, xarray"
command -v java > /dev/null 2>&1 || skip "there is no java"

package=$(cd "${BOOTFOLD_PACKAGE:-$here/../../build/dev/python}" && pwd)
cd "$here/../.."
PYTHONPATH=$package:$here RAY_USAGE_STATS_ENABLED=0 exec "$python" -m pytest -q "$@"
