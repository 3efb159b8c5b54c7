"""Servers for the fetcher to meet: a site that is well served, and others that mean no good."""

from __future__ import annotations

import asyncio
import gzip
import socket
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

MIB = 1024 * 1024


@contextmanager
def raw(talk: Callable[[socket.socket], None]) -> Iterator[int]:
    """The port of a server that does with each connection whatever `talk` does."""
    listening = socket.create_server(("127.0.0.1", 0))
    closed = threading.Event()

    def accept() -> None:
        while not closed.is_set():
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            with connection:
                try:
                    connection.recv(65536)
                    talk(connection)
                except OSError:  # the other side has had enough
                    continue

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    try:
        yield listening.getsockname()[1]
    finally:
        closed.set()
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()
        thread.join(5)


def site() -> Starlette:
    """A site of which some pages behave and others do not."""
    return Starlette(routes=[Route(f"/{each.__name__}", each, methods=["GET", "POST"]) for each in _PAGES])


async def page(request: Request) -> Response:
    return Response("<title>Harbour</title><p>Été", media_type="text/html")


async def latin(request: Request) -> Response:
    return Response("Été".encode("latin-1"), headers={"content-type": "text/plain; charset=latin-1"})


async def told(request: Request) -> Response:
    found = {"headers": dict(request.headers), "query": dict(request.query_params)}
    return JSONResponse({**found, "body": (await request.body()).decode()})


async def leads(request: Request) -> Response:
    response = RedirectResponse(request.query_params["to"], int(request.query_params.get("status", 302)))
    response.set_cookie("session", "secret")
    return response


async def circle(request: Request) -> Response:
    return RedirectResponse("/circle")


async def status(request: Request) -> Response:
    return PlainTextResponse("no", int(request.query_params["of"]))


async def late(request: Request) -> Response:
    await asyncio.sleep(3)
    return PlainTextResponse("at last")


async def dripping(request: Request) -> Response:
    async def drops() -> AsyncIterator[bytes]:
        for _ in range(100):
            yield b"."
            await asyncio.sleep(0.05)

    return StreamingResponse(drops(), media_type="text/plain")


async def endless(request: Request) -> Response:
    async def bytes_for_ever() -> AsyncIterator[bytes]:
        for _ in range(10_000):
            yield b"x" * 65536
            if await request.is_disconnected():
                return

    return StreamingResponse(bytes_for_ever(), media_type="text/plain")


async def bomb(request: Request) -> Response:
    return Response(_BOMB, headers={"content-encoding": "gzip", "content-type": "text/html"})


async def packed(request: Request) -> Response:
    body = gzip.compress(b"unpacked " * 1000)
    return Response(body, headers={"content-encoding": "gzip", "content-type": "text/plain"})


async def half_packed(request: Request) -> Response:
    body = gzip.compress(bytes(range(256)) * 1000)[:-40]
    return Response(body, headers={"content-encoding": "gzip", "content-type": "text/plain"})


async def brotli(request: Request) -> Response:
    return Response(b"\x0b\x02", headers={"content-encoding": "br", "content-type": "text/plain"})


async def image(request: Request) -> Response:
    return Response(b"\x89PNG\r\n\x1a\n", media_type="image/png")


async def not_a_number(request: Request) -> Response:
    return Response('{"height": NaN}', media_type="application/json")


_PAGES = (
    page, latin, told, leads, circle, status, late, dripping, endless, bomb, packed, half_packed, brotli,
    image, not_a_number,
)  # fmt: skip
_BOMB = gzip.compress(bytes(64 * MIB))
