"""The record of an image, and pages of the selection's rows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Literal

import pandas as pd

from copilot.messages import later, number, t
from copilot.view.rendered import Figure, figures
from data.catalogue.base import Catalogue
from data.profiles import nested_text
from state.model import State
from tools.selection import selection_of

PAGE_ROWS = 50
COLUMNS = (
    "image_id", "name", "dataset", "acquired", "place", "country", "sensor", "modality", "gsd_m",
    "cloud_pct", "detections", "split", "event",
)  # fmt: skip
TITLES = {
    "image_id": later("id"),
    "dataset": later("dataset"),
    "place": later("place"),
    "country": later("country"),
    "sensor": later("sensor"),
    "modality": later("modality"),
    "split": later("split"),
    "event": later("event"),
    "name": later("name"),
    "acquired": later("acquired (UTC)"),
    "gsd_m": later("ground sampling distance, m"),
    "cloud_pct": later("clouds, %"),
    "width_px": later("width, px"),
    "height_px": later("height, px"),
    "lon": later("longitude, °"),
    "lat": later("latitude, °"),
    "detections": later("detections"),
}
COLUMN_TITLES = {
    "name": later("name"),
    "dataset": later("data set"),
    "acquired": later("acquired (UTC)"),
    "place": later("place"),
    "country": later("country"),
    "sensor": later("sensor"),
    "modality": later("modality"),
    "gsd_m": later("GSD, m"),
    "cloud_pct": later("clouds, %"),
    "detections": later("objects"),
    "split": later("split"),
    "event": later("event"),
}
"""In a table's head, where room is short."""
_HIDDEN = frozenset(
    {"image_num", "footprint", "class_words", "properties", "quicklook", "class_counts", "classes"}
)
Order = Literal["asc", "desc"]


@dataclass(frozen=True)
class Page:
    """Some rows of the selection."""

    rows: pd.DataFrame
    number: int
    """0.. of `pages`."""
    pages: int
    total: int


def table_page(
    state: State, catalogue: Catalogue, number: int = 0, order_by: str | None = None, order: Order = "asc"
) -> Page:
    """A page of the selected rows, sorted and cut in the catalogue."""
    total = state.database.count
    pages = max(1, math.ceil(total / PAGE_ROWS))
    number = max(0, min(number, pages - 1))
    selection = selection_of(state.database.loaded, state.database.filters)
    ordering = ((order_by, order),) if order_by else ()
    rows = catalogue.rows(selection, COLUMNS, ordering, PAGE_ROWS, number * PAGE_ROWS)
    present = [
        name
        for name in COLUMNS
        if name in rows and (name in ("image_id", "name") or rows[name].notna().any())
    ]
    return Page(rows[present], number, pages, total)


@dataclass(frozen=True)
class Record:
    """An image's record as the page shows it."""

    image_id: str
    title: str
    fields: tuple[tuple[str, str], ...]
    class_counts: tuple[tuple[str, int], ...]
    quicklook: tuple[str, str] | None
    """(data set, file name) where there are pixels."""
    origin: Literal["sample", "ingested"]
    bbox: tuple[float, float, float, float]
    figures: tuple[Figure, ...] = ()
    """Rendered scenes of a sample's record, which has no pixels."""


def image_record(image_id: str, catalogue: Catalogue) -> Record | None:
    """The record of that image; None when the catalogue no longer has it."""
    row = catalogue.image(image_id)
    if row is None:
        return None
    info = next((each for each in catalogue.datasets() if each.name == row["dataset"]), None)
    quicklook = row.get("quicklook")
    return Record(
        image_id=image_id,
        title=str(row.get("name") or image_id),
        fields=tuple(_fields(row)),
        class_counts=_class_counts(row),
        quicklook=(str(row["dataset"]), str(quicklook)) if quicklook else None,
        origin=info.origin if info else "ingested",
        bbox=(row["west"], row["south"], row["east"], row["north"]),
        figures=tuple(figures(catalogue, row)),
    )


def _fields(row: Mapping[str, Any]) -> list[tuple[str, str]]:
    found = [
        (t(TITLES.get(key, key)), value_text(value))
        for key, value in row.items()
        if key not in _HIDDEN and not _missing(value) and key not in ("west", "south", "east", "north")
    ]
    extra = [
        (key, value_text(value))
        for key, value in (row.get("properties") or {}).items()
        if not _missing(value)
    ]
    return [*found, *extra]


def _class_counts(row: Mapping[str, Any]) -> tuple[tuple[str, int], ...]:
    counts = row.get("class_counts") or {}
    pairs = counts.items() if isinstance(counts, Mapping) else counts
    found = sorted(((str(name), int(n)) for name, n in pairs), key=lambda pair: (-pair[1], pair[0]))
    return tuple(found)


def value_text(value: Any) -> str:
    """A value as people read it."""
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%d %H:%M:%S").removesuffix(" 00:00:00")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, bool):
        return t("yes") if value else t("no")
    if isinstance(value, float):
        return number(value, ",.6g")
    if isinstance(value, (list, tuple)):
        return ", ".join(value_text(each) for each in value)
    return nested_text(value) if isinstance(value, dict) else str(value)


def _missing(value: Any) -> bool:
    return value is None or value == "" or (isinstance(value, float) and math.isnan(value)) or value is pd.NaT
