"""Whose browser this is, and the headers that every answer carries.

There are no accounts: a browser is known by a random cookie, and its sessions belong to it.
"""

from __future__ import annotations

import re
import secrets
from http.cookies import CookieError, SimpleCookie

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

COOKIE = "azimuth_owner"
_YEAR_S = 365 * 24 * 3600
_OWNER = re.compile(r"[A-Za-z0-9_-]{22,64}")

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


def owner_of(cookies: str | None) -> str | None:
    """The owner in a Cookie header; None when there is none that we gave."""
    try:
        found = SimpleCookie(cookies or "").get(COOKIE)
    except CookieError:
        return None
    return valid_owner(found.value if found is not None else None)


def valid_owner(value: str | None) -> str | None:
    """`value` when it looks like a cookie of ours."""
    return value if value and _OWNER.fullmatch(value) else None


class OwnerAndHeaders:
    """Middleware: gives a browser its cookie at the first answer, and adds the security headers."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        headers = Headers(scope=scope)
        known = owner_of(headers.get("cookie"))
        new = None if known else secrets.token_urlsafe(24)
        scope.setdefault("state", {})["owner"] = known or new

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                out = MutableHeaders(scope=message)
                out.setdefault("X-Content-Type-Options", "nosniff")
                out.setdefault("Referrer-Policy", "same-origin")
                out.setdefault("Content-Security-Policy", POLICY)
                if new is not None:
                    secure = "; Secure" if scope.get("scheme") == "https" else ""
                    cookie = f"{COOKIE}={new}; Path=/; Max-Age={_YEAR_S}; HttpOnly; SameSite=Lax{secure}"
                    out.append("Set-Cookie", cookie)
            await send(message)

        return await self.app(scope, receive, with_headers)
