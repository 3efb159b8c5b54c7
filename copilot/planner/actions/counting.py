"""Counts, tables and figures of the selection."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from copilot.planner.actions.comparing import compare
from copilot.planner.actions.grouping import GROUPINGS, any_grouping, group_field, need_data
from copilot.planner.asking import Ask, Reject
from copilot.planner.clauses import Clause
from copilot.planner.situation import Call, Situation
from copilot.planner.spans import Span

_OBJECTS = re.compile(
    r"\bhow many (?:individual |separate |single )?(?:objects|detections|instances|boxes|"
    r"annotations|targets)\b|\b(?:count|number|total) (?:of )?(?:the )?(?:objects|"
    r"detections|instances)\b",
    re.I,
)
_FUNCTIONS = (
    (r"\b(?:mean|average|avg|on average|typical)\b", "mean"),
    (r"\bmedian\b", "median"),
    (r"\b(?:sum|total|altogether)\b", "sum"),
    (r"\b(?:min|minimum|lowest|smallest|least|finest|best|earliest|oldest|first)\b", "min"),
    (r"\b(?:max|maximum|highest|largest|greatest|most|coarsest|worst)\b", "max"),
    (r"\b(?:std|standard deviation|spread)\b", "std"),
)
_PERCENTILE = re.compile(
    r"\b(?:\d+(?:st|nd|rd|th)? )?(?:percentiles?|quantiles?|quartiles?|deciles?)\b", re.I
)
_PER_IMAGE = re.compile(
    r"\b(?:per|an?|each|every|by) (?:image|scene|picture|photo|chip|patch|tile|frame)\b|\bnumber of (?:objects|detections)\b",
    re.I,
)
_DESCENDING = re.compile(
    r"\b(?:desc(?:ending)?|newest|latest|most recent|largest|biggest|highest|most|"
    r"cloudiest|down|reverse|worst|coarsest|recent|decreasing|high to low|z to a)\b",
    re.I,
)
_ASCENDING = re.compile(
    r"\b(?:asc(?:ending)?|oldest|earliest|smallest|lowest|least|fewest|clearest|sharpest|"
    r"finest|best|increasing|low to high|alphabetical\w*|a to z)\b",
    re.I,
)
_FEW = r"\b(?:fewest|least|emptiest|quietest)\b"
_BY_OBJECTS = re.compile(
    r"\b(?:busiest|fullest|most crowded|most congested|emptiest|quietest|least busy|least crowded)\b"
    r"|\bby (?:the |their )?(?:number|count|amount|total) of (?:objects|detections|boxes|targets|instances)\b|\bby (?:objects|detections|(?:object|detection) count)\b"
    r"|\b(?:most|fewest|least) (?:objects|detections|boxes|targets|instances)\b",
    re.I,
)
_UPWARD = re.compile(r"\b(?:asc(?:ending)?|fewest first|lowest first|increasing)\b", re.I)
_TOGETHER = re.compile(
    r"\bco-?occur\w*|\b(?:come|go|appear|occur|found|seen)s? (?:together )?(?:with|alongside|beside)\b", re.I
)
_DATED = re.compile(
    r"\b(?:newest|latest|most recent|oldest|earliest|recent|chronological\w*|by date|"
    r"by time|by acquisition)\b",
    re.I,
)
_CLOUDED = re.compile(r"\b(?:clearest|cloudiest|least cloudy|most cloudy|cloudless)\b", re.I)
_SHARP = re.compile(
    r"\b(?:sharpest|finest|coarsest|highest resolution|best resolution|lowest resolution)\b", re.I
)
MEASURED = frozenset({"cloud_pct", "gsd_m", "detections", "acquired", "lon", "lat"})
"""Fields of numbers that later words of a request go on about."""
SHARED = ("attribute", "class", "event")
"""What a share is asked of: "what percentage of the images is cloud free, shows ships …"."""


def is_share(clause: Clause) -> bool:
    """Whether a clause asks which part of the selection something is."""
    asked = re.search(
        r"\b(?:percentage|percent of|what percent|share of|proportion|fraction of)\b", clause.text, re.I
    )
    return bool(asked) and bool(clause.of(*SHARED)) and not group_field(clause)


def count(clause: Clause, situation: Situation) -> Iterator[Call]:
    """How many images, and how many objects where objects are asked for."""
    if (other := _counted_per(clause)) is not None:
        yield from _values_per(*other, situation)
        return
    yield from need_data(clause, situation)
    if grouped := group_field(clause):
        yield Call("group_count", {"by": grouped})
        return
    if (field := _field_counted(clause)) is not None:
        yield Call("distinct_values", {"field": field})
        return
    yield Call("db_count")
    if (
        _OBJECTS.search(clause.text)
        or _counts_a_class(clause)
        or re.search(r"\bnot (?:the )?images\b", clause.text, re.I)
    ):
        yield Call("db_count", {"unit": "detections"})


def _counted_per(clause: Clause) -> tuple[str, str] | None:
    """ "How many classes does each data set have": what is counted, and for each of what. None for images."""
    counted, by = _field_counted(clause), group_field(clause)
    return (counted, by) if counted and by and counted != by else None


def _values_per(counted: str, by: str, situation: Situation) -> Iterator[Call]:
    """How many values of one field each value of another has: the list of the data sets knows their classes."""
    if (counted, by) == ("class", "dataset"):
        yield Call("db_list")
        return
    raise Reject(
        f"I can't count the values of {counted} for each {by}; I list the values of {counted}, or count images per {by}."
    )


def _field_counted(clause: Clause) -> str | None:
    """ "How many classes are there" counts the values of a field, not images."""
    for span in clause.of("field"):
        before = clause.text[: span.start - clause.start]
        if span.value in GROUPINGS and re.search(
            r"\bhow many (?:different |distinct |unique )?$", before, re.I
        ):
            return str(span.value)
    return None


def group_count(clause: Clause, situation: Situation) -> Iterator[Call]:
    """How many for each value of a field."""
    yield from need_data(clause, situation)
    if _TOGETHER.search(clause.text) and (named := clause.first("class")) is not None:
        raise Reject(
            f"I can't list which classes come with {named.text}: counted by class, images with it show that class alone. "
            f"A pair can be counted: how many images have both {named.text} and another class."
        )
    if (other := _counted_per(clause)) is not None:
        yield from _values_per(*other, situation)
        return
    args: dict[str, Any] = {"by": group_field(clause) or any_grouping(clause) or "class"}
    if _OBJECTS.search(clause.text) or re.search(r"\b(?:objects|detections)\b", clause.text, re.I):
        args["unit"] = "detections"
    yield Call("group_count", args)
    if limit := next((span for span in clause.of("count") if span.value.op != "="), None):
        situation.notes.append(f"All groups are listed, the largest first; '{limit.text}' leaves none out.")


def aggregate(clause: Clause, situation: Situation) -> Iterator[Call]:
    """One number of a field, or one per group."""
    yield from need_data(clause, situation)
    functions = [name for pattern, name in _FUNCTIONS if re.search(pattern, clause.text, re.I)] or ["mean"]
    before = next((call for call in reversed(situation.last_calls()) if call.tool == "aggregate"), None)
    field = _value_field(clause)
    if field is None and _PER_IMAGE.search(clause.text):
        field = "detections"
        if clause.of("class"):
            situation.notes.append("Objects of every class of those images count.")
    elif field is None and before is not None and not clause.spans:
        field = str(before.args["field"])
    if field is not None and (share := _PERCENTILE.search(clause.text)):
        choices = (f"the median of {field}", f"the maximum of {field}", f"a histogram of {field}")
        raise Ask(f"I can't work out the {share[0].strip()}. What should I tell of {field} instead?", choices)
    if field == "acquired":
        yield Call(
            "db_query", {"limit": 1, "order_by": [f"acquired {'asc' if functions[0] == 'min' else 'desc'}"]}
        )
        return
    if field is None:
        yield from count(clause, situation)
        return
    grouped = group_field(clause)
    by = {"by": grouped} if grouped and grouped != field else {}
    for function in functions if len(functions) < 4 else functions[:1]:
        yield Call("aggregate", {"field": field, "function": function, **by})


def query(clause: Clause, situation: Situation) -> Iterator[Call]:
    """The rows themselves."""
    yield from need_data(clause, situation)
    columns = [str(span.value) for span in clause.of("field")]
    if re.search(r"\bname\b", clause.text, re.I) and re.search(r"\bwith\b", clause.text, re.I):
        columns = ["name", *columns]
    if len(columns) > 1 and re.search(r"\bwith\b", clause.text, re.I):
        dated = (
            {"order_by": [f"acquired {'asc' if _ASCENDING.search(clause.text) else 'desc'}"]}
            if _DATED.search(clause.text)
            else {}
        )
        yield Call("db_query", _limit(clause) | dated | {"columns": list(dict.fromkeys(columns))})
        return
    yield Call("db_query", _limit(clause) | _order(clause))


def sort_table(clause: Clause, situation: Situation) -> Iterator[Call]:
    """The rows in another order."""
    yield from need_data(clause, situation)
    order = ordering(clause) or ("acquired", "desc")
    yield Call("sort_table", {"by": [f"{order[0]} {order[1]}"]} | _table(clause))


def top_n(clause: Clause, situation: Situation) -> Iterator[Call]:
    """The first rows by a field, or the groups with most."""
    yield from need_data(clause, situation)
    ordered = ordering(clause)
    grouped = any_grouping(clause)
    if grouped is None and ordered is None and not clause.of("field", "class"):
        grouped = _grouping_before(situation)
    if grouped and (ordered is None or ordered[0] in GROUPINGS or ordered[0] == "detections"):
        yield from _over_all(grouped, situation)
        yield Call("group_count", {"by": grouped})
        return
    if (
        ordered is None
        and not clause.of("field")
        and re.search(r"\bclass(?:es)?\b|\bobjects?\b|\bcommon\b", clause.text, re.I)
    ):
        yield Call("group_count", {"by": "class"})
        return
    if ordered is None and _value_field(clause) is None:
        images = re.search(r"\b(?:images?|scenes?|pictures?|patch(?:es)?)\b", clause.text, re.I)
        if not images and (
            not clause.of("class")
            or re.search(r"\b(?:types?|kinds?|class(?:es)?|models?)\b", clause.text, re.I)
        ):
            yield Call("group_count", {"by": "class"})
            return
    field, order = ordered or (_value_field(clause) or "detections", "desc")
    number = clause.first("count")
    n = {"n": int(number.value.value)} if number is not None else {"n": 1}
    yield Call("top_n", {"by": field, "order": "largest" if order == "desc" else "smallest", **n})


def _over_all(by: str, situation: Situation) -> Iterator[Call]:
    """ "Which disaster has most" asks beyond the one disaster that is selected: its filter goes."""
    limits = [each for each in situation.filters.get("attributes", []) if each["field"] == by]
    alone = any(each["op"] == "=" for each in limits) or (
        by == "country" and "country" in situation.filters and "place" in situation.filters
    )
    if alone:
        part = "place" if by == "country" and not limits else by
        situation.notes.append(f"To compare them all, I dropped the {part} filter.")
        yield Call("filter_clear", {"fields": [part]})


_WHOLE = re.compile(
    r"\b(?:catalog(?:ue)?|database|collection|everything (?:you|we) have|all (?:the )?data ?sets)\b", re.I
)


def share_of_all(clause: Clause, situation: Situation) -> Iterator[Call]:
    """What is selected and all that is loaded, counted; the selection stays."""
    yield Call("db_count")
    names = ", ".join(f"'{name}'" for name in sorted(situation.loaded))
    where = "" if _WHOLE.search(clause.text) else f" WHERE dataset IN ({names})"
    yield Call("db_sql", {"sql": f"SELECT count(*) AS images FROM images{where}"})


def sample_rows(clause: Clause, situation: Situation) -> Iterator[Call]:
    """Some rows by chance."""
    yield from need_data(clause, situation)
    number = clause.first("count")
    yield Call("sample_rows", {"n": int(number.value.value)} if number is not None else {})


def distinct_values(clause: Clause, situation: Situation) -> Iterator[Call]:
    """Which values of a field occur."""
    yield from need_data(clause, situation)
    yield Call("distinct_values", {"field": any_grouping(clause) or _value_field(clause) or "class"})


def describe(clause: Clause, situation: Situation) -> Iterator[Call]:
    """Summary statistics."""
    yield from need_data(clause, situation)
    yield Call("describe_table", _table(clause))


def histogram(clause: Clause, situation: Situation) -> Iterator[Call]:
    """How a numeric field is distributed."""
    yield from need_data(clause, situation)
    field = _value_field(clause) or situation.field
    if field is None:
        grouped = any_grouping(clause)
        if grouped is None:
            raise Ask("A histogram of which field?", ("cloud_pct", "gsd_m", "detections"))
        yield Call("bar_figure", {"by": grouped})
        return
    yield Call("histogram_figure", {"field": field})


def bar(clause: Clause, situation: Situation) -> Iterator[Call]:
    """Counts per group as bars, or as a line where time is asked about."""
    yield from need_data(clause, situation)
    yield Call("bar_figure", _figure(clause, situation, default="class"))


def pie(clause: Clause, situation: Situation) -> Iterator[Call]:
    """Shares per group."""
    yield from need_data(clause, situation)
    yield Call("pie_figure", _figure(clause, situation, default="class"))


def line(clause: Clause, situation: Situation) -> Iterator[Call]:
    """Counts over time."""
    yield from need_data(clause, situation)
    args = _figure(clause, situation, default="month")
    if args["by"] not in ("year", "month", "day", "season"):
        args["by"] = "month"
    yield Call("line_figure", args)


def same_figure(clause: Clause, situation: Situation) -> Iterator[Call]:
    """ "And one of cloud": the last chart or table of groups, of another field."""
    last = next((call for call in reversed(situation.last_calls()) if {"by", "field"} & set(call.args)), None)
    field = clause.first("field")
    if last is None or field is None:
        raise Ask("One of what?", ("a histogram of cloud cover", "a bar chart per class"))
    key = "field" if "field" in last.args else "by"
    yield Call(last.tool, last.args | {key: str(field.value)})


def scatter(clause: Clause, situation: Situation) -> Iterator[Call]:
    """One field against another."""
    yield from need_data(clause, situation)
    fields = [span.value for span in clause.of("field")]
    if len(fields) < 2:
        raise Ask("Which two fields should be plotted against each other?", ("cloud_pct and gsd_m",))
    yield Call("scatter_figure", {"x": fields[0], "y": fields[1]})


def sql(clause: Clause, situation: Situation) -> Iterator[Call]:
    """The user's own SELECT."""
    match = re.search(r"\b(?:select|with)\b.*", clause.text, re.I | re.S)
    if match is None:
        raise Ask("Which SQL should I run?", ("SELECT dataset, count(*) FROM images GROUP BY dataset",))
    text = match[0].strip(" `")
    quoted = (text.count("'") % 2 and text.endswith("'")) or (text.count('"') % 2 and text.endswith('"'))
    yield Call("db_sql", {"sql": text[:-1] if quoted else text})


# -- what the phrases of a clause are for -----------------------------------------------------------


def ordering(clause: Clause) -> tuple[str, str] | None:
    """(field, "asc" or "desc") that a clause orders by; None when it names no order."""
    text = clause.text
    newest_down = "asc" if _ASCENDING.search(text) and not _DESCENDING.search(text) else "desc"
    if _DATED.search(text):
        return "acquired", newest_down
    if _CLOUDED.search(text):
        return "cloud_pct", "desc" if re.search(r"cloudiest|most cloudy", text, re.I) else "asc"
    if _SHARP.search(text):
        return "gsd_m", "desc" if re.search(r"coarsest|lowest resolution", text, re.I) else "asc"
    fields = [span.value for span in clause.of("field", "attribute") if isinstance(span.value, str)]
    if (by_objects := _BY_OBJECTS.search(text)) and not set(fields) & GROUPINGS:
        return "detections", "asc" if re.search(_FEW, by_objects[0], re.I) or _UPWARD.search(text) else "desc"
    if not fields:
        return None
    if _ASCENDING.search(text):
        return fields[-1], "asc"
    return fields[-1], "desc" if _DESCENDING.search(text) or re.search(r"\btop\b", text, re.I) else "asc"


def _counts_a_class(clause: Clause) -> bool:
    return any(
        re.search(
            r"\b(?:how many|number of|count(?: the| all| of)?)\s+(?:\w+\s+)?$",
            clause.text[: span.start - clause.start],
            re.I,
        )
        and not _is_scene(span)
        for span in clause.of("class")
    ) and not re.search(r"\bhow many\b[^,]*\b(?:images|scenes|pictures|photos|patches)\b", clause.text, re.I)


def _is_scene(span: Span) -> bool:
    return isinstance(span.value, tuple) and all(term.scene for term in span.value)


def _value_field(clause: Clause) -> str | None:
    grouped = group_field(clause)
    fields = [str(span.value) for span in clause.of("field") if span.value not in GROUPINGS]
    return next((field for field in fields if field != grouped), fields[0] if fields else None)


def _figure(clause: Clause, situation: Situation, default: str) -> dict[str, Any]:
    return {"by": group_field(clause) or any_grouping(clause) or _grouping_before(situation) or default}


def _grouping_before(situation: Situation) -> str | None:
    """What was counted by last: "as a pie" draws that."""
    calls = [*situation.last_calls(), *situation.planned]
    return next((str(call.args["by"]) for call in reversed(calls) if call.args.get("by") in GROUPINGS), None)


def _limit(clause: Clause) -> dict[str, Any]:
    number = clause.first("count")
    return {"limit": int(number.value.value)} if number is not None else {}


def _order(clause: Clause) -> dict[str, Any]:
    order = ordering(clause)
    return {"order_by": [f"{order[0]} {order[1]}"]} if order else {}


def _table(clause: Clause) -> dict[str, Any]:
    artifact = clause.first("artifact")
    return {"table": artifact.value} if artifact is not None else {}


ACTIONS: dict[str, Callable[[Clause, Situation], Iterator[Call]]] = {
    "db_count": count,
    "group_count": group_count,
    "aggregate": aggregate,
    "compare_counts": compare,
    "db_query": query,
    "sort_table": sort_table,
    "top_n": top_n,
    "distinct_values": distinct_values,
    "sample_rows": sample_rows,
    "share_of_all": share_of_all,
    "describe_table": describe,
    "histogram_figure": histogram,
    "bar_figure": bar,
    "pie_figure": pie,
    "line_figure": line,
    "scatter_figure": scatter,
    "db_sql": sql,
    "same_figure": same_figure,
}
SELECTING = frozenset(ACTIONS) - {"db_sql", "share_of_all"}
