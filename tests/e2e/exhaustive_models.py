"""Which model? A question, a click, each criterion, a comparison: on the Models page and in the chat."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.e2e.app import Server, Tab, running_app
from tests.openai_server import Asked, Reply, calls, openai_server, says

RADAR = "Radar (SAR), such as Sentinel-1"
TURNS: dict[str, tuple[str, dict[str, Any]]] = {
    "which model for floods?": ("recommend_model", {"query": "which model for floods?"}),
    RADAR: ("recommend_model", {"query": RADAR}),
    "only radar, and it must run on a laptop": (
        "recommend_model",
        {"query": "only radar, and it must run on a laptop"},
    ),
    "compare the first two": ("compare_models", {"first": 2}),
}
"""What each turn becomes. Without a served model a click goes on with the call that asked."""


def reader(asked: Asked) -> Reply:
    """A served model that makes one call a turn and then says what it observed."""
    messages = asked["messages"]
    last = max(index for index, each in enumerate(messages) if each["role"] == "user")
    observed = [each["content"] for each in messages[last:] if each["role"] == "tool"]
    if observed:
        return says(str(observed[-1])[:400])
    return calls(next(call for said, call in TURNS.items() if said in messages[last]["content"]))


@pytest.fixture(scope="module")
def read_app(
    tmp_path_factory: pytest.TempPathFactory, sample_catalogue: Path, encoded_texts: None
) -> Iterator[Server]:
    """The app with that model."""
    with openai_server(reader) as model:
        environment = {"OPENAI_BASE_URL": model.url, "COPILOT_MODEL": "reader"}
        with running_app(tmp_path_factory.mktemp("home"), sample_catalogue, **environment) as server:
            yield server


def test_a_model_is_chosen_on_the_page_with_one_click_explained_and_compared(
    tab: Tab, screenshot_folder: Path
) -> None:
    page = tab.page
    page.get_by_role("link", name="Models").click()
    box = page.get_by_role("textbox", name="What is it for, on which data, and where is it to run?")
    box.fill("which model for floods?")
    page.get_by_role("button", name="Recommend").click()
    radar = page.get_by_role("button", name=RADAR)
    expect(radar).to_be_visible()
    tab.shot(screenshot_folder, "models-question")
    radar.click()
    picks = page.locator(".az-picks > li")
    expect(picks).to_have_count(3)
    expect(picks.first).to_contain_text("flood mapping: benchmark")
    expect(page.locator(".az-pick-said").first).to_contain_text("satisfy all that was asked")
    criteria = page.locator(".az-models").first.locator("tbody tr")
    expect(criteria).to_have_count(8)
    expect(criteria.first).to_contain_text("application 25 %")
    more = page.get_by_role("textbox", name="Say more, or ask anew")
    more.fill("only radar, and it must run on a laptop")
    page.get_by_role("button", name="Recommend").click()
    expect(page.get_by_text("deployment device: laptop")).to_be_visible()
    expect(picks.first).to_contain_text("an image on a laptop's processor (an estimate)")
    tab.shot(screenshot_folder, "models-recommended")
    first_two = [picks.nth(at).locator("b").first.inner_text() for at in (0, 1)]
    page.get_by_role("button", name="Compare the first two").click()
    compared = page.locator(".az-models").nth(1)
    expect(compared.locator("thead th")).to_have_text(first_two)
    expect(compared).to_contain_text("parameters, million")
    compared.scroll_into_view_if_needed()
    tab.shot(screenshot_folder, "models-compared")
    more.fill("and for change detection?")
    page.get_by_role("button", name="Recommend").click()
    expect(page.get_by_text("application: change detection")).to_be_visible()
    expect(page.get_by_text("deployment device: laptop")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("application: flood mapping")).to_be_visible()


def test_the_chat_asks_with_choices_a_click_answers_and_the_page_shows_what_was_found(
    new_tab: Callable[..., Tab], read_app: Server, screenshot_folder: Path
) -> None:
    tab = new_tab(read_app).open()
    page = tab.page
    tab.send("which model for floods?")
    asked = page.locator("article.az-turn").first
    expect(asked.get_by_role("button", name=RADAR)).to_be_visible()
    asked.get_by_role("button", name=RADAR).click()
    found = page.locator("article.az-turn").nth(1)
    expect(found).to_contain_text("recommend_model")
    expect(found.locator(".az-reply")).to_contain_text("For flood mapping · SAR")
    tab.ask("only radar, and it must run on a laptop")
    compared = tab.ask("compare the first two")
    expect(compared.locator(".az-reply")).to_contain_text("laptop without a GPU")
    tab.shot(screenshot_folder, "models-chat")
    page.get_by_role("link", name="Models", exact=True).click()
    expect(page.locator(".az-picks > li")).to_have_count(3)
    expect(page.locator(".az-models")).to_have_count(2)
