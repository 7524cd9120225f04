# One word for each chore; `make help` tells them. Works with GNU make 3.81 and later.

VENV ?= .venv
PY := $(VENV)/bin/python
UV := $(VENV)/bin/uv
PYTHONS := python3.13 python3.12 python3.11 python3
ARGS ?=

export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PYRIGHT_PYTHON_IGNORE_WARNINGS := 1

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

.PHONY: help run test check bench claims docs lock clean FORCE

help: ## tell what each word does
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-7s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: $(VENV)/.ready-run ## start the twin on one local address, print it, stop on Ctrl-C
	@$(PY) -m web

test: $(VENV)/.ready-dev ## run the tests (some of them: make test ARGS="tests/laws -x")
	@$(PY) -m pytest $(ARGS)

check: $(VENV)/.ready-dev ## lint, format, types, import contracts, generated pages: change nothing
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(VENV)/bin/pyright --pythonpath $(PY)
	$(VENV)/bin/lint-imports
	$(PY) -m tests.house.generated --check

bench: $(VENV)/.ready-dev ## measure the budgets of ARCHITECTURE.md on this machine
	@$(PY) -m tests.bench $(ARGS)

claims: $(VENV)/.ready-dev ## compute every published claim anew, and write the pages that show them
	@$(PY) -m twin claims --store $(ARGS); status=$$?; $(PY) -m twin prefill-service --store || status=$$?; \
	$(PY) -m tests.house.generated; exit $$status

docs: $(VENV)/.ready-dev ## write the generated pages anew
	@$(PY) -m tests.house.generated
	@$(PY) -m tests.twin.examples

# A lock keeps what it holds unless told otherwise: make lock ARGS=--upgrade
compile = $(UV) pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	--only-binary pysqlite3 --custom-compile-command 'make lock' --quiet $(ARGS)

lock: $(VENV)/.uv ## pin all dependencies anew, with hashes, for every Python and platform at once
	$(compile) --group build -o requirements-build.lock
	$(compile) pyproject.toml -c requirements-build.lock -o requirements.lock
	$(compile) pyproject.toml --group dev -c requirements-build.lock -c requirements.lock -o requirements-dev.lock

clean: ## remove the environment and every cache; saved twins stay
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The environment, in four steps, each redone only when what it stands on has changed.

fits := import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))
version := import sys; print("%d.%d" % sys.version_info[:2])

$(VENV)/.python: FORCE
	@if [ -x $(PY) ] && [ -f $@ ] && $(if $(PYTHON),[ "$$($(PY) -c '$(version)')" = "$$($(PYTHON) -c '$(version)')" ],true); \
	then exit 0; fi; \
	chosen=; seen=; \
	for python in $(or $(PYTHON),$(PYTHONS)); do \
		found=$$($$python -c '$(version)' 2>/dev/null) || continue; \
		seen="$$seen $$python ($$found)"; \
		if $$python -c '$(fits)'; then chosen=$$python; break; fi; \
	done; \
	if [ -z "$$chosen" ]; then \
		echo "The twin needs Python 3.11, 3.12 or 3.13; found here:$${seen:- none of $(or $(PYTHON),$(PYTHONS))}." \
			"Install one of them, or name it: make run PYTHON=/path/to/python3.13" >&2; \
		exit 1; \
	fi; \
	if ! $$chosen -c 'import ensurepip, venv' 2>/dev/null; then \
		echo "$$chosen is there but cannot make environments: install its venv module" \
			"(on Debian and Ubuntu: apt-get install python$$found-venv) and try again." >&2; \
		exit 1; \
	fi; \
	echo "Making $(VENV) with Python $$found, once; it takes about half a minute." >&2; \
	$$chosen -m venv --clear $(VENV) && touch $@

$(VENV)/.uv: $(VENV)/.python requirements-build.lock
	@$(PY) -m pip install --quiet --require-hashes -r requirements-build.lock
	@touch $@

$(VENV)/.ready-run: $(VENV)/.uv requirements.lock pyproject.toml twin/version.py
	@$(call install,requirements.lock)
	@touch $@

$(VENV)/.ready-dev: $(VENV)/.ready-run requirements-dev.lock
	@$(call install,requirements-dev.lock)
	@touch $@

# uv does not read pip's settings, so where only pip knows the way to the packages, pip goes.
define install
{ $(UV) pip install --quiet --python $(PY) --require-hashes -r $(1) || \
  { echo "uv could not; trying pip, which takes longer." >&2; \
    $(PY) -m pip install --quiet --require-hashes -r $(1); }; } && \
$(UV) pip install --quiet --python $(PY) --no-deps --no-build-isolation --offline -e .
endef
