"""A benchmark run looked at in the browser: its figures, a failed task, its trace on the map."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from copilot.engine import Engine
from tests.copilot.bench.run.hand import hand_tasks
from tests.copilot.bench.test_report import finished
from tests.e2e.app import Server, Tab


@pytest.fixture
def run_id(app: Server, sample_catalogue: Path) -> str:
    """A finished run in the app's home, with one task that the planner does not get right."""
    engine = Engine(home=app.home, catalogue_url=str(sample_catalogue))
    return finished(engine, hand_tasks(Engine.in_memory_like(engine), 4)).id


def test_a_failed_task_is_opened_and_replayed_on_the_map(tab: Tab, run_id: str, screenshot_folder: Path):
    page = tab.page
    tab.go("Benchmark")
    expect(page.get_by_text("Tasks that failed")).to_be_visible()
    expect(page.get_by_test_id("stMetric").first).to_contain_text("75.0%")
    expect(page.locator(".js-plotly-plot")).to_have_count(4)
    tab.shot(screenshot_folder, "benchmark")
    # The grid is drawn on a canvas: the first row's box is at its left edge.
    grid = page.get_by_test_id("stDataFrame")
    grid.scroll_into_view_if_needed()
    grid.click(position={"x": 18, "y": 52})
    opened = page.locator(".st-key-bench_task")
    expect(opened).to_contain_text('open_page(name="tools")')
    expect(opened).to_contain_text('open_page(name="help")')
    tab.settle()
    page.get_by_role("button", name="Replay on the map").click()
    expect(page.locator("article.az-turn")).to_contain_text("open the tools page")
    expect(page.locator(".st-key-session_menu")).to_contain_text("Benchmark hand-003")
    tab.settle()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("button", name="Undo")).to_be_disabled()
