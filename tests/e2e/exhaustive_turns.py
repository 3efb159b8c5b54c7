"""kill -9 in the middle of a turn, as its page shows it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import expect

from tests.e2e.app import Tab, running_app
from tests.e2e.gated import PLOT, GatedModel
from tests.e2e.test_turns import expect_running
from tests.openai_server import openai_server


def test_after_kill_9_the_session_stands_at_its_last_event(
    new_tab: Callable[..., Tab], tmp_path: Path, sample_catalogue: Path, model: GatedModel
):
    with (
        openai_server(model) as at,
        running_app(tmp_path, sample_catalogue, OPENAI_BASE_URL=at.url, COPILOT_MODEL="slow") as server,
    ):
        tab = new_tab(server).open()
        tab.send(PLOT)
        expect_running(tab)
        session = tab.session
        server.kill()
        server.start()
        tab.open(f"/?session={session}")
        expect(tab.page.get_by_text("Interrupted: the app was closed")).to_be_visible()
        tab.expect_chips("fair1m")
        model.gate.set()
        tab.ask("hostile")
