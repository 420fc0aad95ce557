#!/usr/bin/env bash
# Statistical batteries on the raw random streams that every resample is made of.
#
#   bench/battery.sh [--quick] [--kind lanes,long,philox] [--big] [--jobs N]
#
# Feeds the bytes of build/release/bench/raw_stream to
#   dieharder   (Debian)                     all tests, ambiguous ones repeated until they are clear
#   TestU01     (Debian non-free, optional)  Crush, of the words and of the words reversed
# --quick takes eleven short tests of dieharder and SmallCrush, --big BigCrush in place of Crush.
# --jobs runs that many batteries at once (default: one for each processor).
# Each battery prints its time: the quick set takes a minute or two per kind, all of dieharder about
# 40 minutes (most of it for rgb_lagged_sum), Crush and BigCrush hours. Leave it to a night.
#
# Prints every result that is not plainly good, then one line per battery. Of good bits 1 in 500 of
# TestU01's results lies outside [0.001, 0.999], and dieharder repeats what is WEAK until it is
# clear; a failure is a p-value below 1e-6 (dieharder) or 1e-10 (TestU01), or as close to 1. Exit 1
# if anything failed. Full outputs: bench/results/.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

stream=${RAW_STREAM:-build/release/bench/raw_stream}
results=bench/results
kinds=lanes,long,philox
quick=no
crush=crush
jobs=$(nproc 2> /dev/null || echo 1)

while [ $# -gt 0 ]; do
  case $1 in
    --quick) quick=yes crush=small ;;
    --big) crush=big ;;
    --kind)
      [ $# -gt 1 ] || {
        echo "battery: --kind needs lanes, long or philox" >&2
        exit 2
      }
      kinds=$2
      shift
      ;;
    --jobs)
      [[ ${2:-} =~ ^[1-9][0-9]*$ ]] || {
        echo "battery: --jobs is '${2:-}' but must be a number of at least 1" >&2
        exit 2
      }
      jobs=$2
      shift
      ;;
    -h | --help)
      sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p;}' "$0"
      exit 0
      ;;
    *)
      echo "battery: unknown option '$1'; --help lists them" >&2
      exit 2
      ;;
  esac
  shift
done

[ -x "$stream" ] || {
  echo "battery: there is no $stream; 'make battery' builds it" >&2
  exit 1
}
command -v dieharder > /dev/null || {
  echo "battery: there is no dieharder; tools/setup.sh --battery installs it" >&2
  exit 1
}
for kind in ${kinds//,/ }; do
  case $kind in
    lanes | long | philox) ;;
    *)
      echo "battery: there is no kind '$kind'; there are lanes, long and philox" >&2
      exit 2
      ;;
  esac
done
mkdir -p "$results"

# TestU01 is not free software and so not installed by setup.sh; it is used where it is there.
testu01=$results/testu01
if ! "${CC:-cc}" -O2 bench/testu01.c -o "$testu01" \
  -ltestu01 -ltestu01probdist -ltestu01mylib -lm 2> /dev/null; then
  testu01=
  echo "TestU01 is skipped: it is not installed (Debian: libtestu01-0-dev, section non-free)"
fi

run_dieharder() { # kind
  local log=$results/dieharder-$1.txt start=$SECONDS
  if [ "$quick" = yes ]; then
    # Birthdays, two of ranks, bitstream, two of ones, runs, craps, monobit, STS runs, bytes.
    for test in 0 2 3 4 8 9 15 16 100 101 205; do
      "$stream" --kind "$1" | dieharder -g 200 -d "$test" -Y 1
    done > "$log" || true
  else
    "$stream" --kind "$1" | dieharder -g 200 -a -Y 1 > "$log" || true
  fi
  local odd passed weak bad
  odd=$(grep -E 'WEAK|FAILED' "$log" || true)
  passed=$(grep -c PASSED "$log" || true)
  weak=$(grep -c WEAK "$log" || true)
  bad=$(grep -c FAILED "$log" || true)
  echo "${odd:+$odd
}$1: dieharder: $passed PASSED, $weak WEAK, $bad FAILED in $((SECONDS - start)) s"
  [ "$bad" -eq 0 ] && [ "$passed" -gt 0 ]
}

run_testu01() { # kind, direction
  local log=$results/testu01-$crush-$1-$2.txt start=$SECONDS
  "$stream" --kind "$1" | "$testu01" "$crush" "$2" > "$log" || true
  local statistics odd count bad
  statistics=$(sed -n 's/.*Number of statistics: *//p' "$log")
  # The lines between the two rules: test number, name, p-value.
  odd=$(awk '/^ -----/{inside = !inside; next} inside' "$log")
  # A p-value near 1 is printed as "1 - 2.0e-12", so the last word is always the small number.
  bad=$(awk 'NF && ($NF ~ /eps/ || $NF + 0 < 1e-10) { n++ } END { print n + 0 }' <<< "$odd")
  count=$(grep -c . <<< "$odd" || true)
  echo "${odd:+$odd
}$1, bits $2: TestU01 $crush: ${statistics:-no} statistics," \
    "$count outside [0.001, 0.999], $bad FAILED in $((SECONDS - start)) s"
  [ "$bad" -eq 0 ] && [ -n "$statistics" ]
}

# Starts a battery, after another has ended if as many run as may.
failed=0
running=0
start() { # function and its arguments
  if [ "$running" -ge "$jobs" ]; then
    wait -n || failed=1
    running=$((running - 1))
  fi
  "$@" &
  running=$((running + 1))
}

for kind in ${kinds//,/ }; do
  start run_dieharder "$kind"
  if [ -n "$testu01" ]; then
    start run_testu01 "$kind" forward
    start run_testu01 "$kind" reverse
  fi
done
for ((; running > 0; running--)); do
  wait -n || failed=1
done
exit "$failed"
