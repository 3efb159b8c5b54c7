"""Class phrases that a word list alone does not find: shared head nouns, words side by side, whole clauses."""

from __future__ import annotations

import re
from collections.abc import Sequence

from data.vocabulary.groups import groups_for
from data.vocabulary.thesaurus import Span, Term, find

_FISH = r"fish(?:es|ing)?"
_PHRASED = tuple(
    (re.compile(pattern, re.IGNORECASE), name)
    for pattern, name in (
        (
            rf"\b(?:(?:boats|vessels|ships|ones)(?: (?:that|which))?(?: (?:are|do|is))?(?: not|n't) {_FISH}|"
            r"non[- ]fishing(?: (?:vessels|boats|ships|ones))?|not fishing(?: (?:vessels|boats|ships|ones))?)\b",
            "non-fishing vessel",
        ),
        (
            rf"\b(?:boats|vessels|ships|ones) (?:that|which)(?: are)? {_FISH}\b|\bfishing (?:ones|only|fleets?|activity)\b|"
            r"(?<=only )fishing\b(?! \w)|(?<=just )fishing\b(?! \w)|(?:^|(?<=, ))fishing(?=\s*(?:,|$))",
            "fishing vessels",
        ),
        (
            r"\b(?:(?:buildings|houses|homes|structures|ones)(?: (?:that|which))?(?: (?:were|are|is|have been|got))?"
            r"(?: not|n't)(?: been)? (?:damaged|destroyed|hit|harmed)|"
            r"(?:intact|undamaged|unharmed|untouched|unscathed)(?: (?:buildings|houses|homes|structures|ones))?)\b",
            "no-damage",
        ),
        (
            r"\b(?:anything|everything|things?|all|objects)(?: (?:that|which))?(?: (?:has|have)| with)? (?:wheels|tyres|tires|an engine)\b|"
            r"\b(?:anything|everything|things?)(?: (?:that|which))? (?:drives|driving|on wheels|rolls|rolling|on the roads?)\b",
            "vehicles",
        ),
        (
            r"\b(?:anything|everything|things?|all)(?: (?:that|which))? (?:(?:is |are )?float(?:s|ing)?|sails|sailing|afloat|"
            r"on the water)\b",
            "vessels",
        ),
        (
            r"\b(?:anything|everything|things?|all)(?: (?:that|which))? (?:(?:is |are |can )?(?:fly|flies|flying)|with wings)\b",
            "aircraft",
        ),
    )
)
"""Classes that people say in a clause of their own."""


def phrased(text: str) -> list[Span]:
    """Classes named by a whole phrase: "vessels that are not fishing", "anything with wheels"."""
    return [
        Span(each.start(), each.end(), each[0], tuple(find(name)))
        for pattern, name in _PHRASED
        for each in pattern.finditer(text)
        if find(name)
    ]


_LISTED_BEFORE = re.compile(
    r"(?<![\w-])([^\W\d_][\w-]*)(?:\s*,\s*(?:and\s+|or\s+)?|\s+(?:and|or|and/or|&|plus)\s+|\s*/\s*)$", re.I
)


def shared_heads(text: str, spans: Sequence[Span]) -> list[Span]:
    """The spans, and before each the words that share its head noun: "tennis and basketball courts"."""
    found = list(spans)
    for span in spans:
        first, *rest = span.text.split()
        if not rest or not first:
            continue
        at = span.start
        while match := _LISTED_BEFORE.search(text[:at]):
            start, end = match.span(1)
            terms = tuple(find(f"{match[1]} {rest[-1]}"))
            if not terms or any(start < other.end and other.start < end for other in found):
                break
            found.append(Span(start, end, text[start:end], terms))
            at = start
    return sorted(found, key=lambda span: span.start)


def side_by_side(text: str, spans: Sequence[Span]) -> list[Span]:
    """Of two class words with nothing between, one phrase: the narrower, else the last, which is the noun.

    A first word that says nothing of the class that is kept stays unread, so that it is named.
    """
    found: list[Span] = []
    for span in spans:
        if not found or text[found[-1].end : span.start].strip(" -"):
            found.append(span)
            continue
        before = found.pop()
        whole = before.start, span.end, text[before.start : span.end]
        if breadth(before) < breadth(span):
            found.append(Span(*whole, before.terms))
        elif any(within(one, other) for one in span.terms for other in before.terms):
            found.append(Span(*whole, span.terms))
        else:
            found.append(span)
    return found


def breadth(span: Span) -> int:
    """2 for a group, 1 for a class; what a word means first is the group, where it is one."""
    return 2 if not span.terms or span.terms[0].kind == "group" else 1


def within(term: Term, group: Term) -> bool:
    """Whether a class belongs to a group."""
    return group.kind == "group" and term.kind == "class" and group.name in groups_for(term.name)


_KINDS_OF_EVENT = (
    (r"hurricanes|cyclones|storms", ("hurricane",)),
    (r"earth ?quakes?|quakes", ("earthquake",)),
    (r"floods|floodings?", ("flooding",)),
    (r"wild ?fires?|bush ?fires?|forest fires?|fires(?! stations?)", ("wildfire", "bushfire", "fire")),
    (r"tornado(?:e)?s", ("tornado",)),
    (r"tsunamis?", ("tsunami",)),
    (r"volcano(?:e)?s|(?:volcanic )?eruptions", ("volcano",)),
)


def kinds_of_event(text: str, names: Sequence[str]) -> list[tuple[int, int, tuple[str, ...]]]:
    """(start, end, events) of hazards named as such: "all hurricanes" are those the catalogue has."""
    found = []
    for words, kinds in _KINDS_OF_EVENT:
        events = tuple(name for name in names if set(re.split(r"[-_ ]+", name.lower())) & set(kinds))
        if events:
            found += [
                (each.start(), each.end(), events) for each in re.finditer(rf"\b(?:{words})\b", text, re.I)
            ]
    return found
