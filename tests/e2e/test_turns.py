"""A turn belongs to the process: reloads, second tabs, Stop and kill -9 in the middle of it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.e2e.app import Server, Tab, running_app
from tests.openai_server import Asked, Reply, calls, openai_server, says

REQUEST = "Load fair1m and plot it"
STEPS: list[tuple[str, dict[str, Any]]] = [
    ("db_load", {"names": ["fair1m"]}),
    ("cluster_plot", {}),
    ("zoom_map", {"level": 3}),
]
SLOW_PAGE = "http://slow.example/report.html"
HOSTILE = (
    '<img src=x onerror="window.hacked=1"> [link](javascript:window.hacked=1) **bold** $x^2$ '
    "<script>window.hacked=1</script>"
)


@dataclass
class SlowModel:
    """A model that answers only while `gate` is set, once it has made its first call."""

    gate: threading.Event = field(default_factory=threading.Event)
    url: str = ""

    def __call__(self, asked: Asked) -> Reply:
        messages = asked["messages"]
        last = max(index for index, each in enumerate(messages) if each["role"] == "user")
        done = sum(each["role"] == "tool" for each in messages[last:])
        if SLOW_PAGE in messages[last]["content"]:
            return says("It is read.") if done else calls(("read_page", {"url": SLOW_PAGE}))
        if "hostile" in messages[last]["content"]:
            return says(HOSTILE) if done else calls(("map_state", {}), text=HOSTILE)
        if done:
            self.gate.wait(60)
        return calls(STEPS[done]) if done < len(STEPS) else says("All three steps are done.")


@pytest.fixture(scope="module")
def model() -> Iterator[SlowModel]:
    slow = SlowModel()
    with openai_server(slow) as server:
        slow.url = server.url
        yield slow
        slow.gate.set()


@pytest.fixture(autouse=True)
def closed_gate(model: SlowModel) -> None:
    model.gate.clear()


@pytest.fixture(scope="module")
def slow_page(model: SlowModel) -> Iterator[str]:
    """Where the page is that comes only while the gate is set."""

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            model.gate.wait(60)
            self.send_error(404)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"127.0.0.1:{server.server_port}"
    model.gate.set()
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def app(
    tmp_path_factory: pytest.TempPathFactory,
    sample_catalogue: Path,
    encoded_texts: None,
    model: SlowModel,
    slow_page: str,
) -> Iterator[Server]:
    """The app with the slow model, and the way to the slow page."""
    environment = {
        "OPENAI_BASE_URL": model.url,
        "COPILOT_MODEL": "slow",
        "AZIMUTH_ALLOWED_HOSTS": f"slow.example:80={slow_page}",
    }
    with running_app(tmp_path_factory.mktemp("home"), sample_catalogue, **environment) as server:
        yield server


def expect_running(tab: Tab) -> None:
    expect(tab.page.get_by_role("button", name="Stop")).to_be_visible()
    expect(tab.page.locator("article.az-turn summary")).to_contain_text("1 call")


def expect_done(tab: Tab) -> None:
    expect(tab.page.locator("article.az-turn .az-reply")).to_have_text("All three steps are done.")
    expect(tab.page.locator("article.az-turn summary")).to_contain_text("3 calls")


def test_calls_show_while_the_turn_runs_and_a_reload_and_a_second_tab_join_it(tab: Tab, model: SlowModel):
    tab.send(REQUEST)
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


def test_stop_ends_the_turn_and_keeps_what_was_done(tab: Tab, model: SlowModel):
    tab.send(REQUEST)
    expect_running(tab)
    tab.page.get_by_role("button", name="Stop").click()
    expect(tab.page.locator("article.az-turn .az-stopped")).to_contain_text("Stopped")
    model.gate.set()
    tab.expect_chips("fair1m")


def test_stop_says_at_once_in_every_tab_that_it_waits_for_the_step_it_is_at(
    tab: Tab, model: SlowModel, screenshot_folder: Path
):
    second = tab.beside().open(f"/?session={tab.session}")
    tab.send(f"read {SLOW_PAGE}")
    for each in (tab, second):
        expect(each.page.get_by_role("button", name="Stop")).to_be_visible()
    tab.page.get_by_role("button", name="Stop").click()
    for each in (tab, second):
        expect(each.page.get_by_role("button", name="Stopping …")).to_be_disabled()
        expect(each.page.locator(".az-thinking")).to_have_text("Stopping …")
    tab.shot(screenshot_folder, "turn-stopping")
    model.gate.set()
    for each in (tab, second):
        expect(each.page.locator("article.az-turn .az-stopped")).to_contain_text("Stopped")
        expect(each.page.locator(".st-key-stop")).to_have_count(0)


def test_a_second_request_is_refused_while_one_runs_and_stays_in_the_box(tab: Tab, model: SlowModel):
    tab.send(REQUEST)
    expect_running(tab)
    tab.send("something else")
    expect(tab.page.get_by_text("A request is still running in this session.")).to_be_visible()
    expect(tab.page.get_by_test_id("stChatInputTextArea")).to_have_value("something else")
    model.gate.set()
    expect_done(tab)
    expect(tab.page.locator("article.az-turn")).to_have_count(1)


def test_two_sessions_run_at_once_and_do_not_mix(tab: Tab, new_tab: Callable[..., Tab], model: SlowModel):
    other = new_tab().open()
    tab.send(REQUEST)
    expect_running(tab)
    other.send("hostile")
    expect(other.page.locator("article.az-turn .az-reply")).to_be_visible()
    other.expect_chips()
    model.gate.set()
    expect_done(tab)
    expect(other.page.locator("article.az-turn")).to_have_count(1)


def test_what_a_model_or_a_user_writes_is_shown_as_text(tab: Tab):
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
    expect(model).to_have_text("slow")
    expect(model).to_have_attribute("title", "slow answers on this machine. Nothing leaves it.")
