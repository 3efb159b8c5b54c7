"""Selected images and their records: pages of them are found first, and read whole only then."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import pandas as pd

from data.catalogue import grouping
from data.catalogue.base import Bbox, CatalogueError, Selection
from data.catalogue.dialect import Params
from data.catalogue.fields import COLUMN_KINDS, READ_ONLY_COLUMNS, common_kind, property_key
from data.catalogue.geo import haversine_sql, km_of_haversine
from data.catalogue.records import plain, properties_of
from data.catalogue.scanning import Scanning
from data.schema import IMAGES, DatasetInfo

MOST_LISTED = 200
"""Most rows that are asked for one by one; of more, what lies between the first and the last is looked at."""
POINT_COLUMNS = (
    "image_id", "dataset", "name", "lon", "lat", "west", "south", "east", "north", "footprint", "acquired",
)  # fmt: skip
Order = tuple[tuple[str, Literal["asc", "desc"]], ...]


class Reading(Scanning):
    """rows, points, images_near and image."""

    def rows(
        self,
        selection: Selection,
        columns: tuple[str, ...] | None = None,
        order_by: Order = (),
        limit: int = 100,
        offset: int = 0,
    ) -> pd.DataFrame:
        """Selected images in a total order: nulls last, ties by image_id. Properties are columns too."""
        infos = self._chosen(selection)
        names = columns if columns is not None else self._all_columns(infos)
        for name in names:
            if name not in READ_ONLY_COLUMNS:
                self._check_field(name, also=READ_ONLY_COLUMNS)
        if names and all(name in COLUMN_KINDS for name in names):
            return self._rows_in_memory(selection, names, order_by, limit, offset)
        return self._read(self._numbers(selection, order_by, limit, offset), names)

    def _rows_in_memory(
        self, selection: Selection, names: tuple[str, ...], order_by: Order, limit: int, offset: int
    ) -> pd.DataFrame:
        """As `rows`, in one statement: for columns that need no look into the records."""
        columns = tuple(
            dict.fromkeys(name for name in names if name not in ("dataset", "image_num", "image_id"))
        )
        page, params = self._page_sql(selection, order_by, limit, offset, columns)
        if page is None:
            return pd.DataFrame(columns=list(names))
        outside = ", ".join("ds AS dataset" if name == "dataset" else name for name in names)
        return self._frame(f"SELECT {outside} FROM ({page}) AS page", params)

    def points(self, selection: Selection, bbox: Bbox | None = None, limit: int = 5000) -> pd.DataFrame:
        """What the map draws of the selected rows in `bbox`, by data set and number."""
        kept = tuple(name for name in POINT_COLUMNS if name not in ("dataset", "footprint"))
        sql, params = self._union(
            selection,
            lambda info, params: f"{self._name(info, params)} AS dataset, image_num, {', '.join(kept)}",
            bbox=bbox,
        )
        if sql is None:
            return pd.DataFrame(columns=list(POINT_COLUMNS))
        page = f"SELECT * FROM ({sql}) AS parts ORDER BY dataset, image_num LIMIT {params.add(limit)}"
        rows = [tuple(map(plain, row)) for row in self._fetch(page, params)]
        footprints = self._read([row[:2] for row in rows], ("footprint",))
        frame = pd.DataFrame(rows, columns=["dataset", "image_num", *kept])
        return frame.assign(footprint=footprints["footprint"])[list(POINT_COLUMNS)]

    def images_near(self, selection: Selection, lon: float, lat: float, limit: int = 10) -> pd.DataFrame:
        """Selected images whose box holds the point (smallest first), else the nearest; with distance_km."""
        holds = (
            "(south <= {lat} AND north >= {lat} AND CASE WHEN west <= east THEN west <= {lon} AND"
            " east >= {lon}"
            " ELSE west <= {lon} OR east >= {lon} END)"
        )

        def branch(info: DatasetInfo, params: Params) -> str:
            inside = holds.format(lon=params.add(float(lon)), lat=params.add(float(lat)))
            area = (
                f"CASE WHEN {inside} THEN (north - south) * (east - west + CASE WHEN west >"
                f" east THEN 360 ELSE 0 END) END"
            )
            return (
                f"{self._name(info, params)} AS ds, image_num, image_id, {area} AS area,"
                f" {haversine_sql(lon, lat, params)} AS far"
            )

        sql, params = self._union(selection, branch)
        if sql is None:
            return pd.DataFrame(columns=[*POINT_COLUMNS, "distance_km"])
        page = (
            f"SELECT ds, image_num, area, far FROM ({sql}) AS parts"
            f" ORDER BY area ASC NULLS LAST, far, image_id LIMIT {params.add(limit)}"
        )
        found = self._fetch(page, params)
        if found and found[0][2] is not None:
            found = [row for row in found if row[2] is not None]
        frame = self._read([(ds, num) for ds, num, _, _ in found], POINT_COLUMNS)
        frame["distance_km"] = [km_of_haversine(row[3]) for row in found]
        return frame

    def image(self, image_id: str) -> dict[str, Any] | None:
        """One image's record: every column, properties as a dict, `classes` and `class_counts`."""
        located = self._locate(image_id)
        if located is None:
            return None
        info, number = located
        names = [name for name in IMAGES.names if name != "class_words"]
        row = next(row for row in self._stored(info, [number], names) if row[0] == number)[1:]
        record = {name: plain(value) for name, value in zip(names, row, strict=True)}
        record["properties"] = properties_of(record["properties"])
        words = self._class_word_counts_of(info, number)
        record["classes"] = sorted(grouping.images_by_class(info, words, "class", None))
        counts = self._class_counts_of(info, number) if info.detections else {}
        record["class_counts"] = dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
        return record

    def _class_word_counts_of(self, info: DatasetInfo, number: int) -> list[tuple[Any, ...]]:
        words = self._words(info)
        if not words:
            return []
        params = Params(self.dialect.prefix)
        return self._fetch(
            f"SELECT 1, {words} FROM {self._source(info, ())} AS r WHERE image_num = {params.add(number)}",
            params,
        )

    def _class_counts_of(self, info: DatasetInfo, number: int) -> dict[str, int]:
        params = Params(self.dialect.prefix)
        sql = (
            f"SELECT class_id, count(*) FROM {self._boxes(info)} AS boxes WHERE image_num ="
            f" {params.add(number)} GROUP BY class_id"
        )
        return grouping.by_label(info, {int(c): int(n) for c, n in self._fetch(sql, params)}, "class", None)

    def _numbers(
        self, selection: Selection, order_by: Order, limit: int, offset: int
    ) -> list[tuple[Any, ...]]:
        """(data set, image_num) of one page."""
        page, params = self._page_sql(selection, order_by, limit, offset)
        return [] if page is None else [row[:2] for row in self._fetch(page, params)]

    def _page_sql(
        self, selection: Selection, order_by: Order, limit: int, offset: int, columns: tuple[str, ...] = ()
    ) -> tuple[str | None, Params]:
        """One page's ds, image_num, image_id and `columns`, in order."""
        infos = self._chosen(selection)
        for field, direction in order_by:
            self._check_field(field)
            if direction not in ("asc", "desc"):
                raise CatalogueError(f"There is no order {direction!r}; there are asc and desc.")

        def branch(info: DatasetInfo, params: Params) -> str:
            keys = [
                f"{self._key(info, field, common_kind(infos, field) or 'text', params)} AS k{i}"
                for i, (field, _) in enumerate(order_by)
            ]
            return ", ".join([f"{self._name(info, params)} AS ds", "image_num", "image_id", *columns, *keys])

        sql, params = self._union(selection, branch, *(field for field, _ in order_by))
        if sql is None:
            return None, params
        order = "".join(f"k{i} {way.upper()} NULLS LAST, " for i, (_, way) in enumerate(order_by))
        page = (
            f"SELECT * FROM ({sql}) AS parts ORDER BY {order}image_id"
            f" LIMIT {params.add(max(0, limit))} OFFSET {params.add(max(0, offset))}"
        )
        return page, params

    def _read(self, numbers: list[tuple[Any, ...]], columns: tuple[str, ...]) -> pd.DataFrame:
        """The named columns of (data set, image_num) pairs, in their order."""
        infos = {info.name: info for info in self.datasets()}
        wanted: dict[str, list[int]] = {}
        for name, number in numbers:
            wanted.setdefault(name, []).append(number)
        found: dict[tuple[str, int], tuple[Any, ...]] = {}
        for name, chosen in wanted.items():
            found.update(self._read_dataset(infos[name], chosen, columns))
        return pd.DataFrame([found[(name, number)] for name, number in numbers], columns=list(columns))

    def _read_dataset(
        self, info: DatasetInfo, numbers: list[int], columns: tuple[str, ...]
    ) -> dict[tuple[str, int], tuple[Any, ...]]:
        from_rows = [c for c in columns if c in IMAGES.names and c != "properties"]
        keys = [c for c in columns if c not in IMAGES.names]
        stored = [*from_rows, *(["properties"] if keys or "properties" in columns else [])]
        asked = set(numbers)
        found = {}
        for number, *values in self._stored(info, numbers, stored):
            if number in asked:
                record = dict(zip(stored, map(plain, values), strict=True))
                record["properties"] = properties = properties_of(record.get("properties"))
                found[(info.name, number)] = tuple(
                    record.get(c) if c in IMAGES.names else properties.get(property_key(c)) for c in columns
                )
        return found

    def _stored(self, info: DatasetInfo, numbers: list[int], columns: Sequence[str]) -> list[tuple[Any, ...]]:
        """(image_num, columns of IMAGES) of the rows of those numbers, and maybe of others."""
        in_memory = all(c in COLUMN_KINDS and c != "dataset" for c in columns)
        source = self._source(info, ()) if in_memory else self._records(info)
        return self._numbered(source, numbers, columns)

    def _numbered(self, source: str, numbers: list[int], columns: Sequence[str]) -> list[tuple[Any, ...]]:
        params = Params(self.dialect.prefix)
        listed = ", ".join(params.add(n) for n in numbers) if len(numbers) <= MOST_LISTED else None
        test = (
            f"image_num IN ({listed})"
            if listed
            else f"image_num BETWEEN {params.add(min(numbers))} AND {params.add(max(numbers))}"
            f" AND image_num IN (SELECT unnest(CAST({params.add(numbers)} AS INTEGER[])))"
        )
        select = ", ".join(["image_num", *(f"{c} AS c{i}" for i, c in enumerate(columns))])
        return self._fetch(f"SELECT {select} FROM {source} AS r WHERE {test}", params)
