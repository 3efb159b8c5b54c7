"""Features by what their fields say, and by what their shapes measure."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from state.model import State
from tools.artifacts import FEATURES, Call, newest_named
from tools.base import Step, ToolError, World
from tools.geotools.features import METRES, SQUARE_METRES, Features, column_of, features_of, noted
from tools.phrases import number_of
from tools.vectors import vector_step

if TYPE_CHECKING:
    import pandas as pd

_MEASURES = {f"area_{unit}": ("area", each) for unit, each in SQUARE_METRES.items()} | {
    f"length_{unit}": ("length", each) for unit, each in METRES.items()
}
"""Names that stand for what a shape measures where no field has them: the kind, and the unit in metres."""


def are_features(state: State, handle: str) -> bool:
    """Whether a handle or name is that of features and of no table."""
    known = state.artifact(handle) or newest_named(state.artifacts, handle)
    if known is not None:
        return known.kind in FEATURES
    layer = state.layer(handle) or newest_named(state.map.layers, handle)
    return layer is not None and layer.kind != "raster"


def kept_features(
    state: State,
    world: World,
    call: Call,
    handle: str,
    field: str,
    compared: str,
    meets: Callable[[pd.Series[Any]], pd.Series[bool]],
) -> Step:
    """The features whose field, or whose area or length, meets a comparison: new features, on the map.

    `compared` is the comparison as it is said: "> 2". Raises ToolError for a field that is not there.
    """
    features = features_of(state, world, handle)
    name, values = _values(features, field)
    kept = features.frame[meets(values).to_numpy(bool)]
    whole = f"{number_of(len(features.frame), 'feature')} of {features.name}"
    said = f"{len(kept):,} of {whole} have {name} {compared}."
    title = f"{name} {compared} in {features.name}"[:100]  # what it was kept by is not cut off
    return vector_step(
        state, world, call, [features.source], kept, name=title, said=noted(said, features), field=name
    )


def _values(features: Features, field: str) -> tuple[str, pd.Series[Any]]:
    """The field that a word names, and its values: a field of its name, a measure, or one that begins so."""
    frame, word = features.frame, field.strip().casefold()
    columns = [str(each) for each in frame.columns if each != frame.geometry.name]
    if word not in [each.casefold() for each in columns]:
        if word in _MEASURES:
            return word, _measured(features, word)
        near = [each for each in columns if word in each.casefold().replace("_", " ").split()]
        if len(near) == 1:  # "depth" for depth_m
            return near[0], frame[near[0]]
    name = column_of(features, field)
    return name, frame[name]


def _measured(features: Features, measure: str) -> pd.Series[Any]:
    """What each shape measures on the ellipsoid. Raises ToolError for shapes without it."""
    import pandas as pd

    from data.vector.measuring import area_m2, length_m

    kind, unit = _MEASURES[measure]
    size = area_m2 if kind == "area" else length_m
    sizes = pd.Series([size(each) / unit for each in features.frame.geometry], dtype=float)
    if not sizes.any():
        wanted = "polygons" if kind == "area" else "lines"
        raise ToolError(
            f"{features.name} has no {wanted} and no field {measure!r}; a field that it has would do."
        )
    return sizes
