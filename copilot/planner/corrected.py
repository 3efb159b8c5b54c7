"""Words taken back in the middle of a request: "ships in Rotterdam, no, I mean Antwerp" asks for Antwerp alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from copilot.planner.spans import Reader, Span

_CUE = re.compile(
    r"(?:[\s,;.–—-]|\.\.\.|…)*(?:[,;.–—]|\.\.\.|…|\s)(?:"
    r"(?:or|no|nope|oh|oops|sorry|wait|well|er|uh|um|hm+)(?:[\s,]+(?:or|no|oh|sorry|wait|well))*[\s,]+(?:rather|better|actually|i mean|i meant|make (?:it|that|this))"
    r"|no[\s,]+(?:wait|sorry)|(?:wait|sorry|oops)[\s,]+no|(?:oh )?(?:wait|oops)|scratch that|correction(?=\s*:)"
    r"|i mean|i meant|(?:or )?actually[\s,]+(?:no[\s,]+)?(?:make (?:it|that|this)|i mean|i meant)"
    r")[\s,:–—-]+(?:(?:i mean|i meant|rather|better|make (?:it|that|this)|make)[\s,:]+)?",
    re.I,
)
"""What stands between the words that are taken back and those that hold."""
_WEAK_CUE = re.compile(
    r"\s*[,;.–—-]\s*(?:(?:no(?=\s*,)|actually|rather|sorry|oops|make that)[\s,]+)+(?:(?:in|the|to|a|an|around|near|from|for|of|by)\s+)*",
    re.I,
)
"""The same, where the very next word must be of the kind that it corrects: "in France, actually Germany".

A "no" takes back only with a comma behind it: "satellite base, no legend" says two things.
"""
_QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”|(?<!\w)'[^']*'(?!\w)")
_ALIKE = (
    (
        "chart",
        re.compile(r"\b(?:pie|bars?|lines?|histogram|scatter|box)(?: (?:chart|plot|graph)s?)?\b", re.I),
    ),
    (
        "function",
        re.compile(
            r"\b(?:mean|average|median|sum|total|minimum|maximum|variance|standard deviation)\b", re.I
        ),
    ),
)
"""Words that stand for one another and that the reader knows no kind of."""
_NUMBER = re.compile(r"(?<![\w.,])\d+(?:\.\d+)?(?![\w.]*\d)")
_TURNS = frozenset({"place", "date", "class", "dataset", "plot", "distance", "basemap", "color", "attribute", "area", "zoom", "point", "event", "field", "format", "chart", "function"})  # fmt: skip


def corrected(request: str, reader: Reader) -> str:
    """The request with what is said after each "no, I mean" in place of what that takes back.

    A phrase takes the place of the last one of its kind before it, a bare number that of the last number. Where
    nothing of its kind was said before, nothing is taken back and the request stays as it is.
    """
    if not (_CUE.search(request) or _WEAK_CUE.search(request)):
        return request  # most take nothing back, and need not be read for it
    for _ in range(_MOST):
        spans = _with_words_alike(request, reader.read(request))
        shorter = next(
            (text for cue in _cues(request, spans) if (text := _put_back(request, cue, spans))), None
        )
        if shorter is None:
            return request
        request = shorter
    return request


def _cues(request: str, spans: Sequence[Span]) -> Iterator[re.Match[str]]:
    """Where something is taken back, outside quotes and with something said before it."""
    quoted = [match.span() for match in _QUOTED.finditer(request)]
    starts = {span.start for span in spans} | {match.start() for match in _NUMBER.finditer(request)}
    for pattern in (_CUE, _WEAK_CUE):
        for cue in pattern.finditer(request):
            inside = any(left < cue.end() and cue.start() < right for left, right in quoted)
            if not inside and request[: cue.start()].strip() and (pattern is _CUE or cue.end() in starts):
                yield cue


def _with_words_alike(request: str, spans: Sequence[Span]) -> list[Span]:
    found = list(spans)
    for kind, pattern in _ALIKE:
        for match in pattern.finditer(request):
            span = Span(match.start(), match.end(), match[0], kind, match[0])
            if not any(span.overlaps(each) and each.kind in _TURNS for each in found):
                found.append(span)
    return sorted(found, key=lambda span: span.start)


_MOST = 3


def _put_back(request: str, cue: re.Match[str], spans: Sequence[Span]) -> str | None:
    """The request with one correction carried out; None where it corrects nothing that was said."""
    before = [span for span in spans if span.end <= cue.start() and span.kind in _TURNS]
    after = [span for span in spans if span.start >= cue.end() and span.kind in _TURNS]
    if after and after[0].kind not in {span.kind for span in before}:
        return None
    pairs: list[tuple[Span, Span]] = []
    for span in after:
        same = [each for each in before if each.kind == span.kind and each not in [one for one, _ in pairs]]
        if not same:
            break
        pairs.append((same[-1], span))
    if not pairs:
        return _with_number(request, cue)
    head = request[: cue.start()]
    for old, new in sorted(pairs, key=lambda pair: -pair[0].start):
        head = f"{head[: old.start]}{_as_said(request, old, new)}{head[old.end :]}"
    rest = request[pairs[-1][1].end :]
    return head + rest


def _as_said(request: str, old: Span, new: Span) -> str:
    """The new phrase with the old one's preposition where it has none: "in 2015", "2016"."""
    led = re.match(r"(?:in|from|since|until|before|after|during|on|at|within)\s+", old.text, re.I)
    own = re.match(r"(?:in|from|since|until|before|after|during|on|at|within)\b", new.text, re.I)
    return f"{led[0]}{new.text}" if led and not own else new.text


def _with_number(request: str, cue: re.Match[str]) -> str | None:
    """A bare number in place of the last one: "60 % opacity, no wait, 40"."""
    new = _NUMBER.match(request, cue.end())
    old = list(_NUMBER.finditer(request, 0, cue.start()))
    if new is None or not old:
        return None
    rest = re.sub(
        r"^\s*(?:%|percent|km|m|px|levels?|steps?|days?|months?|years?)(?!\w)", "", request[new.end() :]
    )
    return request[: old[-1].start()] + new[0] + request[old[-1].end() : cue.start()] + rest
