"""Connections to addresses that were judged, each wait on which is bounded by the whole request's time."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import httpcore

from data.web.addresses import reachable

if TYPE_CHECKING:
    import ssl

MIB = 1024 * 1024


@dataclass(frozen=True)
class Limits:
    """How much one answer may cost."""

    most_bytes: int = 8 * MIB
    """Of the body, unpacked."""
    total_seconds: float = 20.0
    """From the first name look-up to the last byte, redirects included."""
    connect_seconds: float = 2.0
    silent_seconds: float = 10.0
    """How long the server may say nothing."""
    most_addresses: int = 3
    """How many of a host's addresses are tried."""


@dataclass
class Clock:
    """When the request that a connection works on must be done."""

    limits: Limits
    ends: float = field(default=0.0)

    def start(self, limits: Limits) -> None:
        self.limits, self.ends = limits, time.monotonic() + limits.total_seconds

    def left(self, most: float | None = None) -> float:
        """Seconds until then, at most `most`. Raises WebError when there are none."""
        left = self.ends - time.monotonic()
        if left <= 0:
            raise httpcore.ReadTimeout("the time is up")
        return left if most is None else min(left, most)


class _Wire(httpcore.NetworkStream):
    """A connection on which no single wait is longer than what is left of the whole request."""

    def __init__(self, inner: httpcore.NetworkStream, clock: Clock) -> None:
        self._inner, self._clock = inner, clock

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, self._clock.left(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, self._clock.left(timeout))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        # The name is still the host's own: the certificate is checked against it, not against the address.
        secured = self._inner.start_tls(ssl_context, server_hostname, self._clock.left(timeout))
        return _Wire(secured, self._clock)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


class GuardedBackend(httpcore.NetworkBackend):
    """Connects to addresses that were judged, and to nothing else."""

    def __init__(self, clock: Clock) -> None:
        self._clock, self._plain = clock, httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        addresses = reachable(host, port)[: self._clock.limits.most_addresses]
        for number, (address, real_port) in enumerate(addresses, start=1):
            try:
                wire = self._plain.connect_tcp(
                    address, real_port, self._clock.left(timeout), socket_options=socket_options
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                if number == len(addresses):
                    raise
                continue
            return _Wire(wire, self._clock)
        raise httpcore.ConnectError("no address")

    def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[Any] | None = None
    ) -> httpcore.NetworkStream:
        raise httpcore.UnsupportedProtocol("no sockets of this machine")
