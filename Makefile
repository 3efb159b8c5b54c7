# Everything a user or a contributor runs. `make` alone prints this list.
# A stamp in .venv and node_modules lets a second run go straight to work; scripts/setup.sh has the how.

SHELL := /bin/bash
PYTHON := .venv/bin/python
PORT ?= 8501
TEST_HOME := $(CURDIR)/.azimuth/test
export PLAYWRIGHT_BROWSERS_PATH := 0
ARGS ?=

.DEFAULT_GOAL := help
.PHONY: help setup setup-tests run test test-fast lint format bench sample screenshots clean

help: ## Print this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1|\2/' | column -t -s '|' 2>/dev/null \
		|| grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST)
	@echo "  PORT=8501, AZIMUTH_HOME=folder and ARGS='more arguments' are honoured, as in: make run PORT=8600"

setup: ## Install what the app needs, into .venv and node_modules
	@scripts/setup.sh python assets

setup-tests: ## Install what the tests need beyond that: Chromium, PostgreSQL with PostGIS
	@scripts/setup.sh python assets browser postgres

sample: setup ## Build the sample catalogue, if it is not there yet
	@$(PYTHON) -m copilot data sample

run: sample ## Start the app on http://localhost:8501
	@echo "Azimuth: http://localhost:$(PORT) (Ctrl-C stops it)"
	@exec $(PYTHON) -m streamlit run app.py --server.port $(PORT) --server.headless true $(ARGS)

test: setup-tests ## Run every test, the browser ones included
	@AZIMUTH_HOME=$(TEST_HOME) $(PYTHON) -m copilot data sample
	@AZIMUTH_HOME=$(TEST_HOME) $(PYTHON) -m pytest -n 2 --dist loadfile $(ARGS)

test-fast: setup ## Run the tests that are quick and need no browser
	@AZIMUTH_HOME=$(TEST_HOME) $(PYTHON) -m copilot data sample
	@AZIMUTH_HOME=$(TEST_HOME) $(PYTHON) -m pytest -m "not slow and not browser" $(ARGS)

lint: setup ## Check style, types and the shell scripts
	@$(PYTHON) -m ruff check
	@$(PYTHON) -m ruff format --check
	@$(PYTHON) -m mypy
	@.venv/bin/shellcheck scripts/*.sh .ci/run

format: setup ## Put the code into the one style
	@$(PYTHON) -m ruff check --fix-only --quiet
	@$(PYTHON) -m ruff format

bench: sample ## Measure the budgets and print their table
	@$(PYTHON) scripts/bench.py $(ARGS)

screenshots: setup-tests ## Take the documentation's pictures anew, into docs/images
	@AZIMUTH_HOME=$(TEST_HOME) $(PYTHON) -m copilot data sample
	@AZIMUTH_HOME=$(TEST_HOME) AZIMUTH_SCREENSHOTS=docs/images $(PYTHON) -m pytest -m browser $(ARGS)

clean: ## Remove what was installed or built here; a user's sessions and catalogue stay
	@rm -rf .venv node_modules .azimuth .pytest_cache .mypy_cache .ruff_cache .hypothesis test-results
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
