"""What xView3 and SARFish share: a CSV with one vessel a row, gathered by scene.

The two flags become the four classes of `data.vocabulary`; an empty flag means unknown. The words
of the confidence column become 0.3, 0.6 and 0.9, so that they can be compared and filtered.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from data.readers.base import BadRecord, Detection, Noted, Rejected
from data.readers.files import head
from data.readers.geometry import Extent
from data.readers.records import number, text

NEEDED = ("scene_id", "detect_lat", "detect_lon")
EXPECTED = ("vessel_length_m", "is_vessel", "is_fishing", "distance_from_shore_km", "confidence", "source")
CONFIDENCE = {"LOW": 0.3, "MEDIUM": 0.6, "HIGH": 0.9}
_TRUE, _FALSE = frozenset({"true", "1", "1.0", "t", "yes"}), frozenset({"false", "0", "0.0", "f", "no"})


@dataclass
class Scene:
    """The vessels of one scene, as they come in."""

    first: dict[str, str]
    """The scene's first row, for what holds for all its rows."""
    detections: list[Detection] = field(default_factory=list)


def columns_of(path: Path) -> tuple[str, ...]:
    """The header's column names, in lower case."""
    lines = head(path).splitlines()
    return tuple(cell.strip().lower() for cell in next(csv.reader(lines[:1]), []))


def missing(columns: Sequence[str], file: str, expected: Sequence[str]) -> Iterator[Noted]:
    """A note that says which of the usual columns are not there."""
    absent = [name for name in expected if name not in columns]
    if absent:
        yield Noted(file, None, f"columns not in the table, and so unknown: {', '.join(absent)}")


def gather(
    path: Path, file: str, scenes: dict[tuple[str, ...], Scene], by: Sequence[str]
) -> Iterator[Rejected]:
    """Read a table's rows into `scenes`, keyed by the columns `by`; what is no detection is rejected."""
    for row, record in records(path, file):
        if isinstance(record, Rejected):
            yield record
            continue
        if not record.get("scene_id"):
            yield Rejected(file, row, "the row has no scene_id")
            continue
        key = tuple(record.get(name, "") for name in by)
        scene = scenes.setdefault(key, Scene(record))
        try:
            scene.detections.append(_vessel(record))
        except BadRecord as error:
            yield Rejected(file, row, str(error))


def records(path: Path, file: str) -> Iterator[tuple[int, dict[str, str] | Rejected]]:
    """(row number, record with keys in lower case) of a CSV."""
    columns = columns_of(path)
    if not columns:
        raise BadRecord("the file is empty")
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as stream:
        reader = csv.reader(stream)
        next(reader, None)
        try:
            for row, cells in enumerate(reader, start=1):
                if not cells:
                    continue
                if len(cells) != len(columns):
                    reason = f"{len(cells)} columns where the header has {len(columns)}"
                    yield row, Rejected(file, row, reason)
                else:
                    yield row, dict(zip(columns, (cell.strip() for cell in cells), strict=True))
        except csv.Error as error:
            raise BadRecord(f"the table cannot be read on: {error}") from None


def _vessel(record: dict[str, str]) -> Detection:
    lon, lat = number(record["detect_lon"]), number(record["detect_lat"])
    if lon is None or lat is None:
        raise BadRecord("detect_lon or detect_lat is not a number")
    if abs(lat) > 90 or abs(lon) > 180:
        raise BadRecord(f"detect_lon {lon:g}, detect_lat {lat:g} is not on the globe")
    confidence = record.get("confidence", "")
    return Detection(
        class_name=vessel_class(record.get("is_vessel", ""), record.get("is_fishing", "")),
        extent=Extent(lon, lat, lon, lat, lon, lat),
        confidence=CONFIDENCE.get(confidence.upper(), number(confidence)),
        length_m=number(record.get("vessel_length_m")),
    )


def vessel_class(is_vessel: str, is_fishing: str) -> str:
    """The class that the two flags make: see `data.vocabulary.published.VESSEL_CLASSES`."""
    vessel, fishing = is_vessel.lower(), is_fishing.lower()
    if vessel in _FALSE:
        return "non-vessel"
    if fishing in _TRUE:
        return "fishing vessel"
    return "non-fishing vessel" if fishing in _FALSE else "vessel"


def split_of_scene(scene: dict[str, str]) -> str | None:
    """From a partition column, else from the letter that xView3 ends its scene ids with."""
    partition = (text(scene.get("partition")) or "").lower()
    if partition:
        return {"validation": "val", "public": "test"}.get(partition, partition)
    return {"t": "train", "v": "val", "p": "test"}.get(scene["scene_id"][-1:])
