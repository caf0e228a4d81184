# Everything works in .venv, which the first command makes; only Python 3.11+ and make are needed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Two BLAS threads in each of two test processes would only fight for the same cores.
# scikit-learn follows arrays of other libraries only where SciPy is told to.
TEST_ENV := OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 SCIPY_ARRAY_API=1
PYTEST := $(TEST_ENV) $(BIN)/python -m pytest
# The part of the suite that depends most on the versions of others.

CORE := tests/extraction tests/laws tests/linalg tests/moments tests/test_cost.py tests/test_gate.py

.PHONY: demo test lint types unit test-lowest test-newest test-newest-core test-interop test-device bench reproduce fuzz docs coverage mutation release-check clean

demo: $(VENV)/demo.stamp
	$(BIN)/labelspan compare --out results

test: lint types unit

lint: $(VENV)/test.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/test.stamp
	$(BIN)/mypy
	$(BIN)/mypy --strict examples

unit: $(VENV)/test.stamp
	$(PYTEST) -m "not reproduce" -n auto --dist loadfile

test-lowest: $(VENV)-lowest/test.stamp
	$(TEST_ENV) $(VENV)-lowest/bin/python -m pytest -m "not reproduce" -W default --ignore=tests/laws/test_ecosystem_every.py --ignore=tests/laws/test_registry.py $(CORE)

# On the newest Python there is, with the newest of every dependency; TESTS limits it to a part.
test-newest: $(VENV)-newest/test.stamp
	$(TEST_ENV) $(VENV)-newest/bin/python -m pytest -m "not reproduce" -n auto --dist loadfile $(TESTS)

test-newest-core:
	$(MAKE) test-newest TESTS="$(CORE)"

# With the packages that search and encode: tests/interop/test_indexes.py. hnswlib has no wheels.
test-interop: $(VENV)-interop/test.stamp
	$(TEST_ENV) LABELSPAN_REQUIRE_INTEROP=1 $(VENV)-interop/bin/python -m pytest -p no:cacheprovider tests/interop/test_indexes.py

# Where there is an accelerator, with its own Python: PYTHON=python3 make test-device
test-device:
	$(TEST_ENV) PYTHONPATH=src $(PYTHON) -m pytest -m device -p no:cacheprovider tests/laws/test_device.py tests/linalg/test_on_device.py tests/classifiers/test_neighbours_on_device.py tests/laws/test_streamed.py tests/metrics/test_on_device.py

bench: $(VENV)/bench.stamp
	$(BIN)/python benchmarks/record.py

# The whole store, the text of the values that the page needs, the page, and the store packed for
# a release. The tests judge what the first line has stored; both resume an interrupted run.
REPRODUCED := results/reproduce
reproduce: $(VENV)/test.stamp
	$(TEST_ENV) $(BIN)/labelspan reproduce all --out $(REPRODUCED) --values docs/reproduction.json --document docs/reproduction.md
	$(BIN)/python tools/pack_results.py $(REPRODUCED) results/reproduction.sqlite.xz
	LABELSPAN_REPRODUCE=$(REPRODUCED) $(PYTEST) -m reproduce -s

fuzz: $(VENV)/fuzz.stamp
	$(BIN)/python -m tests.fuzz.fuzz_hypothesis --seconds 300
	$(BIN)/python -m tests.fuzz.fuzz_atheris .fuzz-corpus -max_total_time=300 -max_len=4096

# Lines and branches of src that the suite runs; at least 95 %.
coverage: $(VENV)/test.stamp
	$(BIN)/coverage erase
	$(TEST_ENV) $(BIN)/coverage run -m pytest -m "not reproduce" -n auto --dist loadfile
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report --fail-under 95

# A seeded sample of changed operators in linalg, moments and _labels that the tests must notice.
mutation: $(VENV)/test.stamp
	$(TEST_ENV) $(BIN)/python tools/mutate.py

docs: $(VENV)/docs.stamp
	$(BIN)/python -m sphinx -W --keep-going -b html docs docs/_build/html
	$(BIN)/python docs/check_links.py docs/_build/html

# Builds, installs in clean environments of every available Python, and tries the result.
DIST := dist
release-check: $(VENV)/release.stamp
	$(BIN)/python tools/release_check.py --dist $(DIST)

clean:
	rm -rf $(VENV) $(VENV)-lowest $(VENV)-newest $(VENV)-interop .pytest_cache .mypy_cache .ruff_cache results dist docs/_build docs/gallery docs/generated docs/api docs/api.rst

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/demo.stamp: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[data,cli]"
	touch $@

$(VENV)/test.stamp: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[test]"
	touch $@

$(VENV)/bench.stamp: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[bench]"
	touch $@

$(VENV)/fuzz.stamp: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[fuzz]"
	touch $@

$(VENV)/release.stamp: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check "build>=1.2" "twine>=6"
	touch $@

$(VENV)/docs.stamp: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[docs]"
	touch $@

$(VENV)-lowest/test.stamp: pyproject.toml requirements/lowest.txt
	$(PYTHON) -m venv $(VENV)-lowest
	$(VENV)-lowest/bin/python -m pip install --quiet --disable-pip-version-check -c requirements/lowest.txt -e . pytest hypothesis mpmath pandas pooch defusedxml
	touch $@

$(VENV)-interop/test.stamp: pyproject.toml requirements/interop.txt
	$(PYTHON) -m venv $(VENV)-interop
	$(VENV)-interop/bin/python -m pip install --quiet --disable-pip-version-check -e . -r requirements/interop.txt
	$(VENV)-interop/bin/python -m pip install --quiet --disable-pip-version-check hnswlib || echo "hnswlib cannot be built here: its test skips"
	touch $@

$(VENV)-newest/test.stamp: pyproject.toml tools/newest.py
	$(PYTHON) tools/newest.py $(VENV)-newest
	touch $@
