"""What the vector tools share: features fit to compute with, units, and mistakes as sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from data.vector.errors import VectorError
from state.model import State
from tools.base import ToolError, World
from tools.noting import note
from tools.phrases import listed, number, one_line
from tools.vectors import Named, Vector, VectorHandle, fitted, kept_vector_of, plane_of, vector_of

if TYPE_CHECKING:
    import geopandas as gpd
    from pyproj import CRS

AreaUnit = Annotated[
    Literal["m2", "ha", "km2", "acres", "mi2"],
    Field(description="The answer's unit; left out, what suits the size."),
]
LengthUnit = Annotated[
    Literal["m", "km", "mi", "nmi", "ft"],
    Field(description="The answer's unit; left out, what suits the length."),
]
OtherVector = Annotated[
    VectorHandle,
    Field(description="The other features: an artifact's or a layer's id, 'drawings' or 'selection'."),
]
SQUARE_METRES = {"m2": 1.0, "ha": 1e4, "km2": 1e6, "acres": 4046.8564224, "mi2": 2_589_988.110336}
METRES = {"m": 1.0, "km": 1e3, "mi": 1609.344, "nmi": 1852.0, "ft": 0.3048}
_STEP_M = 100.0
_MOST_STEPS = 200_000
MOST_NAMES = 20
"""Most names of features that go into a call's data."""
_NAMES = ("name", "name_1", "name_2", "title", "label", "image_id", "image_id_1", "id", "id_1", "cell")
WRITTEN = {"m2": "m²", "km2": "km²", "mi2": "sq mi"}
"""How a unit is written in a sentence, where that is not its name."""


@dataclass(frozen=True)
class Features:
    """Features that a call computes with: valid, two-dimensional, in EPSG:4326 or on a plane of theirs."""

    source: Vector
    frame: gpd.GeoDataFrame
    notes: tuple[str, ...]

    @property
    def name(self) -> str:
        """What they are called."""
        return self.source.name


def features_of(state: State, world: World, handle: str) -> Features:
    """The features of that handle, made fit to compute with. Raises ToolError when there are none."""
    return _cleaned(vector_of(state, world, handle))


def _cleaned(source: Vector, *, on_plane: bool = False) -> Features:
    from data.vector.cleaning import cleaned

    with sentences():
        if source.frame.empty:
            raise ToolError(f"{source.name} has no features.")
        fit = cleaned(source.frame, on_plane=on_plane)
    return Features(source, fit.frame, fit.notes)


def features_on_plane(state: State, world: World, *handles: str) -> tuple[Features, ...]:
    """The features of each handle on the plane that all of them are kept on, else in EPSG:4326.

    So what touches on that plane touches here, to the last digit. Raises ToolError when there are none.
    """
    kept = [kept_vector_of(state, world, each) for each in handles]
    plane = plane_of(kept[0].frame)
    if plane is None or any(each.frame.crs != plane for each in kept):
        return tuple(_cleaned(fitted(each)) for each in kept)
    return tuple(_cleaned(replace(each, plane=plane), on_plane=True) for each in kept)


def edges_followed(features: Features) -> gpd.GeoDataFrame:
    """The features in degrees with corners along edges that are straight on the plane that they are kept on.

    A straight edge of 6 km on a national grid lies half a metre beside the straight one in degrees.
    """
    import shapely

    plane = features.source.plane
    if plane is None or not (shapely.get_dimensions(features.frame.geometry.to_numpy()) > 0).any():
        return features.frame
    flat = features.frame.to_crs(plane)
    step = max(_STEP_M / float(plane.axis_info[0].unit_conversion_factor), flat.length.sum() / _MOST_STEPS)
    return flat.set_geometry(flat.geometry.segmentize(step)).to_crs(features.frame.crs)


def kept_features(state: State, world: World, handle: str) -> tuple[Named, gpd.GeoDataFrame]:
    """Features as they are kept: all rows, their own columns, their coordinate system. Raises ToolError."""
    source = kept_vector_of(state, world, handle)
    own = source.frame
    if own.empty:
        raise ToolError(f"{source.name} has no features.")
    return Named(source.handle, source.name, source.key), own


def plane_named(frame: gpd.GeoDataFrame, crs: str) -> CRS:
    """The plane of that name for features; how it was chosen is said. Raises ToolError."""
    from data.vector.systems import code_of, crs_named

    try:
        plane, why = crs_named(crs, frame.to_crs("EPSG:4326").total_bounds.tolist())
    except VectorError as error:
        raise ToolError(str(error)) from error
    if not plane.is_projected:
        raise ToolError(
            f"{code_of(plane)} is in degrees, and this needs a plane; leave crs out, or take utm."
        )
    note(why if crs.strip().upper() != code_of(plane) else None)
    return plane


@contextmanager
def sentences() -> Iterator[None]:
    """What goes wrong with features, as the caller is told it."""
    from shapely.errors import ShapelyError

    try:
        yield
    except VectorError as error:
        raise ToolError(str(error)) from error
    except ShapelyError as error:
        raise ToolError(
            "The shapes cannot be computed with: their edges lie too close to each other to be told apart; "
            "simplify_geometry with a tolerance of 1 m most often helps."
        ) from error


def noted(said: str, *features: Features) -> str:
    """A sentence, and what had to be done to the features first."""
    notes = [f"In {each.name}, {listed(each.notes)}." for each in features if each.notes]
    said = f"The {said[4:]}" if said.startswith("the ") else said
    return " ".join([said, *notes])


def column_of(features: Features, field: str) -> str:
    """One of the features' fields, case aside. Raises ToolError with the nearest."""
    from tools.data.source import column_in

    frame = features.frame
    table = frame.drop(columns=frame.geometry.name)
    if not len(table.columns):
        raise ToolError(f"{features.name} has no fields, only shapes; leave {field!r} out.")
    try:
        return column_in(table, field)
    except ToolError as error:
        raise ToolError(str(error).replace("The table", features.name, 1)) from None


def area_in_words(square_metres: float, unit: str | None = None) -> tuple[float, str, str]:
    """An area's value and unit, and both as a sentence says them; without a unit, one that suits it."""
    if unit is None:
        unit = "m2" if square_metres < 1e4 else "ha" if square_metres < 1e6 else "km2"
    value = square_metres / SQUARE_METRES[unit]
    return value, unit, f"{number(rounded(value))} {WRITTEN.get(unit, unit)}"


def length_in_words(metres: float, unit: str | None = None) -> tuple[float, str, str]:
    """A length's value and unit, and both as a sentence says them; without a unit, one that suits it."""
    if unit is None:
        unit = "m" if abs(metres) < 1000 else "km"
    value = metres / METRES[unit]
    return value, unit, f"{number(rounded(value))} {unit}"


def rounded(value: float) -> float:
    """A value with six decimals below 1000, three above: more are noise."""
    return round(value, 6 if abs(value) < 1000 else 3)


def without_shapes(frame: gpd.GeoDataFrame) -> Any:
    """The features' fields as a table."""
    import pandas as pd

    return pd.DataFrame(frame.drop(columns=frame.geometry.name))


def names_of(frame: gpd.GeoDataFrame, after: int = 0) -> list[str]:
    """What features are called, each once, by their column of names among those from `after` on."""
    table = without_shapes(frame)
    table = table[table.columns[after:]]
    columns = {str(each).casefold(): each for each in table.columns}
    called = next((columns[each] for each in _NAMES if each in columns), None)
    if called is None:
        return []
    return [one_line(str(each)) for each in dict.fromkeys(table[called].dropna())]


def free_column(frame: Any, name: str) -> str:
    """The name, with a number when there is a column of that name."""
    taken: Sequence[str] = [str(each) for each in frame.columns]
    return (
        name
        if name not in taken
        else next(f"{name}_{i}" for i in range(2, len(taken) + 3) if f"{name}_{i}" not in taken)
    )
