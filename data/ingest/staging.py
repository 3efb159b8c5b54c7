"""Rows set aside on disk while a source is read, since class lists and doubles are known only at its end."""

from __future__ import annotations

import hashlib
import json
from dataclasses import astuple
from pathlib import Path
from types import TracebackType

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from data.ingest.places import city_at, countries_of
from data.readers.base import STAGED, Detection, FeatureBatch, ImageRow
from data.readers.geometry import Extent

STAGED_DETECTIONS = pa.schema(
    [
        ("image", pa.int64()),  # row number in the staged images
        ("num", pa.int32()),
        ("class_name", pa.string()),
        ("confidence", pa.float32()),
        ("length_m", pa.float32()),
        *((name, pa.float64()) for name in ("lon", "lat", "west", "south", "east", "north")),
        ("outline", pa.binary()),
    ]
)
COUNTED = STAGED.append(pa.field("detections", pa.int32()))
MAX_FEATURE_CLASSES = 2000
"""A column with more distinct values than this holds names, not classes."""
_IMAGES_A_BATCH = 5_000
_DETECTIONS_A_BATCH = 50_000
_NOWHERE = (None,) * 7


class Staging:
    """Two Parquet files, `images` and `detections`, and a folder of quicklooks."""

    def __init__(self, folder: Path) -> None:
        self.images_path = folder / "images.parquet"
        self.detections_path = folder / "detections.parquet"
        self.quicklooks = folder / "quicklooks"
        self.quicklooks.mkdir(parents=True)
        self.rows = 0
        self.detection_rows = 0
        self.object_classes: set[str] = set()
        self.scene_classes: set[str] = set()
        self.feature_classes: set[str] = set()
        self.property_kinds: dict[str, str] = {}
        self._images: list[dict[str, object]] = []
        self._detections: list[tuple[object, ...]] = []
        self._image_writer = pq.ParquetWriter(self.images_path, COUNTED, compression="lz4")
        self._detection_writer = pq.ParquetWriter(self.detections_path, STAGED_DETECTIONS, compression="lz4")

    def __enter__(self) -> Staging:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._flush()
        self._image_writer.close()
        self._detection_writer.close()

    @property
    def too_many_classes(self) -> bool:
        """Whether the features' class column is none."""
        return len(self.feature_classes) > MAX_FEATURE_CLASSES

    def add_image(self, row: ImageRow) -> None:
        """Set one image and its detections aside."""
        names = {detection.class_name for detection in row.detections}
        self.object_classes |= names
        self.scene_classes.update(row.classes)
        self._note_kinds(row)
        quicklook = self._save_quicklook(row)
        self._images.append(_image_record(row, sorted(names.union(row.classes)), quicklook))
        self._detections += [
            _detection_record(self.rows, num, each) for num, each in enumerate(row.detections)
        ]
        self.rows += 1
        self.detection_rows += len(row.detections)
        if len(self._images) >= _IMAGES_A_BATCH or len(self._detections) >= _DETECTIONS_A_BATCH:
            self._flush()

    def add_features(self, batch: FeatureBatch) -> None:
        """Set a batch of features aside."""
        self._flush()
        if not self.too_many_classes:
            self.feature_classes.update(pc.unique(pc.list_flatten(batch.table.column("classes"))).to_pylist())
        for name, kind in batch.property_kinds:
            self._kind(name, kind)
        counts = pa.array([0] * batch.table.num_rows, pa.int32())
        self._write_images(batch.table.append_column(COUNTED.field("detections"), counts))
        self.rows += batch.table.num_rows

    def _note_kinds(self, row: ImageRow) -> None:
        for name, value in row.properties.items():
            if value is not None:
                self._kind(
                    name,
                    "number" if isinstance(value, int | float) and not isinstance(value, bool) else "text",
                )

    def _kind(self, name: str, kind: str) -> None:
        # One text among numbers makes a text of the whole property.
        if self.property_kinds.get(name) != "text":
            self.property_kinds[name] = kind

    def _save_quicklook(self, row: ImageRow) -> str | None:
        if row.quicklook_png is None:
            return None
        # Two images of one name differ by where they lie.
        told = f"{row.key}\0{row.path or ''}"
        name = hashlib.blake2b(told.encode("utf-8", "replace"), digest_size=12).hexdigest() + ".png"
        (self.quicklooks / name).write_bytes(row.quicklook_png)
        return name

    def _flush(self) -> None:
        if self._images:
            self._write_images(pa.Table.from_pylist(self._images, schema=COUNTED))
            self._images = []
        if self._detections:
            columns = zip(*self._detections, strict=True)
            arrays = [
                pa.array(column, field.type) for column, field in zip(columns, STAGED_DETECTIONS, strict=True)
            ]
            self._detection_writer.write_table(pa.table(arrays, schema=STAGED_DETECTIONS))
            self._detections = []

    def _write_images(self, table: pa.Table) -> None:
        index = table.column_names.index("country")
        self._image_writer.write_table(table.set_column(index, COUNTED.field("country"), countries_of(table)))


def _image_record(row: ImageRow, classes: list[str], quicklook: str | None) -> dict[str, object]:
    lon, lat, west, south, east, north, outline = astuple(row.extent) if row.extent else _NOWHERE
    return {
        "key": row.key,
        "kind": "image",
        "name": row.name,
        "sensor": row.sensor,
        "modality": row.modality,
        "gsd_m": row.gsd_m,
        "cloud_pct": row.cloud_pct,
        "acquired": row.acquired,
        "split": row.split,
        "place": row.place or (city_at(lon, lat) if row.extent else None),
        "event": row.event,
        "lon": lon,
        "lat": lat,
        "west": west,
        "south": south,
        "east": east,
        "north": north,
        "footprint": outline,
        "width_px": row.width_px,
        "height_px": row.height_px,
        "bands": ",".join(row.bands) or None,
        "path": str(row.path) if row.path else None,
        "quicklook": quicklook,
        "classes": classes,
        "properties": json.dumps(row.properties, ensure_ascii=False, sort_keys=True),
        "detections": len(row.detections),
    }


def _detection_record(image: int, num: int, each: Detection) -> tuple[object, ...]:
    place: Extent | None = each.extent
    where = (
        (place.lon, place.lat, place.west, place.south, place.east, place.north, place.outline)
        if place
        else _NOWHERE
    )
    return (image, num, each.class_name, each.confidence, each.length_m, *where)
