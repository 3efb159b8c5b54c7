"""Whose browser this is, whether it asks for us, and the headers that every answer carries.

There are no accounts: a browser is known by a cookie that this server has signed (copilot/owners.py), and its
sessions, uploads and data sets belong to it.
"""

from __future__ import annotations

from http.cookies import CookieError, SimpleCookie

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from copilot.live import live
from copilot.owners import is_unsigned
from copilot.server import hosts

COOKIE = "azimuth_owner"
_YEAR_S = 365 * 24 * 3600
_PLAIN = {"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store"}

TILE_HOSTS = (
    "https://tile.openstreetmap.org",
    "https://server.arcgisonline.com",
    "https://*.tile.opentopomap.org",
)
POLICY = "; ".join(
    (
        "default-src 'self'",
        # Streamlit's page and the map component evaluate code that the server sent.
        "script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:",
        "style-src 'self' 'unsafe-inline'",
        f"img-src 'self' data: blob: {' '.join(TILE_HOSTS)}",
        "font-src 'self' data:",
        "connect-src 'self' ws: wss: data: blob:",
        "worker-src 'self' blob:",
        "frame-src 'self' blob: data:",
        "frame-ancestors 'self'",
        "object-src 'none'",
        "base-uri 'self'",
        "form-action 'self'",
    )
)


def cookie_of(cookies: str | None) -> str | None:
    """Our cookie's value in a Cookie header, whoever made it."""
    try:
        found = SimpleCookie(cookies or "").get(COOKIE)
    except CookieError:
        return None
    return found.value if found is not None else None


def owner_of(request: HTTPConnection) -> str | None:
    """Whose browser a request is from, as the middleware tells; None where it came without our cookie."""
    found = request.scope.get("state", {}).get("owner")
    return found if isinstance(found, str) else None


class OwnerAndHeaders:
    """Middleware: answers to our own names only, tells whose browser it is and adds the security headers.

    A browser without a cookie of ours is given one with the first answer. Websockets, Streamlit's own too,
    are opened for our own names and pages only.
    """

    def __init__(self, app: ASGIApp, https: bool = False) -> None:
        """`https` says that this server speaks it itself, with a certificate of its own."""
        self.app = app
        self.https = https

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            return await self.app(scope, receive, send)
        asked = hosts.asked(scope, self.https)
        if asked.origin is None or (scope["type"] == "websocket" and not hosts.is_ours(scope, asked.origin)):
            return await turned_away(scope, receive, send, asked.host)
        if scope["type"] == "websocket":
            return await self.app(scope, receive, send)
        shown = cookie_of(Headers(scope=scope).get("cookie"))
        owners = await run_in_threadpool(lambda: live().engine.owners)
        known = await run_in_threadpool(owners.of, shown) if is_unsigned(shown) else owners.of(shown)
        new = None
        if known is None:
            new, _ = owners.issue()
        elif is_unsigned(shown):
            new, _ = owners.issue(shown)
        scope.setdefault("state", {}).update(owner=known, origin=asked.origin)
        secure = "; Secure" if asked.origin.startswith("https:") else ""
        cookie = new and f"{COOKIE}={new}; Path=/; Max-Age={_YEAR_S}; HttpOnly; SameSite=Lax{secure}"

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                out = MutableHeaders(scope=message)
                out.setdefault("X-Content-Type-Options", "nosniff")
                out.setdefault("Referrer-Policy", "same-origin")
                out.setdefault("Content-Security-Policy", POLICY)
                if cookie:
                    out.append("Set-Cookie", cookie)
            await send(message)

        return await self.app(scope, receive, with_headers)


async def turned_away(scope: Scope, receive: Receive, send: Send, host: str) -> None:
    """Answer a request for somebody else's name: 421, and no cookie."""
    if scope["type"] == "websocket":
        await receive()
        return await send({"type": "websocket.close", "code": 1008, "reason": "not a page of this Azimuth"})
    named = f"the name {host[:100]!r}" if host else "a request without one name"
    way_out = f"whoever runs it can add a name to ${hosts.HOSTS_VARIABLE}"
    said = f"Azimuth does not answer to {named} here; {way_out}."
    return await JSONResponse({"error": said}, status_code=421, headers=_PLAIN)(scope, receive, send)
