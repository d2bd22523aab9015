# What people do with the project; each works on a fresh machine. `make run` opens the window.
PYTHON ?= python3
BIN := .venv/bin
UV_VERSION := 0.13.9
LOCK := build/lock/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --custom-compile-command "make lock"

.PHONY: run test check bench screenshots package lock
.DEFAULT_GOAL := run

# Without the libraries Qt says itself what it lacks; without the model there are other agents and servers.
run:
	@packaging/system-deps --venv=$(PYTHON) || true
	@$(PYTHON) packaging/bootstrap.py run
	@$(BIN)/python -m minime_agent model install smollm2 --if-missing || true
	@$(BIN)/python -m sidekicks $(ARGS)

test:
	@packaging/system-deps --tests --venv=$(PYTHON)
	@$(PYTHON) packaging/bootstrap.py dev
	@$(BIN)/python -m minime_agent model install smollm2 --if-missing
	QT_QPA_PLATFORM=offscreen $(BIN)/python -m pytest -n 2 $(ARGS)

check:
	@packaging/system-deps --venv=$(PYTHON)
	@$(PYTHON) packaging/bootstrap.py dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/basedpyright
	$(BIN)/lint-imports
	$(BIN)/python packaging/translations.py --check

bench:
	@packaging/system-deps --tests --venv=$(PYTHON)
	@$(PYTHON) packaging/bootstrap.py dev
	QT_QPA_PLATFORM=offscreen $(BIN)/python -m benchmarks $(ARGS)

screenshots:
	@packaging/system-deps --tests --venv=$(PYTHON)
	@$(PYTHON) packaging/bootstrap.py dev
	$(BIN)/python packaging/screenshots.py $(ARGS)

package:
	@packaging/system-deps --venv=$(PYTHON)
	@$(PYTHON) packaging/bootstrap.py run
	rm -rf dist
	$(BIN)/python -m build --no-isolation --outdir dist
	$(BIN)/python packaging/check_package.py

# The locks hold every version with its hash, for all systems and Pythons that are supported.
lock: build/lock/bin/uv
	$(LOCK) pyproject.toml --extra embedded -o packaging/requirements.lock
	$(LOCK) pyproject.toml --extra embedded --extra dev -o packaging/requirements-dev.lock
	$(LOCK) packaging/requirements-build.in -c packaging/requirements-dev.lock -o packaging/requirements-build.lock

build/lock/bin/uv:
	$(PYTHON) -m venv build/lock
	build/lock/bin/pip install --quiet uv==$(UV_VERSION)
