"""Where a run ended against a right end: the map, the user interface and the database.

The end is graded, and not the way to it. What is compared, and what is not:
- database: data sets, days, classes, attributes, and the place by its geometry, not by what it is called.
- map: base map, controls, and the layers as a set, each by kind, content, visibility and looks. A layer
  that shows the present selection is held against the selection, so a wrong filter is told once. A colour
  that was picked by itself, and a name that nobody gave, count for nothing. The camera counts when the
  gold moves it, the order of layers when the gold changes it.
- user interface: page, tabs, image, hover fields, panels. A table or a figure made on the way leaves its
  panel open, which is not held against a run; what the gold shows must be shown. Of a question or a notice
  it counts that there is one; the words of a notice that was asked for count by ROUGE-L.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from copilot.bench.check.gold import End
from copilot.bench.check.output import Facts, missing
from copilot.bench.check.reply import rouge_l
from copilot.bench.check.same import folded, matching, near, same
from copilot.bench.check.settings import Settings
from state.model import Attribute, Filters, Geometry, Layer, LonLat, Query, RasterBands, State
from tools.map.picked import without_pick
from tools.map.styles import KIND_COLORS, OWN_COLORS

_PICKED = frozenset({*KIND_COLORS.values(), *OWN_COLORS, Layer("", "", "points").color})
_BY_THE_WAY = frozenset({"results", "figure"})
"""Panels that open by themselves when a call makes a table or a figure."""


@dataclass(frozen=True)
class Pair:
    """A right end and the state of a run, side by side."""

    end: End
    got: State
    settings: Settings
    wanted_contents: Mapping[str, Facts]
    """What is in the artifacts of the right end, by id."""
    got_contents: Mapping[str, Facts]

    @property
    def wanted(self) -> State:
        return self.end.state

    @property
    def epsilon(self) -> float:
        return self.settings.epsilon


def wrong_aspects(pair: Pair) -> dict[str, str]:
    """The aspects in which the run ended otherwise, each with a sentence."""
    found = {name: grade(pair) for name, grade in GRADES.items()}
    return {name: sentence for name, sentence in found.items() if sentence is not None}


# -- database ---------------------------------------------------------------------------------


def _loaded(pair: Pair) -> str | None:
    wanted, got = set(pair.wanted.database.loaded), set(pair.got.database.loaded)
    return _unless(wanted == got, "loaded", sorted(got), sorted(wanted))


def _dates(pair: Pair) -> str | None:
    wanted, got = pair.wanted.database.filters, pair.got.database.filters
    return _unless(_same_dates(wanted, got), "the dates", [got.start, got.end], [wanted.start, wanted.end])


def _place(pair: Pair) -> str | None:
    wanted, got = pair.wanted.database.filters, pair.got.database.filters
    return _unless(_same_place(wanted, got, pair.epsilon), "the place", _where(got), _where(wanted))


def _classes(pair: Pair) -> str | None:
    wanted, got = pair.wanted.database.filters, pair.got.database.filters
    return _unless(_same_classes(wanted, got), "the classes", _which(got), _which(wanted))


def _attributes(pair: Pair) -> str | None:
    wanted, got = pair.wanted.database.filters.attributes, pair.got.database.filters.attributes
    return _unless(_same_attributes(wanted, got, pair.epsilon), "the attributes", _said(got), _said(wanted))


def _same_filters(wanted: Filters, got: Filters, epsilon: float) -> bool:
    return (
        _same_dates(wanted, got)
        and _same_classes(wanted, got)
        and _same_place(wanted, got, epsilon)
        and _same_attributes(wanted.attributes, got.attributes, epsilon)
    )


def _same_dates(wanted: Filters, got: Filters) -> bool:
    return (wanted.start, wanted.end) == (got.start, got.end)


def _same_classes(wanted: Filters, got: Filters) -> bool:
    together = "any" if len(wanted.classes) < 2 else wanted.match
    got_together = "any" if len(got.classes) < 2 else got.match
    return set(wanted.classes) == set(got.classes) and together == got_together


def _same_place(wanted: Filters, got: Filters, epsilon: float) -> bool:
    # The box of a country, a circle or an outline follows from it.
    follows = any(
        getattr(wanted, name) is not None and getattr(got, name) is not None
        for name in ("country", "radius_km", "geometry")
    )
    return (
        wanted.country == got.country
        and (follows or same(wanted.bbox, got.bbox, epsilon, "bbox"))
        and same(wanted.center, got.center, epsilon, "center")
        and same(wanted.radius_km, got.radius_km, epsilon, "radius_km")
        and _same_geometry(wanted.geometry, got.geometry, epsilon)
    )


def _same_geometry(wanted: Geometry | None, got: Geometry | None, epsilon: float) -> bool:
    """The same shape: no corner of either lies farther than ε from the other, wherever a ring begins."""
    if wanted is None or got is None or wanted == got:
        return wanted == got
    from shapely.geometry import shape

    one, other = (shape({"type": each.type, "coordinates": each.coordinates}) for each in (wanted, got))
    return wanted.type == got.type and bool(one.hausdorff_distance(other) <= epsilon)


def _same_attributes(wanted: tuple[Attribute, ...], got: tuple[Attribute, ...], epsilon: float) -> bool:
    def fits(one: Attribute, other: Attribute) -> bool:
        return (one.field, one.op) == (other.field, other.op) and same(one.value, other.value, epsilon)

    return len(wanted) == len(got) == len(matching(wanted, got, fits))


# -- map --------------------------------------------------------------------------------------


def _camera(pair: Pair) -> str | None:
    if "map.camera" not in pair.end.touched:
        return None
    wanted, got = pair.wanted.map, pair.got.map
    held = same(wanted.center, got.center, pair.epsilon, "center") and near(
        wanted.zoom, got.zoom, pair.epsilon
    )
    return _unless(
        held, "the camera", _camera_said(got.center, got.zoom), _camera_said(wanted.center, wanted.zoom)
    )


def _basemap(pair: Pair) -> str | None:
    return _unless(
        pair.wanted.map.basemap == pair.got.map.basemap,
        "the base map",
        pair.got.map.basemap,
        pair.wanted.map.basemap,
    )


def _controls(pair: Pair) -> str | None:
    wanted, got = set(pair.wanted.map.controls), set(pair.got.map.controls)
    return _unless(wanted == got, "the controls", sorted(got), sorted(wanted))


def _layers(pair: Pair) -> str | None:
    wanted, got = pair.wanted.map.layers, pair.got.map.layers
    if pair.end.reordered:
        held = len(wanted) == len(got) and all(
            _same_layer(pair, one, other) for one, other in zip(wanted, got, strict=True)
        )
    else:
        pairs = matching(wanted, got, lambda one, other: _same_layer(pair, one, other))
        held = len(wanted) == len(got) == len(pairs)
    return _unless(
        held, "the layers", [_layer_said(each) for each in got], [_layer_said(each) for each in wanted]
    )


def _swipe(pair: Pair) -> str | None:
    wanted, got = _swiped(pair.wanted), _swiped(pair.got)
    held = len(wanted) == len(got) and all(
        _same_layer(pair, one, other) for one, other in zip(wanted, got, strict=True)
    )
    return _unless(
        held, "the swipe", [_layer_said(each) for each in got], [_layer_said(each) for each in wanted]
    )


def _bands(pair: Pair) -> str | None:
    def fits(one: RasterBands, other: RasterBands) -> bool:
        return one.names == other.names and _same_artifact(pair, one.raster, other.raster)

    wanted, got = pair.wanted.bands, pair.got.bands
    held = len(wanted) == len(got) == len(matching(wanted, got, fits))
    return _unless(held, "the names of bands", [each.names for each in got], [each.names for each in wanted])


def _swiped(state: State) -> list[Layer]:
    found = [state.layer(each) for each in state.map.swipe or ()]
    return [each for each in found if each is not None]


def _same_layer(pair: Pair, wanted: Layer, got: Layer) -> bool:
    epsilon = pair.epsilon
    return (
        (wanted.kind, wanted.visible) == (got.kind, got.visible)
        and (wanted.name not in pair.end.names or folded(wanted.name) == folded(got.name))
        and _color(wanted) == _color(got)
        and near(wanted.opacity, got.opacity, epsilon)
        and near(wanted.size, got.size, epsilon)
        and same(without_pick(dict(wanted.options)), without_pick(dict(got.options)), epsilon)
        and _same_geometry(wanted.geometry, got.geometry, epsilon)
        and _same_query(pair, wanted.query, got.query)
        and _same_artifact(pair, wanted.artifact, got.artifact)
    )


def _color(layer: Layer) -> str | None:
    return None if layer.color in _PICKED else layer.color


def _same_query(pair: Pair, wanted: Query | None, got: Query | None) -> bool:
    if wanted is None or got is None:
        return wanted is got
    if _is_present(wanted, pair.wanted) and _is_present(got, pair.got):
        return True
    return set(wanted.datasets) == set(got.datasets) and _same_filters(
        wanted.filters, got.filters, pair.epsilon
    )


def _is_present(query: Query, state: State) -> bool:
    return query == Query(state.database.loaded, state.database.filters)


def _same_artifact(pair: Pair, wanted: str | None, got: str | None) -> bool:
    """The same content; of what nobody knows the content, the same id."""
    if wanted is None or got is None or wanted == got:
        return wanted == got
    facts, others = pair.wanted_contents.get(wanted), pair.got_contents.get(got)
    return facts is not None and others is not None and not missing(facts, [others], pair.epsilon)


# -- user interface ---------------------------------------------------------------------------


def _page(pair: Pair) -> str | None:
    return _unless(pair.wanted.ui.page == pair.got.ui.page, "the page", pair.got.ui.page, pair.wanted.ui.page)


def _tabs(pair: Pair) -> str | None:
    wanted, got = _tabs_said(pair.wanted), _tabs_said(pair.got)
    return _unless(wanted == got, "the tabs", got, wanted)


def _tabs_said(state: State) -> tuple[list[str], str | None]:
    urls = [each.url.rstrip("/") for each in state.ui.tabs]
    active = state.ui.active_tab
    return sorted(urls), urls[active] if active is not None and active < len(urls) else None


def _panels(pair: Pair) -> str | None:
    wanted, got = pair.wanted.ui.panels, pair.got.ui.panels
    extra = set(got) - set(wanted)
    if "ui.panels" in pair.end.touched:
        # Those that the gold closed itself are to be closed.
        closed = {name for state in (pair.end.start, *pair.end.states) for name in state.ui.panels} - set(
            wanted
        )
    else:
        closed = set()
    held = set(wanted) <= set(got) and extra <= _BY_THE_WAY - closed
    if held and pair.end.fronted and wanted:
        held = wanted[-1:] == got[-1:]
    return _unless(held, "the panels", list(got), list(wanted))


def _image(pair: Pair) -> str | None:
    wanted, got = pair.wanted.ui.selected_image, pair.got.ui.selected_image
    return _unless(wanted == got, "the image", got, wanted)


def _compared(pair: Pair) -> str | None:
    return _unless(
        pair.wanted.ui.compared == pair.got.ui.compared,
        "the images compared",
        pair.got.ui.compared,
        pair.wanted.ui.compared,
    )


def _hover(pair: Pair) -> str | None:
    wanted, got = set(pair.wanted.ui.hover_fields), set(pair.got.ui.hover_fields)
    return _unless(wanted == got, "the hover fields", sorted(got), sorted(wanted))


def _table(pair: Pair) -> str | None:
    if "ui.table" not in pair.end.touched:
        return None
    wanted, got = pair.wanted.ui.table, pair.got.ui.table
    return _unless(_same_artifact(pair, wanted, got), "the table shown", got, wanted)


def _figure(pair: Pair) -> str | None:
    if "ui.figure" not in pair.end.touched:
        return None
    wanted, got = pair.wanted.ui.figure, pair.got.ui.figure
    return _unless(_same_artifact(pair, wanted, got), "the figure shown", got, wanted)


def _notice(pair: Pair) -> str | None:
    wanted, got = pair.wanted.ui.notice, pair.got.ui.notice
    if "ui.notice" not in pair.end.touched or wanted is None:
        return None
    asked_for = any(each.tool == "notify" for each in pair.end.steps)
    held = got is not None and (not asked_for or rouge_l(wanted, got) >= pair.settings.least_rouge)
    return _unless(held, "the notice", got, wanted)


def _question(pair: Pair) -> str | None:
    wanted, got = pair.wanted.ui.question, pair.got.ui.question
    return _unless(
        (wanted is None) == (got is None), "the question", got and got.text, wanted and wanted.text
    )


GRADES: dict[str, Callable[[Pair], str | None]] = {
    "database.loaded": _loaded,
    "database.dates": _dates,
    "database.place": _place,
    "database.classes": _classes,
    "database.attributes": _attributes,
    "map.camera": _camera,
    "map.basemap": _basemap,
    "map.layers": _layers,
    "map.swipe": _swipe,
    "map.controls": _controls,
    "map.bands": _bands,
    "ui.page": _page,
    "ui.tabs": _tabs,
    "ui.panels": _panels,
    "ui.image": _image,
    "ui.compared": _compared,
    "ui.hover": _hover,
    "ui.table": _table,
    "ui.figure": _figure,
    "ui.notice": _notice,
    "ui.question": _question,
}


# -- in words ---------------------------------------------------------------------------------


def _unless(held: bool, what: str, got: object, wanted: object) -> str | None:
    verb = "are" if what.endswith("s") or what == "loaded" else "is"
    if held:
        return None
    return f"{what} {verb} {'none' if got is None else got}, not {'none' if wanted is None else wanted}"


def _where(filters: Filters) -> str:
    if filters.bbox is None:
        return "anywhere"
    circle = f", {filters.radius_km:g} km around {list(filters.center or ())}" if filters.radius_km else ""
    return f"{filters.place or 'a box'} {list(filters.bbox)}{circle}"


def _which(filters: Filters) -> str:
    together = f" ({filters.match})" if len(filters.classes) > 1 else ""
    return f"{list(filters.classes)}{together}"


def _said(attributes: tuple[Attribute, ...]) -> list[str]:
    return [f"{each.field} {each.op} {each.value}" for each in attributes]


def _camera_said(center: LonLat, zoom: float) -> str:
    return f"{list(center)} at zoom {zoom:g}"


def _layer_said(layer: Layer) -> str:
    parts = [layer.kind, f"{layer.name!r}", layer.color, f"{layer.count} rows"]
    parts += [f"{key}={value}" for key, value in layer.options]
    return " ".join(parts if layer.visible else [*parts, "hidden"])
