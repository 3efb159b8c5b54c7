"""Detections as the map and the Imagery page draw them: outlines on the ground or in pixels, and verdicts."""

from __future__ import annotations

import json
import math
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from data.palette import CATEGORIES
from data.vision.reviews import UNREVIEWED
from state.model import Artifact, State
from tools.base import ToolError, World
from tools.map.files import read_vector
from tools.reviews import reviews_artifact, reviews_of, sample_of

if TYPE_CHECKING:
    import geopandas as gpd
    import pandas as pd

    from data.vision.reviews import Estimate

Space = Literal["ground", "pixels"]
MAX_OBJECTS = 20_000
"""More are cut off, those of the lowest score first."""
_DIGITS = {"ground": 7, "pixels": 2}
_FACTS = ("length_m", "width_m", "heading_deg", "model", "source")


def detections_artifact(state: State, artifact_id: str | None) -> Artifact | None:
    """The detections of that id in the session's state; None for anything else."""
    found = state.artifact(artifact_id) if artifact_id else None
    return found if found is not None and found.kind == "detections" else None


def objects(world: World, artifact: Artifact, space: Space) -> dict[str, Any]:
    """The detections that have a place there as GeoJSON, best first, with their classes and colours."""
    return _objects(*_file(world, artifact), space)


def verdicts(state: State, world: World, artifact: Artifact) -> dict[str, Any]:
    """`reviews`: {number: [verdict, right class, by, at]} of what was reviewed, and what it is known by."""
    found = reviews_of(state, world.artifacts.find, artifact.id)
    return {
        "version": reviews_version(state, artifact.id),
        "sample": list(sample_of(state, world.artifacts.find, artifact.id)),
        "reviews": {
            str(number): [each.verdict, each.class_name, each.by, each.at] for number, each in found.items()
        },
    }


def reviews_version(state: State, artifact_id: str) -> str:
    """What changes with every review of those detections."""
    found = reviews_artifact(state, artifact_id)
    return "" if found is None else found.id


def detection(world: World, artifact: Artifact, number: int) -> dict[str, Any]:
    """One detection with its outline in `pixels`. Raises ToolError when there is none of that number."""
    frame = frame_of(world, artifact)
    rows = frame[frame["detection_id"] == number]
    if rows.empty:
        raise ToolError(f"There is no detection {number} in {artifact.id}.")
    row: dict[str, Any] = rows.iloc[0].drop("geometry").to_dict()
    return row


def frame_of(world: World, artifact: Artifact) -> gpd.GeoDataFrame:
    """The detections, read once. Whoever changes the frame copies it first."""
    return _frame(*_file(world, artifact))


def class_colours(names: list[str]) -> dict[str, str]:
    """A colour for each class, always the same for the same classes."""
    return {name: CATEGORIES[at % len(CATEGORIES)] for at, name in enumerate(sorted(set(names)))}


def review_rows(state: State, world: World, artifact: Artifact) -> pd.DataFrame:
    """The detections with their verdicts as a table to read, best first."""
    from data.vision.reviews import joined
    from tools.vision.narrowing import class_now

    found = reviews_of(state, world.artifacts.find, artifact.id)
    rows = joined(frame_of(world, artifact).drop(columns="geometry"), found)
    rows = rows.sort_values(["score", "detection_id"], ascending=[False, True], ignore_index=True)
    rows["class"] = class_now(rows)
    named = {"detection_id": "no.", "reviewed_by": "by", "reviewed_at": "at (UTC)", "length_m": "length, m"}
    rows = rows.rename(columns={**named, "width_m": "width, m", "class_name": "found as"})
    rows["at (UTC)"] = rows["at (UTC)"].str.replace("T", " ").str.slice(0, 16)
    wanted = [
        "no.",
        "class",
        "score",
        "length, m",
        "width, m",
        "verdict",
        "by",
        "at (UTC)",
        "found as",
        "model",
    ]
    kept = [each for each in wanted if not rows[each].isna().all() or each in ("no.", "class", "score")]
    table: pd.DataFrame = rows[kept]
    return table


def estimate(state: State, world: World, artifact: Artifact) -> Estimate:
    """The precision that the reviews let one estimate, of all and of each class."""
    from data.vision.reviews import estimated

    frame = frame_of(world, artifact)
    classes = dict(zip(frame["detection_id"].tolist(), frame["class_name"].astype(str).tolist(), strict=True))
    find = world.artifacts.find
    return estimated(classes, reviews_of(state, find, artifact.id), sample_of(state, find, artifact.id))


def detections_in(state: State, world: World, raster: str) -> list[Artifact]:
    """The session's detections that were found in that image, the newest first."""
    found = []
    for each in reversed(state.artifacts):
        if each.kind == "detections":
            try:
                sources = set(frame_of(world, each)["source"].astype(str).unique())
            except ToolError:  # its file is gone: it is nobody's
                continue
            if raster in sources:
                found.append(each)
    return found


def _file(world: World, artifact: Artifact) -> tuple[Path, int]:
    path = world.artifacts.find(artifact.id)
    if path is None:
        raise ToolError(f"The file of {artifact.id} is gone; {artifact.made_by} makes it again.")
    return path, path.stat().st_mtime_ns


@lru_cache(maxsize=16)
def _frame(path: Path, _changed: int) -> gpd.GeoDataFrame:
    return read_vector(path, keep_empty=True)


@lru_cache(maxsize=16)
def _objects(path: Path, changed: int, space: Space) -> dict[str, Any]:
    import geopandas as gpd
    import shapely

    frame = _frame(path, changed)
    shapes = frame.geometry if space == "ground" else gpd.GeoSeries.from_wkt(frame["pixels"])
    there = ~(shapes.isna() | shapes.is_empty)
    kept = frame[there].sort_values(["score", "detection_id"], ascending=[False, True]).head(MAX_OBJECTS)
    rounded = shapely.set_precision(shapes[kept.index].to_numpy(), 10.0 ** -_DIGITS[space], mode="pointwise")
    facts = [each for each in _FACTS if each in kept]
    # Column by column and all outlines at once: shape by shape, thousands take most of a second.
    geometries = json.loads(f"[{','.join(shapely.to_geojson(rounded))}]")
    columns = [
        kept["class_name"].astype(str).tolist(),
        kept["score"].astype(float).round(4).tolist(),
        *([_plain(value) for value in kept[name].tolist()] for name in facts),
    ]
    names = ("class_name", "score", *facts)
    features = [
        {
            "type": "Feature",
            "id": int(number),
            "geometry": geometry,
            "properties": dict(zip(names, values, strict=True)),
        }
        for number, geometry, *values in zip(kept["detection_id"].tolist(), geometries, *columns, strict=True)
    ]
    counts = kept["class_name"].astype(str).value_counts()
    colours = class_colours([str(name) for name in counts.index])
    classes = [
        {"name": name, "color": colours[name], "count": int(counts[name])} for name in sorted(counts.index)
    ]
    return {"type": "FeatureCollection", "features": features, "classes": classes, "total": int(there.sum())}


def _plain(value: Any) -> str | float | None:
    if isinstance(value, str) or value is None:
        return value
    number = float(value)
    return number if math.isfinite(number) else None


__all__ = [
    "UNREVIEWED",
    "class_colours",
    "detection",
    "detections_artifact",
    "detections_in",
    "estimate",
    "frame_of",
    "objects",
    "review_rows",
    "reviews_version",
    "verdicts",
]
