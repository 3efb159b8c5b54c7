"""Words that ask for the most or the fewest of what is compared, said once for all who read them."""

from __future__ import annotations

import re
from typing import Literal

Extreme = Literal["most", "fewest"]

_MOST = "more|most|highest|higher|largest|larger|biggest|bigger|greatest|busiest|busier|commonest|best|better"
_FEWEST = "fewer|fewest|less|least|lowest|lower|smallest|smaller|rarest|emptiest|emptier|quietest|quieter|worst|worse"
EXTREMES = f"{_MOST}|{_FEWEST}"
"""Every such word, as a pattern."""
OF_ALL = "most|highest|largest|biggest|greatest|busiest|commonest|best|fewest|least|lowest|smallest|rarest|emptiest|quietest|worst"
"""Those that are of all, not of two."""
_NO_LIMIT = r"(?! (?:than|sharp\w*|clear\w*|cloud\w*|recent\w*|detailed)\b)"
"""After such a word: "more than 5" is a limit, "the most recent" an order."""
_ASKS = r"\b(?:which|what|where|who|whose)\b.*"
_ASKED = tuple(
    (name, re.compile(rf"{_ASKS}\b(?:{words})\b{_NO_LIMIT}|{alone}", re.I | re.S))
    for name, words, alone in (
        ("fewest", _FEWEST, r"\brarest\b"),
        ("most", _MOST, r"\bmost (?:common|frequent)\b"),
    )
)
_ALONE = re.compile(
    rf"\W*(?:(?:and|or|but|so|now|what about|how about|which(?: one)?(?: has| is)?|who has)\s+)*(?:the )?(?P<word>{EXTREMES})"
    r"(?: (?:images?|scenes?|pictures?|objects?))?\W*",
    re.I,
)


def extreme_asked(request: str) -> Extreme | None:
    """Whether a request asks which has the most or which the fewest; None for neither."""
    if (alone := _ALONE.fullmatch(request)) is not None:
        return "fewest" if re.fullmatch(_FEWEST, alone["word"], re.I) else "most"
    for name, pattern in _ASKED:
        if pattern.search(request):
            return "fewest" if name == "fewest" else "most"
    return None


def is_bare_extreme(text: str) -> bool:
    """Whether a text is such a word and no more: "and the least?" after a comparison."""
    return _ALONE.fullmatch(text) is not None
