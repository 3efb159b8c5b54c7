"""A turn belongs to the process: reloads, second tabs, Stop and kill -9 in the middle of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.e2e.app import Server, Tab
from tests.e2e.gated import HOSTILE, NAME, PLOT, SLOW_PAGE, GatedModel


@pytest.fixture
def app(served: Server) -> Server:
    """The app with the model that waits."""
    return served


def expect_running(tab: Tab) -> None:
    expect(tab.page.get_by_role("button", name="Stop")).to_be_visible()
    expect(tab.page.locator("article.az-turn summary")).to_contain_text("1 call")


def expect_done(tab: Tab) -> None:
    expect(tab.page.locator("article.az-turn .az-reply")).to_have_text("All three steps are done.")
    expect(tab.page.locator("article.az-turn summary")).to_contain_text("3 calls")


def test_calls_show_while_the_turn_runs_and_a_reload_and_a_second_tab_join_it(tab: Tab, model: GatedModel):
    tab.send(PLOT)
    expect_running(tab)
    tab.page.reload()
    expect_running(tab)
    second = tab.beside().open(f"/?session={tab.session}")
    expect_running(second)
    model.gate.set()
    expect_done(tab)
    expect_done(second)
    tab.expect_chips("fair1m")
    second.expect_chips("fair1m")


def test_stop_ends_the_turn_and_keeps_what_was_done(tab: Tab, model: GatedModel):
    tab.send(PLOT)
    expect_running(tab)
    tab.page.get_by_role("button", name="Stop").click()
    expect(tab.page.locator("article.az-turn .az-stopped")).to_contain_text("Stopped")
    model.gate.set()
    tab.expect_chips("fair1m")


def test_stop_says_at_once_in_every_tab_that_it_waits_for_the_step_it_is_at(
    tab: Tab, model: GatedModel, screenshot_folder: Path
):
    second = tab.beside().open(f"/?session={tab.session}")
    tab.send(f"read {SLOW_PAGE}")
    for each in (tab, second):
        expect(each.page.get_by_role("button", name="Stop")).to_be_visible()
    tab.wait_for(model.page_asked.is_set, "the step that reads the page")
    tab.page.get_by_role("button", name="Stop").click()
    for each in (tab, second):
        expect(each.page.get_by_role("button", name="Stopping …")).to_be_disabled()
        expect(each.page.locator(".az-thinking")).to_have_text("Stopping …")
    tab.shot(screenshot_folder, "turn-stopping")
    model.gate.set()
    for each in (tab, second):
        expect(each.page.locator("article.az-turn .az-stopped")).to_contain_text("Stopped")
        expect(each.page.locator(".st-key-stop")).to_have_count(0)


def test_a_second_request_is_refused_while_one_runs_and_stays_in_the_box(tab: Tab, model: GatedModel):
    tab.send(PLOT)
    expect_running(tab)
    tab.send("something else")
    expect(tab.page.get_by_text("A request is still running in this session.")).to_be_visible()
    expect(tab.page.get_by_test_id("stChatInputTextArea")).to_have_value("something else")
    model.gate.set()
    expect_done(tab)
    expect(tab.page.locator("article.az-turn")).to_have_count(1)


def test_two_sessions_run_at_once_and_do_not_mix(tab: Tab, new_tab: Callable[..., Tab], model: GatedModel):
    other = new_tab().open()
    tab.send(PLOT)
    expect_running(tab)
    other.send("hostile")
    expect(other.page.locator("article.az-turn .az-reply")).to_be_visible()
    other.expect_chips()
    model.gate.set()
    expect_done(tab)
    expect(other.page.locator("article.az-turn")).to_have_count(1)


def test_what_a_model_or_a_user_writes_is_shown_as_text(tab: Tab, model: GatedModel):
    card = tab.ask(f"hostile {HOSTILE}")
    assert card.locator(".az-reply").inner_text() == HOSTILE
    assert card.locator(".az-request").inner_text() == f"hostile {HOSTILE}"
    assert card.locator(".az-thought-text").text_content() == HOSTILE
    tab.panel("Trace")
    thought = tab.body().locator(".az-trace-thought")
    thought.locator("summary").click()
    expect(thought.locator("p")).to_have_text(HOSTILE)
    assert tab.page.evaluate("window.hacked") is None
    assert card.locator("a, img").count() == 0


def test_the_header_says_that_a_local_model_answers(tab: Tab):
    model = tab.page.locator(".st-key-model .az-model")
    expect(model).to_have_text(NAME)
    expect(model).to_have_attribute("title", f"{NAME} answers on this machine. Nothing leaves it.")
