"""A guarded way out for a library that makes its own requests: a proxy of this process, open for one search.

The library is given the proxy's address and asks it for a tunnel (CONNECT, RFC 9110) to each host that it
wants to reach. Only hosts that were named are, at addresses that `data.web.addresses` lets through, and what
passes is bounded in size and time. What passes is encrypted between the library and the host.
"""

from __future__ import annotations

import re
import selectors
import socket
import threading
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from contextvars import copy_context

from data.web.addresses import reachable
from data.web.errors import NoNetwork, Refused, WebError
from data.web.wire import MIB, Limits

_WANTED = re.compile(rb"CONNECT ([A-Za-z0-9.-]{1,253}):(\d{1,5}) HTTP/1\.[01]\r\n")
_HEAD_BYTES = 16 * 1024
_PIECE_BYTES = 64 * 1024


class Tunnel:
    """The proxy, while it is open."""

    def __init__(self, hosts: Collection[str], limits: Limits) -> None:
        self._hosts, self._limits = frozenset(hosts), limits
        self._ends = time.monotonic() + limits.total_seconds
        self._left, self._lock = limits.most_bytes, threading.Lock()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        self.problem: WebError | None = None
        """Why a tunnel was not made, or was closed: what the library tells less well."""

    def accept(self) -> None:
        """Serve whoever connects, each in a thread, until the proxy is closed."""
        with suppress(OSError):
            while True:
                connection, _ = self._listening.accept()
                # The settings of the block that opened the proxy count for its threads too.
                threading.Thread(
                    target=copy_context().run, args=(self._serve, connection), daemon=True
                ).start()

    def close(self) -> None:
        """Take no more connections, and let those that there are end."""
        self._ends = 0.0
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()

    def _serve(self, near: socket.socket) -> None:
        with near, suppress(OSError):
            near.settimeout(self._limits.silent_seconds)
            try:
                far = self._connected(_head(near))
            except WebError as error:
                self.problem = error
                near.sendall(b"HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n")
                return
            with far:
                near.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
                self._pass_on(near, far)

    def _connected(self, head: bytes) -> socket.socket:
        found = _WANTED.match(head)
        if found is None:
            raise Refused(
                "The search wanted to send something that is not encrypted, which is not let through."
            )
        host, port = found[1].decode("ascii").casefold(), int(found[2])
        if host not in self._hosts or port != 443:
            raise Refused(f"The search wanted to reach {host}:{port}, which is none of its own hosts.")
        for address in reachable(host, port)[: self._limits.most_addresses]:
            with suppress(OSError):
                return socket.create_connection(address, self._limits.connect_seconds)
        raise NoNetwork(f"{host} cannot be reached: it does not answer; check this machine's network.")

    def _pass_on(self, near: socket.socket, far: socket.socket) -> None:
        """Pass bytes on both ways until one side ends, the time is over or too much has come."""
        with selectors.DefaultSelector() as waiting:
            waiting.register(near, selectors.EVENT_READ, far)
            waiting.register(far, selectors.EVENT_READ, near)
            while (left := self._ends - time.monotonic()) > 0:
                for key, _ in waiting.select(min(left, 0.2)):
                    piece = key.fileobj.recv(_PIECE_BYTES)  # type: ignore[union-attr]
                    if not piece or not self._may_pass(len(piece)):
                        return
                    key.data.sendall(piece)

    def _may_pass(self, count: int) -> bool:
        with self._lock:
            self._left -= count
            if self._left < 0:
                most = f"{self._limits.most_bytes / MIB:,.0f} MiB"
                self.problem = WebError(f"The search's answer is larger than the {most} that are read of it.")
            return self._left >= 0


@contextmanager
def tunnel(hosts: Collection[str], limits: Limits | None = None) -> Iterator[Tunnel]:
    """A proxy to these hosts, at port 443, while the block runs; its `address` is for the library."""
    opened = Tunnel(hosts, limits or Limits())
    threading.Thread(target=copy_context().run, args=(opened.accept,), daemon=True, name="tunnel").start()
    try:
        yield opened
    finally:
        opened.close()


def _head(near: socket.socket) -> bytes:
    """What is asked, up to the empty line. Raises Refused for one without an end."""
    head = b""
    while b"\r\n\r\n" not in head:
        piece = near.recv(_PIECE_BYTES)
        head += piece
        if not piece or len(head) > _HEAD_BYTES:
            raise Refused("The search asked for a connection in a way that is not understood.")
    return head
