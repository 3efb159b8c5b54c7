"""From pixels to features and back: outlines of patches, and features burnt into a grid."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from state.model import State
from tools import conditions
from tools.artifacts import Call, Input
from tools.base import Step, ToolError, World, tool
from tools.geotools.raster_arguments import BandChoice, band_of, said_plainly, with_data
from tools.phrases import listed, number, number_of
from tools.rasters import RasterHandle, raster_of, raster_step
from tools.vectors import VectorHandle, vector_of, vector_step

if TYPE_CHECKING:
    import geopandas as gpd

    from data.raster.patches import Where

Condition = Annotated[
    str,
    Field(min_length=2, max_length=40, description='What pixels must be: "> 0.4", "<= 12", "= 3", "!= 0".'),
]
Diagonal = Annotated[
    bool, Field(description="Whether pixels that touch only at a corner belong to one patch.")
]
_METRES_A_DEGREE = 111_320.0
_CONDITION = re.compile(
    r"\s*(<=|>=|!=|<>|==|=|<|>)\s*([-+]?(?:\d++(?:\.\d*+)?|\.\d++)(?:e[-+]?\d{1,3})?)\s*", re.IGNORECASE
)
_SIGNS = {"==": "=", "<>": "!="}


def condition(where: str | None, value: float | None) -> Where | None:
    """The condition of a call; `value` alone is an equality. Raises ToolError for what is none."""
    from data.raster.patches import Where

    if where is not None and value is not None:
        raise ToolError("Give where or value, not both: value=3 is where='= 3'.")
    if value is not None:
        return Where("=", value)
    if where is None:
        return None
    match = _CONDITION.fullmatch(where)
    if match is None:
        raise ToolError(
            f"{where[:40]!r} is no condition; write a sign and a number, such as '> 0.4' or '= 3'."
        )
    sign: Any = _SIGNS.get(match[1], match[1])
    return Where(sign, float(match[2]))


@tool(
    "geotools",
    changes_state=True,
    needs=(conditions.Raster("raster", placed=True),),
    gives=(conditions.Vector("vector", geometry="polygon"),),
    long_running=True,
)
def polygonize(
    state: State,
    world: World,
    *,
    raster: RasterHandle,
    band: BandChoice = 1,
    where: Condition | None = None,
    value: Annotated[
        float | None, Field(ge=-1e30, le=1e30, description="Only pixels of exactly this value.")
    ] = None,
    min_area_m2: Annotated[
        float, Field(ge=0, le=1e14, description="Smaller polygons are left out, square metres.")
    ] = 0.0,
    simplify_m: Annotated[
        float,
        Field(ge=0, le=100_000, description="Smooth the stair steps of the outlines, metres; 0 keeps them."),
    ] = 0.0,
    diagonal: Diagonal = False,
    background: Annotated[
        bool, Field(description="Outline too what a mask marks as nothing, which is left out otherwise.")
    ] = False,
) -> Step:
    """Turn patches of pixels into polygons with their areas in m² and hectares, also of a threshold.

    GDAL's polygonizer; without a condition each patch of equal values is a polygon. Areas are geodesic, of
    the pixels, before any smoothing. Nodata has no polygon, nor has what a mask marks as nothing: 0, where
    there is one other value. The largest comes first.

    Example: copilot call polygonize raster=raster-5ce4e0 band=nir where="> 0.3"

    Asked as: polygons of the vegetation above 0.4 | outline the water mask | vectorise the raster | turn
    the classes into polygons with their hectares | trace the pixels over the threshold | how many hectares
    are over 0.4
    """
    source = raster_of(state, world, raster)
    wanted = condition(where, value)
    index = band_of(source.path, band)
    with said_plainly():
        from data.raster.patches import outlines
        from data.raster.windows import grid_of

        grid = grid_of(source.path)
        unit = _METRES_A_DEGREE if grid.crs is not None and grid.crs.is_geographic else 1.0
        frame = outlines(
            source.path,
            band=index,
            where=wanted,
            connectivity=8 if diagonal else 4,
            min_area_m2=min_area_m2,
            simplify=simplify_m / unit,
            background=background,
        )
    call = Call.of(
        polygonize,
        raster=raster,
        band=band,
        where=where,
        value=value,
        min_area_m2=min_area_m2,
        simplify_m=simplify_m,
        diagonal=diagonal,
        background=background,
    )
    title = f"{source.name} {wanted}" if wanted else f"Patches of {source.name}"
    left_out = frame.attrs.pop("background")
    facts = {**_areas(frame), "background": left_out}
    said = _outlined(source.name, wanted, len(frame), facts)
    return vector_step(state, world, call, [source], frame, name=title[:100], said=said, **facts)


@tool(
    "geotools",
    changes_state=True,
    needs=("vector",),
    gives=(conditions.Raster("raster", of="raster", modality="classes"),),
    long_running=True,
)
def rasterize(
    state: State,
    world: World,
    *,
    vector: VectorHandle,
    raster: Annotated[RasterHandle | None, Field(description="Take this raster's grid.")] = None,
    resolution_m: Annotated[
        float | None, Field(gt=0, le=100_000, description="Or a grid of this pixel size in UTM, metres.")
    ] = None,
    column: Annotated[
        str | None,
        Field(
            min_length=1,
            max_length=100,
            description="Burn this column's numbers; a text gets 1, 2, … by name.",
        ),
    ] = None,
    all_touched: Annotated[
        bool, Field(description="Take every pixel that is touched, not those whose centre is inside.")
    ] = False,
) -> Step:
    """Burn features into pixels: 1 inside and 0 outside, or the values of a column.

    GDAL's rasterizer on the grid of another raster, or on a new one in the features' UTM zone. Later
    features cover earlier ones.

    Example: copilot call rasterize vector=vector-f1e1d5 raster=raster-5ce4e0

    Asked as: burn the polygons into a raster | make a mask of the drawing | fields as pixels | convert the
    outlines to a grid of 10 m | raster of the parcels by their yield | vector to raster
    """
    features = vector_of(state, world, vector)
    if (raster is None) == (resolution_m is None):
        raise ToolError("rasterize needs the raster whose grid it takes, or resolution_m; one of them.")
    if features.frame.empty:
        raise ToolError(f"{features.name} has no features to burn.")
    like = raster_of(state, world, raster) if raster is not None else None
    values, names = (None, {}) if column is None else _column(features.frame, column)
    found: dict[str, Any] = {}

    def make(path: Path) -> None:
        from data.raster.burning import grid_around
        from data.raster.burning import rasterize as burn
        from data.raster.windows import grid_of

        grid = grid_of(like.path) if like else grid_around(features.frame, float(resolution_m or 0))
        found["burnt_px"] = burn(
            features.frame, values, grid, path, all_touched=all_touched, description=column or "inside"
        )

    def said(_: Path) -> str:
        what = f"the column {column}" if column else "1"
        legend = f" {listed([f'{key} is {name}' for key, name in names.items()])}." if names else ""
        count = number_of(len(features.frame), "feature")
        return f"Burnt {what} of {count} into {number_of(found['burnt_px'], 'pixel')}.{legend}"

    call = Call.of(
        rasterize,
        vector=vector,
        raster=raster,
        resolution_m=resolution_m,
        column=column,
        all_touched=all_touched,
    )
    inputs: list[Input] = [features, like] if like else [features]
    looks = {"stretch": "minmax", "colormap": "viridis"}
    name = f"{features.name} as pixels"[:100]
    step = raster_step(state, world, call, inputs, make, name=name, said=said, options=looks)
    return with_data(step, **found, **({"legend": names} if names else {}))


def _outlined(name: str, wanted: Where | None, count: int, facts: dict[str, Any]) -> str:
    """How many polygons there are, how much they cover, and what was left out of them."""
    said = f"No pixel of {name} is in a patch {wanted or 'of a value'}."
    if count:
        said = (
            f"{number_of(count, 'polygon')} of {name}{f' {wanted}' if wanted else ''}, "
            f"{number(facts['area_ha'])} ha together; the largest has {number(facts['largest_ha'])} ha."
        )
    if facts["background"] is not None:
        said += f" Pixels of {facts['background']:g} mark nothing and are left out."
    return said


def _areas(frame: gpd.GeoDataFrame) -> dict[str, Any]:
    """All areas together, the largest, and those by value where there are few values."""
    by_value = frame.groupby("value")["area_ha"].sum()
    facts: dict[str, Any] = {
        "area_m2": round(float(frame["area_m2"].sum()), 3),
        "area_ha": round(float(frame["area_m2"].sum()) / 10_000, 6),
        "largest_ha": float(frame["area_ha"].max()) if len(frame) else 0.0,
    }
    if 1 < len(by_value) <= 20:
        facts["ha_by_value"] = {f"{value:g}": round(float(area), 6) for value, area in by_value.items()}
    return facts


def _column(frame: gpd.GeoDataFrame, column: str) -> tuple[list[float], dict[str, str]]:
    """The numbers of a column, and for a column of texts which number is which. Raises ToolError."""
    import pandas as pd

    plain = [str(each) for each in frame.columns if each != frame.geometry.name]
    if column not in plain:
        raise ToolError(f"The features have no column {column[:60]!r}; they have {listed(plain) or 'none'}.")
    numbers = pd.to_numeric(frame[column], errors="coerce")
    if numbers.notna().any():
        return numbers.astype(float).tolist(), {}
    texts = sorted({str(each) for each in frame[column].dropna()})
    codes = {text: at for at, text in enumerate(texts, start=1)}
    values = [float(codes.get(str(each), "nan")) for each in frame[column]]
    return values, {str(at): text for text, at in list(codes.items())[:50]}


TOOLS = (polygonize, rasterize)
