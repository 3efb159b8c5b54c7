"""What a browser shows before the page is there: an outline, in its language and direction."""

from __future__ import annotations

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from copilot.messages import COOKIE
from copilot.server import FirstPaint

PAGE = '<!DOCTYPE html><html lang="en"><head></head><body><div id="root"></div></body></html>'


@pytest.fixture
def client() -> TestClient:
    async def page(request: Request) -> Response:
        return HTMLResponse(PAGE, headers={"ETag": '"of-the-file"'})

    async def text(request: Request) -> Response:
        return PlainTextResponse(PAGE)

    routes = [Route("/", page), Route("/api/page", page), Route("/text", text)]
    return TestClient(Starlette(routes=routes, middleware=[Middleware(FirstPaint)]))


@pytest.mark.parametrize(
    ("headers", "opening"),
    [
        ({}, '<html lang="en" dir="ltr">'),
        ({"Accept-Language": "ar-EG,en;q=0.5"}, '<html lang="ar" dir="rtl">'),
        ({"Accept-Language": "ar", "Cookie": f"{COOKIE}=es"}, '<html lang="es" dir="ltr">'),
    ],
)
def test_the_page_begins_with_its_outline_in_the_browsers_language(client: TestClient, headers, opening):
    answer = client.get("/", headers=headers)
    assert opening in answer.text and '<div id="root"><style>' in answer.text
    assert 'class="az-outline" aria-hidden="true"' in answer.text
    assert int(answer.headers["content-length"]) == len(answer.content)
    assert "etag" not in answer.headers and answer.headers["vary"] == "Accept-Language, Cookie"


@pytest.mark.parametrize("path", ["/api/page", "/text"])
def test_what_is_not_streamlits_page_goes_through_as_it_is(client: TestClient, path: str):
    assert client.get(path).text == PAGE
