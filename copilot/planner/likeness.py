"""How alike two requests are beside the cosine of their vectors: what they name, and words that turn them round."""

from __future__ import annotations

import re
from collections.abc import Sequence

from copilot.planner.clauses import Clause
from copilot.planner.spans import Span


def masked_request(request: str, spans: Sequence[Span]) -> str:
    """A whole request with a standing word for each phrase that names something, as cases are compared by."""
    return Clause(request, 0, tuple(spans)).masked


def signature(spans: Sequence[Span]) -> tuple[str, ...]:
    """What a request names, sorted: of places, dates and classes how many, of words of the domain which."""
    open_kinds = [span.kind for span in spans if span.kind not in CLOSED]
    return tuple(
        sorted([*open_kinds, *{f"{span.kind}={span.value}" for span in spans if span.kind in CLOSED}])
    )


CLOSED = frozenset({"plot", "basemap", "control", "panel", "direction", "field", "format"})
"""Kinds of phrases of which there are few: "as points" and "as clusters" want two things."""


def contrast(one: str, other: str) -> bool:
    """Whether two texts say opposite things: the newest and the oldest, to hide and to remove."""
    for group in _CONTRASTS:
        said = [frozenset(word for word, pattern in group if pattern.search(text)) for text in (one, other)]
        if said[0] != said[1] and (all(said) or group in _TELLING):
            return True
    return False


def _group_of(**words: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((name, re.compile(rf"\b(?:{pattern})\b", re.I)) for name, pattern in words.items())


_CONTRASTS = (
    _group_of(
        newest="newest|latest|most recent|last", oldest="oldest|earliest|first", clearest=r"clearest|least cloud\w*",
        cloudiest=r"cloudiest|most cloud\w*", sharpest="sharpest|finest",
    ),
    _group_of(
        mean="mean|average", sum="sum|total|add up", least="min(?:imum)?|lowest|smallest|fewest|least", median="median",
        most="max(?:imum)?|highest|largest|most|biggest",
    ),
    _group_of(
        hide="hide|hidden|conceal|invisible", show="show|unhide|display|visible", remove="remove|delete|drop|get rid of|take off",
        rename="rename|call|name", undo="undo|take back|revert", redo="redo|restore", draw="draw|sketch", measure="measure|how far|distance",
    ),
    _group_of(area="area|how (?:big|large)|hectares", distance="distance|how far|apart"),
    _group_of(on="on|switch on", off="off|hide|without"),
    _group_of(bar="bars?", line="lines?|curve", pie="pie", histogram="histogram|distribution", scatter="scatter"),
    _group_of(csv="csv", geojson="geojson", parquet="parquet|geoparquet", notebook="notebook|ipynb", script="script|python"),
    _group_of(up="up|good|right|great", down="down|bad|wrong"),
    _group_of(front="front|top", back="back|bottom"),
    _group_of(north="north", south="south", east="east", west="west", into="in|closer", out="out|further"),
    _group_of(year="years?|yearly|annual", month="months?|monthly", day="days?|daily", country=r"countr\w+", sensor="sensors?", split="splits?"),
    _group_of(ascending="ascending|rising", descending="descending|falling"),
    _group_of(map="maps?|plot(?:ted)?|draw|show(?:n|ing)?|display|see"),
    _group_of(never="never|don'?t|do not|except|excluding|but not|other than"),
    _group_of(since="since|onwards?|after|later|newer", until="until|till|before|older|earlier"),
    _group_of(
        over=r"at least|more than|over(?= \d)|above|or more|exceeding", under="under|less than|below|at most|up to|no more than|or less",
    ),
    _group_of(chance=r"random\w*|by chance|sampl\w+"),
)  # fmt: skip
_TELLING = (_CONTRASTS[0], _CONTRASTS[4], _CONTRASTS[5], *_CONTRASTS[-5:])
"""Those whose words are never left out: which image, figure or format, on the map or not, since or until, by chance."""


def named_besides(spans: Sequence[Span], used: Sequence[Span]) -> tuple[str, ...]:
    """What a request names that is in no slot, sorted."""
    return tuple(
        sorted(
            f"{span.kind}={span.text.lower()}"
            for span in spans
            if span not in used and span.kind not in CLOSED
        )
    )


def in_kilometres(span: Span) -> bool:
    """Whether a distance is said in kilometres, as radii are."""
    return bool(re.search(r"\bkm|\dkm|kilomet", span.text, re.I))
