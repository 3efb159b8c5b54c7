"""The ASGI app: Streamlit's pages and our routes on one port. `make run` starts it."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from threading import Thread
from typing import Any

import streamlit as st
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware

from copilot.leaving import leave_when_told
from copilot.live import live, own_words
from copilot.server import FirstPaint, OwnerAndHeaders, OwnOrigin, protocol, routes


@asynccontextmanager
async def lifespan(app: st.App) -> AsyncIterator[dict[str, Any]]:
    """Warm up beside the start, so that the first request does not wait for tables, weights and workers.

    What a killed app had going is found again; what this one has going at its end, by the next.
    """
    engine = live().engine
    engine.background = True
    await run_in_threadpool(engine.prepare)
    leave_when_told(engine)
    for work in (live().take_up, live().warm_up):
        Thread(target=work, name=work.__name__, daemon=True).start()
    async with protocol.endpoint.running():
        yield {}
    await run_in_threadpool(engine.leave)


def sorry(error: Exception) -> bool:
    """One sentence on the page; the traceback is for the log."""
    if (known := own_words(error)) is not None:
        st.error(f"{known} Reload the page then.")
        return True
    logging.getLogger("azimuth").error("a page failed", exc_info=error)
    st.error(
        "This page failed inside Azimuth. Your session is safe; reload the page. The details are in the log."
    )
    return True


app = st.App(
    "pages/main.py",
    routes=routes(),
    middleware=[
        Middleware(OwnerAndHeaders, https=bool(st.get_option("server.sslCertFile"))),
        Middleware(OwnOrigin),
        Middleware(FirstPaint),
    ],
    lifespan=lifespan,
    on_script_error=sorry,
)
