"""Which addresses may be asked for at all, and how a sentence names them."""

from __future__ import annotations

from collections.abc import Mapping

import httpx

from data.web.errors import Refused

MAX_URL_CHARS = 4096


def checked_url(url: str, params: Mapping[str, str | int | float] | None = None) -> httpx.URL:
    """The address, when it is one that may be asked for at all. Raises Refused."""
    text = url.strip()
    problem = f"{url[:200]!r} is no web address; give one such as https://example.org/page."
    if (
        not text
        or len(text) > MAX_URL_CHARS
        or any(each.isspace() or not each.isprintable() for each in text)
    ):
        raise Refused(problem)
    try:
        address = httpx.URL(text)
        port = address.port
        address.raw_host.decode("ascii")
        address.netloc.decode("ascii")
    except (httpx.InvalidURL, ValueError):  # a host that IDNA does not know raises ValueError's children
        raise Refused(problem) from None
    if address.scheme not in ("http", "https"):
        said = address.scheme or "nothing"
        raise Refused(f"An address begins with http:// or https://, and {text[:100]!r} begins with {said}.")
    if not address.host or (port is not None and not 0 < port < 65536):
        raise Refused(problem)
    if address.userinfo:
        raise Refused("An address with a user name or a password in it is not asked; give it without.")
    if params:
        address = address.copy_merge_params({key: str(value) for key, value in params.items()})
    return address.copy_with(fragment=None)


def host_of(url: str) -> str:
    """The host of an address, for a sentence; the address itself, cut short, when it has none."""
    try:
        return httpx.URL(url).host or url[:80]
    except (httpx.InvalidURL, ValueError):
        return url[:80]
