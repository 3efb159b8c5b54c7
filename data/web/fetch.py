"""The one guarded way out: every request that leaves for the web is made here.

Only http and https, only to hosts and ports that `data.web.addresses` lets through, at the start and after
each redirect; nothing is sent that says who asks (no cookies, no credentials out of an address); and what
comes back is bounded in size, in time, in what it unpacks to and in kind. Proxies of the environment are not
used: they would resolve names themselves, past the check.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpcore
import httpx

from data.web.errors import BadStatus, NoNetwork, WebError, WrongKind
from data.web.urls import checked_url, host_of
from data.web.wire import MIB, Clock, GuardedBackend, Limits

if TYPE_CHECKING:
    import ssl

MAX_REDIRECTS = 5
USER_AGENT = "Azimuth/0.1 (geospatial copilot)"
_REDIRECTS = frozenset((301, 302, 303, 307, 308))
_CHUNK_BYTES = 64 * 1024


@dataclass(frozen=True)
class Answer:
    """What a server sent."""

    url: str
    """Where it came from, after redirects."""
    status: int
    headers: Mapping[str, str]
    """With names in small letters."""
    body: bytes = b""

    @property
    def kind(self) -> str:
        """The media type, without parameters: `text/html`."""
        return self.headers.get("content-type", "").split(";", 1)[0].strip().lower()

    @property
    def text(self) -> str:
        """The body in its charset; what is not of it is replaced."""
        charset = httpx.Response(
            200, headers={"content-type": self.headers.get("content-type", "")}
        ).charset_encoding
        try:
            return self.body.decode(charset or "utf-8", errors="replace")
        except LookupError:
            return self.body.decode("utf-8", errors="replace")

    def json(self) -> Any:
        """The body as JSON. Raises WebError when it is none (or holds a number that JSON has not)."""
        try:
            return json.loads(self.body, parse_constant=_no_constant)
        except (ValueError, RecursionError):
            raise WebError(
                f"{host_of(self.url)} sent something that is no JSON; is the address right?"
            ) from None


@dataclass
class Stream:
    """An answer whose body is still on its way."""

    head: Answer
    _chunks: Iterator[bytes]

    def chunks(self) -> Iterator[bytes]:
        """The body piece by piece, unpacked and bounded. Raises WebError."""
        return self._chunks


class Fetcher:
    """Makes requests over connections that it keeps open between them. Used by one thread at a time."""

    def __init__(self, limits: Limits | None = None) -> None:
        self._limits = limits or Limits()
        self._clock = Clock(self._limits)
        self._pool = httpcore.ConnectionPool(
            ssl_context=_ssl_context(),
            max_connections=4,
            keepalive_expiry=15,
            http2=False,
            retries=0,
            network_backend=GuardedBackend(self._clock),
        )

    def __enter__(self) -> Fetcher:
        return self

    def __exit__(self, *ignored: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._pool.close()

    def get(
        self,
        url: str,
        params: Mapping[str, str | int | float] | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        kinds: Collection[str] = (),
        most_bytes: int | None = None,
    ) -> Answer:
        """An address's content. Raises WebError.

        `kinds`: the media types that will do; without, any.
        """
        return self._whole("GET", url, params, headers, None, kinds, most_bytes)

    def post(
        self,
        url: str,
        body: bytes,
        content_type: str,
        *,
        headers: Mapping[str, str] | None = None,
        kinds: Collection[str] = (),
        most_bytes: int | None = None,
    ) -> Answer:
        """What a service answers to a body. It is sent to one address only: redirects are refused."""
        sent = {**(headers or {}), "content-type": content_type}
        return self._whole("POST", url, None, sent, body, kinds, most_bytes)

    @contextmanager
    def stream(
        self,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        kinds: Collection[str] = (),
        most_bytes: int | None = None,
    ) -> Iterator[Stream]:
        """An address's content, as it comes. Raises WebError, inside the block too."""
        with self._asked("GET", url, None, headers, None, kinds, most_bytes) as found:
            yield found

    def download(self, url: str, target: Path, *, kinds: Collection[str] = (), most_bytes: int) -> Answer:
        """Write an address's content to a file; what is half written goes. Raises WebError."""
        try:
            with self.stream(url, kinds=kinds, most_bytes=most_bytes) as found, target.open("wb") as file:
                for chunk in found.chunks():
                    file.write(chunk)
                return found.head
        except BaseException:
            target.unlink(missing_ok=True)
            raise

    def _whole(
        self,
        method: str,
        url: str,
        params: Mapping[str, str | int | float] | None,
        headers: Mapping[str, str] | None,
        body: bytes | None,
        kinds: Collection[str],
        most_bytes: int | None,
    ) -> Answer:
        with self._asked(method, url, params, headers, body, kinds, most_bytes) as found:
            return replace(found.head, body=b"".join(found.chunks()))

    @contextmanager
    def _asked(
        self,
        method: str,
        url: str,
        params: Mapping[str, str | int | float] | None,
        headers: Mapping[str, str] | None,
        body: bytes | None,
        kinds: Collection[str],
        most_bytes: int | None,
    ) -> Iterator[Stream]:
        """Ask, follow redirects, and hold the answer open while the block runs."""
        self._clock.start(self._limits)
        most = self._limits.most_bytes if most_bytes is None else most_bytes
        address, sent = checked_url(url, params), dict(headers or {})
        for _ in range(MAX_REDIRECTS + 1):
            with _in_words(address), self._sent(method, address, sent, body) as response:
                head = _head(address, response)
                target = head.headers.get("location")
                if head.status not in _REDIRECTS or target is None:
                    _check_head(head, kinds, most)
                    yield Stream(head, _bounded(response, head, most))
                    return
            if body is not None:
                raise WebError(
                    f"{address.host} moved the service to {target[:200]!r}; set that address instead."
                )
            address, sent = _redirected(address, target, sent)
        raise WebError(f"{host_of(url)} redirects more than {MAX_REDIRECTS} times; it leads nowhere.")

    @contextmanager
    def _sent(
        self, method: str, address: httpx.URL, headers: Mapping[str, str], body: bytes | None
    ) -> Iterator[httpcore.Response]:
        wanted = httpx.Headers(
            {"user-agent": USER_AGENT, "accept": "*/*", "accept-encoding": "gzip", **headers}
        )
        host = address.netloc.decode("ascii")
        timeout = {
            "connect": self._limits.connect_seconds,
            "read": self._limits.silent_seconds,
            "write": self._limits.silent_seconds,
            "pool": self._limits.silent_seconds,
        }
        raw = httpcore.URL(
            scheme=address.raw_scheme, host=address.raw_host, port=address.port, target=address.raw_path
        )
        with self._pool.stream(
            method,
            raw,
            headers=[(b"Host", host.encode("ascii")), *wanted.raw, *_length(body)],
            content=body,
            extensions={"timeout": timeout},
        ) as response:
            yield response


def fetch(url: str, params: Mapping[str, str | int | float] | None = None, **options: Any) -> Answer:
    """One address's content over a connection of its own, with `Fetcher.get`'s options. Raises WebError."""
    with Fetcher() as fetcher:
        return fetcher.get(url, params, **options)


def _redirected(address: httpx.URL, target: str, headers: dict[str, str]) -> tuple[httpx.URL, dict[str, str]]:
    """Where a redirect leads, and the headers that may go there: to another origin, none meant for this."""
    try:
        url = str(address.join(target))
    except (httpx.InvalidURL, ValueError):
        raise WebError(f"{address.host} redirects to {target[:100]!r}, which is no web address.") from None
    to = checked_url(url)
    same = (to.scheme, to.host, to.port) == (address.scheme, address.host, address.port)
    kept = (
        headers
        if same
        else {key: each for key, each in headers.items() if key in ("accept", "accept-encoding", "range")}
    )
    return to, kept


def _head(address: httpx.URL, response: httpcore.Response) -> Answer:
    return Answer(str(address), response.status, dict(httpx.Headers(response.headers)))


def _check_head(head: Answer, kinds: Collection[str], most: int) -> None:
    """Raises WebError for an answer that is none, is of another kind, or says that it is too large."""
    host = host_of(head.url)
    if head.status == 429:
        raise BadStatus(f"{host} says that it was asked too often; wait a minute and ask again.", 429)
    if not 200 <= head.status < 300:  # a redirect that does not say where to is no answer either
        raise BadStatus(
            f"{host} answered with status {head.status}{_MEANINGS.get(head.status, '')}.", head.status
        )
    if (
        kinds
        and head.kind not in kinds
        and not any(head.kind.endswith(each) for each in kinds if each[0] == "+")
    ):
        sent = head.kind or "something of no kind"
        wanted = ", ".join(sorted(each for each in kinds if each[0] != "+")[:4])
        raise WrongKind(f"{head.url[:200]} is {sent[:80]}, and what is read here is {wanted}.")
    length = head.headers.get("content-length", "")
    if length.isascii() and length.isdecimal() and int(length[:20]) > most:
        raise WebError(_too_large(head.url, most))


def _bounded(response: httpcore.Response, head: Answer, most: int) -> Iterator[bytes]:
    """The body, unpacked, and never more than `most` bytes of it."""
    packed = head.headers.get("content-encoding", "identity").strip().lower()
    if packed in ("", "identity"):
        pieces: Iterator[bytes] = iter(response.iter_stream())
    elif packed in ("gzip", "x-gzip", "deflate"):
        pieces = _unpacked(response.iter_stream(), head)
    else:
        raise WebError(f"{host_of(head.url)} packs its answer as {packed[:40]!r}, which was not asked for.")
    total = 0
    with _in_words(httpx.URL(head.url)):
        for piece in pieces:
            total += len(piece)
            if total > most:
                raise WebError(_too_large(head.url, most))
            yield piece


def _unpacked(chunks: Iterable[bytes], head: Answer) -> Iterator[bytes]:
    """gzip and zlib, in pieces of a bounded size however tightly they are packed."""
    unpacker = zlib.decompressobj(wbits=47)  # finds out by itself which of the two it is
    try:
        for chunk in chunks:
            waiting = chunk
            while waiting and not unpacker.eof:
                yield unpacker.decompress(waiting, _CHUNK_BYTES)
                waiting = unpacker.unconsumed_tail
        if not unpacker.eof:
            raise WebError(f"{host_of(head.url)} sent a packed answer that ends in the middle.")
    except zlib.error:
        raise WebError(f"{host_of(head.url)} sent an answer that cannot be unpacked.") from None


@contextmanager
def _in_words(address: httpx.URL) -> Iterator[None]:
    """What the connection may raise, as a sentence."""
    host = address.host
    try:
        yield
    except httpcore.ConnectTimeout:
        raise NoNetwork(
            f"{host} cannot be reached: it does not answer; check this machine's network."
        ) from None
    except httpcore.ConnectError as error:
        reason = str(error).lower()
        if "certificate" in reason or "ssl" in reason:
            raise WebError(f"{host} cannot prove who it is: its certificate does not hold.") from None
        raise NoNetwork(
            f"{host} cannot be reached: nothing listens there, or this machine has no network."
        ) from None
    except httpcore.TimeoutException:
        raise WebError(f"{host} is too slow: its answer did not come in time.") from None
    except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.UnsupportedProtocol):
        raise WebError(f"{host} broke off its answer, or does not speak HTTP.") from None


def _too_large(url: str, most: int) -> str:
    size = f"{most / MIB:,.0f} MiB" if most >= MIB else f"{most / 1024:,.0f} KiB"
    return f"{url[:200]} is larger than the {size} that are read of it."


def _length(body: bytes | None) -> list[tuple[bytes, bytes]]:
    return [] if body is None else [(b"Content-Length", str(len(body)).encode())]


def _no_constant(text: str) -> None:
    raise ValueError(f"{text} is no JSON")


@cache
def _ssl_context() -> ssl.SSLContext:
    """The usual certificates, or those that $SSL_CERT_FILE names."""
    return httpx.create_ssl_context()


_MEANINGS = {
    400: " (it does not understand the request)",
    401: " (it wants a key or a password)",
    403: " (it does not allow this)",
    404: " (there is nothing at that address)",
    405: " (it does not take such requests)",
    410: " (it is gone)",
    414: " (the request is too long)",
    416: " (the file is shorter than that)",
    422: " (it does not understand the request)",
    500: " (it failed; try again later)",
    502: " (it failed; try again later)",
    503: " (it is overloaded; try again later)",
    504: " (it took too long; ask for less)",
}
