"""A turn belongs to the process: reloads, second tabs, Stop and kill -9 in the middle of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.e2e.app import SLOW_MS, Server, Tab, running_app
from tests.e2e.slow_model import HOSTILE, slow_model

REQUEST = "Load fair1m and plot it"


@pytest.fixture(scope="module")
def model() -> Iterator[object]:
    with slow_model() as server:
        yield server


@pytest.fixture(autouse=True)
def closed_gate(model: object) -> None:
    model.gate.clear()  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory, sample_catalogue: Path, model: object) -> Iterator[Server]:
    """The app with the slow model."""
    port = model.server_address[1]  # type: ignore[attr-defined]
    address = {"OPENAI_BASE_URL": f"http://127.0.0.1:{port}/v1", "COPILOT_MODEL": "slow"}
    with running_app(tmp_path_factory.mktemp("home"), sample_catalogue, **address) as server:
        yield server


def expect_running(tab: Tab) -> None:
    expect(tab.page.get_by_role("button", name="Stop")).to_be_visible(timeout=SLOW_MS)
    expect(tab.page.locator("article.az-turn summary")).to_contain_text("1 call", timeout=SLOW_MS)


def expect_done(tab: Tab) -> None:
    expect(tab.page.locator("article.az-turn .az-reply")).to_have_text(
        "All three steps are done.", timeout=SLOW_MS
    )
    expect(tab.page.locator("article.az-turn summary")).to_contain_text("3 calls")


def test_calls_show_while_the_turn_runs_and_a_reload_and_a_second_tab_join_it(tab: Tab, model: object):
    tab.send(REQUEST)
    expect_running(tab)
    tab.page.reload()
    expect_running(tab)
    second = tab.beside().open(f"/?session={tab.session}")
    expect_running(second)
    model.gate.set()  # type: ignore[attr-defined]
    expect_done(tab)
    expect_done(second)
    tab.expect_chips("fair1m")
    second.expect_chips("fair1m")


def test_stop_ends_the_turn_and_keeps_what_was_done(tab: Tab, model: object):
    tab.send(REQUEST)
    expect_running(tab)
    tab.page.get_by_role("button", name="Stop").click()
    model.gate.set()  # type: ignore[attr-defined]
    expect(tab.page.locator("article.az-turn .az-stopped")).to_contain_text("Stopped", timeout=SLOW_MS)
    tab.expect_chips("fair1m")


def test_a_second_request_is_refused_while_one_runs(tab: Tab, model: object):
    tab.send(REQUEST)
    expect_running(tab)
    tab.send("something else")
    expect(tab.page.get_by_text("A request is still running in this session.")).to_be_visible(timeout=SLOW_MS)
    model.gate.set()  # type: ignore[attr-defined]
    expect_done(tab)
    expect(tab.page.locator("article.az-turn")).to_have_count(1)


def test_two_sessions_run_at_once_and_do_not_mix(tab: Tab, new_tab: Callable[..., Tab], model: object):
    other = new_tab().open()
    tab.send(REQUEST)
    expect_running(tab)
    other.send("hostile")
    expect(other.page.locator("article.az-turn .az-reply")).to_be_visible(timeout=SLOW_MS)
    other.expect_chips()
    model.gate.set()  # type: ignore[attr-defined]
    expect_done(tab)
    expect(other.page.locator("article.az-turn")).to_have_count(1)


def test_what_a_model_or_a_user_writes_is_shown_as_text(tab: Tab):
    card = tab.ask(f"hostile {HOSTILE}")
    assert card.locator(".az-reply").inner_text() == HOSTILE
    assert card.locator(".az-request").inner_text() == f"hostile {HOSTILE}"
    tab.panel("Trace")
    expect(tab.body()).to_contain_text("<script>")
    assert tab.page.evaluate("window.hacked") is None
    assert card.locator("a, img").count() == 0


def test_the_header_says_that_a_local_model_answers(tab: Tab):
    expect(tab.page.locator(".st-key-model")).to_contain_text("slow at 127.0.0.1")
    expect(tab.page.locator(".st-key-model")).to_contain_text("nothing leaves")


def test_after_kill_9_the_session_stands_at_its_last_event(
    new_tab: Callable[..., Tab], tmp_path: Path, sample_catalogue: Path, model: object
):
    port = model.server_address[1]  # type: ignore[attr-defined]
    address = {"OPENAI_BASE_URL": f"http://127.0.0.1:{port}/v1", "COPILOT_MODEL": "slow"}
    with running_app(tmp_path, sample_catalogue, **address) as server:
        tab = new_tab(server).open()
        tab.send(REQUEST)
        expect_running(tab)
        session = tab.session
        server.kill()
        server.start()
        tab.open(f"/?session={session}")
        expect(tab.page.get_by_text("Interrupted: the app was closed")).to_be_visible(timeout=SLOW_MS)
        tab.expect_chips("fair1m")
        model.gate.set()  # type: ignore[attr-defined]
        tab.ask("hostile")
