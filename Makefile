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
SLOW := test_stores or thousand or test_merging or test_norm or kmeans or ones_own
CHOSEN := not (test_agreement or test_sklearn_checks or $(SLOW)) \
	or (test_agreement and every_instance and dense and ($(TWINS)) and not ($(VARIANTS) or (Projectron and multiclass))) \
	or (test_sklearn_checks and ($(CHECKED)))

# Compiled in Numba's usual way, and with the lowest versions: a handful of learners will do.
HANDFUL := tests/compiling tests/agreement/test_agreement.py tests/estimators/test_sklearn_checks.py
FEW := not (test_agreement or test_sklearn_checks) \
	or (test_agreement and every_instance and dense and binary and (AVM or FOGD or merging) and not ($(VARIANTS))) \
	or (test_sklearn_checks and FOGDClassifier)
LOWEST := .venv-lowest/bin

.PHONY: demo docs links test test-plain test-lowest test-spark quick bench lint package browser clean

demo: $(READY)
	$(BIN)/python -m onkel.cli demo

test: lint browser
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal

# The site, in docs/_build/html; the network is not needed, and a warning is an error. GALLERY=0 shows the worked
# examples, but does not run them.
GALLERY ?= 1
docs: $(READY)
	$(BIN)/python -m sphinx -q -n -W --keep-going -D plot_gallery=$(GALLERY) -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

# Links to other sites lead somewhere: the one thing about the site that needs the network.
links: $(READY)
	$(BIN)/python -m sphinx -q -n -W --keep-going -D plot_gallery=0 -b linkcheck docs docs/_build/links

# Without the accelerator of compiling.
test-plain: $(READY)
	ONKEL_PLAIN_COMPILING=1 $(BIN)/python -m pytest -q -n $(JOBS) --dist worksteal $(HANDFUL) -k "$(FEW)"

# With the lowest versions of everything that onkel needs.
test-lowest: .venv-lowest/.ready
	$(LOWEST)/python -m pytest -q -n $(JOBS) --dist worksteal $(HANDFUL) -k "$(FEW)"

# The recipe for Spark in docs/scaling.md; pyspark is large, and no part of the environment otherwise.
test-spark: $(READY)
	@if command -v java >/dev/null; then \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check 'pyspark>=4' && \
		$(BIN)/python -m pytest -q tests/dask/test_spark.py; \
	else echo "no java: the recipe for Spark is not tested"; fi

quick: $(READY)
	$(BIN)/python -m pytest -q -n $(JOBS) --dist worksteal $(QUICK) -k "$(CHOSEN)"

bench: $(READY)
	$(BIN)/python -m benchmarks

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy onkel
	$(BIN)/lint-imports --no-cache

# sdist and wheel, checked, and each tried in an environment that has nothing else; then the wheel with its extras, by the
# tests of the sdist, from which the package itself is taken away.
FRESH := .venv-package
PIP := $(FRESH)/bin/python -m pip install --quiet --disable-pip-version-check
SMOKE := tests/packaging/smoke.py
INSTALLED := $(SMOKE) $(HANDFUL) tests/io/test_old_files.py tests/io/test_round_trip.py tests/io/test_onnx_pipelines.py \
	tests/cli/test_train_predict.py tests/plot tests/stream/test_files.py
package: $(READY)
	rm -rf dist $(FRESH)
	$(BIN)/python -m build --outdir dist
	$(BIN)/python -m twine check --strict dist/*
	$(PYTHON) -m venv $(FRESH)
	$(PIP) dist/*.tar.gz
	cd dist && ../$(FRESH)/bin/python -I ../$(SMOKE)
	$(PIP) --force-reinstall --no-deps dist/*.whl
	cd dist && ../$(FRESH)/bin/python -I ../$(SMOKE)
	$(PIP) "$$(echo dist/*.whl)[test]"
	mkdir $(FRESH)/sources && tar -xzf dist/*.tar.gz -C $(FRESH)/sources --strip-components 1 && rm -r $(FRESH)/sources/onkel
	cd $(FRESH)/sources && ../bin/python -m pytest -q -n $(JOBS) --dist worksteal $(INSTALLED) -k "$(FEW)"
	rm -rf $(FRESH)

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
	rm -rf .venv .venv-lowest .venv-package build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis demo.png \
		docs/_build docs/api docs/gallery docs/sg_execution_times.rst
	find onkel tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true
