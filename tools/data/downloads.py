"""An artifact's file in the formats that other programs read: what there are, and the writing of one.

What a conversion writes goes to the path that it is given, and never into the session. Cells of CSV files
and workbooks that a spreadsheet would run as a formula are made harmless.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from state.model import Artifact, Layer, State
from tools.artifacts import FEATURES
from tools.base import ToolError
from tools.data.flattening import NAME_BYTES, free_name, names_apart, pack
from tools.map.files import VECTOR_SUFFIXES, stored_vector
from tools.map.rasters import layer_look
from tools.phrases import one_line
from tools.reviews import reviews_of

if TYPE_CHECKING:
    import geopandas as gpd
    import pandas as pd

MAX_FEATURES = 1_000_000
"""Features that are converted at once, in memory."""
MAX_VECTOR_BYTES = 500_000_000
MAX_PICTURE_PX = 4096
"""The longer side of a raster's picture."""
_PAGE_ROWS = 20_000


@dataclass(frozen=True)
class Format:
    """One way to take an artifact away."""

    name: str
    title: str
    suffix: str
    media_type: str


_CSV = Format("csv", "CSV", ".csv", "text/csv; charset=utf-8")
_JSON = Format("json", "JSON", ".json", "application/json")
_XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_PNG = Format("png", "PNG", ".png", "image/png")
_GEOTIFF = "image/tiff; application=geotiff"
RASTER = (
    Format("cog", "Cloud-optimised GeoTIFF", ".tif", f"{_GEOTIFF}; profile=cloud-optimized"),
    Format("geotiff", "GeoTIFF", ".tif", _GEOTIFF),
    Format("png", "PNG, as it looks on the map", ".png", "image/png"),
)
VECTOR = (
    Format("geojson", "GeoJSON", ".geojson", "application/geo+json"),
    Format("geoparquet", "GeoParquet", ".parquet", "application/vnd.apache.parquet"),
    Format("geopackage", "GeoPackage", ".gpkg", "application/geopackage+sqlite3"),
    _CSV,
    Format("shapefile", "Shapefile, zipped", ".shp.zip", "application/zip"),
)
_IN_DEGREES = ("geojson", "csv")
TABLE = (
    _CSV,
    Format("xlsx", "Excel workbook", ".xlsx", _XLSX),
    Format("parquet", "Parquet", ".parquet", "application/vnd.apache.parquet"),
)
# A page of HTML is never shown on the app's own address: its scripts would be the app's.
FIGURE = (Format("html", "HTML page", ".html", "application/octet-stream"), _PNG, _JSON)


def formats(artifact: Artifact, path: Path) -> tuple[Format, ...]:
    """The formats that an artifact can be had in, the most useful first; none for one that is as it is."""
    if artifact.kind == "raster":
        return RASTER
    if artifact.kind in FEATURES and path.suffix in VECTOR_SUFFIXES:
        return VECTOR
    if artifact.kind == "table" and path.suffix == ".parquet":
        return TABLE
    if artifact.kind == "figure" and path.suffix == ".json":
        return FIGURE if _draws_figures() else tuple(each for each in FIGURE if each is not _PNG)
    return ()


def format_named(artifact: Artifact, path: Path, name: str) -> Format:
    """The format of that name. Raises ToolError with those that there are."""
    there = formats(artifact, path)
    found = next((each for each in there if each.name == name.lower()), None)
    if found is not None:
        return found
    known = ", ".join(each.name for each in there) or f"none but its own ({path.suffix.lstrip('.')})"
    why = ""
    if artifact.kind == "figure" and name.lower() == "png":
        why = "; a PNG needs kaleido and a browser, which are not installed"
    raise ToolError(f"{artifact.id} cannot be had as {name[:40]!r}; its formats are {known}{why}.")


def write_as(state: State, artifact: Artifact, path: Path, wanted: Format, target: Path) -> None:
    """Write an artifact's file in a format. Raises ToolError when that cannot be done."""
    from pyogrio.errors import DataLayerError, DataSourceError, FeatureError, FieldError, GeometryError

    from data.raster.errors import RasterError

    try:
        if artifact.kind == "raster":
            _raster(state, artifact, path, wanted, target)
        elif artifact.kind in FEATURES:
            _WRITERS[wanted.name](_features(state, artifact, path, wanted), target)
        elif artifact.kind == "table":
            _table(artifact, path, wanted, target)
        else:
            _figure(artifact, path, wanted, target)
    except RasterError as error:
        raise ToolError(str(error)) from error
    except (DataLayerError, DataSourceError, FeatureError, FieldError, GeometryError) as error:
        reason = one_line(str(error).splitlines()[0])[:160] if str(error) else type(error).__name__
        raise ToolError(f"{artifact.name} cannot be had as {wanted.name}: {reason}.") from error


def _raster(state: State, artifact: Artifact, path: Path, wanted: Format, target: Path) -> None:
    from data.raster.formats import FORMATS, convert, to_cog
    from data.raster.looks import Look, plain_picture
    from data.raster.tiles import png

    if wanted.name == "cog":
        to_cog(path, target, tags={})
    elif wanted.name == "geotiff" and path.suffix.lower() in (".tif", ".tiff"):
        shutil.copyfile(path, target)
    elif wanted.name == "geotiff":
        convert(path, target, FORMATS["geotiff"])
    else:
        layer = _layer_of(state, artifact)
        look = Look() if layer is None else layer_look(layer)
        target.write_bytes(png(plain_picture(path, look, MAX_PICTURE_PX)))


def _layer_of(state: State, artifact: Artifact) -> Layer | None:
    return next((each for each in reversed(state.map.layers) if each.artifact == artifact.id), None)


def _features(state: State, artifact: Artifact, path: Path, wanted: Format) -> gpd.GeoDataFrame:
    """All the features, in degrees for what names no system; detections with what was said of them."""
    frame = stored_vector(path) if path.stat().st_size <= MAX_VECTOR_BYTES else None
    if frame is None or len(frame) > MAX_FEATURES:
        raise ToolError(
            f"{path.name} is too large to be converted here (over {MAX_VECTOR_BYTES // 10**6:,} MB or "
            f"{MAX_FEATURES:,} features); take the file as it is."
        )
    if artifact.kind == "detections":
        from data.vision.reviews import joined

        frame = joined(frame, reviews_of(state, lambda wanted: _beside(path, wanted), artifact.id))
    if frame.crs is None:
        return frame.set_crs("EPSG:4326")
    return frame.to_crs("EPSG:4326") if wanted.name in _IN_DEGREES and frame.crs != "EPSG:4326" else frame


def _beside(path: Path, artifact_id: str) -> Path | None:
    """The file of another artifact of the same session."""
    return next(iter(sorted(path.parent.glob(f"{artifact_id}.*"))), None)


def geojson_bytes(frame: gpd.GeoDataFrame) -> bytes:
    """Features as GeoJSON (RFC 7946), as a download of them is written."""
    if frame.crs is not None and frame.crs != "EPSG:4326":
        frame = frame.to_crs("EPSG:4326")
    with tempfile.TemporaryDirectory(prefix="azimuth-geojson-") as folder:
        path = Path(folder) / "features.geojson"
        _geojson(frame, path)
        return path.read_bytes()


def _geojson(frame: gpd.GeoDataFrame, target: Path) -> None:
    # RFC 7946: degrees, longitude first, and what crosses the antimeridian cut there.
    _flat(frame).to_file(target, driver="GeoJSON", engine="pyogrio", RFC7946="YES")


def _geoparquet(frame: gpd.GeoDataFrame, target: Path) -> None:
    frame.to_parquet(target, index=False)


def _geopackage(frame: gpd.GeoDataFrame, target: Path) -> None:
    flat = _flat(frame)
    names = [str(each) for each in flat.columns.drop(flat.geometry.name)]
    taken = {each.casefold() for each in names}
    # The file's own columns of row numbers and of shapes give way to the user's.
    options = {"FID": free_name("fid", taken), "GEOMETRY_NAME": free_name("geom", taken)}
    flat = flat.rename(columns=names_apart(names))
    flat.to_file(target, driver="GPKG", engine="pyogrio", layer="features", layer_options=options)


def _vector_csv(frame: gpd.GeoDataFrame, target: Path) -> None:
    """The geometry as WKT, in the column `geometry`."""
    from tools.data.exports import write_csv

    plain = _flat(frame)
    table = plain.drop(columns=plain.geometry.name).assign(
        geometry=plain.geometry.to_wkt(rounding_precision=7)
    )
    write_csv(target, [table], [])


def _shapefile(frame: gpd.GeoDataFrame, target: Path) -> None:
    """A zip of shapefiles, one for each kind of geometry: a shapefile holds one kind only."""
    kinds = frame.geometry.geom_type.str.removeprefix("Multi").replace("LinearRing", "LineString")
    most = kinds.mode()
    kinds = kinds.fillna(most.iloc[0] if len(most) else "Polygon")  # a row without a place
    flat = _flat(frame)
    flat = flat.rename(
        columns=names_apart([str(each) for each in flat.columns.drop(flat.geometry.name)], NAME_BYTES)
    )
    folder = target.with_name(f"{target.name}.parts")
    folder.mkdir()
    try:
        several = kinds.nunique() > 1
        for kind in sorted(kinds.unique()):
            name = f"features_{kind.lower()}" if several else "features"
            flat[(kinds == kind).to_numpy()].to_file(
                folder / f"{name}.shp", engine="pyogrio", ENCODING="UTF-8"
            )
        if not len(frame):
            flat.to_file(folder / "features.shp", engine="pyogrio", geometry_type="Polygon", ENCODING="UTF-8")
        pack(folder, target)
    finally:
        shutil.rmtree(folder)


_WRITERS: dict[str, Callable[[gpd.GeoDataFrame, Path], None]] = {
    "geojson": _geojson,
    "geoparquet": _geoparquet,
    "geopackage": _geopackage,
    "csv": _vector_csv,
    "shapefile": _shapefile,
}


def _flat(frame: gpd.GeoDataFrame) -> gpd.GeoDataFrame:
    """Features whose properties are plain: lists and the like as JSON, bytes left out."""
    from tools.tables import plain_value

    changed: dict[str, Any] = {}
    for name in frame.columns.drop(frame.geometry.name):
        values = frame[name]
        if values.dtype == object:
            first = next((value for value in values if value is not None), None)
            if isinstance(first, (bytes, bytearray)):
                continue
            if not isinstance(first, str):
                values = values.map(lambda value: _text(plain_value(value)))
        changed[str(name)] = values
    import geopandas as gpd

    return gpd.GeoDataFrame(changed, geometry=frame.geometry, crs=frame.crs, index=frame.index)


def _text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (list, dict)) else str(value)


def _table(artifact: Artifact, path: Path, wanted: Format, target: Path) -> None:
    from tools.data.exports import write_csv
    from tools.data.spreadsheets import MAX_SHEET_ROWS, write_xlsx

    rows, pages = _pages(path)
    if wanted.name == "parquet":
        shutil.copyfile(path, target)
    elif wanted.name == "csv":
        write_csv(target, pages, [])
    elif rows > MAX_SHEET_ROWS:
        raise ToolError(
            f"There are {rows:,} rows, and a workbook is written of {MAX_SHEET_ROWS:,} at most; take CSV."
        )
    else:
        write_xlsx(target, pages, {"table": artifact.name, "made_by": artifact.made_by, "rows": rows})


def _pages(path: Path) -> tuple[int, Iterator[pd.DataFrame]]:
    """How many rows a table has, and the rows some at a time; one empty page of none."""
    import pyarrow.parquet as pq

    file = pq.ParquetFile(path)
    rows = int(file.metadata.num_rows)
    if not rows:
        return 0, iter([file.read().to_pandas()])
    return rows, (batch.to_pandas() for batch in file.iter_batches(batch_size=_PAGE_ROWS))


def _figure(artifact: Artifact, path: Path, wanted: Format, target: Path) -> None:
    import plotly.io as pio

    text = path.read_text(encoding="utf-8")
    if wanted.name == "json":
        target.write_text(text, encoding="utf-8")
        return
    figure = pio.from_json(text)
    if wanted.name == "png":
        figure.write_image(target, width=1400, height=900)
    else:  # plotly itself inside, so that the page opens without a network
        page = pio.to_html(figure, include_plotlyjs=True, full_html=True, div_id=artifact.id)
        target.write_text(page, encoding="utf-8")


def _draws_figures() -> bool:
    """Whether figures can be drawn as pictures here."""
    browser = any(shutil.which(name) for name in ("google-chrome", "chromium", "chromium-browser", "chrome"))
    return find_spec("kaleido") is not None and browser
