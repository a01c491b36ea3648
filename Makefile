# Every target installs what it needs first; all are quick the second time.
SHELL := /bin/bash
HINGE := build/release/hinge

# Where `make install` puts things; packagers set DESTDIR, too.
PREFIX ?= /usr/local

.PHONY: build program mpi install demo test test-deps python deps format tidy check asan tsan fuzz campaigns bench reproduce docs clean

deps:
	@scripts/install-deps

test-deps:
	@scripts/install-deps --python --tests --mpi

# Tests are added to the build by `make test`: the program does not need their libraries.
program: deps
	@[ -f build/release/build.ninja ] || cmake --preset release -DHINGE_TESTS=OFF >/dev/null
	@scripts/announce-build hinge
	@cmake --build --preset release --target hinge

# The program, and the examples that the documentation runs.
build: program
	@cmake --build --preset release --target examples

# build/release/hinge-mpi, for training on many machines.
mpi: program
	@scripts/install-deps --mpi
	@grep -q '^HINGE_MPI:BOOL=ON' build/release/CMakeCache.txt || cmake --preset release -DHINGE_MPI=ON >/dev/null
	@cmake --build --preset release --target hinge-mpi

install: program
	@DESTDIR="$(DESTDIR)" cmake --install build/release --prefix "$(PREFIX)"

demo: program
	@scripts/demo $(HINGE)

test: test-deps build
	@grep -q '^HINGE_TESTS:BOOL=ON' build/release/CMakeCache.txt && grep -q '^HINGE_MPI:BOOL=ON' build/release/CMakeCache.txt || \
	  cmake --preset release -DHINGE_TESTS=ON -DHINGE_MPI=ON >/dev/null
	@scripts/announce-build all
	@cmake --build --preset release
	@scripts/checks
	@scripts/python-install
	@status=0; ctest --preset release || status=1; build/venv/bin/pytest -q || status=1; exit $$status

# The Python package in build/venv, with the files generated from the library's tables.
python: program
	@scripts/install-deps --python
	@scripts/python-generate

# With clang and -Werror: the library, the program, the quick tests under sanitizers, and a few seconds of every fuzz target.
QUICK_TESTS := $(addsuffix _test,core files corpus features model)
check: build/asan/build.ninja
	@cmake --build --preset asan --target hinge fuzz_targets $(QUICK_TESTS)
	@scripts/sanitized-tests build/asan/tests
	@FUZZ_SECONDS=$${FUZZ_SECONDS:-5} scripts/fuzz build/asan/fuzz

# Every test under sanitizers.
asan tsan: %: build/%/build.ninja
	@cmake --build --preset $@
	@ctest --preset $@

fuzz: build/asan/build.ninja
	@cmake --build --preset asan --target fuzz_targets
	@scripts/fuzz build/asan/fuzz

# Kills, full disks, damaged files and hostile options; half an hour.
campaigns: program
	@tests/campaigns/run --hinge $(HINGE)

build/asan/build.ninja build/tsan/build.ninja: build/%/build.ninja: CMakePresets.json
	@scripts/install-deps --tests --clang
	@cmake --preset $* >/dev/null
	@touch $@

tidy:
	@scripts/install-deps --tests --clang
	@[ -f build/dev/compile_commands.json ] || cmake --preset dev >/dev/null
	@run-clang-tidy -quiet -p build/dev '(hinge|cli)/.*\.cc$$'

format:
	@scripts/install-deps --clang
	@git ls-files '*.h' '*.cc' | xargs clang-format -i

# The tables in bench/README.md: hours with all rivals, minutes without.
bench: build
	@scripts/install-deps --python
	@bench/run

reproduce: bench

docs: program
	@$(HINGE) docs > docs/options.md

clean:
	@rm -rf build demo
