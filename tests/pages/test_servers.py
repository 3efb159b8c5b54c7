"""The section of other servers' tools as Streamlit draws it, with a real server and without a browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from copilot.engine import Engine
from copilot.session import Session
from state.servers import ServerRow
from tests.copilot.mcp.conftest import serving
from tests.copilot.mcp.foreign_servers import over_http, server


@pytest.fixture
def farm(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A server that the operator allows to be asked: its address."""
    with serving(over_http(server())) as at:
        monkeypatch.setenv("AZIMUTH_ALLOWED_HOSTS", at.removeprefix("http://"))
        yield f"{at}/mcp"


@pytest.fixture
def mine(tmp_path: Path) -> Session:
    return Session.open(owner="anna", engine=Engine(home=tmp_path / "home"))


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch, mine: Session) -> AppTest:
    monkeypatch.setattr("pages.servers.live", lambda: SimpleNamespace(engine=mine.engine))
    app = AppTest.from_function(_script, default_timeout=120)
    app.session_state["mine"] = mine
    return app


def _script() -> None:
    import streamlit as st

    from pages.servers import show_servers

    show_servers(st.session_state["mine"])


def test_a_server_is_added_by_its_address_for_oneself_and_removed_again(
    drawn: AppTest, mine: Session, farm: str
) -> None:
    drawn.run()
    drawn.text_input(key="server-name").set_value("farm")
    drawn.text_input(key="server-url").set_value(farm)
    drawn.button[0].click().run()
    assert not drawn.exception
    assert [each.owner for each in mine.engine.foreign.servers.all()] == ["anna"]
    assert any(each.value.startswith(f"farm · {farm} · ") for each in drawn.text)
    assert "farm__plough" in mine.engine.toolbox_for("anna")
    drawn.button(key="remove-server-farm").click().run()
    assert not drawn.exception and mine.engine.foreign.servers.all() == []


def test_a_program_is_not_taken_from_a_page(drawn: AppTest, mine: Session) -> None:
    drawn.run()
    drawn.text_input(key="server-name").set_value("shell")
    drawn.text_input(key="server-url").set_value("rm -rf /")
    drawn.button[0].click().run()
    assert [each.value for each in drawn.error] == [
        "An address begins with https:// (or http://); programs are added by `copilot mcp add`."
    ]
    assert mine.engine.foreign.servers.all() == []


def test_what_is_there_for_all_is_shown_and_not_removed_here(drawn: AppTest, mine: Session) -> None:
    said = {
        "name": "plough",
        "title": "",
        "description": "Plough.",
        "schema": {"type": "object"},
        "hints": {},
    }
    mine.engine.foreign.servers.put(ServerRow("farm", url="https://farm.example.org/mcp", tools=(said,)))
    drawn.run()
    assert [each.value for each in drawn.text] == ["farm · https://farm.example.org/mcp · plough"]
    assert [each.label for each in drawn.button] == ["Add"]
