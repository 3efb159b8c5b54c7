"""The environment state: frozen values, small enough to hash, store and send at every call.

Layers hold the query that fills them, never rows. Longitude comes first, degrees WGS84; dates are
`YYYY-MM-DD` in UTC. The JSON form (state/codec.py) is a public contract.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal

from pydantic import AfterValidator


def frozen(value: Any) -> Any:
    """`value` with every list, at any depth, made a tuple."""
    return tuple(frozen(each) for each in value) if isinstance(value, (list, tuple)) else value


Bbox = tuple[float, float, float, float]
"""(west, south, east, north); west > east crosses the antimeridian."""

LonLat = tuple[float, float]

LayerKind = Literal[
    "points",
    "clusters",
    "heatmap",
    "density",
    "footprints",
    "detections",
    "choropleth",
    "timeline",
    "labels",
    "vector",
    "raster",
    "drawing",
]
PANELS = ("results", "figure", "image", "layers", "trace", "jobs")
PAGES = ("home", "imagery", "data", "tools", "benchmark", "help")
CONTROLS = ("legend", "scale_bar", "graticule", "minimap")


@dataclass(frozen=True)
class Geometry:
    """A GeoJSON geometry (RFC 7946) whose coordinates are nested tuples, so that it is a value."""

    type: str
    coordinates: Annotated[Any, AfterValidator(frozen)]


@dataclass(frozen=True, order=True)
class Attribute:
    """One comparison on a field of the catalogue."""

    field: str
    op: str
    value: str | float | tuple[str, ...] | tuple[float, ...]


@dataclass(frozen=True)
class Filters:
    """What the selection is narrowed by: a set, so the order in which parts were set leaves no trace."""

    start: str | None = None
    end: str | None = None
    place: str | None = None
    """The label of the place that gave `bbox`, when one did."""
    country: str | None = None
    """ISO 3166-1 alpha-2, when `place` is a whole country: rows are then taken by country, not by box."""
    bbox: Bbox | None = None
    """Set whenever any place filter is."""
    center: LonLat | None = None
    radius_km: float | None = None
    geometry: Geometry | None = None
    classes: tuple[str, ...] = ()
    match: Literal["any", "all"] | None = None
    attributes: tuple[Attribute, ...] = ()


@dataclass(frozen=True)
class Database:
    """What is loaded, what narrows it, and how many rows that leaves."""

    loaded: tuple[str, ...] = ()
    filters: Filters = Filters()
    count: int = 0


@dataclass(frozen=True)
class Query:
    """What fills a layer: a selection as it was, or as it is while the layer is live."""

    datasets: tuple[str, ...] = ()
    filters: Filters = Filters()


@dataclass(frozen=True)
class Layer:
    """One layer of the map."""

    id: str
    name: str
    kind: LayerKind
    visible: bool = True
    opacity: float = 0.8
    color: str = "#3388ff"
    size: float = 6.0
    """Marker radius or line width, screen pixels."""
    query: Query | None = None
    artifact: str | None = None
    geometry: Geometry | None = None
    """For drawings."""
    live: bool = False
    """True: `query` and `count` follow the selection. A layer that was given a name stays as it was."""
    options: tuple[tuple[str, str | float | bool], ...] = ()
    """What the plot was asked for beyond the common fields, sorted by key: ("by", "month")."""
    count: int = 0


@dataclass(frozen=True)
class MapState:
    """The camera, the base and the layers (bottom first)."""

    center: LonLat = (10.0, 25.0)
    zoom: float = 2.0
    basemap: str = "offline"
    layers: tuple[Layer, ...] = ()
    swipe: tuple[str, str] | None = None
    """Ids of the layers left and right of the swipe bar."""
    controls: tuple[str, ...] = ("legend", "scale_bar")


@dataclass(frozen=True)
class Tab:
    """A web tab."""

    url: str
    title: str


@dataclass(frozen=True)
class Question:
    """What the agent asked the user; it stands until something is done."""

    text: str
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class UI:
    """What is open and shown."""

    page: str = "home"
    tabs: tuple[Tab, ...] = ()
    active_tab: int | None = None
    panels: tuple[str, ...] = ()
    """Open panels in the order they were opened: the last one is in front."""
    selected_image: str | None = None
    compared: tuple[str, str] | None = None
    """Ids of the images before and after."""
    hover_fields: tuple[str, ...] = ("name", "acquired", "sensor")
    table: str | None = None
    """The artifact shown in the results panel; None shows the selection."""
    figure: str | None = None
    notice: str | None = None
    question: Question | None = None


@dataclass(frozen=True)
class Artifact:
    """Something a call made: its content lives in the session's artifact folder, under this id."""

    id: str
    kind: Literal["table", "figure", "document", "raster", "vector", "detections", "reviews", "workflow"]
    name: str
    summary: str
    made_by: str
    """The call in short: `group_count(by=class)`."""


@dataclass(frozen=True)
class RasterBands:
    """Which band of a raster is which."""

    raster: str
    """The id of the artifact or the image."""
    names: tuple[str, ...]
    """A common name for each band in the file's order, empty for one that nobody named."""


@dataclass(frozen=True)
class State:
    """Everything a session is. Two sessions with equal states look the same to the user."""

    map: MapState = MapState()
    database: Database = Database()
    ui: UI = UI()
    artifacts: tuple[Artifact, ...] = field(default=())
    bands: tuple[RasterBands, ...] = field(default=())
    """What the user said of rasters that their files do not say, in the order in which it was said."""

    def layer(self, layer_id: str) -> Layer | None:
        """The layer of that id."""
        return next((each for each in self.map.layers if each.id == layer_id), None)

    def artifact(self, artifact_id: str) -> Artifact | None:
        """The artifact of that id."""
        return next((each for each in self.artifacts if each.id == artifact_id), None)

    def with_map(self, **changes: Any) -> State:
        """This state with parts of the map replaced."""
        return replace(self, map=replace(self.map, **changes))

    def with_ui(self, **changes: Any) -> State:
        """This state with parts of the UI replaced."""
        return replace(self, ui=replace(self.ui, **changes))

    def with_layer(self, layer: Layer) -> State:
        """This state with `layer` in place of the one of its id, else on top."""
        if self.layer(layer.id) is None:
            return self.with_map(layers=(*self.map.layers, layer))
        return self.with_map(layers=tuple(layer if each.id == layer.id else each for each in self.map.layers))

    def without_layers(self, ids: frozenset[str]) -> State:
        """This state without those layers, nor a swipe that needs one of them."""
        kept = tuple(each for each in self.map.layers if each.id not in ids)
        swipe = None if self.map.swipe and ids & set(self.map.swipe) else self.map.swipe
        return self.with_map(layers=kept, swipe=swipe)

    def with_database(self, database: Database) -> State:
        """This state with another selection; the live layers follow it."""
        query = Query(database.loaded, database.filters)
        layers = tuple(
            replace(each, query=query, count=database.count) if each.live else each
            for each in self.map.layers
        )
        return replace(self, database=database, map=replace(self.map, layers=layers))

    def with_artifact(self, artifact: Artifact) -> State:
        """This state with `artifact` as the newest; made again, it moves to the end."""
        others = tuple(each for each in self.artifacts if each.id != artifact.id)
        return replace(self, artifacts=(*others, artifact)[-MAX_ARTIFACTS:])

    def bands_of(self, raster: str) -> tuple[str, ...] | None:
        """The names that the user gave a raster's bands; None where none were given."""
        return next((each.names for each in self.bands if each.raster == raster), None)

    def with_bands(self, raster: str, names: tuple[str, ...] | None) -> State:
        """This state with those names for the raster's bands; None takes them back."""
        others = tuple(each for each in self.bands if each.raster != raster)
        added = () if names is None else (RasterBands(raster, names),)
        return replace(self, bands=(*others, *added)[-MAX_ARTIFACTS:])

    def with_panel(self, name: str) -> State:
        """This state with that panel open and in front."""
        others = tuple(each for each in self.ui.panels if each != name)
        return self.with_ui(panels=(*others, name))


MAX_ARTIFACTS = 100
"""Older ones leave the state (their files stay), so that it keeps under 64 KiB."""
