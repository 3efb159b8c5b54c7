"""A benchmark run started on its page, and seen when it ends."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import expect

from copilot.bench.run.tasks import mine_file
from copilot.engine import Engine
from tests.copilot.bench.run.hand import hand_tasks, write_tasks
from tests.e2e.app import Server, Tab, running_app


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory, sample_catalogue: Path) -> Iterator[Server]:
    """The app with a home in which nothing has run yet."""
    with running_app(tmp_path_factory.mktemp("home"), sample_catalogue) as server:
        yield server


def test_a_run_is_started_on_the_page_and_seen_when_it_ends(tab: Tab, app: Server, sample_catalogue: Path):
    engine = Engine(home=app.home, catalogue_url=str(sample_catalogue))
    tasks = hand_tasks(Engine.in_memory_like(engine), 40)
    mine_file(app.home).parent.mkdir(parents=True, exist_ok=True)
    write_tasks(mine_file(app.home), [replace(task, version="") for task in tasks])
    page = tab.page
    tab.go("Benchmark")
    start = page.get_by_role("button", name="Run", exact=True)
    tab.press(page.get_by_text("Run the benchmark"), start)
    tab.pick(page.get_by_role("combobox", name="Tasks"), "my own suite")
    expect(page.get_by_text("bench run --tasks mine")).to_be_visible()
    start.click()
    expect(page.get_by_test_id("stProgress")).to_be_visible()
    expect(page.get_by_test_id("stProgress")).to_have_count(0)
    expect(page.get_by_test_id("stMultiSelect")).to_contain_text("mine")
    expect(page.get_by_test_id("stMetric").first).to_contain_text("75.0%")
