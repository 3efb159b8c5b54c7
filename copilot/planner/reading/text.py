"""Text prepared for reading: lower case, plain dashes and quotes, every index still the original's."""

from __future__ import annotations

import re
from dataclasses import dataclass

_PLAIN = {
    **dict.fromkeys("‐‑‒–—−", "-"),
    **dict.fromkeys("‘’ʼ`", "'"),
    **dict.fromkeys("“”", '"'),
    **dict.fromkeys("\u00a0\u2009\u202f\t\n\r", " "),
}


READ_LIMIT = 4000
"""Readers look at this many characters; the time for hostile text grows with the square of its length."""


def plain(text: str) -> str:
    """`text` in lower case with plain dashes, quotes and spaces; index for index, cut at READ_LIMIT."""
    text = text[:READ_LIMIT]
    lowered = (_PLAIN.get(char, char.lower()) for char in text)
    return "".join(low if len(low) == 1 else char for low, char in zip(lowered, text, strict=True))


@dataclass(frozen=True)
class Rewritten:
    """A text whose words were corrected, and for each of its indices the one in the original."""

    text: str
    origin: tuple[int, ...]
    """One index more than characters, so that an end index maps as well."""


def rewrite(text: str, corrections: list[tuple[int, int, str]]) -> Rewritten:
    """Put each (start, end, word) of `corrections`, in order, in place of text[start:end]."""
    pieces: list[str] = []
    origin: list[int] = []
    position = 0
    for start, end, word in corrections:
        pieces += [text[position:start], word]
        origin += range(position, start)
        origin += [min(start + offset, end - 1) for offset in range(len(word))]
        position = end
    pieces.append(text[position:])
    origin += range(position, len(text) + 1)
    return Rewritten("".join(pieces), tuple(origin))


_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
NUMBER_WORDS: dict[str, int] = {
    **{word: value for value, word in enumerate(_SMALL)},
    **{word: 20 + 10 * index for index, word in enumerate(_TENS)},
    **{
        f"{ten}-{one}": 20 + 10 * i + 1 + j
        for i, ten in enumerate(_TENS)
        for j, one in enumerate(_SMALL[1:10])
    },
    **{
        f"{ten} {one}": 20 + 10 * i + 1 + j
        for i, ten in enumerate(_TENS)
        for j, one in enumerate(_SMALL[1:10])
    },
}
ORDINAL_WORDS: dict[str, int] = {
    word: value
    for value, word in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth".split(), start=1
    )
}


def one_of(words: object) -> str:
    """A regular expression for any of `words` (an iterable of strings), the longest first."""
    if not isinstance(words, (dict, list, tuple, set, frozenset)):
        raise TypeError(f"one_of takes a collection of words, got {type(words).__name__}.")
    return "(?:" + "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True)) + ")"


COUNT = rf"(?:\d+|{one_of(NUMBER_WORDS)[3:-1]})"
"""A whole number in digits or words, as a regular expression."""


def whole_number(text: str) -> int | None:
    """The number in "12", "twelve" or "twenty-one"; None for any other text."""
    said = text.strip().lower()
    return int(said) if said.isdecimal() else NUMBER_WORDS.get(said)
