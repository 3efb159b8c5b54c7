"""How much one request may be: checked before anything reads it, whoever asks and whatever answers."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby

MAX_REQUEST_CHARS = 4000
MAX_SAME = 200
"""How often one character may stand in a row: more than any ruler in a pasted text."""
MAX_DIGITS = 100
"""Digits in a row."""
MAX_WORD = 400
"""Letters and digits in a row: more than any name, hash or link's part."""
MOST_LOG_BYTES = 50_000_000
"""What the record of a session may take, some ten thousand calls: whoever opens it holds it in memory."""
READING_CPU_S = 5
"""Seconds of computing that the reading of one request may take."""


class SessionFull(Exception):
    """A session whose record takes no more, in one sentence for the user."""


class TooMuch(Exception):
    """A request that is too much to read; the text is for the user."""


def too_much(request: str) -> str | None:
    """What of a request is too much to read, and what would work, in one sentence; None where nothing is."""
    if len(request) > MAX_REQUEST_CHARS:
        return (
            f"The request has {len(request):,} characters, and up to {MAX_REQUEST_CHARS:,} are read; "
            "say it shorter, or attach the text as a file."
        )
    for letter, run in groupby(request):
        if (count := sum(1 for _ in run)) > MAX_SAME:
            return (
                f"The request has {_named(letter)} {count:,} times in a row, and up to {MAX_SAME} are read; "
                "leave most of them out."
            )
    if (count := _longest(request, str.isdigit)) > MAX_DIGITS:
        return f"The request has a number of {count:,} digits, and up to {MAX_DIGITS} are read; shorten it."
    if (count := _longest(request, str.isalnum)) > MAX_WORD:
        return (
            f"The request has a word of {count:,} letters and digits, and up to {MAX_WORD} are read; "
            "put spaces between the words, or attach the text as a file."
        )
    return None


def check_record(size: int) -> None:
    """Raise SessionFull where a session's record of so many bytes has no room for more calls or requests.

    What was begun may end: a turn gets its reply.
    """
    if size > MOST_LOG_BYTES:
        raise SessionFull(
            f"This session's record takes {size / 1e6:,.3g} MB, and {MOST_LOG_BYTES / 1e6:,.3g} MB are the "
            "most; go on in a new session. Nothing of this one is lost."
        )


def too_slow() -> str:
    """What is said where the reading of a request was ended."""
    return (
        f"Reading this request took more than {READING_CPU_S} s of computing, so it was ended; "
        "say it in fewer words, or in several requests."
    )


def kept(request: str) -> str:
    """A request as it is put on record: cut where it is longer than what is read."""
    return request if len(request) <= MAX_REQUEST_CHARS else f"{request[:MAX_REQUEST_CHARS]}… (cut)"


def _longest(text: str, wanted: Callable[[str], bool]) -> int:
    """How many characters stand in a row of which that is so."""
    return max((sum(1 for _ in run) for inside, run in groupby(text, wanted) if inside), default=0)


def _named(letter: str) -> str:
    return {" ": "a space", "\n": "a line's end", "\t": "a tab"}.get(letter) or (
        f"'{letter}'" if letter.isprintable() else f"the character U+{ord(letter):04X}"
    )
