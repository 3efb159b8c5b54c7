"""What of a request is too much to read, and how that is said."""

from __future__ import annotations

import pytest

from copilot.bounds import too_much
from copilot.session import Session


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        (
            "load fmow " * 401,
            "The request has 4,010 characters, and up to 4,000 are read; "
            "say it shorter, or attach the text as a file.",
        ),
        (
            "what is " + "1" * 800,
            "The request has '1' 800 times in a row, and up to 200 are read; leave most of them out.",
        ),
        (
            f"load fmow{' ' * 300}now",
            "The request has a space 300 times in a row, and up to 200 are read; leave most of them out.",
        ),
        ("12" * 60, "The request has a number of 120 digits, and up to 100 are read; shorten it."),
        (
            "1a" * 300,
            "The request has a word of 600 letters and digits, and up to 400 are read; "
            "put spaces between the words, or attach the text as a file.",
        ),
    ],
)
def test_what_is_too_much_is_named_with_what_would_work(session: Session, request_: str, said: str):
    answer = session.ask(request_)
    assert (answer.outcome, answer.reply, answer.calls) == ("rejected", said, ())
    assert session.events[0].text == (request_ if len(request_) <= 4000 else f"{request_[:4000]}… (cut)")
    assert [each.kind for each in session.events] == ["request", "reply"]


@pytest.mark.parametrize(
    "request_",
    [
        "compare with " + "a1" * 64,
        f"name | count\n{'-' * 120}\nships | 3",
        "buffer POLYGON((" + ", ".join(f"{lon}.123456 5{lon}.654321" for lon in range(40)) + "))",
        "fetch https://example.org/" + "/".join(["a" * 40] * 20),
        "ship " * 790,
    ],
)
def test_long_requests_that_are_none_too_much_are_read(request_: str):
    assert too_much(request_) is None
