"""The names of the tests are words: the same in every process and at every moment."""

from __future__ import annotations

import re

import pytest

ESCAPED = re.compile(r"\\x[0-9a-f]{2}|\\u[0-9a-f]{4}")
"""What stands in a name where bytes, or signs that cannot be printed, were made one."""
LONGEST = 250


def test_every_name_can_be_printed(request: pytest.FixtureRequest) -> None:
    """That they are the same in two collections is compared before two processes share out the tests."""
    names = [item.nodeid for item in request.session.items]
    odd = [each for each in names if not each.isprintable() or ESCAPED.search(each) or len(each) > LONGEST]
    assert odd == [], f"{len(odd)} names; give their parameters ids="


def test_bytes_and_what_cannot_be_printed_make_plain_names(request: pytest.FixtureRequest) -> None:
    def named(value: object) -> str | None:
        found: str | None = request.config.hook.pytest_make_parametrize_id(
            config=request.config, val=value, argname="content"
        )
        return found

    assert [named(each) for each in (b"\x1f\x8b", "a\x00b", "São Paulo", "a" * 41, 7)] == [
        "content", "a·b", "São Paulo", "a" * 39 + "…", None,
    ]  # fmt: skip
