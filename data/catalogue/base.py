"""What a catalogue answers, whichever engine holds it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from data.apart.reader import NOBODYS, Reader
from data.catalogue.whole import SetAside
from data.schema import DatasetInfo

if TYPE_CHECKING:
    import pandas as pd

Bbox = tuple[float, float, float, float]
"""(west, south, east, north) in degrees; west > east crosses the antimeridian."""


@dataclass(frozen=True)
class Attribute:
    """A comparison on one column of images, or on one key of their `properties`."""

    field: str
    op: Literal["=", "!=", "<", "<=", ">", ">=", "in", "contains"]
    value: Any


@dataclass(frozen=True)
class Selection:
    """Which rows are meant. Every part narrows; an absent part does not."""

    datasets: tuple[str, ...] = ()
    start: str | None = None
    """First day, YYYY-MM-DD, UTC, inclusive."""
    end: str | None = None
    """Last day, inclusive (the whole day)."""
    bbox: Bbox | None = None
    """Rows whose centre lies in the box (borders included)."""
    center: tuple[float, float] | None = None
    radius_km: float | None = None
    """With `center`: rows whose centre lies within this great-circle distance."""
    geometry: dict[str, Any] | None = None
    """GeoJSON Polygon or MultiPolygon: rows whose centre it covers."""
    classes: tuple[str, ...] = ()
    """Class names as published, or group words ("vehicles"); case does not matter."""
    match: Literal["any", "all"] = "any"
    attributes: tuple[Attribute, ...] = ()


@dataclass(frozen=True)
class Cell:
    """One aggregate of the map: `count` rows around (lon, lat), the mean of their centres."""

    lon: float
    lat: float
    count: int
    bbox: Bbox


class CatalogueError(Exception):
    """A query that cannot be answered, in one sentence for the user."""


class CatalogueAway(CatalogueError):
    """A query that cannot be answered now, and may be another time: its server or its files are away."""


class DatasetBroke(CatalogueAway):
    """A query that met a broken data set, which is set aside from now on: the query can be made again."""


class Catalogue(Protocol):
    """A catalogue of images and their detections. Safe to use from several threads."""

    def seen_by(self, owner: str | None, *, paths: bool = True) -> Catalogue:
        """The same catalogue in that owner's eyes: their own data sets beside everybody's, and no others.

        Without `paths`, images have the name of their file in place of its path.
        """

    def datasets(self) -> tuple[DatasetInfo, ...]:
        """Every data set that is seen, by name; new ones show without a restart."""

    def set_aside(self) -> tuple[SetAside, ...]:
        """Those that are there and cannot be used, by name: they are not among `datasets`."""

    def count(self, selection: Selection) -> int:
        """How many rows of `images` are selected."""

    def count_by(
        self,
        selection: Selection,
        by: str,
        unit: Literal["images", "detections"] = "images",
        limit: int = 1000,
    ) -> list[tuple[str, int]]:
        """Counts per value of `by`, largest first, ties by name.

        `by` is a column of images, a key of properties, or one of: class, group, dataset, year,
        month (YYYY-MM), season, day, gsd (binned), cloud (binned). With by="class" and unit="images"
        an image counts once for each of its classes; when the selection names classes, only those
        (their members, for a group word) are listed and, with unit="detections", only their detections count.
        """

    def rows(
        self,
        selection: Selection,
        columns: tuple[str, ...] | None = None,
        order_by: tuple[tuple[str, Literal["asc", "desc"]], ...] = (),
        limit: int = 100,
        offset: int = 0,
    ) -> pd.DataFrame:
        """Selected images, in a total order (ties by image_id); properties' keys are columns too."""

    def scan(self, selection: Selection, columns: tuple[str, ...] | None = None) -> Iterator[pd.DataFrame]:
        """All selected images in pages, by data set and image_num: for what reads every row."""

    def image(self, image_id: str) -> dict[str, Any] | None:
        """One image's record: every column, properties as a dict, its class names and class counts."""

    def raster(self, image_id: str) -> Path | None:
        """Where an image's own raster was when it was ingested; None for one without."""

    def images_near(self, selection: Selection, lon: float, lat: float, limit: int = 10) -> pd.DataFrame:
        """Selected images whose box holds the point, else the nearest by great-circle distance."""

    def detections(self, selection: Selection, bbox: Bbox | None = None, limit: int = 5000) -> pd.DataFrame:
        """Detections of the selected images (of the selected classes, where the selection names any):
        detection_id, image_id, dataset, class_name, confidence, length_m, lon, lat, west, south, east,
        north, outline."""

    def image_detections(self, image_id: str, limit: int = 5000) -> pd.DataFrame:
        """The detections of one image, same columns."""

    def cells(self, selection: Selection, bbox: Bbox, zoom: float, limit: int = 2000) -> list[Cell]:
        """Web-Mercator grid aggregate for a viewport: cells of about 64 screen pixels at `zoom`."""

    def points(self, selection: Selection, bbox: Bbox | None = None, limit: int = 5000) -> pd.DataFrame:
        """What the map draws of the selected rows in `bbox`: image_id, dataset, name, lon, lat, west, south,
        east, north, footprint, acquired."""

    def bounds(self, selection: Selection) -> Bbox | None:
        """The smallest box that holds the selected rows' boxes; None when nothing is selected."""

    def values(self, field: str, selection: Selection | None = None, limit: int = 200) -> list[Any]:
        """Distinct values of a field, sorted."""

    def field_type(self, field: str) -> Literal["number", "text", "time"] | None:
        """What kind of values a column or property has; None when no data set has it."""

    def sql(
        self, query: str, max_rows: int = 10_000, timeout_s: float = 10.0, reader: Reader = NOBODYS
    ) -> pd.DataFrame:
        """One read-only SELECT over the views images, detections, datasets, for whom the reader reads.

        Anything else (a second statement, a write, a pragma, a file or network function) is a
        CatalogueError, and so is a value or an answer that is too large to be kept, and passing the limits of
        time and memory.
        """

    def sql_over(
        self,
        query: str,
        layers: Mapping[str, Path],
        folder: Path,
        *,
        crs: str | None,
        metres: str | None,
        max_rows: int,
        timeout_s: float,
        reader: Reader,
    ) -> dict[str, str]:
        """One read-only SELECT over those Parquet files by name, with the catalogue's views beside them.

        See `data.catalogue.layers_sql.select_layers`, which writes the answer into the folder.
        """

    def columns(self, dataset: str | None = None) -> list[dict[str, Any]]:
        """[{table, column, type, min, max, example}] for db_schema."""
