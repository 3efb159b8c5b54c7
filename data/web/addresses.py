"""Which hosts a request may reach: public addresses, and those that the operator allows by name.

A name is resolved here, every address that it has is judged, and the connection is made to an address
that was judged: a name that answers differently the second time (DNS rebinding) gains nothing.
"""

from __future__ import annotations

import queue
import socket
import threading
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from data.web.errors import NoNetwork, Refused
from data.web.settings import setting

ALLOWED_VARIABLE = "AZIMUTH_ALLOWED_HOSTS"
RESOLVE_SECONDS = 0.9
"""A resolver that is silent for longer is taken for no network: it must be said within a second."""
MAX_ADDRESSES = 64

_PORTS = frozenset((80, 443, *range(8000, 9000)))
"""Where web servers listen. Other ports speak other protocols, which a request must not be smuggled into."""
_FOR_NOBODY = tuple(
    ip_network(each)
    for each in (
        "0.0.0.0/8",
        "169.254.0.0/16",  # link-local; clouds keep the machine's own credentials at 169.254.169.254
        "100.100.100.200/32",  # Alibaba's metadata
        "168.63.129.16/32",  # Azure's, which has a public address
        "192.0.0.192/32",  # Oracle's
        "fd00:ec2::/32",  # Amazon's
        "240.0.0.0/4",
        "fe80::/10",
        "fec0::/10",
    )
)
_NOT_PUBLIC = tuple(
    ip_network(each)
    for each in (
        "192.88.99.0/24",  # 6to4 relays
        "2002::/16",  # 6to4 and Teredo wrap an IPv4 address, which may be a private one
        "2001::/32",
        "::/96",  # so does the old IPv4-compatible form
        "3fff::/20",  # documentation, which Python 3.11 takes for public
        "5f00::/16",
    )
)
_NAT64 = ip_network("64:ff9b::/96")

Address = IPv4Address | IPv6Address


@dataclass(frozen=True)
class Allowed:
    """A host that may be reached whatever its address: a team's own server."""

    host: str
    port: int | None = None
    """None allows the usual ports."""
    at: tuple[str, int] | None = None
    """Where it really listens, when no name server knows it."""


def allowed_hosts() -> tuple[Allowed, ...]:
    """What $AZIMUTH_ALLOWED_HOSTS names, by commas: `stac.lan`, `stac.lan:9000`, `stac.lan:80=10.0.0.7:9000`.

    The last one says where the host is found too. What cannot be read allows nothing.
    """
    found = []
    for part in setting(ALLOWED_VARIABLE).split(","):
        name, _, where = part.strip().partition("=")
        host, port = _host_port(name)
        at_host, at_port = _host_port(where)
        if host:
            at = (at_host, at_port) if at_host and at_port else None
            found.append(Allowed(host, port, at))
    return tuple(found)


def reachable(host: str, port: int) -> list[tuple[str, int]]:
    """The addresses at which a host may be asked, in the resolver's order.

    Raises Refused when any of its addresses is one that no request may go to (a name with a public and a
    private address is a trap, not a mistake), NoNetwork when the name cannot be resolved.
    """
    bare = host.strip("[]").rstrip(".").casefold()
    allowed = next(
        (each for each in allowed_hosts() if each.host == bare and each.port in (None, port)), None
    )
    if port not in _PORTS and (allowed is None or allowed.port is None):
        raise Refused(
            f"{host}:{port} is not asked: web servers are asked at the ports 80, 443 and 8000 to 8999; "
            f"${ALLOWED_VARIABLE} can allow {bare}:{port}."
        )
    if allowed is not None and allowed.at is not None:
        bare, port = allowed.at
    addresses = _resolved(bare, port)
    for address in addresses:
        if not may_be_asked(address, by_name=allowed is not None):
            raise Refused(
                f"{host} is not asked: its address {address} lies inside a private or reserved network; "
                f"${ALLOWED_VARIABLE} can name hosts of one's own that may be."
            )
    return [(str(address), port) for address in addresses]


def may_be_asked(address: Address, *, by_name: bool = False) -> bool:
    """Whether a request may go to the address. `by_name`: to a host that the operator has allowed."""
    inner = _inner(address)
    if inner is not None:
        return may_be_asked(inner, by_name=by_name)
    if any(address in network for network in _FOR_NOBODY if network.version == address.version):
        return False
    if address.is_multicast or address.is_unspecified:
        return False
    if by_name:
        return True
    odd = any(address in network for network in _NOT_PUBLIC if network.version == address.version)
    return address.is_global and not address.is_reserved and not odd


def _inner(address: Address) -> IPv4Address | None:
    """The IPv4 address that an IPv6 one stands for: mapped (RFC 4291), or through NAT64 (RFC 6052)."""
    if isinstance(address, IPv4Address):
        return None
    return IPv4Address(int(address) & 0xFFFFFFFF) if address in _NAT64 else address.ipv4_mapped


def _resolved(host: str, port: int) -> list[Address]:
    """Every address of a host. Numbers in any spelling (`127.1`, `0x7f000001`) come out as what they are."""
    answer: queue.SimpleQueue[list[str] | OSError | UnicodeError] = queue.SimpleQueue()

    def ask() -> None:
        try:
            rows = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            answer.put([str(row[4][0]) for row in rows])
        except (OSError, UnicodeError) as error:
            answer.put(error)

    # The resolver cannot be interrupted: it is left behind in a thread that nobody waits for.
    threading.Thread(target=ask, daemon=True, name="resolve").start()
    try:
        found = answer.get(timeout=RESOLVE_SECONDS)
    except queue.Empty:
        raise NoNetwork(
            f"{host} cannot be reached: the name server does not answer; check this machine's network."
        ) from None
    if isinstance(found, Exception) or not found:
        raise NoNetwork(
            f"{host} cannot be reached: this machine has no network, or no name server knows that name."
        )
    return [ip_address(text) for text in dict.fromkeys(found[:MAX_ADDRESSES])]


def _host_port(text: str) -> tuple[str, int | None]:
    """`host`, `host:port`, `[::1]` or `[::1]:port`, parted; an empty host for what is none of them."""
    text = text.strip().casefold()
    if text.startswith("["):
        host, _, rest = text[1:].partition("]")
        port = rest.removeprefix(":")
    elif text.count(":") > 1:
        host, port = text, ""
    else:
        host, _, port = text.partition(":")
    if port and not (port.isascii() and port.isdecimal() and 0 < int(port) < 65536):
        return "", None
    return host.rstrip("."), int(port) if port else None
