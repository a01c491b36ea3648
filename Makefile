# Every target installs what it needs first; all are quick the second time.
SHELL := /bin/bash
HINGE := build/release/hinge

.PHONY: build demo test python deps format tidy asan tsan fuzz bench reproduce docs clean

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

# The Python package in build/venv, and what it has from the library's tables.
python: build
	@scripts/python-generate

# The checks a change should pass beyond `make test`; they need clang.
asan tsan: deps
	@scripts/install-deps --clang
	@[ -f build/$@/build.ninja ] || cmake --preset $@ >/dev/null
	@cmake --build --preset $@
	@ctest --preset $@

fuzz: deps
	@scripts/install-deps --clang
	@[ -f build/fuzz/build.ninja ] || cmake --preset fuzz >/dev/null
	@cmake --build --preset fuzz
	@scripts/fuzz build/fuzz/fuzz

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
