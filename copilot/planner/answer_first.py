"""The direct answer to a question, in front of what else there is to say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Any

from copilot.planner.situation import Call
from data.gazetteer import gazetteer

_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Done:
    """A call of this turn with its result."""

    call: Call
    ok: bool
    text: str
    data: dict[str, Any] = field(default_factory=dict)
    changed: bool = False
    """Whether it changed the state."""


def reference(number: int) -> str:
    """The mark behind a number that names the call it came from: ⁽³⁾."""
    return f"⁽{str(number).translate(_SUPERSCRIPTS)}⁾"


def direct_answer(
    done: Sequence[Done], asked: str | None, names: Mapping[str, str] = MappingProxyType({})
) -> Iterator[str]:
    """One sentence that answers "which has most", "what share" or "is there any"; none for other questions.

    `names` are those of the images that were looked at, by their ids.
    """
    if asked in ("most", "fewest"):
        yield from _extreme(done, asked)
        yield from _of_images(done, asked, names)
    elif asked == "share":
        yield from _share(done)
    elif asked == "any":
        counts = [each.data["count"] for each in done if each.ok and each.call.tool == "db_count"]
        if counts:
            yield "Yes." if counts[-1] else "No."


def _extreme(done: Sequence[Done], asked: str) -> Iterator[str]:
    for number, each in enumerate(done, 1):
        grouped = each.ok and each.call.tool in ("group_count", "db_count")
        groups = _with_empty(each, done) if grouped and each.data.get("groups") else None
        if not groups:
            continue
        ordered = sorted(groups, key=lambda group: int(group["count"]), reverse=asked == "most")
        first, *others = ordered
        unit = str(each.data.get("unit", "images")).replace("detections", "objects")
        sentence = (
            f"{_named(each, first['key'])} has the {asked}: {first['count']:,} {unit} {reference(number)}"
        )
        if others:
            sentence += f", then {_named(each, others[0]['key'])} with {others[0]['count']:,}"
        yield f"{sentence}."
        return


def _with_empty(each: Done, done: Sequence[Done]) -> list[Mapping[str, Any]]:
    """The groups of a count, those with nothing among them where the selection was limited to some values."""
    groups: list[Mapping[str, Any]] = list(each.data["groups"])
    by, there = each.data.get("by"), {group["key"] for group in groups}
    limits = [one.call.args for one in done if one.ok and one.call.tool == "filter_attribute"]
    wanted = next(
        (args["value"] for args in reversed(limits) if args["field"] == by and args["op"] == "in"), ()
    )
    return [*groups, *({"key": key, "count": 0} for key in wanted if key not in there)]


def _of_images(done: Sequence[Done], asked: str, names: Mapping[str, str]) -> Iterator[str]:
    """Which of several images has more of what was counted in each."""
    counted = {
        str(each.call.args["image"]): (number, int(each.data["count"]))
        for number, each in enumerate(done, 1)
        if each.ok and "image" in each.call.args and isinstance(each.data.get("count"), int)
    }
    if len(counted) < _SEVERAL:
        return
    best = (max if asked == "most" else min)(count for _, count in counted.values())
    first = [image for image, (_, count) in counted.items() if count == best]
    told = ", ".join(
        f"{names.get(image, image)} {count:,} {reference(number)}"
        for image, (number, count) in counted.items()
    )
    if len(first) == len(counted):
        yield f"They have as many: {told}."
        return
    words = (
        {"most": "more", "fewest": "fewer"}
        if len(counted) == _SEVERAL
        else {"most": "the most", "fewest": "the fewest"}
    )
    yield f"{' and '.join(names.get(image, image) for image in first)} {'has' if len(first) == 1 else 'have'} {words[asked]}: {told}."


_SEVERAL = 2


def _share(done: Sequence[Done]) -> Iterator[str]:
    counted = [
        (number, int(each.data["count"]))
        for number, each in enumerate(done, 1)
        if each.ok and each.call.tool == "db_count" and not each.data.get("by")
    ]
    whole = [
        (number, all_of_it)
        for number, each in enumerate(done, 1)
        if (all_of_it := counted_by_sql(each)) is not None
    ]
    counted = [*whole[:1], *counted[:1]] if whole else counted
    if len(counted) == 2 and counted[0][1]:
        (all_at, number_of_all), (part_at, part) = counted
        yield (
            f"{part:,} {reference(part_at)} of {number_of_all:,} {reference(all_at)} images, "
            f"that is {_percent(part / number_of_all)} %."
        )


def _percent(share: float) -> str:
    """A share in percent with one place, or the first digits of a tiny one."""
    percent = 100 * share
    return f"{percent:.1f}" if percent >= 1 or percent == 0 else f"{percent:.2g}"


def counted_by_sql(each: Done) -> int | None:
    """The number of images that a query of ours counted."""
    rows = each.data.get("first") or []
    alone = each.ok and each.call.tool == "db_sql" and len(rows) == 1 and set(rows[0]) == {"images"}
    return int(rows[0]["images"]) if alone else None


def spelt_out(each: Done) -> str:
    """An observation with the names of countries for their codes."""
    if each.call.tool == "db_schema":
        return _columns(each.text)
    if each.call.tool in ("top_n", "db_query", "sort_table"):
        return _with_names(each)
    groups = each.data.get("groups") or []
    if each.data.get("by", each.data.get("field")) != "country" or not groups:
        return each.text
    text = each.text
    for group in groups:
        text = text.replace(f" {group['key']} ", f" {_named(each, group['key'])} ")
    return text


def _with_names(each: Done) -> str:
    """An observation of rows with the rows' own names, and the date of the first, for their ids."""
    text = each.text
    rows = each.data.get("first") or []
    for row in rows:
        if row.get("image_id") and row.get("name") and str(row["name"]) not in str(row["image_id"]):
            text = text.replace(str(row["image_id"]), str(row["name"]))
    acquired = str(rows[0].get("acquired") or "")[:10] if rows else ""
    if each.call.tool == "db_query" and acquired and acquired not in text:
        text = text.rstrip() + f" It was taken on {acquired}." if len(rows) == 1 else text
    return text


_TOLD = ("acquired", "sensor", "modality", "gsd_m", "cloud_pct", "country", "split", "event")


def _columns(text: str) -> str:
    """A table's definition as two sentences: the ranges that matter, then the names of the columns."""
    found = re.findall(r"^\s+(\w+) [\w\[\]]+,?\s*(?:-- (.*))?$", text, re.MULTILINE)
    names = list(dict.fromkeys(name for name, _ in found))
    if not names:
        return text
    ranges = [f"{name} {about.strip()}" for name, about in found if name in _TOLD and about.strip()]
    told = f"Its ranges: {'; '.join(dict.fromkeys(ranges))}. " if ranges else ""
    return f"{told}The columns are {', '.join(names[:-1])} and {names[-1]}."


def _named(each: Done, key: object) -> str:
    by = each.data.get("by", each.data.get("field"))
    return _countries().get(str(key), str(key)) if by == "country" else str(key).replace("_", " ")


@cache
def _countries() -> Mapping[str, str]:
    """ISO 3166-1 alpha-2 code: the country's name."""
    return MappingProxyType(
        {place.country: place.name for place in gazetteer().places("country") if place.country}
    )
