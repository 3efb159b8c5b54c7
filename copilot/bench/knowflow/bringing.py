"""The files of a gold workflow: real ones, rendered scenes, and what is made to lie on them.

Beside what `copilot.workflows.trying` brings (`example:…`, `shared:…`, a scene, a side of a pair) there are
`real:PATH` (tests/real) and `{"made": KIND, "on": SPEC, …}`, whose truth is how it is made:
zones (rows x columns of polygons), points, lines, heights (a smooth surface, metres), thermal (kelvin by
land cover), classes (the scene's land cover), cover (a mask of one, `of`) and outlines (polygons of one).
`cut: N` takes the middle N x N pixels of a raster, so that a run is short.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from copilot.workflows import trying
from copilot.workflows.model import WorkflowError
from copilot.workflows.trying import Brought

REAL = Path(__file__).parents[3] / "tests" / "real"
_KELVIN = {"water": 291.0, "grass": 298.0, "crops": 300.0, "trees": 296.0, "soil": 306.0, "sand": 308.0,
           "road": 312.0, "paved": 313.0, "building": 315.0, "burned": 318.0, "snow": 270.0}  # fmt: skip
"""Made up, in the order that surfaces have on a summer's noon."""


def bring(spec: Any, folder: Path) -> Brought:
    """The file of a specification, made in `folder` unless it lies somewhere. Raises WorkflowError."""
    if isinstance(spec, str) and spec.startswith("real:"):
        return Brought(_real(spec.removeprefix("real:")))
    if isinstance(spec, Mapping) and "cut" in spec:
        return _cut(spec, folder)
    if isinstance(spec, Mapping) and "made" in spec:
        return _made(spec, folder)
    return trying.bring(spec, folder)


def available(spec: Any) -> bool:
    """Whether the files that a specification is of lie here."""
    if isinstance(spec, Mapping):
        return available(spec.get("cut_of", spec.get("on", ""))) if "made" in spec or "cut" in spec else True
    try:
        bring(spec, Path()) if spec else None
    except WorkflowError:
        return False
    return True


def _real(name: str) -> Path:
    path = (REAL / name).resolve()
    if not path.is_relative_to(REAL.resolve()) or not path.is_file():
        raise WorkflowError(f"There is no file 'real:{name}' in tests/real.")
    return path


def _named(spec: Mapping[str, Any], ending: str) -> str:
    told = json.dumps(spec, sort_keys=True, default=str)
    return f"{spec.get('made', 'cut')}_{sha256(told.encode()).hexdigest()[:8]}{ending}"


def _cut(spec: Mapping[str, Any], folder: Path) -> Brought:
    """The middle of a raster, with its bands, tags and descriptions."""
    import rasterio
    from rasterio.windows import Window

    whole = bring(spec["cut_of"], folder)
    path = folder / f"{whole.path.stem}_{_named(spec, '.tif')}"
    if path.exists():
        return Brought(path)
    with rasterio.open(whole.path) as source:
        size = int(spec["cut"])
        wide, high = min(size, source.width), min(size, source.height)
        window = Window((source.width - wide) // 2, (source.height - high) // 2, wide, high)
        profile = {**source.profile, "driver": "GTiff", "width": wide, "height": high}
        profile.update(transform=source.window_transform(window), tiled=False)
        for name in ("blockxsize", "blockysize", "photometric", "compress", "interleave"):
            profile.pop(name, None)
        with rasterio.open(path, "w", **profile) as target:
            target.write(source.read(window=window))
            target.update_tags(**source.tags())
            target.colorinterp = source.colorinterp
            for band, said in enumerate(source.descriptions, 1):
                if said:
                    target.set_band_description(band, said)
    return Brought(path)


def _made(spec: Mapping[str, Any], folder: Path) -> Brought:
    kind = str(spec["made"])
    maker = _MAKERS.get(kind)
    if maker is None:
        raise WorkflowError(f"Nothing called {kind!r} is made; {', '.join(_MAKERS)} are.")
    base = bring(spec["on"], folder)
    path = folder / _named(spec, ".geojson" if kind in _VECTORS else ".tif")
    if not path.exists():
        maker(spec, base, path)
    return Brought(path, base.scene, base.pair)


def _raster(path: Path, base: Brought, values: NDArray[Any], said: str, **tags: str) -> None:
    import rasterio

    with rasterio.open(base.path) as source:
        profile = {
            "driver": "GTiff", "count": 1, "height": source.height, "width": source.width,
            "dtype": values.dtype.name, "crs": source.crs, "transform": source.transform,
        }  # fmt: skip
    with rasterio.open(path, "w", **profile) as target:
        target.write(values, 1)
        target.set_band_description(1, said)
        target.update_tags(**tags)


def _shape(base: Brought) -> tuple[int, int]:
    import rasterio

    with rasterio.open(base.path) as source:
        return source.height, source.width


def _heights(spec: Mapping[str, Any], base: Brought, path: Path) -> None:
    """Hills and a valley of `relief_m`, from waves whose phases the seed draws; `dig_m` takes a pit out."""
    high, wide = _shape(base)
    rng = np.random.default_rng(int(spec.get("seed", 1)))
    rows, columns = np.mgrid[0:high, 0:wide] / max(high, wide)
    surface = 0.4 * columns + 0.3 * rows
    for power in range(1, 5):
        at = rng.uniform(0, 2 * np.pi, 2)
        way = rng.uniform(-1, 1, 2)
        surface += np.sin(2 * np.pi * power * (way[0] * rows + way[1] * columns) + at[0]) / (1.6 * power**1.4)
    surface = 40 + float(spec.get("relief_m", 120)) * (surface - surface.min()) / np.ptp(surface)
    if spec.get("dig_m"):
        inside = (np.hypot(rows - 0.5, columns - 0.45) < 0.12).astype(np.float64)
        surface = surface - float(spec["dig_m"]) * inside
    _raster(path, base, surface.astype(np.float32), "height")


def _scene(base: Brought) -> Any:
    if base.scene is None:
        raise WorkflowError("Only a rendered scene has a truth to make this from.")
    return base.scene


def _thermal(spec: Mapping[str, Any], base: Brought, path: Path) -> None:
    from data.scenes.model import COVERS

    kelvin = np.array([_KELVIN.get(each, 300.0) for each in COVERS], dtype=np.float32)
    noise = np.random.default_rng(int(spec.get("seed", 1))).normal(0, 0.6, _scene(base).landcover.shape)
    values = kelvin[_scene(base).landcover] + noise.astype(np.float32) + float(spec.get("warmer_k", 0))
    _raster(path, base, values.astype(np.float32), "lwir11")


def _classes(spec: Mapping[str, Any], base: Brought, path: Path) -> None:
    _raster(path, base, _scene(base).landcover.astype(np.uint8), "class")


def _cover(spec: Mapping[str, Any], base: Brought, path: Path) -> None:
    _raster(path, base, _truth(spec, base).astype(np.uint8), str(spec["of"]))


def _truth(spec: Mapping[str, Any], base: Brought) -> NDArray[Any]:
    from data.scenes.model import COVERS

    if spec["of"] == "changed" and base.pair is not None:
        return np.asarray(base.pair.changed)
    return np.asarray(_scene(base).landcover == COVERS.index(str(spec["of"])))


def _frame(path: Path, base: Brought, shapes: list[Any], **columns: list[Any]) -> None:
    import geopandas as gpd
    import rasterio

    with rasterio.open(base.path) as source:
        crs = source.crs
    frame = gpd.GeoDataFrame(
        {"name": [f"part {n + 1}" for n in range(len(shapes))], **columns}, geometry=shapes, crs=crs
    )
    if crs is not None:
        frame = frame.to_crs("EPSG:4326")
    path.write_text(frame.to_json(drop_id=True), encoding="utf-8")


def _bounds(base: Brought) -> tuple[float, float, float, float]:
    import rasterio

    with rasterio.open(base.path) as source:
        left, bottom, right, top = source.bounds
    return left, bottom, right, top


def _zones(spec: Mapping[str, Any], base: Brought, path: Path) -> None:
    from shapely import box

    left, bottom, right, top = _bounds(base)
    rows, columns = int(spec.get("rows", 3)), int(spec.get("columns", 3))
    wide, high = (right - left) / columns, (top - bottom) / rows
    shapes = [
        box(
            left + (c + 0.06) * wide,
            top - (r + 0.94) * high,
            left + (c + 0.94) * wide,
            top - (r + 0.06) * high,
        )
        for r in range(rows)
        for c in range(columns)
    ]
    numbers = list(range(1, len(shapes) + 1))
    _frame(path, base, shapes, value=[n * 10.0 for n in numbers], population=[n * 100 for n in numbers],
           kind=["wheat" if n % 2 else "maize" for n in numbers])  # fmt: skip


def _points(spec: Mapping[str, Any], base: Brought, path: Path) -> None:
    from shapely import Point

    left, bottom, right, top = _bounds(base)
    rng = np.random.default_rng(int(spec.get("seed", 1)))
    count = int(spec.get("count", 24))
    at = rng.uniform(0.05, 0.95, (count, 2))
    shapes = [Point(left + x * (right - left), bottom + y * (top - bottom)) for x, y in at]
    value = [round(10 + 30 * float(x) + 5 * float(y), 3) for x, y in at]
    _frame(path, base, shapes, value=value, biomass_t_ha=[round(each * 3, 2) for each in value],
           kind=["a" if n % 2 else "b" for n in range(count)])  # fmt: skip


def _lines(spec: Mapping[str, Any], base: Brought, path: Path) -> None:
    from shapely import LineString

    left, bottom, right, top = _bounds(base)
    count = int(spec.get("count", 4))
    shapes = []
    for n in range(count):
        part = (n + 1) / (count + 1)
        if n % 2:
            x = left + part * (right - left)
            shapes.append(LineString([(x, bottom), (x, (bottom + top) / 2), (x, top)]))
        else:
            y = bottom + part * (top - bottom)
            shapes.append(LineString([(left, y), ((left + right) / 2, y), (right, y)]))
    _frame(path, base, shapes, value=[float(n + 1) for n in range(count)])


def _outlines(spec: Mapping[str, Any], base: Brought, path: Path) -> None:
    import rasterio
    from rasterio.features import shapes as traced
    from shapely.geometry import shape

    mask = _truth(spec, base).astype(np.uint8)
    with rasterio.open(base.path) as source:
        found = [shape(each) for each, value in traced(mask, mask > 0, transform=source.transform) if value]
    found = sorted(found, key=lambda each: -each.area)[: int(spec.get("most", 40))]
    if not found:
        raise WorkflowError(f"The scene has no {spec['of']}.")
    _frame(path, base, found, value=[float(n + 1) for n in range(len(found))])


_MAKERS: Mapping[str, Callable[[Mapping[str, Any], Brought, Path], None]] = {
    "zones": _zones,
    "points": _points,
    "lines": _lines,
    "outlines": _outlines,
    "heights": _heights,
    "thermal": _thermal,
    "classes": _classes,
    "cover": _cover,
}
_VECTORS = ("zones", "points", "lines", "outlines")

__all__ = ["REAL", "available", "bring"]
