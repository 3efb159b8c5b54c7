"""Other calls for the same effect: a table of equivalences, each with the reason why it holds.

A swap is given a gold call with the state around it and offers chains that should lead to the same end.
Whether they do is found out by running them: a swap that does not hold for a task costs that task a vote.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from copilot.bench.build.words import dataset_words
from copilot.bench.check.runs import Made
from copilot.bench.task import GoldCall
from data.gazetteer import Gazetteer
from state.model import State
from tools.database.attributes import FIELD_NAMES, OPERATORS

Chain = tuple[GoldCall, ...]


@dataclass(frozen=True)
class Means:
    """What swaps look things up in."""

    gazetteer: Gazetteer
    words: Mapping[str, tuple[str, ...]]
    """Class -> the words that mean just this class."""


@dataclass(frozen=True)
class Moment:
    """A gold call where it stands: the state before it, what came of it, and the state after it."""

    call: GoldCall
    before: State
    made: Made
    after: State
    means: Means
    later: Chain = ()
    """The gold calls that come after it."""

    def like(self, **args: Any) -> GoldCall:
        """The call with some arguments changed; None drops one."""
        merged = {**self.call.args, **args}
        return GoldCall(self.call.tool, {key: value for key, value in merged.items() if value is not None})


Swap = Callable[[Moment], Iterator[Chain]]


@dataclass(frozen=True)
class Equivalence:
    """A swap for some tools, and why it holds."""

    tools: frozenset[str]
    reason: str
    swap: Swap


def swaps(moment: Moment) -> Iterator[tuple[str, Chain]]:
    """(reason, chain) of everything that may stand for a call."""
    for each in TABLE:
        if moment.call.tool in each.tools:
            for chain in each.swap(moment):
                if chain != (moment.call,):
                    yield each.reason, chain


# -- data sets and filters --------------------------------------------------------------------


def _loads_apart(moment: Moment) -> Iterator[Chain]:
    names = _texts(moment.call.args.get("names"))
    if len(names) > 1:
        for order in (names, names[::-1]):
            yield tuple(GoldCall("db_load", {"names": [name]}) for name in order)
        yield (moment.like(names=names[::-1]),)


def _dataset_titles(moment: Moment) -> Iterator[Chain]:
    names = _texts(moment.call.args.get("names"))
    titles = [dataset_words(name)[-1] for name in names]
    if names and titles != names:
        yield (moment.like(names=titles),)


def _unloads(moment: Moment) -> Iterator[Chain]:
    gone = [name for name in moment.before.database.loaded if name not in moment.after.database.loaded]
    yield (GoldCall("db_unload", {"names": gone}),)
    yield tuple(GoldCall("db_unload", {"names": [name]}) for name in gone)


def _short_dates(moment: Moment) -> Iterator[Chain]:
    start, end = (str(moment.call.args.get(side) or "") for side in ("start", "end"))
    if start.endswith("-01-01") or end.endswith("-12-31"):
        year = start[:4] if start.endswith("-01-01") else start
        yield (moment.like(start=year or None, end=(end[:4] if end.endswith("-12-31") else end) or None),)
    elif start.endswith("-01") and start[:7] == end[:7]:
        yield (moment.like(start=start[:7], end=end[:7]),)


def _dates_in_two(moment: Moment) -> Iterator[Chain]:
    filters = moment.after.database.filters
    if filters.start and filters.end:
        yield GoldCall("filter_date", {"start": filters.start}), moment.call


def _same_place(moment: Moment) -> Iterator[Chain]:
    if _is_zoomed_to(moment):
        return
    filters = moment.after.database.filters
    if filters.center is not None and filters.radius_km is not None:
        lon, lat = filters.center
        yield (GoldCall("filter_coords", {"lon": lon, "lat": lat, "radius_km": filters.radius_km}),)
    elif filters.bbox is not None and filters.country is None and filters.geometry is None:
        yield (GoldCall("filter_coords", {"bbox": list(filters.bbox)}),)


def _is_zoomed_to(moment: Moment) -> bool:
    """Whether the map goes to a place later: to that of the filter, by its name, it frames the filter."""
    return any(call.tool in ("zoom_map", "pan_map") and call.args.get("place") for call in moment.later)


def _place_label(moment: Moment) -> Iterator[Chain]:
    label = moment.after.database.filters.place
    if label and not _is_zoomed_to(moment) and moment.call.args.get("place") not in (None, label):
        yield (moment.like(place=label),)


def _other_words(moment: Moment) -> Iterator[Chain]:
    names = _texts(moment.call.args.get("classes"))
    for turn in (0, -1):
        words = [(moment.means.words.get(name) or (name,))[turn] for name in names]
        if words != names:
            yield (moment.like(classes=words),)
    if len(names) > 1:
        yield (moment.like(classes=names[::-1]),)


def _match_of_one(moment: Moment) -> Iterator[Chain]:
    if any(call.tool in ("filter_class", "filter_lccclass") for call in moment.later):
        return  # the one `match` holds for what is added
    if any({"table", "figure", "artifact"} & set(call.args) for call in moment.later):
        return  # an artifact's id tells the filters apart
    if len(_texts(moment.call.args.get("classes"))) == 1 and len(moment.after.database.filters.classes) == 1:
        yield (moment.like(match="all"),)


def _other_comparison(moment: Moment) -> Iterator[Chain]:
    field, op = str(moment.call.args.get("field")), str(moment.call.args.get("op"))
    other = next((word for word, name in FIELD_NAMES.items() if name == field), None)
    if other:
        yield (moment.like(field=other),)
    spoken = next((word for word, name in OPERATORS.items() if name == op and word[0].isalpha()), None)
    if spoken:
        yield (moment.like(op=spoken),)


def _clears_each(moment: Moment) -> Iterator[Chain]:
    if moment.call.args.get("fields"):
        return
    before = moment.before.database.filters
    there = {
        "date": before.start or before.end,
        "place": before.bbox,
        "class": before.classes,
        "attribute": before.attributes,
    }
    fields = [name for name, value in there.items() if value]
    yield (moment.like(fields=fields),)
    yield tuple(GoldCall("filter_clear", {"fields": [field]}) for field in fields)


# -- the camera -------------------------------------------------------------------------------


def _view(moment: Moment) -> Iterator[Chain]:
    if "map.camera" in moment.made.touched:
        lon, lat = moment.after.map.center
        yield (GoldCall("set_view", {"lon": lon, "lat": lat, "zoom": moment.after.map.zoom}),)
        yield (
            GoldCall("set_view", {"lon": lon, "lat": lat}),
            GoldCall("zoom_map", {"level": moment.after.map.zoom}),
        )


def _resets(moment: Moment) -> Iterator[Chain]:
    lon, lat = moment.after.map.center
    view = GoldCall("set_view", {"lon": lon, "lat": lat, "zoom": moment.after.map.zoom})
    base = GoldCall("set_basemap", {"name": moment.after.map.basemap})
    yield view, base
    yield base, view


# -- layers -----------------------------------------------------------------------------------

_LAYER_ARGUMENTS = ("layer", "left", "right")


def _layer_by_other_name(moment: Moment) -> Iterator[Chain]:
    """A layer's name for its id, and its id for its name."""
    others: dict[str, str] = {}
    for layer in moment.before.map.layers:
        others |= {layer.id: layer.name, layer.name: layer.id}
    found = {
        key: others[value]
        for key in _LAYER_ARGUMENTS
        if (value := moment.call.args.get(key)) in others and others[value] != value
    }
    if found:
        yield (moment.like(**found),)


def _styles_apart(moment: Moment) -> Iterator[Chain]:
    looks = [key for key in ("color", "opacity", "size") if moment.call.args.get(key) is not None]
    if len(looks) > 1:
        for order in (looks, looks[::-1]):
            yield tuple(
                GoldCall("style_layer", {"layer": moment.call.args["layer"], key: moment.call.args[key]})
                for key in order
            )


def _styled_after(moment: Moment) -> Iterator[Chain]:
    color = moment.call.args.get("color")
    new = [each.id for each in moment.after.map.layers if moment.before.layer(each.id) is None]
    if color and len(new) == 1:
        yield moment.like(color=None), GoldCall("style_layer", {"layer": new[0], "color": color})


def _removes_each(moment: Moment) -> Iterator[Chain]:
    gone = [each.id for each in moment.before.map.layers if moment.after.layer(each.id) is None]
    for order in (gone, gone[::-1]):
        yield tuple(GoldCall("remove_layer", {"layer": layer}) for layer in order)


def _clears_all(moment: Moment) -> Iterator[Chain]:
    if len(moment.before.map.layers) == 1:
        yield (GoldCall("clear_layers", {}),)


def _box_of_place(moment: Moment) -> Iterator[Chain]:
    new = [each for each in moment.after.map.layers if moment.before.layer(each.id) is None]
    if moment.call.args.get("place") and len(new) == 1 and new[0].geometry is not None:
        corners = [point for ring in new[0].geometry.coordinates for point in ring]
        lons, lats = [point[0] for point in corners], [point[1] for point in corners]
        yield (moment.like(place=None, bbox=[min(lons), min(lats), max(lons), max(lats)]),)


def _by_coordinates(moment: Moment) -> Iterator[Chain]:
    if place := moment.call.args.get("place"):
        best = moment.means.gazetteer.resolve(str(place)).best
        if best is not None:
            yield (moment.like(place=None, lon=best.lon, lat=best.lat),)


def _ends_by_coordinates(moment: Moment) -> Iterator[Chain]:
    spots = {}
    for end in ("start", "end"):
        best = moment.means.gazetteer.resolve(str(moment.call.args.get(end) or "")).best
        if best is not None:
            spots[end] = f"{best.lon},{best.lat}"
    if len(spots) == 2:
        yield (moment.like(**spots),)
        yield (moment.like(start=moment.call.args["end"], end=moment.call.args["start"]),)


# -- images, panels, history ------------------------------------------------------------------


def _image_by_id(moment: Moment) -> Iterator[Chain]:
    image = moment.after.ui.selected_image
    if moment.call.args.get("rank") and image:
        yield (GoldCall(moment.call.tool, {"image": image}),)


def _select_then_show(moment: Moment) -> Iterator[Chain]:
    if moment.call.args:
        yield GoldCall("select_image", dict(moment.call.args)), GoldCall("show_image", {})


def _compared_by_id(moment: Moment) -> Iterator[Chain]:
    if pair := moment.after.ui.compared:
        yield (GoldCall("compare_images", {"before": pair[0], "after": pair[1]}),)


def _front_tab(moment: Moment) -> Iterator[Chain]:
    active = moment.before.ui.active_tab
    if not moment.call.args and active is not None:
        yield (GoldCall("close_tab", {"tab": moment.before.ui.tabs[active].url}),)


def _set_openly(moment: Moment) -> Iterator[Chain]:
    control = str(moment.call.args.get("control"))
    if "on" not in moment.call.args:
        yield (moment.like(on=any(control in each for each in moment.after.map.controls)),)


def _said_defaults(moment: Moment) -> Iterator[Chain]:
    """Each argument that was left out, said with the value it has then."""
    for name, field in DEFAULTS.get(moment.call.tool, {}).items():
        if name not in moment.call.args:
            yield (moment.like(**{name: field}),)


DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    "filter_class": {"match": "any"},
    "filter_lccclass": {"match": "any"},
    "db_count": {"unit": "images"},
    "db_query": {"limit": 100},
    "density_plot": {"cell": "h3"},
    "choropleth_plot": {"by": "country"},
    "time_slider_plot": {"by": "month"},
    "label_plot": {"field": "name"},
    "clear_layers": {"keep_drawings": False},
    "export_map": {"format": "html"},
    "select_image": {"n": 1},
    "group_count": {"unit": "images"},
    "top_n": {"n": 10, "order": "largest"},
    "sample_rows": {"n": 10, "seed": 0},
    "histogram_figure": {"bins": 20},
    "bar_figure": {"top": 20, "unit": "images"},
    "line_figure": {"by": "month", "unit": "images"},
    "pie_figure": {"top": 10, "unit": "images"},
    "pan_map": {"fraction": 0.5},
}
"""Arguments that may be said with their default; the tests hold it against the toolbox."""


def _texts(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value or ())


def _of(names: str, reason: str, swap: Swap) -> Equivalence:
    return Equivalence(frozenset(names.split()), reason, swap)


_PLOTS = (
    "scatter_plot cluster_plot heatmap_plot density_plot footprint_plot detection_plot choropleth_plot "
    "time_slider_plot label_plot"
)

TABLE: tuple[Equivalence, ...] = (
    _of("db_load", "data sets may be loaded one by one, in any order", _loads_apart),
    _of("db_load", "a data set may be called by its title", _dataset_titles),
    _of("db_unload", "all data sets are each of them", _unloads),
    _of("filter_date", "a year or a month stands for its first and its last day", _short_dates),
    _of("filter_date", "dates replace earlier dates", _dates_in_two),
    _of("filter_coords", "a place is its circle or its box", _same_place),
    _of("filter_coords", "a place may be called by its full label", _place_label),
    _of("filter_class filter_lccclass", "a class may be called by another word for it", _other_words),
    _of("filter_class filter_lccclass", "of one class, any and all are the same", _match_of_one),
    _of("filter_attribute", "a field and a comparison have several names", _other_comparison),
    _of("filter_clear", "all filters are each of them", _clears_each),
    _of(
        "zoom_map pan_map fit_bounds fit_layer fit_selection set_view",
        "the camera is a centre and a zoom level, however it got there",
        _view,
    ),
    _of("reset_map", "the start is a view and a base map", _resets),
    _of(
        "style_layer hide_layer show_layer remove_layer rename_layer reorder_layer fit_layer swipe_layers",
        "a layer has an id and a name",
        _layer_by_other_name,
    ),
    _of("style_layer", "looks may be set one by one", _styles_apart),
    _of(_PLOTS, "a plot may be coloured after it is made", _styled_after),
    _of("clear_layers clear_drawings", "all layers are each of them", _removes_each),
    _of("remove_layer", "the only layer is all layers", _clears_all),
    _of("draw_bbox", "a place's box may be given as a box", _box_of_place),
    _of("draw_circle draw_marker", "a place may be given by its coordinates", _by_coordinates),
    _of("measure_distance", "a place has coordinates; there and back is as far", _ends_by_coordinates),
    _of("select_image show_image", "an image of a rank has an id", _image_by_id),
    _of("show_image", "an image may be selected first and shown then", _select_then_show),
    _of("compare_images", "the pair that is found has ids", _compared_by_id),
    _of("close_tab", "the tab in front has an address", _front_tab),
    _of("toggle_control", "a switch may be set instead of flipped", _set_openly),
    _of(" ".join(DEFAULTS), "a default may be said", _said_defaults),
)  # fmt: skip
"""Every equivalence."""
