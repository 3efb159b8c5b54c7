"""Which data sets there are, what they hold, and which are loaded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches
from functools import lru_cache
from typing import Annotated, Any

from pydantic import Field

from data.catalogue.whole import SetAside
from data.schema import DatasetInfo
from data.vocabulary import DATASET_WORDS
from data.vocabulary.words import spelled
from state.model import State
from tools.base import Step, ToolError, World, tool
from tools.phrases import listed, number_of
from tools.selection import reselected
from tools.tables import plain_value
from tools.units import Names

DatasetName = Annotated[str, Field(description="A data set's name, such as fair1m.")]


@tool("database")
def db_list(state: State, world: World) -> Step:
    """List every data set of the catalogue with its counts, dates and classes.

    Example: copilot call db_list

    Asked as: what data do you have | which data sets are there | what's in the catalogue | show me the
    available collections | how big is each data set | what can I load here | overview of the archive | which
    imagery is available
    """
    infos, broken = world.catalogue.datasets(), world.catalogue.set_aside()
    aside = {"set_aside": [each.name for each in broken]} if broken else {}
    if not infos:
        said = [
            "No data set can be used." if broken else "The catalogue is empty; db_ingest adds a data set."
        ]
        return Step(state, "\n".join([*said, *(each.sentence for each in broken)]), {"datasets": [], **aside})
    lines = [f"{number_of(len(infos), 'data set')}:"]
    lines += [_line(info, info.name in state.database.loaded) for info in infos]
    lines += [each.sentence for each in broken]
    return Step(state, "\n".join(lines), {"datasets": [_facts(info) for info in infos], **aside})


@tool("database", changes_state=True, gives=("loaded",))
def db_load(
    state: State, world: World, *, names: Annotated[Names, Field(description="Data sets to load.")]
) -> Step:
    """Load data sets of the catalogue, beside those that are loaded.

    Example: copilot call db_load names=fair1m,xview1

    Asked as: load fair1m | use xview3 and sarfish | add bigearthnet | open the fMoW data set | take xView |
    switch to another data set | with imagery from xview1 | bring in the ships data set
    """
    wanted = known_names(names, world.catalogue.datasets(), world.catalogue.set_aside())
    loaded = tuple(sorted({*state.database.loaded, *wanted}))
    return reselected(state, world, replace(state.database, loaded=loaded), f"Loaded {listed(wanted)}.")


@tool("database", changes_state=True, needs=("loaded",))
def db_unload(
    state: State,
    world: World,
    *,
    names: Annotated[Names | None, Field(description="Data sets to unload; all when left out.")] = None,
) -> Step:
    """Unload some data sets, or all of them; the filters stay.

    Example: copilot call db_unload names=fmow

    Asked as: unload xview1 | drop that data set | remove fmow from the loaded ones | I don't need sarfish any
    more | close all data sets | everything but fair1m can go
    """
    before = state.database.loaded
    if not before:
        raise ToolError("No data set is loaded, so there is nothing to unload.")
    gone = set(before) if names is None else set(_loaded_names(names, before, world))
    loaded = tuple(name for name in before if name not in gone)
    said = f"Unloaded {listed(sorted(gone))}."
    if loaded:
        said += f" {listed(loaded)} {'stays' if len(loaded) == 1 else 'stay'} loaded."
    return reselected(state, world, replace(state.database, loaded=loaded), said)


@tool("database")
def db_schema(
    state: State,
    world: World,
    *,
    name: Annotated[
        DatasetName | None, Field(description="One data set; the whole catalogue when left out.")
    ] = None,
) -> Step:
    """Show the catalogue's columns with their types and value ranges, as an SQL schema.

    Example: copilot call db_schema name=xview1

    Asked as: which columns are there | what fields does fair1m have | show the structure of the table | value
    ranges of the attributes | what can I filter on | data dictionary | describe the schema
    """
    catalogue = world.catalogue
    dataset = None if name is None else known_names([name], catalogue.datasets(), catalogue.set_aside())[0]
    columns = [
        {str(key): plain_value(value) for key, value in column.items()}
        for column in world.catalogue.columns(dataset)
    ]
    text = _as_sql(columns)
    return Step(state, text, {"dataset": dataset, "columns": columns, "schema": text})


def known_names(
    names: Sequence[str], infos: Sequence[DatasetInfo], aside: Sequence[SetAside] = ()
) -> tuple[str, ...]:
    """Data sets' names as the catalogue has them, case, joiners and common other names aside.

    Raises ToolError with the nearest names, and for one that is set aside.
    """
    broken = {spelled(each.name): each for each in aside}
    aliases = _aliases(tuple((info.name, info.title) for info in infos))
    found = []
    for name in names:
        if spelled(name) in broken:
            raise ToolError(broken[spelled(name)].sentence)
        if spelled(name) not in aliases:
            raise ToolError(_unknown_name(name, [info.name for info in infos], aliases))
        found.append(aliases[spelled(name)])
    return tuple(dict.fromkeys(found))


@lru_cache(maxsize=16)
def _aliases(titles: tuple[tuple[str, str], ...]) -> dict[str, str]:
    """What the data sets of those (name, title) may be called, and its name; names come before aliases."""
    aliases = {spelled(name): name for name, _ in titles}
    for name, title in titles:
        words = DATASET_WORDS.get(name)
        for alias in (title, *(words.aliases if words else ())):
            aliases.setdefault(spelled(alias), name)
    return aliases


def _loaded_names(names: Sequence[str], loaded: Sequence[str], world: World) -> tuple[str, ...]:
    """As `known_names`, out of the loaded ones; one that has left the catalogue keeps its name."""
    infos = world.catalogue.datasets()
    wanted = tuple(name if name in loaded else known_names([name], infos)[0] for name in names)
    for name in wanted:
        if name not in loaded:
            raise ToolError(f"{name} is not loaded; loaded: {listed(loaded)}.")
    return wanted


def _unknown_name(name: str, known: Sequence[str], aliases: dict[str, str]) -> str:
    if not known:
        return f"There is no data set {name!r}: the catalogue is empty; db_ingest adds one."
    near = list(dict.fromkeys(aliases[each] for each in get_close_matches(spelled(name), aliases, n=3)))
    hint = f"Did you mean {listed(near)}? " if near else ""
    return f"There is no data set {name!r}. {hint}The catalogue has {listed(known, 12)}."


def _line(info: DatasetInfo, loaded: bool) -> str:
    dates = "no dates" if info.start is None else f"{info.start} to {info.end}"
    rows = "image" if info.modalities or info.sensors else "row"
    marks = [*(["sample"] if info.origin == "sample" else []), *(["loaded"] if loaded else [])]
    return (
        f"- {info.name}{f' ({listed(marks)})' if marks else ''}: {info.title}, "
        f"{number_of(info.images, rows)}, {number_of(info.detections, 'detection')}, "
        f"{number_of(len(info.classes), 'class')}"
        f", {dates}."
    )


def _facts(info: DatasetInfo) -> dict[str, Any]:
    return {
        "name": info.name,
        "title": info.title,
        "description": info.description,
        "origin": info.origin,
        "images": info.images,
        "detections": info.detections,
        "start": info.start,
        "end": info.end,
        "bbox": None if info.bbox is None else list(info.bbox),
        "sensors": list(info.sensors),
        "modalities": list(info.modalities),
        "gsd_m": None if info.gsd_m is None else list(info.gsd_m),
        "classes": [each.name for each in info.classes],
        "licence": info.licence,
        "source": info.source,
        "version": info.version,
    }


def _as_sql(columns: Sequence[dict[str, Any]]) -> str:
    tables: dict[str, list[str]] = {}
    for column in columns:
        span = ""
        if column.get("min") is not None:
            span = f"  -- {column['min']} to {column['max']}"
        elif column.get("example") is not None:
            span = f"  -- such as {' '.join(str(column['example']).split())[:60]}"
        tables.setdefault(str(column["table"]), []).append(f"  {column['column']} {column['type']},{span}")
    return "\n".join(
        f"CREATE TABLE {table} (\n" + "\n".join(lines) + "\n);" for table, lines in tables.items()
    )


TOOLS = (db_list, db_load, db_unload, db_schema)
