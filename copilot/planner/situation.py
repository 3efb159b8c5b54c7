"""What a request is said into: the state, the catalogue, the conversation, and what the plan has done so far."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from pathlib import PurePath
from typing import Any, cast

from copilot.antecedents import brought_last
from copilot.planner.spans import Names
from data.catalogue.base import Catalogue
from data.gazetteer import Gazetteer
from data.schema import IMAGES, DatasetInfo

PLOTS = {
    "points": "scatter_plot",
    "clusters": "cluster_plot",
    "heatmap": "heatmap_plot",
    "density": "density_plot",
    "footprints": "footprint_plot",
    "detections": "detection_plot",
    "choropleth": "choropleth_plot",
    "timeline": "time_slider_plot",
    "labels": "label_plot",
}
"""Layer kind: the tool that makes it."""
KIND_OF_PLOT = {tool: kind for kind, tool in PLOTS.items()}


SELECTED = "@selected"
"""Stands in a planned call for the image that is selected when the call is made."""


@dataclass(frozen=True)
class Call:
    """One tool call of a plan."""

    tool: str
    args: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class PastTurn:
    """An earlier turn: what was asked, which calls ran well, and what was answered."""

    request: str
    calls: tuple[Call, ...]
    reply: str
    data: tuple[Mapping[str, Any], ...] = ()
    """What each of the calls came back with."""
    artifacts: frozenset[str] | None = None
    """The ids there were after it; None where it changed nothing."""

    @property
    def question(self) -> Call | None:
        """The question it ended in, if it did."""
        return self.calls[-1] if self.calls and self.calls[-1].tool == "ask_user" else None


@dataclass
class Situation:
    """The world a plan is made in. `imagine` keeps it in step with the calls planned so far."""

    state: dict[str, Any]
    today: date
    catalogue: Catalogue
    gazetteer: Gazetteer
    past: Sequence[PastTurn] = ()
    choices: Mapping[str, str] = field(default_factory=dict)
    """Phrases the user has since made clear: the ambiguous words, in lower case, to what was chosen."""
    columns: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Of the artifacts that have rows, by their ids."""

    def __post_init__(self) -> None:
        self.loaded: set[str] = set(self.state["database"]["loaded"])
        self.filters: dict[str, Any] = dict(self.state["database"]["filters"])
        self.layers: list[dict[str, Any]] = [dict(layer) for layer in self.state["map"]["layers"]]
        self.selected: str | None = self.state["ui"].get("selected_image")
        self.datasets: dict[str, DatasetInfo] = {info.name: info for info in self.catalogue.datasets()}
        self.tabs: list[dict[str, Any]] = [dict(tab) for tab in self.state["ui"]["tabs"]]
        self.shown: dict[str, Any] | None = None
        """The arguments that picked the image selected by this very plan, when one was."""
        self.focus: str | None = None
        """The place the map was moved to in this plan."""
        self.planned: list[Call] = []
        """The calls of this plan so far."""
        self.field: str | None = None
        """The measured field that an earlier clause of this request named."""
        self.points: list[list[float]] = []
        """[lon, lat] of what was measured between last, in this request or the one before."""
        self.together: list[str] = []
        """The places that an earlier clause of this request named together."""
        self.unshown: Call | None = None
        """The filter by place that the map was not moved to yet, because nothing was plotted with it."""
        self.notes: list[str] = []
        """What the answer must say about how phrases were read."""
        self.camera_moved = False

    # -- names --------------------------------------------------------------------------------

    def names(self) -> Names:
        """What a request can name here."""
        own = {info.name: info for info in self.datasets.values() if info.origin == "ingested"}
        classes = {each.name for info in own.values() for each in info.classes}
        selected = [self.selected] if self.selected else []
        return Names(
            datasets=tuple(own),
            fields=tuple(
                sorted(_COLUMNS | {key for info in self.datasets.values() for key, _ in info.properties})
            ),
            classes=tuple(sorted(classes)),
            layers=tuple((layer["id"], layer["name"]) for layer in self.layers if layer["id"] not in PLOTS),
            events=_events(cast(Hashable, self.catalogue), tuple(sorted(self.datasets))),
            images=tuple(selected),
            artifacts=tuple((each["id"], each["name"]) for each in self.state["artifacts"]),
        )

    # -- what is there ------------------------------------------------------------------------

    @property
    def drawings(self) -> list[dict[str, Any]]:
        """Drawing layers, the newest last."""
        return [layer for layer in self.layers if layer["kind"] == "drawing"]

    @property
    def live_plots(self) -> list[dict[str, Any]]:
        """Layers that show the selection."""
        return [layer for layer in self.layers if layer.get("live")]

    def last_calls(self) -> tuple[Call, ...]:
        """The calls of the last turn that did something."""
        for turn in reversed(self.past):
            if turn.calls and turn.question is None:
                return turn.calls
        return ()

    def picked(self) -> dict[str, Any]:
        """The arguments that picked the image that is selected, in this plan or in an earlier turn; empty without one."""
        if self.shown is not None:
            return self.shown
        for turn in reversed(self.past):
            for call in reversed(turn.calls):
                if call.tool in ("select_image", "show_image"):
                    return dict(call.args)
        return {}

    def brought_last(self) -> Mapping[str, Any] | None:
        """The file that "it" means: the last that was brought in, as long as nothing was selected since."""
        turns = [([each.tool for each in turn.calls], turn.artifacts) for turn in self.past]
        return brought_last(self.state["artifacts"], turns)

    def last_artifact(self, kind: str) -> str | None:
        """The newest artifact of a kind."""
        found = [each["id"] for each in self.state["artifacts"] if each["kind"] == kind]
        return found[-1] if found else None

    # -- keeping in step ----------------------------------------------------------------------

    def imagine(self, call: Call) -> None:
        """Take in what a planned call will change, as far as later clauses refer to it."""
        self.planned.append(call)
        effect = _EFFECTS.get(call.tool)
        if effect is not None:
            effect(self, call.args)
        elif call.tool in KIND_OF_PLOT:
            self._add_layer(KIND_OF_PLOT[call.tool], call.args.get("name"), live=not call.args.get("name"))

    def _add_layer(self, kind: str, name: str | None, live: bool = False) -> None:
        layer_id = name.lower().replace(" ", "-") if name else kind
        self.layers = [layer for layer in self.layers if layer["id"] != layer_id]
        self.layers.append(
            {"id": layer_id, "name": name or kind, "kind": kind, "live": live, "visible": True}
        )

    def _draw(self, args: dict[str, Any]) -> None:
        numbers = [
            int(layer["id"].rsplit("-", 1)[-1]) for layer in self.drawings if layer["id"][-1:].isdigit()
        ]
        number = max(numbers, default=0) + 1
        name = args.get("name") or f"drawing-{number}"
        self.layers.append({"id": f"drawing-{number}", "name": name, "kind": "drawing", "visible": True})

    def _clear(self, args: dict[str, Any]) -> None:
        parts = args.get("fields") or list(_PARTS)
        for key in {key for part in parts for key in _PARTS.get(part, ("attributes",))}:
            self.filters.pop(key, None)


_PLACE_KEYS = ("place", "country", "bbox", "center", "radius_km", "geometry")
_PARTS = {
    "date": ("start", "end"),
    "place": _PLACE_KEYS,
    "class": ("classes", "match"),
    "lccclass": ("classes", "match"),
    "attribute": ("attributes",),
}
"""The parts of the filters, as filter_clear names them."""


def _load(situation: Situation, args: dict[str, Any]) -> None:
    situation.loaded |= set(args["names"])


def _ingest(situation: Situation, args: dict[str, Any]) -> None:
    situation.loaded.add(args.get("name") or PurePath(args["path"]).stem.lower())


def _unload(situation: Situation, args: dict[str, Any]) -> None:
    situation.loaded -= set(args.get("names") or situation.loaded)


def _date(situation: Situation, args: dict[str, Any]) -> None:
    situation.filters.pop("start", None)
    situation.filters.pop("end", None)
    situation.filters |= args


def _coords(situation: Situation, args: dict[str, Any]) -> None:
    for key in _PLACE_KEYS:
        situation.filters.pop(key, None)
    situation.filters |= {"bbox": True} | args


def _classes(situation: Situation, args: dict[str, Any]) -> None:
    situation.filters["classes"] = list(args["classes"])


def _attribute(situation: Situation, args: dict[str, Any]) -> None:
    others = [
        each
        for each in situation.filters.get("attributes", [])
        if (each["field"], each["op"]) != (args["field"], args["op"])
    ]
    situation.filters["attributes"] = [*others, args]


def _without(situation: Situation, args: dict[str, Any]) -> None:
    situation.layers = [layer for layer in situation.layers if layer["id"] != args["layer"]]


def _hide(situation: Situation, args: dict[str, Any], visible: bool = False) -> None:
    for layer in situation.layers:
        if layer["id"] == args["layer"]:
            layer["visible"] = visible


def _unhide(situation: Situation, args: dict[str, Any]) -> None:
    _hide(situation, args, visible=True)


def _camera(situation: Situation, args: dict[str, Any]) -> None:
    situation.camera_moved = True
    situation.focus = args.get("place", situation.focus)


def _open_tab(situation: Situation, args: dict[str, Any]) -> None:
    situation.tabs.append({"url": args["url"], "title": args["url"]})


def _close_tab(situation: Situation, _: dict[str, Any]) -> None:
    if situation.tabs:
        situation.tabs.pop()


def _pick(situation: Situation, args: dict[str, Any]) -> None:
    situation.shown = dict(args)


_EFFECTS = {
    "db_load": _load,
    "db_unload": _unload,
    "db_ingest": _ingest,
    "filter_date": _date,
    "filter_coords": _coords,
    "filter_class": _classes,
    "filter_lccclass": _classes,
    "filter_attribute": _attribute,
    "filter_clear": Situation._clear,
    "open_tab": _open_tab,
    "close_tab": _close_tab,
    "measure_distance": lambda situation, args: setattr(situation, "points", list(args["points"])),
    "select_image": _pick,
    "show_image": _pick,
    "hide_layer": _hide,
    "show_layer": _unhide,
    "remove_layer": _without,
    "clear_layers": lambda situation, _: situation.layers.clear(),
    "clear_drawings": lambda situation, _: situation.layers.__setitem__(
        slice(None), [layer for layer in situation.layers if layer["kind"] != "drawing"]
    ),
    **dict.fromkeys(("draw_bbox", "draw_polygon", "draw_circle", "draw_marker"), Situation._draw),
    **dict.fromkeys(
        ("zoom_map", "set_view", "fit_bounds", "fit_layer", "fit_selection", "reset_map"), _camera
    ),
}


@lru_cache(maxsize=8)
def _events(catalogue: Catalogue, datasets: tuple[str, ...]) -> tuple[str, ...]:
    """The events the catalogue knows; `datasets` keys the cache to what it held."""
    return tuple(str(each) for each in catalogue.values("event") if each)


_COLUMNS = frozenset(IMAGES.names) - {
    "image_num",
    "class_words",
    "footprint",
    "properties",
    "quicklook",
    "path",
}
