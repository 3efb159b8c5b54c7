# Everything a user or a contributor runs. `make` alone prints this list.
# A stamp in .venv and node_modules lets a second run go straight to work; scripts/setup.sh has the how.

SHELL := /bin/bash
PY := .venv/bin/python
PORT ?= 8501
TEST_HOME := $(CURDIR)/.azimuth/test
export PLAYWRIGHT_BROWSERS_PATH := 0
# The app starts several Pythons and the tests hundreds: where none keeps what it compiled, each takes 3 s more.
export PYTHONDONTWRITEBYTECODE :=
ARGS ?=
# One thread a worker for sums of arrays: two workers with two threads each wait for each other.
PYTEST = AZIMUTH_HOME=$(TEST_HOME) OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 \
	$(PY) -m pytest -n 2 --dist loadfile --no-loadscope-reorder

.DEFAULT_GOAL := help
.PHONY: help setup setup-torch setup-tests run test test-all test-fast test-budget lint format bench docs sample screenshots clean

help: ## Print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo "  PORT=8501, PYTHON=python3.12, AZIMUTH_HOME=folder and ARGS='more arguments' are honoured, as in: make run PORT=8600"

setup: ## Install what the app needs, into .venv and node_modules
	@scripts/setup.sh python assets

setup-torch: ## Install PyTorch and Ultralytics: for training, and to run weights of theirs
	@scripts/setup.sh torch

setup-tests: ## Install what the tests need beyond that: Chromium, PostgreSQL with PostGIS, GDAL's tools
	@scripts/setup.sh python assets browser postgres gdal

sample: setup ## Build the sample catalogue and ingest the real scenes, if they are not there yet
	@$(PY) -m copilot data sample

run: sample ## Start the app on http://localhost:8501
	@echo "Azimuth: http://localhost:$(PORT) (Ctrl-C stops it)"
	@exec $(PY) -m streamlit run app.py --server.port $(PORT) --server.headless true $(ARGS)

test: setup-tests ## Run what protects a change, the browser included: 12 minutes
	@AZIMUTH_HOME=$(TEST_HOME) $(PY) -m copilot data sample --no-scenes
	@$(PYTEST) $(ARGS)

test-all: setup-tests setup-torch ## Run that and what measures, learns or exhausts
	@AZIMUTH_HOME=$(TEST_HOME) $(PY) -m copilot data sample --no-scenes
	@AZIMUTH_CHANCE=1 $(PYTEST) -o python_files='test_*.py exhaustive_*.py' $(ARGS)

test-fast: setup ## Run the tests that are quick and need no browser
	@AZIMUTH_HOME=$(TEST_HOME) $(PY) -m copilot data sample --no-scenes
	@AZIMUTH_HOME=$(TEST_HOME) $(PY) -m pytest -m "not slow and not browser" $(ARGS)

test-budget: setup ## Hold the last whole run of the tests to what a test and a file may cost
	@$(PY) -m tests.suite.budget

lint: setup test-budget ## Check style, types, the shell scripts, and what the tests cost
	@$(PY) -m ruff check
	@$(PY) -m ruff format --check
	@$(PY) -m mypy
	@.venv/bin/shellcheck scripts/*.sh .ci/run

format: setup ## Put the code into the one style
	@$(PY) -m ruff check --fix-only --quiet
	@$(PY) -m ruff format

bench: setup ## Measure the budgets and print their table
	@$(PY) scripts/bench.py $(ARGS)

docs: setup ## Run what the documents show, and write its output and docs/tools.md anew
	@AZIMUTH_HOME=$(TEST_HOME) $(PY) -m copilot data sample --no-scenes
	@AZIMUTH_HOME=$(TEST_HOME) $(PY) scripts/docs.py

screenshots: setup-tests ## Take the documentation's pictures anew, into docs/screenshots
	@AZIMUTH_HOME=$(TEST_HOME) $(PY) -m copilot data sample --no-scenes
	@AZIMUTH_HOME=$(TEST_HOME) AZIMUTH_SCREENSHOTS=docs/screenshots $(PY) -m pytest -m browser $(ARGS)

clean: ## Remove what was installed or built here; a user's sessions and catalogue stay
	@rm -rf .venv node_modules .azimuth .pytest_cache .mypy_cache .ruff_cache .hypothesis test-results
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
