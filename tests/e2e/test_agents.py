"""Choosing an agent on the page, and reading what it thinks, calls and costs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Locator, expect

from tests.e2e.app import Server, Tab
from tests.e2e.gated import SCRIPTS, SHIPS, GatedModel


def choose(tab: Tab, agent: str, examples: int = 0) -> None:
    """Pick both in the settings, and go back to the map."""
    settings(tab)
    tab.page.get_by_role("radiogroup", name="Agent").get_by_text(agent, exact=True).click()
    chosen = tab.page.locator(".st-key-agent")
    expect(chosen).to_contain_text(f"For this session: {agent},")
    if examples:
        tab.page.get_by_role("radio", name=str(examples), exact=True).click()
        expect(chosen).to_contain_text(f"{agent}, {examples} examples")
    tab.go("Map")
    tab.map.locator("#map_div[data-version]").wait_for()


def settings(tab: Tab) -> Locator:
    """Open the settings; what they say of the session."""
    tab.go("Settings")
    said = tab.page.locator(".st-key-agent")
    expect(said).to_be_visible()
    return said


def steps(card: Locator) -> list[str]:
    """The trace in order: "thought" or the tool of each line."""
    lines = card.locator(".az-calls li")
    kinds = []
    for line in lines.all():
        call = line.locator(".az-call code")
        kinds.append(call.inner_text().split("(")[0] if call.count() else "thought")
    return kinds


def test_react_shows_thoughts_calls_tokens_and_cost_in_order_while_it_runs_and_after(
    new_tab: Callable[..., Tab], served: Server, model: GatedModel, screenshot_folder: Path
) -> None:
    tab = new_tab(served).open()
    choose(tab, "ReAct", 2)
    tab.send(SHIPS)
    card = tab.page.locator("article.az-turn")
    expect(card.locator("summary")).to_contain_text("1 call")
    expect(card.locator("summary")).to_contain_text("111 tokens · $0.0004")
    card.locator("summary").click()
    assert steps(card) == ["thought", "db_load"]
    tab.shot(screenshot_folder, "agent-running")
    model.gate.set()
    expect(card.locator(".az-reply")).to_contain_text("The ships of fair1m")
    expect(card.locator("summary")).to_contain_text("3 calls")
    expect(card.locator("summary")).to_contain_text("444 tokens · $0.0014")
    assert steps(card) == ["thought", "db_load", "thought", "filter_class", "thought", "cluster_plot"]
    assert card.locator(".az-thought-text").all_inner_texts() == [
        str(each).strip() for each in SCRIPTS[SHIPS].thoughts
    ]
    rules = model.asked[0]["messages"][0]["content"]
    assert "Make one call at a time" in rules
    assert (
        sum(each["role"] == "user" for each in model.asked[0]["messages"]) == 3
    )  # two examples, the request

    # A long thought is cut to two lines until it is read in full, and stays open.
    long = card.locator(".az-thought-text").nth(1)
    folded = height_of(long)
    long.click()
    expect(long).to_have_attribute("aria-expanded", "true")
    tab.wait_for(lambda: folded + 10 < height_of(long) < float("inf"), "the thought in full")
    tab.shot(screenshot_folder, "agent-thoughts")
    tab.panel("Trace")
    thought = tab.body().locator(".az-trace-thought").nth(1)
    expect(thought.locator("summary")).to_be_visible()
    expect(thought.locator("p")).to_be_hidden()
    thought.locator("summary").click()
    expect(thought.locator("p")).to_be_visible()
    expect(tab.body().locator(".az-trace-reply")).to_contain_text("444 tokens · $0.0014")
    tab.shot(screenshot_folder, "agent-trace")

    # The choice stays with the session: after a reload, and not in another one.
    expect(settings(tab)).to_contain_text("ReAct, 2 examples")
    tab.page.reload()
    expect(tab.page.locator(".st-key-agent")).to_contain_text("ReAct, 2 examples")
    expect(settings(new_tab(served).open())).to_contain_text("Direct, 0 examples")


def height_of(each: Locator) -> float:
    """How high it is in pixels; infinite where it is not drawn."""
    box = each.bounding_box()
    return box["height"] if box else float("inf")
