"""By which names this server is asked, and which pages are its own.

A page of another site can have its own name lead to this machine (DNS rebinding), and is then of one origin
with us for its browser: only the names of this machine's loopback are answered to, and those that the
operator gives in $AZIMUTH_HOSTS, by commas: `maps.lan`, `maps.lan:8501`, `https://maps.example.org`. A name
with `https://` is one that browsers reach through a proxy that speaks HTTPS; no header of a request says so.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from starlette.datastructures import Headers
from starlette.types import Scope

HOSTS_VARIABLE = "AZIMUTH_HOSTS"
LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
_HOST = re.compile(r"(\[[0-9a-f:.]{2,45}\]|[a-z0-9_](?:[a-z0-9._-]{0,251}[a-z0-9])?)(?::(\d{1,5}))?")
_NAMED = re.compile(rf"(?:(https?)://)?({_HOST.pattern})/?")
_PORTS = {"http": "80", "https": "443"}


@dataclass(frozen=True)
class Asked:
    """How a request has asked for us."""

    host: str
    """The Host header as it came, in lower case; empty for a request with none, or several."""
    origin: str | None
    """`https://maps.example.org`, without a port that goes without saying; None for a name not ours."""


def asked(scope: Scope, https: bool = False) -> Asked:
    """By which of our names a request or a websocket has come; `https` where this server itself speaks it.

    The scope's own scheme is not believed: X-Forwarded-Proto, which anybody can send, may have made it.
    """
    found = Headers(scope=scope).getlist("host")
    host = found[0].strip().lower() if len(found) == 1 else ""
    parts = _HOST.fullmatch(host)
    named = named_hosts(os.environ.get(HOSTS_VARIABLE, ""))
    if parts is None or not (parts[1] in LOOPBACK or parts[1] in named or host in named):
        return Asked(host, None)
    scheme = named.get(host) or named.get(parts[1]) or ("https" if https else "http")
    return Asked(host, _origin(scheme, parts[1], parts[2]))


def is_ours(scope: Scope, origin: str | None) -> bool:
    """Whether a request comes from a page of that origin, or from none: scheme, host and port are alike."""
    said = Headers(scope=scope).getlist("origin")
    if not said:
        return True
    found = re.fullmatch(rf"(https?)://{_HOST.pattern}", said[0].strip().lower())
    if len(said) > 1 or found is None:  # "null" too, which a sandboxed page and a redirect send
        return False
    return _origin(found[1], found[2], found[3]) == origin


@lru_cache(maxsize=8)
def named_hosts(text: str) -> Mapping[str, str | None]:
    """The hosts, with a port or without, that the operator names, and the scheme where one is said."""
    found = (_NAMED.fullmatch(each.strip().lower()) for each in text.split(","))
    return {each[2]: each[1] for each in found if each is not None}


def unread_hosts(text: str) -> list[str]:
    """What the variable holds and is no host."""
    parts = [each.strip() for each in text.split(",")]
    return [each for each in parts if each and _NAMED.fullmatch(each.lower()) is None]


def _origin(scheme: str, host: str, port: str | None) -> str:
    return f"{scheme}://{host}" if port in (None, _PORTS.get(scheme)) else f"{scheme}://{host}:{port}"
