"""What every reader of a label or image format answers, and the rows it yields.

A reader is a value with three parts: a name, `sniff` (how sure it is that a path is its format) and
`read` (the rows). It never writes, never guesses a missing place, and never raises for a bad row:
a bad row is yielded as `Rejected`, and the next row follows. Only a source that cannot be read at
all raises `UnreadableSource`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Literal

import pyarrow as pa

from data.readers.geometry import Extent

STAGED = pa.schema(
    [
        ("key", pa.string()),  # unique within the source: a relative path, an id, a row number
        ("kind", pa.string()),
        ("name", pa.string()),
        ("sensor", pa.string()),
        ("modality", pa.string()),
        ("gsd_m", pa.float64()),
        ("cloud_pct", pa.float64()),
        ("acquired", pa.timestamp("us")),
        ("split", pa.string()),
        ("country", pa.string()),
        ("place", pa.string()),
        ("event", pa.string()),
        ("lon", pa.float64()),
        ("lat", pa.float64()),
        ("west", pa.float64()),
        ("south", pa.float64()),
        ("east", pa.float64()),
        ("north", pa.float64()),
        ("footprint", pa.binary()),
        ("width_px", pa.int32()),
        ("height_px", pa.int32()),
        ("bands", pa.string()),
        ("path", pa.string()),
        ("quicklook", pa.string()),
        ("classes", pa.list_(pa.string())),
        ("properties", pa.string()),
    ]
)
"""Rows on their way into a catalogue: `data.schema.IMAGES` with class names instead of bits."""

JsonValue = str | int | float | bool | None


class UnreadableSource(Exception):
    """A source that cannot be ingested at all, in one sentence for the user."""


class BadRecord(Exception):
    """One record that cannot be used; its text is the reason that the report shows."""


@dataclass(frozen=True)
class Rejected:
    """A row or a file that was left out."""

    file: str
    """Relative to the source."""
    row: int | None
    """1-based row, feature or object within the file; None for the whole file."""
    reason: str


@dataclass(frozen=True)
class Noted:
    """A row that was kept although something about it is missing ("no place")."""

    file: str
    row: int | None
    reason: str


@dataclass(frozen=True)
class Detection:
    """One labelled object of an image."""

    class_name: str
    extent: Extent | None
    """None when the image has no place, so that pixels cannot be turned into degrees."""
    confidence: float | None = None
    length_m: float | None = None


@dataclass(frozen=True)
class ImageRow:
    """One image with what is in it."""

    key: str
    name: str
    extent: Extent | None
    sensor: str | None = None
    modality: Literal["optical", "multispectral", "panchromatic", "sar"] | None = None
    gsd_m: float | None = None
    cloud_pct: float | None = None
    acquired: datetime | None = None
    """UTC, without a zone."""
    split: str | None = None
    place: str | None = None
    event: str | None = None
    width_px: int | None = None
    height_px: int | None = None
    bands: tuple[str, ...] = ()
    path: Path | None = None
    """The raster itself, where it is there."""
    quicklook_png: bytes | None = None
    classes: tuple[str, ...] = ()
    """Labels of the whole scene; those of its detections come with the detections."""
    detections: tuple[Detection, ...] = ()
    properties: dict[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True)
class FeatureBatch:
    """Many rows of a vector file or a table at once; columns as in `STAGED`."""

    table: pa.Table
    property_kinds: tuple[tuple[str, str], ...]
    """(name, "number" | "text") of the keys in `properties`."""


Item = ImageRow | FeatureBatch | Rejected | Noted


@dataclass(frozen=True)
class Reader:
    """One format."""

    name: str
    """What `--format` takes."""
    title: str
    """What a sentence calls it."""
    sniff: Callable[[Path], float]
    """0 (certainly not this format) .. 1 (certainly this format); reads a few kilobytes at most."""
    read: Callable[[Path], Iterator[Item]]
