"""Lets our own page tell Streamlit which theme to show, without loading the page again.

Streamlit listens to messages of the origins that it is told of, and by default these are those of its cloud.
Here it is the origin that the page itself came from, and no other.
"""

from __future__ import annotations

from starlette.datastructures import URL
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

HOST_CONFIG = "/_stcore/host-config"


class OwnOrigin:
    """Middleware: answers what Streamlit's page asks about who may speak to it."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] != HOST_CONFIG or scope["method"] != "GET":
            return await self.app(scope, receive, send)
        host = URL(scope=scope).netloc
        answer = JSONResponse(
            {
                # Behind a proxy that ends TLS the page's scheme is not the one that is seen here.
                "allowedOrigins": [f"http://{host}", f"https://{host}"],
                "useExternalAuthToken": False,
                "enableCustomParentMessages": False,
                "enforceDownloadInNewTab": False,
                "metricsUrl": "",
                "blockErrorDialogs": False,
                "resourceCrossOriginMode": None,
            },
            headers={"Cache-Control": "no-store"},
        )
        return await answer(scope, receive, send)
