"""From the state's filters to the catalogue's selection, and what is said of a selection."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from data.catalogue.base import Attribute, Selection
from data.schema import DatasetInfo
from state.model import Database, Filters, Geometry, Query, State
from tools.base import Step, ToolError, World
from tools.phrases import listed, number_of

NO_PLACE: dict[str, Any] = dict.fromkeys(("place", "country", "bbox", "center", "radius_km", "geometry"))
"""The place parts of the filters, dropped."""
SAMPLE_WORDS = "sample data: generated positions and labels"


def selection_of(datasets: Sequence[str], filters: Filters) -> Selection:
    """The catalogue's selection of data sets and filters.

    A circle and a polygon stand for their box; a whole country is taken by the rows' country.
    """
    attributes = [Attribute(each.field, each.op, _value(each.value)) for each in filters.attributes]  # type: ignore[arg-type]
    if filters.country is not None:
        attributes.append(Attribute("country", "=", filters.country))
    return Selection(
        datasets=tuple(datasets),
        start=filters.start,
        end=filters.end,
        bbox=None if filters.country or filters.center or filters.geometry else filters.bbox,
        center=filters.center,
        radius_km=filters.radius_km,
        geometry=None if filters.geometry is None else geojson(filters.geometry),
        classes=filters.classes,
        match=filters.match or "any",
        attributes=tuple(attributes),
    )


def selection_of_query(query: Query) -> Selection:
    """What fills a layer. Raises ToolError when the query names no data set."""
    if not query.datasets:
        raise ToolError("The layer was made with no data set loaded; load one and plot again.")
    return selection_of(query.datasets, query.filters)


def current_selection(state: State, world: World) -> Selection:
    """What is selected. Raises ToolError when no data set is loaded."""
    database = state.database
    if not database.loaded:
        names = listed([info.name for info in world.catalogue.datasets()])
        raise ToolError(
            f"No data set is loaded; db_load adds some of {names or 'none (the catalogue is empty)'}."
        )
    return selection_of(database.loaded, database.filters)


def geojson(geometry: Geometry) -> dict[str, Any]:
    """A GeoJSON geometry of plain lists."""
    return {"type": geometry.type, "coordinates": _lists(geometry.coordinates)}


def loaded_infos(state: State, world: World) -> list[DatasetInfo]:
    """The loaded data sets' manifests, by name; those that have left the catalogue are not among them."""
    return [info for info in world.catalogue.datasets() if info.name in state.database.loaded]


def holds_sample(state: State, world: World) -> bool:
    """Whether any loaded data set is a sample."""
    return any(info.origin == "sample" for info in loaded_infos(state, world))


def narrowed(state: State, world: World, said: str, **changes: Any) -> Step:
    """The step to filters with those parts replaced."""
    filters = replace(state.database.filters, **changes)
    return reselected(state, world, replace(state.database, filters=filters), said)


def reselected(state: State, world: World, database: Database, said: str) -> Step:
    """The step to another selection: counted again, with `said` and the count as observation."""
    count = world.catalogue.count(selection_of(database.loaded, database.filters)) if database.loaded else 0
    after, closed = without_strangers(state.with_database(replace(database, count=count)), world)
    data: dict[str, Any] = {"count": count, "loaded": list(database.loaded)}
    if closed:
        said += f" {listed(closed)} {'is' if len(closed) == 1 else 'are'} not among them."
    if not database.loaded:
        return Step(after, f"{said} No data set is loaded yet, so nothing is selected.", data)
    sentence = f"{number_of(count, noun(after, world))} {'is' if count == 1 else 'are'} selected."
    if count == 0 and (without := counts_without(after, world)):
        data["without"] = without
        ways = listed([f"without the {part} filter {n:,}" for part, n in without.items()])
        sentence = f"Nothing is selected; there would be {ways}."
    return Step(after, f"{said} {sentence}", data)


def without_strangers(state: State, world: World) -> tuple[State, list[str]]:
    """The state without an open image that its selection does not hold, and which were closed.

    A comparison stays whole or goes: one side of it says nothing.
    """
    ui, database = state.ui, state.database
    opened = list(dict.fromkeys(filter(None, (ui.selected_image, *(ui.compared or ())))))
    if not opened:
        return state, []
    selection = selection_of(database.loaded, database.filters)

    def held(image: str) -> bool:
        only = Attribute("image_id", "in", [image])
        among = replace(selection, attributes=(*selection.attributes, only))
        return bool(database.loaded) and world.catalogue.count(among) > 0

    gone = [image for image in opened if not held(image)]
    selected = None if ui.selected_image in gone else ui.selected_image
    compared = None if ui.compared and set(ui.compared) & set(gone) else ui.compared
    panels = ui.panels if selected or compared else tuple(each for each in ui.panels if each != "image")
    return state.with_ui(selected_image=selected, compared=compared, panels=panels), gone


def noun(state: State, world: World) -> str:
    """What the selected rows are: images, or features when the loaded data sets hold nothing else."""
    infos = loaded_infos(state, world)
    if not infos or any(info.modalities or info.sensors or info.detections for info in infos):
        return "image"
    # A raster may come without any of these; its rows say what they are.
    everything = Selection(datasets=tuple(info.name for info in infos))
    return "feature" if world.catalogue.values("kind", everything, 2) == ["feature"] else "image"


def counts_without(state: State, world: World) -> dict[str, int]:
    """For an empty selection: how many rows dropping one filter would leave, where that leaves any.

    Each is what `filter_clear` of that word then leaves: a place goes with an attribute of that name.
    """
    filters = state.database.filters
    parts: dict[str, dict[str, Any]] = {
        "date": {"start": None, "end": None},
        "place": NO_PLACE,
        "class": {"classes": (), "match": None},
    }
    for field in dict.fromkeys(each.field for each in filters.attributes):
        others = tuple(each for each in filters.attributes if each.field != field)
        parts[field] = {**parts.get(field, {}), "attributes": others}
    counts: dict[str, int] = {}
    for part, changes in parts.items():
        wider = replace(filters, **changes)
        if wider != filters and (n := world.catalogue.count(selection_of(state.database.loaded, wider))):
            counts[part] = n
    return counts


def _value(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _lists(value: Any) -> Any:
    return [_lists(each) for each in value] if isinstance(value, tuple) else value
