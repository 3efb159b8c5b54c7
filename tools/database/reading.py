"""Count the selection, and read rows of it or of the whole catalogue into a table."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from data.catalogue.base import Selection
from state.model import State
from tools.artifacts import Call
from tools.base import Step, World, tool
from tools.database.attributes import field_named, known_field
from tools.phrases import groups_in_words, number_of
from tools.selection import current_selection, noun
from tools.tables import rows_in_words, table_step
from tools.units import Names

Unit = Annotated[Literal["images", "detections"], Field(description="What is counted.")]
Direction = Literal["asc", "desc"]

DERIVED = ("class", "group", "dataset", "year", "month", "season", "day", "gsd", "cloud")
"""Groupings that are no column: they are counted by as they are."""
QUERY_COLUMNS = (
    "image_id", "dataset", "name", "sensor", "acquired", "gsd_m", "cloud_pct", "country", "place",
    "lon", "lat", "detections",
)  # fmt: skip
MOST_GROUPS = 1000
"""Groups that an observation carries; a table and a sentence know of them all."""
ALL_GROUPS = 1_000_000
MAX_SQL_ROWS = 10_000
SQL_SECONDS = 10.0


@tool("database", needs=("loaded",))
def db_count(
    state: State,
    world: World,
    *,
    by: Annotated[
        str | None,
        Field(description="class, group, dataset, year, month, season, day, sensor, split … or a property."),
    ] = None,
    unit: Unit = "images",
) -> Step:
    """Count the images or detections of the current selection, overall or per group.

    Example: copilot call db_count by=class unit=detections

    Asked as: how many images are there | count them | number of ships | how many scenes are left | total per
    year | is there anything in Kenya | how much imagery do we have | do you have any images of | tell me the
    number
    """
    selection = current_selection(state, world)
    total = _total(selection, unit, world)
    things = number_of(total, noun(state, world) if unit == "images" else "detection")
    if by is None:
        return Step(
            state, f"The selection has {things}.", {"count": total, "by": None, "unit": unit, "groups": []}
        )
    key = grouping_named(by, world)
    groups = world.catalogue.count_by(selection, key, unit, ALL_GROUPS)
    shown = [{"key": k, "count": n} for k, n in groups[:MOST_GROUPS]]
    data = {"count": total, "by": key, "unit": unit, "groups": shown}
    said = groups_in_words(groups) or "none"
    return Step(state, f"The selection has {things}; by {key}: {said}.", data)


@tool("database", needs=("loaded",), gives=("table",), changes_state=True)
def db_query(
    state: State,
    world: World,
    *,
    limit: Annotated[int, Field(ge=1, le=100_000, description="Most rows in the table.")] = 100,
    order_by: Annotated[
        Names | None, Field(description="Fields to sort by; a leading - or a trailing desc turns one around.")
    ] = None,
    columns: Annotated[
        Names | None, Field(description="Columns of the table; the usual ones when left out.")
    ] = None,
) -> Step:
    """Read rows of the current selection into a table, sorted as asked.

    Example: copilot call db_query order_by=-acquired limit=20

    Asked as: list the images | show the rows | the ten newest records | a table of the results | give me
    their dates and sensors | which images are these | list them by cloud cover | first 20 entries
    """
    selection = current_selection(state, world)
    order = tuple(ordering(each, world) for each in order_by or ())
    chosen = (
        QUERY_COLUMNS
        if columns is None
        else tuple(dict.fromkeys(column_named(each, world) for each in columns))
    )
    frame = world.catalogue.rows(selection, chosen, order, limit)
    call = Call.of(db_query, limit=limit, order_by=order_by, columns=columns)
    total = state.database.count
    shown = "all" if len(frame) == total else f"the first {len(frame):,} of"
    said = f"Read {shown} {number_of(total, noun(state, world))}{_sorted(order)}."
    if not frame.empty and "image_id" in frame:
        said += f" The first is {frame['image_id'].iloc[0]}."
    return table_step(state, world, frame, call, "Rows of the selection", said, count=total)


@tool("database", gives=("table",), changes_state=True)
def db_sql(
    state: State,
    world: World,
    *,
    sql: Annotated[
        str,
        Field(min_length=1, max_length=10_000, description="One SELECT over images, detections, datasets."),
    ],
) -> Step:
    """Run one read-only SQL SELECT over the whole catalogue and keep its result as a table.

    The views are images, detections and datasets (db_schema shows their columns); at most 10,000 rows,
    100,000 characters a value, 64 MB in all, 10 seconds and 1 GB of memory.

    Example: copilot call db_sql sql="SELECT dataset, count(*) AS n FROM images GROUP BY dataset"

    Asked as: run this SQL | select count(*) from images | query the catalogue with SQL | SELECT dataset,
    avg(gsd_m) GROUP BY dataset
    """
    frame = world.catalogue.sql(sql, MAX_SQL_ROWS, SQL_SECONDS, world.reader)
    said = f"The query gave {number_of(len(frame), 'row')}"
    said += (
        ", and there may be more."
        if len(frame) >= MAX_SQL_ROWS
        else f":{words}"
        if (words := rows_in_words(frame))
        else "."
    )
    return table_step(state, world, frame, Call.of(db_sql, sql=sql), "Result of a query", said)


def grouping_named(by: str, world: World) -> str:
    """What can be counted by, for what people call it. Raises ToolError with the nearest names."""
    word = by.strip().lower()
    plural = {
        "classes": "class",
        "groups": "group",
        "datasets": "dataset",
        "years": "year",
        "months": "month",
    }
    plural |= {"days": "day", "seasons": "season", "category": "class", "date": "day", "resolution": "gsd"}
    word = plural.get(word, word)
    return word if word in DERIVED else known_field(by, world)[0]


def ordering(text: str, world: World) -> tuple[str, Direction]:
    """`acquired`, `-acquired`, `acquired desc` as (field, direction). Raises ToolError for other fields."""
    words = text.strip().split()
    direction: Direction = "asc"
    if len(words) > 1 and words[-1].lower() in ("asc", "desc", "ascending", "descending"):
        direction = "desc" if words.pop().lower().startswith("desc") else "asc"
    name = " ".join(words)
    if name.startswith("-"):
        direction, name = "desc", name[1:]
    return known_field(name, world)[0], direction


def column_named(text: str, world: World) -> str:
    """A column that can be read. Raises ToolError with the nearest names."""
    name = field_named(text)
    if name in ("path", "quicklook", "footprint"):
        return name
    return known_field(text, world)[0]


def _total(selection: Selection, unit: Literal["images", "detections"], world: World) -> int:
    if unit == "images":
        return world.catalogue.count(selection)
    return sum(count for _, count in world.catalogue.count_by(selection, "dataset", "detections"))


def _sorted(order: tuple[tuple[str, Direction], ...]) -> str:
    if not order:
        return ""
    return " by " + ", ".join(f"{field} ({'falling' if way == 'desc' else 'rising'})" for field, way in order)


TOOLS = (db_count, db_query, db_sql)
