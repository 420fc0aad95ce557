#!/bin/sh
# Makes sure that everything bootfold is built with is there.
#
#   tools/setup.sh [--test] [--peers] [--engines] [--bench] [--battery] [--lint] [--aarch64]
#
# Looks for each tool and header itself, not for a package, so what was installed in another way
# counts. On Debian and Ubuntu what is missing is installed with apt-get (with sudo when not root);
# elsewhere one line names it and the script ends with 1. Says nothing when there is nothing to do.
set -eu

fail() {
  echo "setup: $*" >&2
  exit 1
}

sets=base
for argument in "$@"; do
  case $argument in
    --test | --peers | --engines | --bench | --battery | --lint | --aarch64) sets="$sets ${argument#--}" ;;
    -h | --help)
      sed -n '2,/^set -eu/{/^set -eu/d;s/^# \{0,1\}//;p;}' "$0"
      exit 0
      ;;
    *) fail "unknown option '$argument'; there are --test, --peers, --engines, --bench, --battery, --lint and --aarch64" ;;
  esac
done

# The Java that Spark runs on: Debian 12 has version 17, later ones have a newer one.
java_package() {
  if apt-cache show openjdk-17-jre-headless > /dev/null 2>&1; then
    echo openjdk-17-jre-headless
  else
    echo default-jre-headless
  fi
}

# The lines of the chosen sets: package, then how to see that it is there.
needed() {
  for set in $sets; do
    case $set in
      base)
        echo "g++ command ${CXX:-g++}"
        echo "cmake command cmake"
        echo "ninja-build command ninja"
        echo "make command make"
        echo "git command git"
        echo "libboost-dev header boost/math/distributions/beta.hpp"
        echo "libfmt-dev header fmt/format.h"
        echo "libcli11-dev header CLI/CLI.hpp"
        echo "nlohmann-json3-dev header nlohmann/json.hpp"
        echo "zlib1g-dev header zlib.h"
        echo "pkg-config command pkg-config"
        echo "libcairo2-dev header cairo/cairo.h"
        ;;
      test)
        echo "libgtest-dev header gtest/gtest.h"
        echo "libgmock-dev header gmock/gmock.h"
        echo "clang-format command clang-format"
        echo "clang command clang++"
        echo "libclang-rt-dev fuzzer clang++"
        echo "python3 command ${PYTHON:-python3}"
        echo "python3-venv python ensurepip"
        echo "python3-dev include Python.h"
        echo "openmpi-bin command mpirun"
        echo "libopenmpi-dev command mpicxx"
        ;;
      peers)
        echo "python3 command ${PYTHON:-python3}"
        echo "python3-venv python ensurepip"
        echo "r-base-core command Rscript"
        echo "r-cran-boot r boot"
        ;;
      engines)
        echo "python3 command ${PYTHON:-python3}"
        echo "python3-venv python ensurepip"
        echo "$(java_package) command java"
        ;;
      bench)
        echo "libbenchmark-dev header benchmark/benchmark.h"
        echo "python3 command ${PYTHON:-python3}"
        echo "python3-venv python ensurepip"
        echo "r-base-core command Rscript"
        echo "r-cran-boot r boot"
        ;;
      battery)
        echo "libbenchmark-dev header benchmark/benchmark.h"
        echo "dieharder command dieharder"
        ;;
      aarch64)
        echo "g++-aarch64-linux-gnu command aarch64-linux-gnu-g++"
        echo "qemu-user command qemu-aarch64"
        echo "googletest file /usr/src/googletest/CMakeLists.txt"
        ;;
      lint)
        echo "clang-format command clang-format"
        echo "clang-tidy command clang-tidy"
        ;;
    esac
  done
}

present() { # kind, name
  case $1 in
    file) [ -e "$2" ] ;;
    command) command -v "$2" > /dev/null 2>&1 ;;
    header)
      printf '#if !__has_include(<%s>)\n#error\n#endif\n' "$2" |
        "${CXX:-g++}" -std=c++20 -E -x c++ - > /dev/null 2>&1
      ;;
    fuzzer)
      echo 'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }' |
        "$2" -fsanitize=fuzzer,address,undefined -x c++ - -o /dev/null > /dev/null 2>&1
      ;;
    python) "${PYTHON:-python3}" -c "import $2, venv" > /dev/null 2>&1 ;;
    include)
      "${PYTHON:-python3}" -c "import os, sysconfig
os.stat(os.path.join(sysconfig.get_path('include'), '$2'))" > /dev/null 2>&1
      ;;
    r) Rscript --vanilla -e "quit(status = !requireNamespace('$2', quietly = TRUE))" > /dev/null 2>&1 ;;
  esac
}

missing() {
  needed | while read -r package kind name; do
    present "$kind" "$name" || printf ' %s' "$package"
  done
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    env DEBIAN_FRONTEND=noninteractive "$@"
  else
    sudo env DEBIAN_FRONTEND=noninteractive "$@"
  fi
}

wanted=$(missing)
if [ -n "$wanted" ]; then
  command -v apt-get > /dev/null 2>&1 ||
    fail "please install (Debian's names):$wanted"
  [ "$(id -u)" -eq 0 ] || command -v sudo > /dev/null 2>&1 ||
    fail "not root and no sudo; please have these installed: apt-get install$wanted"
  echo "setup: installing$wanted" >&2
  log=$(mktemp)
  trap 'rm -f "$log"' EXIT
  # shellcheck disable=SC2086  # a list of package names
  if ! as_root apt-get update -qq > "$log" 2>&1 ||
    ! as_root apt-get install -y -qq --no-install-recommends $wanted >> "$log" 2>&1; then
    tail -n 20 "$log" >&2
    fail "apt-get could not install$wanted"
  fi
  still=$(missing)
  [ -z "$still" ] || fail "apt-get installed these, yet they cannot be used:$still"
fi

# Presets and file sets need CMake 3.25; Debian 12 and Ubuntu 24.04 have it.
version=$(cmake --version | sed -n '1s/[^0-9]*\([0-9]*\.[0-9]*\).*/\1/p')
major=${version%.*}
minor=${version#*.}
[ "$major" -gt 3 ] || { [ "$major" -eq 3 ] && [ "$minor" -ge 25 ]; } ||
  fail "CMake $version is too old, 3.25 is needed; 'pip install cmake' gives a newer one"
