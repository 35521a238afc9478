# make demo: install, score the shipped examples, explain one pair.   make test: what CI runs, in the stages that STAGES names;
# a stage by itself: make test-fast, test-readings …   make test-all: without drawing samples.   make docs: the site.
# make mutants: which faults the tests notice (PATHS, COUNT).   make sbom: what is shipped, as CycloneDX's JSON.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check

PATHS ?= kgscore/entailment kgscore/matching kgscore/clinical
COUNT ?= 300

# Tests that no other stage names are in the stage `fast`.
STAGES ?= fast readings documentation browser
READINGS := tests/unit/reading tests/unit/lab/bench/test_readings.py
PYTEST := $(BIN)/python -m pytest -n logical --dist worksteal -rs

.PHONY: demo test test-all test-fast test-readings test-documentation test-browser test-wheels
.PHONY: lint types imports tables fuzz wrong mutants sbom docs wheels clean

demo: $(VENV)/installed
	$(BIN)/kgscore demo --output demo-run

# Every stage is run, and those that failed are named at the end. How long it takes is kept from one time to the next.
test: $(VENV)/tested
	@echo "make test: about $$(cat $(VENV)/minutes 2> /dev/null || echo 15) minutes; skipped tests are listed at the end of each stage"
	@date +%s > $(VENV)/began
	@failed=; for stage in $(STAGES); do \
	  echo "== stage $$stage"; $(MAKE) --no-print-directory test-$$stage || failed="$$failed $$stage"; \
	done; \
	[ -z "$$failed" ] || { echo "FAILED STAGES:$$failed"; exit 1; }
	@echo "all stages passed: $(STAGES)"
	@echo $$(( ($$(date +%s) - $$(cat $(VENV)/began)) / 60 + 1 )) > $(VENV)/minutes

test-all:
	KGSCORE_TESTS=all $(MAKE) test

test-fast: $(VENV)/tested
	$(MAKE) --no-print-directory --jobs 2 types lint imports tables
	$(PYTEST) tests kgscore --ignore tests/docs --ignore tests/browser $(READINGS:%=--ignore %)

test-readings: $(VENV)/tested
	$(PYTEST) $(READINGS)

test-documentation: $(VENV)/tested
	$(PYTEST) tests/docs

test-browser: $(VENV)/tested
	$(PYTEST) tests/browser

test-wheels: wheels

types: $(VENV)/tested
	$(BIN)/mypy

lint: $(VENV)/tested
	$(BIN)/ruff check kgscore tests benchmarks docs

imports: $(VENV)/tested
	$(BIN)/lint-imports

tables: $(VENV)/tested
	$(BIN)/kgscore ontology build --check
	$(BIN)/kgscore ontology check

# Read and score 200,000 random texts, instead of the 2,000 of `make test`; half an hour of one processor.
fuzz: $(VENV)/tested
	KGSCORE_FUZZ=200000 $(BIN)/python -m pytest -n logical tests/property/test_bounded_reading.py

# Build the source distribution and the wheel of it; install that on each Python there is, and score the shipped pairs.
wheels: $(VENV)/tested
	rm -rf dist build/wheels
	$(BIN)/python -m hatchling build -t sdist
	$(PIP) wheel --quiet --no-deps --wheel-dir dist dist/kgscore-*.tar.gz
	@for version in 3.11 3.12 3.13; do \
	  python$$version --version > /dev/null 2>&1 || { echo "python$$version: not here, not tried"; continue; }; \
	  echo "python$$version"; python$$version -m venv build/wheels/$$version \
	  && build/wheels/$$version/bin/python -m pip --disable-pip-version-check install --quiet -c constraints.txt dist/*.whl \
	  && (cd build/wheels && $$version/bin/kgscore demo -q -o run-$$version > /dev/null) || exit 1; \
	done

# Rewrite the lists of texts and constructs that are read wrong, by which the tests say what got better and worse.
wrong: $(VENV)/tested
	KGSCORE_WRONG=write $(PYTEST) $(READINGS)

mutants: $(VENV)/tested
	$(BIN)/python benchmarks/mutants.py $(PATHS) --count $(COUNT) --survivors build/survivors.txt

# The core by its hashes and nothing else, listed by a tool that has an environment of its own.
sbom: | $(BIN)/python
	rm -rf build/sbom && mkdir -p build
	$(PYTHON) -m venv --without-pip build/sbom/core && $(PYTHON) -m venv build/sbom/tool
	$(PIP) --python build/sbom/core/bin/python install --quiet --require-hashes -r requirements.txt
	$(PIP) --python build/sbom/tool/bin/python install --quiet cyclonedx-bom==7.5.0
	build/sbom/tool/bin/cyclonedx-py environment --pyproject pyproject.toml --output-reproducible -o build/sbom.json build/sbom/core/bin/python
	@echo build/sbom.json

docs: $(VENV)/tested
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build
	@echo build/site/index.html

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo 'kgscore needs Python 3.11 or newer; name one: make PYTHON=python3.12'; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) install --quiet --constraint constraints.txt --editable .
	touch $@

$(VENV)/tested: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) install --quiet --constraint constraints.txt --editable '.[test]'
	touch $@ $(VENV)/installed

clean:
	rm -rf $(VENV) demo-run build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
