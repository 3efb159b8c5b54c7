"""Every agent that can be chosen on the page answers, and what it thinks can be read in any window."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Locator, expect

from tests.e2e.app import Server, Tab
from tests.e2e.gated import SHIPS, GatedModel
from tests.e2e.test_agents import choose, height_of, settings


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


WINDOWS = ((700, 900, 100), (1024, 768, 50), (1440, 900, 50))
"""Width and height, and how high the header may be: one line, two on a telephone; all in pixels."""


def test_the_settings_and_thoughts_can_be_read_in_the_dark_and_in_a_narrow_window(
    new_tab: Callable[..., Tab], served: Server, model: GatedModel, screenshot_folder: Path
) -> None:
    model.gate.set()
    tab = new_tab(served, color_scheme="dark").open()
    choose(tab, "ReAct")
    card = tab.ask(SHIPS)
    card.locator("summary").click()

    header = tab.page.locator(".st-key-header")

    def expect_it_fits(shown: Locator, name: str) -> None:
        for width, height, most in WINDOWS:
            tab.page.set_viewport_size({"width": width, "height": height})
            tab.wait_for(lambda width=width: _within(shown, width), f"{name} at {width} pixels")
            tab.wait_for(lambda most=most: height_of(header) < most, f"the header at {width} pixels")
            tab.shot(screenshot_folder, f"agent-{name}-{width}")

    expect_it_fits(card.locator(".az-thought-text").nth(1), "thoughts")
    settings(tab)
    expect_it_fits(tab.page.get_by_role("radiogroup", name="Agent"), "settings")


def _within(each: Locator, width: int) -> bool:
    box = each.bounding_box()
    return bool(box) and box["x"] >= 0 and box["x"] + box["width"] <= width
