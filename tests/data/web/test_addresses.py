"""Which addresses a request may go to, in every spelling."""

from __future__ import annotations

import socket
import threading
from ipaddress import IPv4Network, ip_address, ip_network
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.web.addresses import ALLOWED_VARIABLE, Allowed, allowed_hosts, may_be_asked, reachable
from data.web.errors import NoNetwork, Refused
from data.web.urls import checked_url
from tests.suite.walking import walks

PUBLIC = "8.8.8.8 93.184.216.34 2606:4700:4700::1111 ::ffff:8.8.8.8 64:ff9b::808:808".split()
PRIVATE = (
    "10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 127.0.0.1 127.255.255.254 100.64.0.1 192.0.2.1 "
    "198.18.0.1 192.88.99.1 ::1 fc00::1 fd12:3456::1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::127.0.0.1 "
    "64:ff9b::7f00:1 64:ff9b:1::1 2002:7f00:1:: 2002:808:808:: 2001::1 2001:db8::1 3fff::1 100::1 "
    "5f00::1 "
).split()
NOBODYS = (
    "0.0.0.0 0.1.2.3 169.254.169.254 169.254.0.1 100.100.100.200 168.63.129.16 192.0.0.192 224.0.0.1 "
    "239.1.2.3 240.0.0.1 255.255.255.255 :: fe80::1 fe80::1%eth0 fec0::1 ff02::1 fd00:ec2::254 "
    "::ffff:169.254.169.254 64:ff9b::a9fe:a9fe"
).split()


@pytest.mark.parametrize("address", PUBLIC)
def test_a_public_address_may_be_asked(address: str):
    assert may_be_asked(ip_address(address))


@pytest.mark.parametrize("address", PRIVATE)
def test_a_private_address_may_be_asked_by_an_allowed_name_only(address: str):
    assert (may_be_asked(ip_address(address)), may_be_asked(ip_address(address), by_name=True)) == (
        False,
        True,
    )


@walks("address", NOBODYS)
def test_clouds_credentials_and_multicast_are_asked_by_no_name_at_all(address: str):
    assert (may_be_asked(ip_address(address)), may_be_asked(ip_address(address), by_name=True)) == (
        False,
        False,
    )


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "0x7f.1", "[::1]", "[::ffff:7f00:1]",
     "localhost", "LOCALHOST.", "0", "[::]", "169.254.169.254", "2852039166"],
)  # fmt: skip
def test_no_spelling_of_an_address_of_this_machine_gets_through(host: str):
    with pytest.raises(Refused, match="lies inside a private or reserved network"):
        reachable(host, 80)


def answers(*addresses: str) -> Any:
    """A resolver that knows one answer."""
    return lambda host, port, *args, **more: [
        (socket.AF_INET6 if ":" in each else socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, port))
        for each in addresses
    ]


def test_a_name_with_one_private_address_among_public_ones_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(socket, "getaddrinfo", answers("93.184.216.34", "10.1.2.3"))
    with pytest.raises(Refused, match=r"trap\.test is not asked: its address 10\.1\.2\.3 lies inside"):
        reachable("trap.test", 80)


def test_a_name_is_turned_into_the_addresses_that_were_judged(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(socket, "getaddrinfo", answers("2606:4700:4700::1111", "93.184.216.34"))
    assert reachable("fine.test", 443) == [("2606:4700:4700::1111", 443), ("93.184.216.34", 443)]


@pytest.mark.parametrize("port", [1, 22, 25, 53, 5432, 6379, 7999, 9000, 65535])
def test_ports_that_speak_something_else_are_refused(port: int):
    with pytest.raises(
        Refused, match=f"93.184.216.34:{port} is not asked: web servers are asked at the ports"
    ):
        reachable("93.184.216.34", port)


def test_an_allowed_port_is_allowed_for_that_host_alone(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(ALLOWED_VARIABLE, "127.0.0.1:9200, intranet.test")
    assert reachable("127.0.0.1", 9200) == [("127.0.0.1", 9200)]
    with pytest.raises(Refused, match="private or reserved"):
        reachable("127.0.0.1", 80)
    with pytest.raises(Refused, match="the ports 80, 443 and 8000 to 8999"):
        reachable("intranet.test", 9200)


def test_an_allowed_host_may_be_said_where_to_find(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(ALLOWED_VARIABLE, "stac.lan:80=127.0.0.1:9000")
    assert reachable("STAC.lan.", 80) == [("127.0.0.1", 9000)]


def test_an_allowed_host_is_not_asked_at_a_cloud_s_credentials(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(ALLOWED_VARIABLE, "meta.lan:80=169.254.169.254:80")
    with pytest.raises(Refused, match=r"its address 169\.254\.169\.254"):
        reachable("meta.lan", 80)


def test_what_is_allowed_is_read_in_every_form_and_the_rest_is_left_out(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(ALLOWED_VARIABLE, "a, b:1,[::1]:2 ,::1,c:80=10.0.0.1:9,, :7, d:x, e:99999, F.")
    assert allowed_hosts() == (
        Allowed("a"),
        Allowed("b", 1),
        Allowed("::1", 2),
        Allowed("::1"),
        Allowed("c", 80, ("10.0.0.1", 9)),
        Allowed("f"),
    )


def test_a_name_that_nobody_knows_is_told(monkeypatch: pytest.MonkeyPatch):
    def unknown(*args: Any, **more: Any) -> Any:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with pytest.raises(NoNetwork) as caught:
        reachable("en.wikipedia.org", 443)
    assert str(caught.value) == (
        "en.wikipedia.org cannot be reached: this machine has no network, or no name server knows that name."
    )


def test_a_name_server_that_is_silent_is_given_up(monkeypatch: pytest.MonkeyPatch):
    free = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *args, **more: free.wait() and [])
    with pytest.raises(NoNetwork, match="the name server does not answer"):
        reachable("en.wikipedia.org", 443)
    free.set()


def spellings(number: int) -> list[str]:
    """An IPv4 address as the C library reads it: whole, in parts, decimal, octal, hexadecimal."""
    a, b, c, d = number >> 24, number >> 16 & 255, number >> 8 & 255, number & 255
    return [
        str(number),
        hex(number),
        f"0{number:o}",
        f"{a}.{number & 0xFFFFFF}",
        f"{a:#x}.{b}.{number & 0xFFFF}",
        f"0{a:o}.0{b:o}.0{c:o}.0{d:o}",
        f"{a}.{b}.{c}.{d}.",
        f"[::ffff:{a}.{b}.{c}.{d}]",
        f"[64:ff9b::{number >> 16:x}:{number & 0xFFFF:x}]",
        f"[2002:{number >> 16:x}:{number & 0xFFFF:x}::1]",
        f"[::{number >> 16:x}:{number & 0xFFFF:x}]",
    ]


INSIDE = [ip_network(each) for each in ("10.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "192.168.0.0/16")]


@given(network=st.sampled_from(INSIDE), offset=st.integers(0, 2**32 - 1))
def test_a_private_address_is_refused_in_each_of_its_spellings(network: IPv4Network, offset: int):
    number = int(network.network_address) + offset % network.num_addresses
    for host in spellings(number):
        with pytest.raises((Refused, NoNetwork)):  # what is no spelling to this C library is no name either
            reachable(host, 80)


@given(st.text(max_size=60))
def test_no_text_leads_to_anything_but_an_address_or_a_sentence(text: str):
    try:
        address = checked_url(text)
    except Refused as error:
        assert str(error).endswith(".") and "\n" not in str(error)
        str(error).encode()
    else:
        assert address.scheme in ("http", "https") and address.host and not address.userinfo
