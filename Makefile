# One short name for each thing people do with this repository. The work itself is in
# CMakePresets.json, tools/ and bench/; every line below can be typed by hand.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.NOTPARALLEL:

JOBS ?= $(shell nproc 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null || echo 2)
PYTHON ?= python3
VENV := .venv-bench
PEERS_VENV := .venv-peers
TEST_VENV := .venv-test
ENGINES_VENV := .venv-engines
QUALITY_VENV := .venv-quality
BENCH_ARGS ?=
BATTERY_ARGS ?=
LINT_ARGS ?=
FUZZ_SECONDS ?= 60

# CMake takes a compiler cache from the environment at its first configure.
ifneq ($(shell command -v ccache 2>/dev/null),)
export CMAKE_CXX_COMPILER_LAUNCHER ?= ccache
endif

# What Ninja prints in front of each step.
export NINJA_STATUS ?= [%f of %t]$(empty) $(empty)

.PHONY: help setup build demo check test test-all test-engines test-aarch64 fuzz bench bench-jax bench-metrics bench-networks bench-python bench-ready curve quality same-networks format lint battery clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-14s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

setup: ## install what building and testing need (Debian, Ubuntu), or name it
	@tools/setup.sh --test

build: ## build the program: build/release/cli/bootfold
	@tools/setup.sh
	cmake --preset release -DBOOTFOLD_BENCH=OFF
	cmake --build --preset release --target cli/all

demo: ## build and run the showcases: a million replicates; a hundred small networks
	@echo "demo: looking for a compiler and libraries; what is missing is installed"
	@tools/setup.sh
	@echo "demo: configuring build/release"
	@cmake --preset release -DBOOTFOLD_BENCH=OFF > /dev/null
	@echo "demo: building the program; the first time this takes a few minutes"
	@cmake --build --preset release --target cli/all
	@echo "demo: running 'bootfold demo bootstrap': a million replicates"
	@build/release/cli/bootfold demo bootstrap
	@echo
	@echo "demo: running 'bootfold demo spirals': a hundred small networks"
	@build/release/cli/bootfold demo spirals

check: ## the checks that need no build: format, order of includes, width, names in comments and docs
	@tools/setup.sh --test
	@tools/format.sh --check || [ $$? -eq 77 ]
	@tools/check_includes.py
	@tools/check_text.py

# The headers are compiled one by one, so that each can be included alone.
test: check ## the checks, then build with warnings as errors, the default suite, and the fuzzers
	@$(MAKE) --no-print-directory $(TEST_VENV)/installed
	cmake --preset dev
	cmake --build --preset dev --target all all_verify_interface_header_sets
	ctest --preset dev -j $(JOBS)
	@$(MAKE) --no-print-directory fuzz

test-all: check ## every test, also the slow ones and the peers, and again under the sanitizers
	@tools/setup.sh --test --peers --engines
	@$(MAKE) --no-print-directory $(TEST_VENV)/installed $(PEERS_VENV)/installed $(ENGINES_VENV)/installed
	cmake --preset dev
	cmake --build --preset dev --target all all_verify_interface_header_sets
	ctest --preset dev-all -j $(JOBS)
	@$(MAKE) --no-print-directory fuzz
	cmake --preset asan
	cmake --build --preset asan
	ctest --preset asan -j $(JOBS)
	cmake --preset tsan
	cmake --build --preset tsan
	ctest --preset tsan -j $(JOBS)
	@$(MAKE) --no-print-directory test-aarch64

test-engines: ## the tests of Dask, Spark, Ray and MPI, with processes of their own
	@tools/setup.sh --test --engines
	@$(MAKE) --no-print-directory $(TEST_VENV)/installed $(ENGINES_VENV)/installed
	cmake --preset dev
	cmake --build --preset dev --target bootfold_python cli/all ranks_program
	ctest --preset dev-all -L engines

test-aarch64: ## the tests for ARM processors, cross-compiled and run by qemu
	@tools/setup.sh --aarch64
	cmake --preset aarch64
	cmake --build --preset aarch64
	ctest --preset aarch64 -j $(JOBS)

fuzz: ## fuzz every file reader for FUZZ_SECONDS (60), all at once
	@tools/setup.sh --test
	cmake --preset dev
	cmake --build --preset dev --target cli/all
	cmake --preset fuzz
	cmake --build --preset fuzz
	tools/fuzz.py --seconds $(FUZZ_SECONDS)

bench: bench-ready ## measure against the peers; BENCH_ARGS="--quick" and the like reach bench/compare.py
	$(VENV)/bin/python bench/compare.py $(BENCH_ARGS)

bench-python: ## the Python package beside the engine, SciPy and scikit-learn; BENCH_ARGS reach bench/python.py
	@tools/setup.sh --test --bench
	@$(MAKE) --no-print-directory $(TEST_VENV)/installed
	cmake --preset release -DBOOTFOLD_BENCH=ON -DBOOTFOLD_PYTHON=ON
	cmake --build --preset release --target engine_bench bootfold_python
	$(TEST_VENV)/bin/python bench/python.py $(BENCH_ARGS)

bench-jax: bench-ready ## JAX's recipes beside ours (docs/from-jax.md); BENCH_ARGS reach bench/from_jax.py
	@$(MAKE) --no-print-directory $(TEST_VENV)/installed
	cmake --preset release -DBOOTFOLD_PYTHON=ON
	cmake --build --preset release --target bootfold_python
	PYTHONPATH=build/release/python $(VENV)/bin/python bench/from_jax.py $(BENCH_ARGS)

bench-metrics: bench-ready ## scores of models beside NumPy, scikit-learn, rapidstats; BENCH_ARGS reach bench/metrics.py
	@$(MAKE) --no-print-directory $(TEST_VENV)/installed
	cmake --preset release -DBOOTFOLD_PYTHON=ON
	cmake --build --preset release --target bootfold_python
	PYTHONPATH=build/release/python $(VENV)/bin/python bench/metrics.py $(BENCH_ARGS)

curve: bench-ready ## time for 1 to 10,000 networks beside JAX, with picture; BENCH_ARGS reach bench/curve.py
	$(VENV)/bin/python bench/curve.py $(BENCH_ARGS)

bench-networks: bench-ready ## ensembles of every shape beside JAX and torch, at all instruction sets; BENCH_ARGS reach bench/networks.py
	$(VENV)/bin/python bench/networks.py $(BENCH_ARGS)

quality: ## ensembles on real tables beside trees and other networks; BENCH_ARGS reach bench/quality.py
	@tools/setup.sh --test
	@$(MAKE) --no-print-directory $(TEST_VENV)/installed $(QUALITY_VENV)/installed
	cmake --preset release -DBOOTFOLD_PYTHON=ON
	cmake --build --preset release --target bootfold_python
	PYTHONPATH=build/release/python $(QUALITY_VENV)/bin/python bench/quality.py $(BENCH_ARGS)

same-networks: bench-ready ## ensembles beside scikit-learn's of the same networks; BENCH_ARGS reach bench/same_networks.py
	$(VENV)/bin/python bench/same_networks.py $(BENCH_ARGS)

bench-ready:
	@tools/setup.sh --bench
	cmake --preset release -DBOOTFOLD_BENCH=ON
	cmake --build --preset release
	@$(MAKE) --no-print-directory $(VENV)/installed

$(VENV)/installed: bench/requirements.txt
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check -r bench/requirements.txt
	@touch $@

# Modules are compiled when a test first imports them, not all at once.
$(TEST_VENV)/installed: tests/requirements.txt
	$(PYTHON) -m venv $(TEST_VENV)
	$(TEST_VENV)/bin/python -m pip install --quiet --no-compile --disable-pip-version-check -r tests/requirements.txt
	@touch $@

$(PEERS_VENV)/installed: tests/peers/requirements.txt
	$(PYTHON) -m venv $(PEERS_VENV)
	$(PEERS_VENV)/bin/python -m pip install --quiet --disable-pip-version-check -r tests/peers/requirements.txt
	@touch $@

$(ENGINES_VENV)/installed: tests/engines/requirements.txt
	$(PYTHON) -m venv $(ENGINES_VENV)
	$(ENGINES_VENV)/bin/python -m pip install --quiet --disable-pip-version-check -r tests/engines/requirements.txt
	@touch $@

$(QUALITY_VENV)/installed: bench/requirements-quality.txt
	$(PYTHON) -m venv $(QUALITY_VENV)
	$(QUALITY_VENV)/bin/python -m pip install --quiet --no-compile --disable-pip-version-check -r bench/requirements-quality.txt
	@touch $@

battery: ## statistical batteries on the raw random streams; BATTERY_ARGS="--quick" for minutes
	@tools/setup.sh --battery
	cmake --preset release -DBOOTFOLD_BENCH=ON
	cmake --build --preset release --target raw_stream
	bench/battery.sh $(BATTERY_ARGS)

format: ## rewrite the C++ sources in the house format
	@tools/setup.sh --lint
	@tools/format.sh

lint: ## clang-tidy on changed sources (LINT_ARGS="--all": on all)
	@tools/setup.sh --test --lint
	@$(MAKE) --no-print-directory $(TEST_VENV)/installed
	@cmake --preset dev > /dev/null
	@tools/lint.sh $(LINT_ARGS)

clean: ## remove build folders and virtual environments
	rm -rf build $(VENV) $(PEERS_VENV) $(TEST_VENV) $(ENGINES_VENV) $(QUALITY_VENV)
