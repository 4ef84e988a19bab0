# Each target makes its own environment in .venv first; all it needs is python3 (3.11 or later).
PYTHON ?= python3
JOBS ?= 2
BIN := .venv/bin
READY := .venv/.ready

# Between edits: the parts, a handful of learners of all kinds against their twins, two through
# scikit-learn's checks, and the models on file. Everything else is for `make test`.
QUICK := tests/parts tests/agreement/test_agreement.py tests/estimators/test_sklearn_checks.py \
	tests/io/test_old_files.py tests/stream/test_scale.py \
	onkel/learners/avm.py onkel/learners/bsgd.py onkel/learners/fogd.py
TWINS := AVM or BSGD or FOGD or NOGD or Projectron or SPA
VARIANTS := repeats or kernel or loss or exact or cores or rate or box or weighted or intercept or first_step or half_life or class_weight
CHECKED := FOGDClassifier or AVMRegressor
CHOSEN := not (test_agreement or test_sklearn_checks or test_stores or thousand) \
	or (test_agreement and every_instance and dense and ($(TWINS)) and not ($(VARIANTS))) \
	or (test_sklearn_checks and ($(CHECKED)))

# Compiled in Numba's usual way, and with the lowest versions: a handful of learners will do.
HANDFUL := tests/compiling tests/agreement/test_agreement.py tests/estimators/test_sklearn_checks.py
FEW := not (test_agreement or test_sklearn_checks) \
	or (test_agreement and every_instance and dense and binary and (AVM or FOGD or merging) and not ($(VARIANTS))) \
	or (test_sklearn_checks and FOGDClassifier)
LOWEST := .venv-lowest/bin

.PHONY: demo test test-plain test-lowest quick bench lint browser clean

demo: $(READY)
	$(BIN)/python -m onkel.cli demo

test: lint browser
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal

# Without the accelerator of compiling.
test-plain: $(READY)
	ONKEL_PLAIN_COMPILING=1 $(BIN)/python -m pytest -q -n $(JOBS) --dist worksteal $(HANDFUL) -k "$(FEW)"

# With the lowest versions of everything that onkel needs.
test-lowest: .venv-lowest/.ready
	$(LOWEST)/python -m pytest -q -n $(JOBS) --dist worksteal $(HANDFUL) -k "$(FEW)"

quick: $(READY)
	$(BIN)/python -m pytest -q -n $(JOBS) --dist worksteal $(QUICK) -k "$(CHOSEN)"

bench: $(READY)
	$(BIN)/python -m benchmarks

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy onkel
	$(BIN)/lint-imports --no-cache

# The report is tested in a real browser: Debian's, where it can be installed.
browser:
	@if command -v chromium >/dev/null && command -v chromedriver >/dev/null; then :; \
	elif ! command -v apt-get >/dev/null; then echo "no chromium and no apt-get: browser tests will be skipped"; \
	else \
		if [ "$$(id -u)" = 0 ]; then as=; else as="sudo -n"; fi; \
		get="$$as env DEBIAN_FRONTEND=noninteractive apt-get -qq"; \
		{ $$get update; $$get install -y chromium chromium-driver; } >/dev/null 2>&1 || \
		echo "chromium could not be installed: browser tests will be skipped"; \
	fi

# The stamp is older than pyproject.toml when the dependencies may have changed.
$(READY): pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "onkel needs Python 3.11 or later")'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $@

.venv-lowest/.ready: pyproject.toml requirements-lowest.txt
	test -x $(LOWEST)/python || $(PYTHON) -m venv .venv-lowest
	$(LOWEST)/python -m pip install --quiet --disable-pip-version-check -c requirements-lowest.txt \
		-e . pytest pytest-xdist hypothesis
	touch $@

clean:
	rm -rf .venv .venv-lowest build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis demo.png
	find onkel tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true
