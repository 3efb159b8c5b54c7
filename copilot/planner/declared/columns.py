"""The columns that a text names for a statistic: which are counted, compared, grouped by or followed over time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from copilot.planner.clauses import Clause
from copilot.planner.declared.phrases import words_of
from copilot.planner.declared.said import Said
from copilot.planner.reading.text import NUMBER_WORDS, one_of, whole_number
from copilot.planner.selection import selection_calls
from copilot.planner.situation import Call, Situation
from copilot.planner.spans import Reader

SELECTING = ("dataset", "place", "bbox", "point", "date")
"""What of a statistic's clause says which images it is of."""
_NUMBERS = frozenset({"gsd_m", "cloud_pct", "detections", "width", "height", "lon", "lat"})
_SNAKE = r"[a-z]+(?:_[a-z0-9]+)+"
_SPLITS = re.compile(r"\b(?:train|val|test)\b(?:,? (?:and |or )?(?:train|val|test)\b)+", re.I)
_GROUPED = re.compile(
    r"\b(?:by|per|(?:for )?each|(?:for )?every|against|across|with|split by|one line a|one column a)\s+(?:the )?(?P<one>[a-z]\w*)"
    r"(?:\s+(?:and|against|by|x)\s+(?:the )?(?P<two>[a-z]\w*))?",
    re.I,
)
_SAID_SO: tuple[tuple[str, str], ...] = (
    (r"\bdetections?\b|\bobject counts?\b|\bbusy\b|\bobjects? (?:are )?(?:seen|found|detected)\b|\bhow many objects\b", "detections"),
    (r"\bclouds?\b", "cloud_pct"),
)  # fmt: skip
_NO_COLUMNS = frozenset(
    "it that this them these those one image images picture pictures scene scenes other day week month quarter row rows group "
    "data test cell cells degree".split()
)
_STEPS = (("day", r"dai|day"), ("week", r"week"), ("month", r"month"), ("quarter", r"quarter"), ("year", r"year|annual"))  # fmt: skip


def is_number(column: str) -> bool:
    """Whether a column holds numbers, as far as its name tells."""
    return column in _NUMBERS or (re.fullmatch(_SNAKE, column) is not None and not column.endswith("_id"))


def columns_in(said: Said) -> list[str]:
    """The columns that a clause names, in the order it names them."""
    text = said.text
    found: list[tuple[int, str]] = [(each.start(), each[0]) for each in re.finditer(rf"\b{_SNAKE}\b", text)]
    of_catalogue = of_the_selection(said)
    for span in said.of("field"):
        value = str(span.value)
        literal = span.text.lower().rstrip("s")
        found.append((span.start, value if of_catalogue or value == literal or "_" in span.text else literal))
    if of_catalogue:
        found += [(each.start(), "split") for each in [_SPLITS.search(text)] if each]
        found += [(each.start(), name) for words, name in _SAID_SO for each in [re.search(words, text, re.I)] if each]  # fmt: skip
    else:
        for match in _GROUPED.finditer(text):
            for part in ("one", "two"):
                if match[part] and match[part].lower() not in _NO_COLUMNS:
                    found.append((match.start(part), match[part].lower()))
    return list(dict.fromkeys(name for _, name in sorted(found)))


def of_the_selection(said: Said) -> bool:
    """Whether a clause is about images of the catalogue and not about a table."""
    if any(each.kind == "dataset" for each in said.spans):
        return True
    return not any(each.kind == "table" for each in said.things)


def selected_first(tool: str, text: str, situation: Situation) -> Iterator[Call]:
    """The calls that select the images a statistic names by data set, place and date. Raises Ask."""
    if tool not in STATISTICS:
        return
    spans = Reader(situation.gazetteer, situation.today, situation.names()).read(text)
    if any(each.kind == "dataset" for each in spans):
        yield from selection_calls(Clause(text, 0, spans).only(*SELECTING), situation)


def _step(text: str) -> str | None:
    """The length of a step of time: "monthly", "images a year", "over the months"."""
    for step, words in _STEPS:
        if re.search(
            rf"\b(?:{words})ly\b|\b(?:a|per|by|each|every|the|to) (?:{words})s?\b|\bannual", text, re.I
        ):
            return step
    return None


def _over_time(said: Said, columns: Sequence[str]) -> dict[str, Any]:
    numbers = [each for each in columns if is_number(each)]
    return _some(field=numbers[0] if numbers else None, by=_step(said.text))


def _zero_filled(said: Said, columns: Sequence[str]) -> dict[str, Any]:
    zero = re.search(r"\bzeros?\b|\bunbroken\b|\bwithout gaps\b", said.text, re.I)
    return _over_time(said, columns) | _some(gaps="zero" if zero else None)


def _two_ways(said: Said, columns: Sequence[str]) -> dict[str, Any]:
    """Rows and columns: what is said to go down and across, else in the order they are said."""
    groups = [each for each in columns if not is_number(each)]
    if len(groups) == 1 and (made := _column_just_made(said)):
        groups.insert(0, made)
    if len(groups) < 2:
        return {}
    rows, across = groups[:2]
    lies_across = re.search(r"\b(?P<what>\w+?)s? (?:across|as columns|in columns)\b", said.text, re.I)
    if lies_across and lies_across["what"].lower() == rows:
        rows, across = across, rows
    return {"rows": rows, "columns": across}


def _pivoted(said: Said, columns: Sequence[str]) -> dict[str, Any]:
    numbers = [each for each in columns if is_number(each)]
    return _two_ways(said, columns) | _some(field=numbers[0] if numbers else None)


def _shares(said: Said, columns: Sequence[str]) -> dict[str, Any]:
    asked = re.search(
        r"\b(?:share|percentages?|per ?cent|proportions?) (?:of|in) (?:every|each|the)\b", said.text, re.I
    )
    return _two_ways(said, columns) | _some(share="row" if asked else None)


def _column_just_made(said: Said) -> str | None:
    """ "Cross that with site": the column that was added last."""
    for each in reversed(said.situation.state["artifacts"]):
        if match := re.match(r"add_column\(.*\bname=(\w+)", each["made_by"]):
            return match[1]
    return None


def _several(said: Said, columns: Sequence[str]) -> dict[str, Any]:
    return _some(columns=[each for each in columns if is_number(each)] or None)


def _ranked(said: Said, columns: Sequence[str]) -> dict[str, Any]:
    numbers = [each for each in columns if is_number(each)]
    by_rank = re.search(r"\branks?\b", said.text, re.I)
    return _some(
        columns=numbers if len(numbers) > 1 else None, method="spearman" if by_rank else None
    )  # fmt: skip


def _explained(said: Said, columns: Sequence[str]) -> dict[str, Any]:
    """ "Y on X", "Y per X", and "Y from X": what is explained comes first."""
    numbers = [each for each in columns if is_number(each)]
    return {"y": numbers[0], "x": numbers[1:]} if len(numbers) > 1 else {}


def _field(said: Said, columns: Sequence[str]) -> dict[str, Any]:
    return _some(field=next((each for each in columns if is_number(each)), None))


def _outlying(said: Said, columns: Sequence[str]) -> dict[str, Any]:
    ways = (("zscore", r"\bsigmas?\b|\bz-?scores?\b"), ("mad", r"\bmedian\b|\bmad\b"), ("iqr", r"\biqr\b|\bquartiles?\b"))  # fmt: skip
    method = next((way for way, words in ways if re.search(words, said.text, re.I)), None)
    return _field(said, columns) | _some(method=method)


def _boxed(said: Said, columns: Sequence[str]) -> dict[str, Any]:
    compared = re.search(r"\bagainst (?P<value>\w+)\W*$", said.text, re.I)
    value = compared["value"].lower() if compared else ""  # of a group, which is not named
    groups = [each for each in columns if not is_number(each) and each != value]
    return _field(said, columns) | _some(by=groups[0] if groups else None)


def _sites(said: Said, columns: Sequence[str]) -> dict[str, Any]:
    size = re.search(
        r"(?P<km>\d+(?:\.\d+)?) ?(?:km|kilomet\w+)(?: wide)? (?:hexagons?|cells?|squares?|bins?)",
        said.text,
        re.I,
    )
    reach = re.search(
        r"\bwithin (?:a distance of )?(?P<km>\d+(?:\.\d+)?) ?(?:km|kilomet\w+)", said.text, re.I
    )
    return _field(said, columns) | _some(
        cell_km=float(size["km"]) if size else None, distance_km=float(reach["km"]) if reach else None
    )


def _grouped(said: Said, columns: Sequence[str]) -> dict[str, Any]:
    digits = re.search(
        r"\bk ?= ?(\d+)|\b(\d+) (?:k-?means )?(?:clusters?|groups?|regions?|parts?|classes)\b",
        said.text,
        re.I,
    )
    word = re.search(rf"\b(?P<half>half|halves)\b|\b(?!one\b){one_of(NUMBER_WORDS)}\b", said.text, re.I)
    spelt = 2 if word and word["half"] else whole_number(word[0]) if word else None
    k = int(digits[1] or digits[2]) if digits else spelt
    return _several(said, columns) | _some(k=k)


def _near(said: Said, columns: Sequence[str]) -> dict[str, Any]:
    least = re.search(
        r"\b(?:at least|minimum of|min) (?P<word>\w+)\b|\b(?P<n>\d+) (?:points|images|neighbou?rs)\b",
        said.text,
        re.I,
    )
    return _some(min_points=whole_number(least["n"] or least["word"]) if least else None)


def _drawn(said: Said, columns: Sequence[str]) -> dict[str, Any]:
    shaded = re.search(r"\b(?:each|every|per|by) (?:country|nation)\b|\bcountries\b", said.text, re.I)
    return _field(said, columns) | _some(kind="countries" if shaded else None)


def _matched(said: Said, columns: Sequence[str]) -> dict[str, Any]:
    """The columns that are equal in both: those that are named, else what both were grouped by."""
    tables = [each for each in said.situation.state["artifacts"] if each["kind"] == "table"]
    by = [re.search(r"\b(?:by|rows)=(\w+)", each["made_by"]) for each in tables[-2:]]
    shared = [each[1] for each in by if each] if len({each[1] for each in by if each}) == 1 else []
    on = [each for each in columns if not is_number(each)] or (shared[:1] if len(shared) == 2 else [])
    named = re.search(r"\b(?:on|by|over)\s+(?:the )?(?:column )?(?P<name>\w+)\W*$", said.text, re.I)
    return _some(on=on or ([named["name"]] if named else None))


def _added(said: Said, columns: Sequence[str]) -> dict[str, Any]:
    """ "kind = where(...)", "a ratio column: a / b", "a divided by b", and "as 'a' what has c over 5, 'b' the rest"."""
    text = said.text
    named = re.search(
        r"\b(?:column|field)s? (?:called |named )?(?!that|with|from|as|in|for|which)(?P<name>[a-z]\w*)\b|\b(?:a|an|new|extra) (?P<before>[a-z]\w*) (?:column|field)\b",
        text,
        re.I,
    )
    name = (named["name"] or named["before"]).lower() if named else ""
    name = "" if name in ("new", "extra", "additional", "calculated") else name
    formula = re.search(rf"(?:=|:)\s*(?P<sum>[^=:]*[-+*/(].*?)(?:,? for {_SNAKE})?\s*$", text)
    if formula:
        return _some(name=name or None, expression=formula["sum"].strip())
    either = re.search(
        rf"'(?P<yes>[^']+)' \D*?(?P<column>{_SNAKE})\D*?(?P<op>over|above|under|below|more than|less than)\s+(?P<limit>[\d.]+)\D*?'(?P<no>[^']+)'",
        text,
        re.I,
    )
    if either:
        sign = ">" if either["op"].lower() in ("over", "above", "more than") else "<"
        value = f"where({either['column']} {sign} {either['limit']}, '{either['yes']}', '{either['no']}')"
        return _some(name=name or None, expression=value)
    for words, sign, joint in (
        (r"divided by|per|over", "/", "per"),
        (r"times|multiplied by", "*", "times"),
        (r"minus|less", "-", "minus"),
        (r"plus", "+", "plus"),
    ):
        pair = [each for each in columns if is_number(each)]
        if len(pair) == 2 and re.search(rf"\b(?:{words})\b", text, re.I):
            return {
                "name": name or f"{pair[0]}_{joint}_{pair[1]}",
                "expression": f"{pair[0]} {sign} {pair[1]}",
            }
    return {}


def _some(**given: Any) -> dict[str, Any]:
    return {name: value for name, value in given.items() if value is not None}


STATISTICS: Mapping[str, Callable[[Said, Sequence[str]], dict[str, Any]]] = {
    "pivot": _pivoted, "crosstab": _shares, "join_tables": _matched, "add_column": _added, "resample_time": _zero_filled,
    "trend": _over_time, "seasonality": _over_time, "correlation": _ranked, "regression": _explained, "outliers": _outlying,
    "kmeans": _grouped, "dbscan": _near, "hotspots": _sites, "spatial_autocorrelation": _sites, "nearest_neighbour_stats": lambda said, columns: {},
    "pca": _several, "box_figure": _boxed, "map_figure": _drawn, "export_xlsx": lambda said, columns: {},
}  # fmt: skip
READ = frozenset(
    "rows columns field by y x on other_on name expression share gaps time k min_points cell_km distance_km sum_of".split()
)
"""The arguments that are read here, and nowhere else."""


def of_columns(said: Said) -> dict[str, Any]:
    """The arguments of a statistic that speak of columns, and its table where the clause is about one."""
    args = STATISTICS[said.tool](said, columns_in(said))
    if said.tool != "join_tables" and not of_the_selection(said):
        named = [each for each in said.things if each.kind == "table" and each.words & _spoken(said)]
        newest = [each for each in said.things if each.kind == "table"][-1]
        args["table"] = (named[-1] if named else newest).ref
    return args


def _spoken(said: Said) -> frozenset[str]:
    return frozenset(words_of(said.text))
