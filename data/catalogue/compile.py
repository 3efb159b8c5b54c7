"""A Selection as SQL: for each data set, the conditions its rows must meet.

Every value that came from outside is bound as a parameter; names are checked against the data
set's own columns, properties and classes. Nothing is pasted into the text.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from difflib import get_close_matches
from typing import Any

from data.catalogue.base import Attribute, Bbox, CatalogueAway, CatalogueError, Selection
from data.catalogue.classes import class_ids
from data.catalogue.dialect import Dialect, Params
from data.catalogue.fields import Expr, field_expr, field_kind, unknown_field
from data.catalogue.geo import bbox_sql, circle_sql, polygon_sql
from data.catalogue.whole import SetAside, sentences
from data.schema import CLASS_BITS_PER_WORD, DatasetInfo

_COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")


def chosen_datasets(
    selection: Selection, infos: Iterable[DatasetInfo], aside: Iterable[SetAside] = ()
) -> list[DatasetInfo]:
    """The data sets a selection can have rows of; all when it names none. Those that are set aside have none.

    Raises CatalogueError for a name that is not there, and where all of them are set aside.
    """
    known = {info.name: info for info in infos}
    broken = {each.name: each for each in aside if each.name in selection.datasets}
    names = sorted(set(selection.datasets) - set(broken)) if selection.datasets else sorted(known)
    if broken and not names:
        raise CatalogueAway(sentences(broken.values()))
    for name in names:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = (
                f"did you mean {near[0]!r}?" if near else f"there are {', '.join(sorted(known)) or 'none'}."
            )
            raise CatalogueError(f"There is no data set {name!r}; {hint}")
    return [known[name] for name in names]


def check_fields(selection: Selection, infos: Iterable[DatasetInfo]) -> None:
    """CatalogueError when an attribute's field is in none of the catalogue's data sets."""
    known = list(infos)
    for attribute in selection.attributes:
        if known and all(field_kind(info, attribute.field) is None for info in known):
            raise unknown_field(attribute.field, known)


def conditions(
    selection: Selection, info: DatasetInfo, dialect: Dialect, params: Params, bbox: Bbox | None = None
) -> list[str] | None:
    """What rows of one data set must meet, to be joined with AND; None when none of its rows can.

    `bbox` narrows further, as a viewport does. Raises CatalogueError for parts that cannot be read.
    """
    bound_before = params.mark()
    parts = [_class_conditions(selection, info, dialect, params), _date_conditions(selection, info, params)]
    parts += [_attribute_condition(a, info, dialect, params) for a in selection.attributes]
    if any(part is None for part in parts):
        params.forget_since(bound_before)
        return None
    found = [condition for part in parts for condition in part or ()]
    for box in (selection.bbox, bbox):
        if box is not None:
            found += bbox_sql(box, params)
    if selection.center is not None:
        if selection.radius_km is None:
            raise CatalogueError("A center needs a radius_km, such as 40.")
        found += circle_sql(selection.center, selection.radius_km, params)
    if selection.geometry is not None:
        found += polygon_sql(selection.geometry, params, dialect)
    return found


def selected_class_ids(selection: Selection, info: DatasetInfo) -> frozenset[int]:
    """The classes of a data set that the selection's words mean; empty when it names none."""
    return frozenset().union(*(class_ids(info, word) for word in selection.classes))


def class_masks(ids: Iterable[int]) -> dict[int, int]:
    """{word: mask} of class ids over `class_words`."""
    masks: dict[int, int] = {}
    for class_id in ids:
        word, bit = divmod(class_id, CLASS_BITS_PER_WORD)
        masks[word] = masks.get(word, 0) | 1 << bit
    return masks


def parse_day(text: str) -> date:
    """A day written YYYY-MM-DD; CatalogueError otherwise."""
    try:
        return date.fromisoformat(text)
    except (ValueError, TypeError) as error:
        raise CatalogueError(f"{text!r} is not a day; write it YYYY-MM-DD, such as 2018-05-31.") from error


def _any_of(ids: Iterable[int], dialect: Dialect, params: Params) -> str:
    tests = [
        f"({dialect.class_word(w)} & {params.add(mask)}) <> 0" for w, mask in sorted(class_masks(ids).items())
    ]
    return "(" + " OR ".join(tests) + ")"


def _class_conditions(
    selection: Selection, info: DatasetInfo, dialect: Dialect, params: Params
) -> list[str] | None:
    if not selection.classes:
        return []
    ids_by_word = [class_ids(info, word) for word in selection.classes]
    if selection.match == "all":
        return [_any_of(ids, dialect, params) for ids in ids_by_word] if all(ids_by_word) else None
    ids = frozenset().union(*ids_by_word)
    return [_any_of(ids, dialect, params)] if ids else None


def _date_conditions(selection: Selection, info: DatasetInfo, params: Params) -> list[str] | None:
    start = None if selection.start is None else parse_day(selection.start)
    end = None if selection.end is None else parse_day(selection.end)
    if start is not None and end is not None and start > end:
        raise CatalogueError(f"The start {start} is after the end {end}; swap them.")
    if start is None and end is None:
        return []
    if info.start is None or info.end is None:
        return None
    if (start is not None and start.isoformat() > info.end) or (
        end is not None and end.isoformat() < info.start
    ):
        return None
    found = []
    if start is not None:
        found.append(f"acquired >= {params.add(_midnight(start))}")
    if end is not None:
        found.append(_up_to(end, params))
    return found


def _up_to(day: date, params: Params) -> str:
    if day == date.max:
        return "acquired IS NOT NULL"
    return f"acquired < {params.add(_midnight(day + timedelta(days=1)))}"


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day)


def _attribute_condition(
    attribute: Attribute, info: DatasetInfo, dialect: Dialect, params: Params
) -> list[str] | None:
    """A row that lacks the value never matches, whatever the comparison."""
    expr = field_expr(info, attribute.field, dialect, params)
    if expr is None:
        return None
    if attribute.op == "in":
        if isinstance(attribute.value, str) or not isinstance(
            attribute.value, list | tuple | set | frozenset
        ):
            raise CatalogueError(f"'in' needs a list of values, not {attribute.value!r}.")
        if not attribute.value:
            return None
        tests = [_compare(expr, "=", value, attribute.field, dialect, params) for value in attribute.value]
        return ["(" + " OR ".join(tests) + ")"]
    if attribute.op == "contains":
        needle = params.add(str(attribute.value).lower())
        return [f"strpos({dialect.lower(dialect.text(expr.sql))}, {dialect.text(needle)}) > 0"]
    if attribute.op not in _COMPARISONS:
        raise CatalogueError(
            f"There is no comparison {attribute.op!r}; there are {', '.join(_COMPARISONS)}, in, contains."
        )
    return [_compare(expr, attribute.op, attribute.value, attribute.field, dialect, params)]


def _compare(expr: Expr, op: str, value: Any, field: str, dialect: Dialect, params: Params) -> str:
    sign = "<>" if op == "!=" else op
    if expr.kind == "time":
        return _compare_time(expr.sql, op, value, params)
    if expr.kind == "number":
        return f"{expr.sql} {sign} {params.add(_number(value, field))}"
    if isinstance(value, bool):
        value = "true" if value else "false"
    if isinstance(value, int | float):
        return f"{dialect.number_of(expr.sql)} {sign} {params.add(_number(value, field))}"
    return f"{expr.sql} {sign} {dialect.text(params.add(str(value)))}"


def _number(value: Any, field: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError) as error:
        raise CatalogueError(f"{field!r} holds numbers, and {value!r} is not one.") from error
    if not math.isfinite(number):
        raise CatalogueError(f"{field!r} holds numbers, and {value!r} is not a finite one.")
    return number


def _compare_time(sql: str, op: str, value: Any, params: Params) -> str:
    moment, whole_day = _moment(value)
    if not whole_day:
        return f"{sql} {'<>' if op == '!=' else op} {params.add(moment)}"
    next_day = moment + timedelta(days=1)
    if op in ("=", "!="):
        first, after = params.add(moment), params.add(next_day)
        if op == "=":
            return f"({sql} >= {first} AND {sql} < {after})"
        return f"({sql} < {first} OR {sql} >= {after})"
    # "after the 3rd" begins with the 4th, and "until the 3rd" ends with it
    border = params.add(next_day if op in ("<=", ">") else moment)
    return f"{sql} {'<' if op in ('<', '<=') else '>='} {border}"


def _moment(value: Any) -> tuple[datetime, bool]:
    """A time, and whether only its day was given."""
    try:
        if isinstance(value, str) and len(value) == 10:
            return _midnight(date.fromisoformat(value)), True
        moment = datetime.fromisoformat(value)
    except (TypeError, ValueError) as error:
        raise CatalogueError(f"{value!r} is not a time; write YYYY-MM-DD or YYYY-MM-DDTHH:MM:SS.") from error
    if moment.tzinfo is not None:
        moment = moment.astimezone(UTC).replace(tzinfo=None)
    return moment, False
