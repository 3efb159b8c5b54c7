"""Every agent that can be chosen on the page answers."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import expect

from tests.e2e.app import Tab
from tests.e2e.test_agents import choose


def test_the_embedded_planner_answers_in_every_way_that_can_be_chosen(
    tab: Tab, screenshot_folder: Path
) -> None:
    for agent in ("Chain of thought", "ReAct", "Chameleon", "Reflexion", "RS-Agent", "Direct"):
        choose(tab, agent)
        card = tab.ask("how many images does xview1 have?")
        expect(card.locator("summary")).to_contain_text("call")
        assert "token" not in card.locator("summary").inner_text()
        expect(card.locator(".az-reply")).to_contain_text("images")
    tab.shot(screenshot_folder, "agent-embedded")
