# Every target installs what it needs first; all are quick the second time.
SHELL := /bin/bash
HINGE := build/release/hinge

.PHONY: build demo test python deps format tidy check asan tsan fuzz campaigns bench reproduce docs clean

deps:
	@scripts/install-deps

build: deps
	@[ -f build/release/build.ninja ] || cmake --preset release >/dev/null
	@cmake --build --preset release --target hinge

demo: build
	@scripts/demo $(HINGE)

test: build
	@cmake --build --preset release
	@scripts/checks
	@scripts/python-install
	@status=0; ctest --preset release || status=1; build/venv/bin/pytest -q || status=1; exit $$status

# The Python package in build/venv, with the files generated from the library's tables.
python: build
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
campaigns: build
	@tests/campaigns/run --hinge $(HINGE)

build/asan/build.ninja build/tsan/build.ninja: build/%/build.ninja: CMakePresets.json
	@scripts/install-deps
	@scripts/install-deps --clang
	@cmake --preset $* >/dev/null
	@touch $@

tidy: deps
	@scripts/install-deps --clang
	@[ -f build/dev/compile_commands.json ] || cmake --preset dev >/dev/null
	@run-clang-tidy -quiet -p build/dev '(hinge|cli)/.*\.cc$$'

format:
	@scripts/install-deps --clang
	@git ls-files '*.h' '*.cc' | xargs clang-format -i

# The tables in bench/README.md: hours with all rivals, minutes without.
bench: build
	@bench/run

reproduce: bench

docs: build
	@$(HINGE) docs > docs/options.md

clean:
	@rm -rf build demo
