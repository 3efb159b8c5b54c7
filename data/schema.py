"""The catalogue's tables: what every reader writes and every query reads.

A catalogue is a folder with one sub-folder per data set::

    <catalogue>/<dataset>/dataset.json       DatasetInfo
    <catalogue>/<dataset>/images.parquet     IMAGES, sorted by image_num
    <catalogue>/<dataset>/detections.parquet DETECTIONS, sorted by image_num (absent when there are none)
    <catalogue>/<dataset>/quicklooks/*.png   for images that come with pixels
    <catalogue>/.private/<owner>/<dataset>/  the same, for what only its owner sees

Longitude and latitude are degrees, WGS84. Times are UTC without a zone. `class_words` is a bit set:
class `id` sits in word `id // 62`, bit `id % 62`, so a test for classes is one AND per word and
never a join. A row whose box crosses the antimeridian has west > east.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import pyarrow as pa

    IMAGES: pa.Schema
    DETECTIONS: pa.Schema

CLASS_BITS_PER_WORD = 62
RENDERED = "rendered scene, not imagery"
"""What a rendered file says of itself in its tag `source`, and what goes with it wherever it shows."""


def __getattr__(name: str) -> Any:
    """IMAGES and DETECTIONS, made when first asked for: pyarrow takes 0.2 s to load, and a list of tools
    needs no table."""
    if name not in _TABLES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = _TABLES[name]()
    return globals()[name]


def _images() -> pa.Schema:
    import pyarrow as pa

    return pa.schema(
        [
            ("image_num", pa.int32()),  # 0.. within the data set
            ("image_id", pa.string()),  # "<dataset>:<name>", unique over the catalogue
            ("dataset", pa.string()),
            ("kind", pa.string()),  # "image", or "feature" for a row of a vector or a table
            ("name", pa.string()),  # the file name, or the feature's own name
            ("sensor", pa.string()),
            ("modality", pa.string()),  # optical, multispectral, panchromatic, sar; null for features
            ("gsd_m", pa.float64()),  # ground sampling distance, metres
            ("cloud_pct", pa.float64()),  # 0..100; null for SAR and where unknown
            ("acquired", pa.timestamp("us")),
            ("split", pa.string()),  # train, val, test; null where unknown
            ("country", pa.string()),  # ISO 3166-1 alpha-2; null at sea
            ("place", pa.string()),  # the site or city the scene shows
            ("event", pa.string()),  # the disaster, for xView2
            ("lon", pa.float64()),  # centre
            ("lat", pa.float64()),
            ("west", pa.float64()),
            ("south", pa.float64()),
            ("east", pa.float64()),
            ("north", pa.float64()),
            ("footprint", pa.binary()),  # WKB, only where it is not the box above
            ("width_px", pa.int32()),
            ("height_px", pa.int32()),
            ("bands", pa.string()),  # "red,green,blue"
            ("path", pa.string()),  # the raster, for images that come with pixels
            ("quicklook", pa.string()),  # file name in quicklooks/
            ("detections", pa.int32()),  # how many this image has
            ("class_words", pa.list_(pa.int64())),
            ("properties", pa.string()),  # JSON object: what the source had beyond these columns
        ]
    )


def _detections() -> pa.Schema:
    import pyarrow as pa

    return pa.schema(
        [
            ("image_num", pa.int32()),
            ("num", pa.int32()),  # 0.. within the image; the id is "<image_id>/<num>"
            ("class_id", pa.int16()),  # into DatasetInfo.classes
            ("confidence", pa.float32()),  # 0..1; null where the source gives none
            ("length_m", pa.float32()),  # null where the source gives none
            ("lon", pa.float64()),
            ("lat", pa.float64()),
            ("west", pa.float64()),
            ("south", pa.float64()),
            ("east", pa.float64()),
            ("north", pa.float64()),
            ("outline", pa.binary()),  # WKB of an oriented box or polygon, only where it is not the box
        ]
    )


_TABLES = {"IMAGES": _images, "DETECTIONS": _detections}


@dataclass(frozen=True)
class ClassInfo:
    """One class of a data set."""

    id: int
    """0.. within the data set: its bit in `class_words`."""
    name: str
    """As published."""
    groups: tuple[str, ...] = ()
    """Words that also mean it, widest first: ("vehicles", "trucks"), or a 19-class CORINE group."""
    scene: bool = False
    """True for a land-cover or land-use label of the whole image, False for an object class."""


@dataclass(frozen=True)
class DatasetInfo:
    """What dataset.json holds."""

    name: str
    title: str
    description: str
    origin: Literal["sample", "ingested"]
    classes: tuple[ClassInfo, ...]
    images: int
    detections: int
    start: str | None
    """First acquisition day, YYYY-MM-DD; None when no row has a time."""
    end: str | None
    bbox: tuple[float, float, float, float] | None
    """[west, south, east, north] of all rows."""
    sensors: tuple[str, ...] = ()
    modalities: tuple[str, ...] = ()
    gsd_m: tuple[float, float] | None = None
    source: str = ""
    """Where it came from: the seed of the sample, or the ingested path."""
    licence: str = ""
    properties: tuple[tuple[str, str], ...] = ()
    """(name, "number" | "text") of each key found in the rows' `properties`."""
    version: str = ""
    """Digest of the Parquet files: the same rows give the same version."""
    owner: str | None = None
    """Who ingested it over the web; None for what came from the command line, and for the sample."""
    private: bool = False
    """Whether only its owner sees it; the operator's `copilot data share` makes it everybody's."""
