"""The breadcrumb: the selection in one line, part by part, each with the call that drops it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from copilot.messages import t
from state.model import Attribute, Filters, State


@dataclass(frozen=True)
class Chip:
    """One part of the selection."""

    part: str
    """dataset, date, place, class, attribute or count."""
    text: str
    tool: str = ""
    """The call that drops the part; empty where nothing does."""
    args: Mapping[str, Any] = field(default_factory=dict)


def chips(state: State) -> tuple[Chip, ...]:
    """The selection's parts in the order in which people read them; the count comes last."""
    database, filters = state.database, state.database.filters
    found = [Chip("dataset", name, "db_unload", {"names": [name]}) for name in database.loaded]
    if text := place_text(filters):
        found.append(Chip("place", text, "filter_clear", {"fields": ["place"]}))
    if text := period_text(filters.start, filters.end):
        found.append(Chip("date", text, "filter_clear", {"fields": ["date"]}))
    if filters.classes:
        joint = t(" and ") if filters.match == "all" else t(" or ")
        found.append(Chip("class", joint.join(filters.classes), "filter_clear", {"fields": ["classes"]}))
    found += [
        Chip("attribute", _comparison(each), "filter_clear", {"fields": [each.field]})
        for each in filters.attributes
    ]
    if database.loaded:
        found.append(Chip("count", t("{count:,} selected", count=database.count)))
    return tuple(found)


def place_text(filters: Filters) -> str:
    """The place filter in a few words; empty without one."""
    if filters.bbox is None:
        return ""
    if filters.place is not None:
        name = filters.place
    elif filters.center is not None:
        name = f"{filters.center[0]:.3f}, {filters.center[1]:.3f}"
    elif filters.geometry is not None:
        name = t("drawn area")
    else:
        name = "box " + ", ".join(f"{side:.2f}" for side in filters.bbox)
    return (
        t("{name}, {radius_km:g} km", name=name, radius_km=filters.radius_km) if filters.radius_km else name
    )


def period_text(start: str | None, end: str | None) -> str:
    """A period as people write it: May 2018, 2019, 2017 – 2019, since 2020-03-01."""
    if start is None and end is None:
        return ""
    if start is None or end is None:
        return t("until {end}", end=end) if start is None else t("since {start}", start=start)
    first, last = date.fromisoformat(start), date.fromisoformat(end)
    whole_years = (first.month, first.day, last.month, last.day) == (1, 1, 12, 31)
    if whole_years:
        return f"{first.year}" if first.year == last.year else f"{first.year} – {last.year}"
    same_month = (first.year, first.month) == (last.year, last.month)
    if same_month and first.day == 1 and last.day == _last_day(last):
        return f"{first:%B %Y}"
    return start if start == end else f"{start} – {end}"


def _last_day(day: date) -> int:
    after = date(day.year + day.month // 12, day.month % 12 + 1, 1)
    return (after - date.resolution).day


def _comparison(attribute: Attribute) -> str:
    value = attribute.value
    said = ", ".join(str(each) for each in value) if isinstance(value, tuple) else value
    return (
        f"{attribute.field} {attribute.op} {said:g}"
        if isinstance(said, float)
        else f"{attribute.field} {attribute.op} {said}"
    )
