"""The catalogue's answers in SQL that DuckDB and PostgreSQL both speak."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from data.catalogue import grouping
from data.catalogue.base import Bbox, Cell, Selection
from data.catalogue.cells import cells_of_rows, cells_sql
from data.catalogue.counting import Counting
from data.catalogue.detecting import DETECTION_COLUMNS, Detecting
from data.catalogue.fields import COLUMN_KINDS, Kind, common_kind
from data.catalogue.geo import narrowest_bbox
from data.catalogue.reading import Reading
from data.catalogue.records import plain


def _extremes_sql() -> str:
    """How far the boxes reach: in -180..180 (a, b), in 0..360 (c, d), and north-south (e, f).

    A box that leaves a framing on one side and comes back on the other fills it.
    """
    shifted_west, shifted_east = (
        f"CASE WHEN {side} < 0 THEN {side} + 360 ELSE {side} END" for side in ("west", "east")
    )
    sides = (
        "min(CASE WHEN west > east THEN -180 ELSE west END) AS a",
        "max(CASE WHEN west > east THEN 180 ELSE east END) AS b",
        f"min(CASE WHEN {shifted_west} > {shifted_east} THEN 0 ELSE {shifted_west} END) AS c",
        f"max(CASE WHEN {shifted_west} > {shifted_east} THEN 360 ELSE {shifted_east} END) AS d",
        "min(south) AS e",
        "max(north) AS f",
    )
    return ", ".join(sides)


_EXTREMES = _extremes_sql()


class SqlCatalogue(Counting, Reading, Detecting):
    """Everything of `Catalogue` that does not depend on the engine."""

    def cells(self, selection: Selection, bbox: Bbox, zoom: float, limit: int = 2000) -> list[Cell]:
        """Web-Mercator grid aggregate for a viewport; coarser cells rather than more than `limit` of them.

        A cell's `bbox` is the box around its rows' centres. Largest first.
        """
        sql, params = self._union(selection, lambda info, params: "lon, lat", bbox=bbox)
        if sql is None:
            return []
        return cells_of_rows(self._fetch(cells_sql(sql, zoom, params), params), limit)

    def raster(self, image_id: str) -> Path | None:
        """Where an image's own raster was when it was ingested; None for one without."""
        located = self._locate(image_id)
        if located is None:
            return None
        info, number = located
        path = next(row[1] for row in self._stored(info, [number], ["path"]) if row[0] == number)
        return Path(path) if path else None

    def bounds(self, selection: Selection) -> Bbox | None:
        """The smallest box that holds the selected footprints' boxes; None when nothing is selected."""
        sql, params = self._union(selection, lambda info, params: _EXTREMES, "west", "south", "east", "north")
        if sql is None:
            return None
        row = self._fetch(
            f"SELECT min(a), max(b), min(c), max(d), min(e), max(f) FROM ({sql}) AS parts", params
        )[0]
        if row[0] is None:
            return None
        return narrowest_bbox((row[0], row[1]), (row[2], row[3]), row[4], row[5])

    def values(self, field: str, selection: Selection | None = None, limit: int = 200) -> list[Any]:
        """Distinct values of a field, sorted, without null; class and group names for "class" and "group"."""
        selection = selection or Selection()
        if field in ("class", "group", *grouping.DERIVED):
            labels = (label for label, _ in self.count_by(selection, field, limit=10**9))
            return sorted(label for label in labels if label != grouping.UNKNOWN)[:limit]
        infos = self._chosen(selection)
        self._check_field(field, also=("class", "group", *grouping.DERIVED))
        kind = common_kind(infos, field) or "text"
        sql, params = self._union(
            selection, lambda info, params: f"{self._key(info, field, kind, params)} AS v", field
        )
        if sql is None:
            return []
        page = (
            f"SELECT DISTINCT v FROM ({sql}) AS parts WHERE v IS NOT NULL ORDER BY v LIMIT"
            f" {params.add(limit)}"
        )
        return [plain(value) for (value,) in self._fetch(page, params)]

    def field_type(self, field: str) -> Kind | None:
        """What kind of values a column or property has; None when no data set has it."""
        if field in COLUMN_KINDS:
            return COLUMN_KINDS[field]
        return common_kind(self.datasets(), field)

    def columns(self, dataset: str | None = None) -> list[dict[str, Any]]:
        """[{table, column, type, min, max, example}] over one data set, or all."""
        selection = Selection(datasets=(dataset,) if dataset else ())
        infos = self._chosen(selection)
        keys = dict.fromkeys(key for info in infos for key, _ in info.properties if key not in COLUMN_KINDS)
        found = []
        for field in (*COLUMN_KINDS, *keys):
            kind = common_kind(infos, field) or COLUMN_KINDS.get(field, "text")
            found.append(
                {"table": "images", "column": field, "type": kind, **self._extremes(selection, field, kind)}
            )
        kinds = {"detection_id": "text", "image_id": "text", "dataset": "text", "class_name": "text"}
        for name in DETECTION_COLUMNS[:-1]:
            kind_name = kinds.get(name, "number")
            found.append(
                {
                    "table": "detections",
                    "column": name,
                    "type": kind_name,
                    "min": None,
                    "max": None,
                    "example": None,
                }
            )
        return found

    def _extremes(self, selection: Selection, field: str, kind: Kind) -> dict[str, Any]:
        sql, params = self._union(
            selection,
            lambda info, params: "min({0}) AS a, max({0}) AS b".format(self._key(info, field, kind, params)),
            field,
        )
        if sql is None:
            return {"min": None, "max": None, "example": None}
        low, high = self._fetch(f"SELECT min(a), max(b) FROM ({sql}) AS parts", params)[0]
        return {"min": plain(low), "max": plain(high), "example": plain(low)}
