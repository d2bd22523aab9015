PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: check
check:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/basedpyright
	$(BIN)/lint-imports

.PHONY: test
test:
	$(BIN)/python -m pytest
