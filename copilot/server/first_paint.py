"""What a browser shows before the page is there: its outline, in the browser's language and direction.

Streamlit's page is empty until its scripts have come. The outline goes into the place that those scripts
fill, which they empty first.
"""

from __future__ import annotations

from functools import cache

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from copilot.messages import COOKIE, RIGHT_TO_LEFT, preferred
from copilot.server.assets import ASSETS

_PLACE = b'<div id="root"></div>'
_LANGUAGE = b'<html lang="en">'
_OURS = ("/api/", "/assets/", "/vendor/", "/_stcore/", "/static/", "/media/", "/component/", "/mcp")


class FirstPaint:
    """Middleware: puts the outline into Streamlit's own page, and says its language."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "GET" or scope["path"].startswith(_OURS):
            return await self.app(scope, receive, send)
        request = Request(scope)
        code = preferred(request.headers.get("accept-language"), request.cookies.get(COOKIE))
        return await self.app(scope, receive, _Outlined(send, code).send)


class _Outlined:
    """Holds back a page of HTML until it is whole; all else goes through as it comes."""

    def __init__(self, send: Send, code: str) -> None:
        self._send, self._code = send, code
        self._start: Message | None = None
        self._body = bytearray()

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            kind = Headers(raw=message["headers"]).get("content-type", "")
            if message["status"] == 200 and kind.startswith("text/html"):
                self._start = message
                return
        if self._start is None or message["type"] != "http.response.body":
            await self._send(message)
            return
        self._body += message.get("body", b"")
        if message.get("more_body"):
            return
        page = bytes(self._body)
        if _PLACE in page:
            page = with_outline(page, self._code)
        headers = MutableHeaders(raw=self._start["headers"])
        headers["content-length"] = str(len(page))
        headers["vary"] = "Accept-Language, Cookie"
        for name in ("etag", "last-modified"):  # they are of the file, and not of what goes out
            if name in headers:
                del headers[name]
        await self._send(self._start)
        await self._send({"type": "http.response.body", "body": page})


def with_outline(page: bytes, code: str) -> bytes:
    """The page with the outline in it, in a language."""
    direction = "rtl" if code in RIGHT_TO_LEFT else "ltr"
    page = page.replace(_LANGUAGE, f'<html lang="{code}" dir="{direction}">'.encode(), 1)
    return page.replace(_PLACE, b'<div id="root">' + _outline() + b"</div>", 1)


@cache
def _outline() -> bytes:
    return (ASSETS / "outline.html").read_bytes().strip()
