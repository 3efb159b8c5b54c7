"""The ASGI app: Streamlit's pages and our routes on one port. `make run` starts it."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from threading import Thread
from typing import Any

import streamlit as st
from starlette.middleware import Middleware

from copilot.live import live
from copilot.server import OwnerAndHeaders, routes


@asynccontextmanager
async def lifespan(app: st.App) -> AsyncIterator[dict[str, Any]]:
    """Warm up beside the start, so that the first request does not wait for tables and weights."""
    Thread(target=live().warm_up, name="warm-up", daemon=True).start()
    yield {}


def sorry(error: Exception) -> bool:
    """One sentence on the page; the traceback is for the log."""
    logging.getLogger("azimuth").error("a page failed", exc_info=error)
    st.error(
        "This page failed inside Azimuth. Your session is safe; reload the page. The details are in the log."
    )
    return True


app = st.App(
    "pages/main.py",
    routes=routes(),
    middleware=[Middleware(OwnerAndHeaders)],
    lifespan=lifespan,
    on_script_error=sorry,
)
