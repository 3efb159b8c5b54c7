"""Pages of strangers that give orders: what the web tools bring is data to every model."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from copilot.bench.standin import served
from copilot.session import Session
from data.web.addresses import ALLOWED_VARIABLE
from tests.copilot.reality.test_injection import EVERYTHING, kept, meet, open_session, was_sent
from tests.copilot.reality.ways import Way
from tests.openai_server import OpenAIServer

__all__ = ["open_session"]
BASE = "http://stranger.example"
CALLS = {
    "read_page": {"url": f"{BASE}/page"},
    "page_links": {"url": f"{BASE}/page"},
    "page_tables": {"url": f"{BASE}/page"},
    "open_url": {"url": f"{BASE}/page"},
    "web_search": {"query": "harbour"},
    "wikipedia_search": {"query": "harbour"},
    "wikipedia_page": {"title": "harbour"},
    "stac_collections": {},
}


@pytest.fixture
def stranger(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A site, a search, a Wikipedia and a STAC API of one who says the same everywhere."""
    text = EVERYTHING

    async def page(request: Request) -> Response:
        shown = text.replace("&", "&amp;").replace("<", "&lt;")
        row = f"<tr><th>a</th><th>{shown[:60]}</th></tr><tr><td>1</td><td>{shown}</td></tr>"
        body = f"<title>{shown}</title><p>{shown}</p><a href='/x'>{shown}</a><table>{row}</table>"
        return Response(body, media_type="text/html")

    async def search(request: Request) -> Response:
        return JSONResponse({"results": [{"title": text, "url": f"{BASE}/page", "content": text}]})

    async def wiki(request: Request) -> Response:
        found = {"search": [{"title": text, "snippet": text}], "pages": [{"title": text, "extract": text}]}
        return JSONResponse({"query": found})

    async def stac(request: Request) -> Response:
        return JSONResponse({"collections": [{"id": text, "title": text, "description": text}], "links": []})

    routes = [
        Route("/page", page),
        Route("/search", search),
        Route("/wiki", wiki),
        Route("/collections", stac),
    ]
    with served(Starlette(routes=routes)) as port:
        monkeypatch.setenv(ALLOWED_VARIABLE, f"stranger.example:80=127.0.0.1:{port}")
        monkeypatch.setenv("AZIMUTH_SEARXNG_URL", BASE)
        monkeypatch.setenv("AZIMUTH_WIKIPEDIA_URL", f"{BASE}/wiki")
        monkeypatch.setenv("AZIMUTH_STAC_URL", BASE)
        yield


def nothing(session: Session, folder: Path, text: str) -> None:
    """The stranger's text lies on the web already."""


@pytest.mark.parametrize("tool", CALLS)
def test_a_gullible_model_meets_no_order_of_a_page_outside_the_marks(
    tool: str, open_session: Callable[[], Session], serve: Callable[..., OpenAIServer], stranger: None
) -> None:
    session = open_session()
    way = Way(plant=nothing, look=((tool, CALLS[tool]),), request="Look at the web.")
    model, server = meet(session, serve, way, EVERYTHING)
    assert [event.ok for event in session.events if event.tool == tool] == [True]
    assert model.obeyed == [] and model.look == [] and was_sent(server)
    assert kept(session) and "clear_layers" not in [event.tool for event in session.events]


def test_what_came_from_the_web_is_not_asked_for_again_at_a_replay(
    open_session: Callable[[], Session], stranger: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = open_session()
    for tool, arguments in CALLS.items():
        assert session.call(tool, **json.loads(json.dumps(arguments))).ok
    monkeypatch.setenv(ALLOWED_VARIABLE, "")
    assert session.replay() == session.state
