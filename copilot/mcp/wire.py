"""How other servers are reached: guarded like every request that leaves, and never waited for without an end.

Over HTTP each host is judged where it is connected to (`data.web.addresses`), redirects stay on their origin
and are few, nothing comes packed, and of what comes so many bytes are read. A program that is started here
runs with an environment that holds no secrets. An exchange has a thread and a time of its own.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

import anyio

from data.web.addresses import reachable
from data.web.errors import WebError
from data.web.urls import checked_url
from state.servers import ServerRow
from tools.base import OutsideError, ToolError

if TYPE_CHECKING:
    import httpx2
    from mcp import Client

MIB = 1024 * 1024
MAX_BYTES = 64 * MIB
"""What is read of a server in one exchange."""
MAX_REDIRECTS = 5
SECONDS = 60.0
SECONDS_VARIABLE = "AZIMUTH_MCP_SECONDS"
"""How long a call of another server's tool may take."""
_AFTER_S = 6.0
"""How long an exchange that is over may take to close: a process is asked to end before it is made to."""
_Found = TypeVar("_Found")
_log = logging.getLogger(__name__)


def seconds() -> float:
    """How long one exchange may take."""
    try:
        return max(1.0, float(os.environ.get(SECONDS_VARIABLE) or SECONDS))
    except ValueError:
        return SECONDS


def exchange(
    row: ServerRow, ask: Callable[[Client], Awaitable[_Found]], within_s: float | None = None
) -> _Found:
    """What `ask` makes of an open connection. Raises OutsideError in a sentence, and what `ask` means to say.

    It runs in a thread and an event loop of its own, so that it can be asked for from anywhere, and left
    behind where it does not end.
    """
    most, came = within_s or seconds(), list[_Found | BaseException]()

    async def whole() -> _Found:
        failed: Exception | None = None
        with anyio.fail_after(most):
            async with connected(row) as client:
                try:
                    return await ask(client)
                except Exception as error:  # the connection is closed as after any answer, then it is raised
                    failed = error
        assert failed is not None
        raise failed

    def run() -> None:
        try:
            came.append(anyio.run(whole))
        except BaseException as error:
            came.append(error)

    thread = threading.Thread(target=run, name=f"mcp-{row.name}", daemon=True)
    thread.start()
    thread.join(most + _AFTER_S)
    if not came:
        raise OutsideError(_too_long(row, most))
    found = came[0]
    if isinstance(found, ToolError):
        raise found
    if isinstance(found, BaseException):
        raise in_words(row, found, most) from found
    return found


@asynccontextmanager
async def connected(row: ServerRow) -> AsyncIterator[Client]:
    """A client that speaks to that server: nothing but tools and resources is offered to it."""
    from mcp import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client
    from mcp.client.streamable_http import streamable_http_client
    from mcp.types import Implementation

    us = Implementation(name="azimuth", version="1")
    if row.url is None:
        program = StdioServerParameters(command=row.command[0], args=list(row.command[1:]))
        with open(os.devnull, "w") as nowhere:  # what it says beside the protocol is nobody's sentence
            async with Client(stdio_client(program, errlog=nowhere), client_info=us, cache=None) as client:
                yield client
        return
    address = str(checked_url(row.url))
    async with _http(row) as http:
        transport = streamable_http_client(address, http_client=http, max_sse_event_size=MAX_BYTES)
        async with Client(transport, client_info=us, cache=None) as client:
            yield client


@asynccontextmanager
async def _http(row: ServerRow) -> AsyncIterator[httpx2.AsyncClient]:
    import httpx2

    headers = {"accept-encoding": "identity", "user-agent": "Azimuth (geospatial copilot)"}
    if row.secret and (token := os.environ.get(row.secret)):
        headers["authorization"] = f"Bearer {token}"
    timeout = httpx2.Timeout(10.0, read=None)  # the whole exchange has its time
    async with httpx2.AsyncClient(
        transport=_guarded(), headers=headers, timeout=timeout, trust_env=False, max_redirects=MAX_REDIRECTS
    ) as client:
        yield client


def _guarded() -> httpx2.AsyncBaseTransport:
    """A transport to judged addresses only, that reads no more than MAX_BYTES in all."""
    import httpx2

    class Counted(httpx2.AsyncByteStream):
        def __init__(self, stream: Any, count: Callable[[int], None]) -> None:
            self._stream, self._count = stream, count

        async def __aiter__(self) -> AsyncIterator[bytes]:
            async for piece in self._stream:
                self._count(len(piece))
                yield piece

        async def aclose(self) -> None:
            await self._stream.aclose()

    class Guarded(httpx2.AsyncBaseTransport):
        def __init__(self) -> None:
            self._inner = httpx2.AsyncHTTPTransport(trust_env=False)
            self._left = MAX_BYTES

        async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
            if self._left < 0:
                raise httpx2.ReadError(_TOO_MUCH)
            host, port = request.url.host, request.url.port
            port = port or (443 if request.url.scheme == "https" else 80)
            try:
                places = await anyio.to_thread.run_sync(reachable, host, port)
            except WebError as error:
                raise _Turned(str(error)) from None
            address, at = places[0]
            to = httpx2.Request(
                request.method,
                request.url.copy_with(host=address, port=at),
                headers=request.headers,
                stream=request.stream,
                extensions={**request.extensions, "sni_hostname": host},
            )
            response = await self._inner.handle_async_request(to)
            if response.headers.get("content-encoding", "identity").strip().lower() != "identity":
                await response.aclose()
                raise httpx2.DecodingError("an answer came packed, which was not asked for")
            response.stream = Counted(response.stream, self._count)
            return response

        def _count(self, size: int) -> None:
            self._left -= size
            if self._left < 0:
                raise httpx2.ReadError(_TOO_MUCH)

        async def aclose(self) -> None:
            await self._inner.aclose()

    return Guarded()


class _Turned(Exception):
    """A host that is not asked, in a sentence."""


_TOO_MUCH = "too much was sent"


def in_words(row: ServerRow, error: BaseException, most: float) -> ToolError:
    """What went wrong between us and a server, in one sentence without the server's own words."""
    inner = list(_leaves(error))
    for each in inner:
        if isinstance(each, ToolError):  # a copy: an error that is raised from itself has no first cause
            return type(each)(*each.args)
        if isinstance(each, (_Turned, WebError)):
            return OutsideError(str(each))
    if any(isinstance(each, TimeoutError) for each in inner):
        return OutsideError(_too_long(row, most))
    _log.info("the server %s could not be asked: %s", row.name, [repr(each)[:300] for each in inner])
    if any(isinstance(each, (FileNotFoundError, PermissionError)) for each in inner):
        return OutsideError(
            f"The server {row.name} cannot be started: there is no program {row.command[0]!r}."
        )
    if any(_TOO_MUCH in str(each) for each in inner):
        return OutsideError(
            f"The server {row.name} sent more than {MAX_BYTES // MIB} MiB, which is the most."
        )
    return OutsideError(
        f"The server {row.name} at {where(row)} cannot be asked: it does not answer, or not in MCP. "
        f"`copilot mcp list --check` tells when it does."
    )


def _leaves(error: BaseException) -> list[BaseException]:
    """The errors that a group is of, with what each comes of."""
    found: list[BaseException] = []
    waiting = [error]
    while waiting and len(found) < 50:
        each = waiting.pop()
        found.append(each)
        waiting += getattr(each, "exceptions", ())
        waiting += [
            other for other in (each.__cause__, each.__context__) if other is not None and other not in found
        ]
    return found


def _too_long(row: ServerRow, most: float) -> str:
    return f"The server {row.name} did not come to an end within {most:g} s; nothing was changed."


def where(row: ServerRow) -> str:
    """Where a server is, without what may be secret in it."""
    if row.url is None:
        return f"the program {os.path.basename(row.command[0])!r}"
    parts = urlsplit(row.url)
    return f"{parts.hostname}{f':{parts.port}' if parts.port else ''}"
