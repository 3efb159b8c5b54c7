"""The catalogue's answers in SQL that DuckDB and PostgreSQL both speak.

A query is one branch per data set, joined with UNION ALL: class ids, properties and dates differ
between data sets, and a data set that cannot match costs nothing. An engine says where a data
set's rows are and runs the text.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any, Literal

import pandas as pd

from data.catalogue import grouping
from data.catalogue.base import Bbox, CatalogueError, Cell, Selection
from data.catalogue.cells import cells_of_rows, cells_sql
from data.catalogue.compile import check_fields, chosen_datasets, conditions, selected_class_ids
from data.catalogue.dialect import Dialect, Params
from data.catalogue.fields import (
    COLUMN_KINDS,
    READ_ONLY_COLUMNS,
    Kind,
    common_kind,
    field_expr,
    field_kind,
    property_key,
    unknown_field,
)
from data.catalogue.geo import haversine_sql, km_of_haversine, narrowest_bbox
from data.catalogue.records import plain, properties_of
from data.schema import IMAGES, DatasetInfo

POINT_COLUMNS = (
    "image_id", "dataset", "name", "lon", "lat", "west", "south", "east", "north", "footprint", "acquired",
)  # fmt: skip
DETECTION_COLUMNS = (
    "detection_id", "image_id", "dataset", "class_name", "confidence", "length_m",
    "lon", "lat", "west", "south", "east", "north", "outline",
)  # fmt: skip
_OUTLINE_COLUMNS = DETECTION_COLUMNS[4:]
Order = tuple[tuple[str, Literal["asc", "desc"]], ...]
Branch = Callable[[DatasetInfo, Params], str]


class SqlCatalogue(ABC):
    """Everything of `Catalogue` that does not depend on the engine."""

    dialect: Dialect

    @abstractmethod
    def datasets(self) -> tuple[DatasetInfo, ...]:
        """Every data set, by name."""

    @abstractmethod
    def _fetch(self, sql: str, params: Params) -> list[tuple[Any, ...]]:
        """Run one statement and return its rows."""

    @abstractmethod
    def _source(self, info: DatasetInfo, fields: Iterable[str]) -> str:
        """A FROM item, without its alias, with a data set's rows: COLUMN_KINDS' columns and the properties among `fields`."""

    @abstractmethod
    def _records(self, info: DatasetInfo) -> str:
        """A FROM item with every column of data.schema.IMAGES of a data set."""

    @abstractmethod
    def _boxes(self, info: DatasetInfo) -> str:
        """A FROM item with the columns of data.schema.DETECTIONS of a data set that has some."""

    @abstractmethod
    def _words(self, info: DatasetInfo) -> str:
        """SQL of a row's class words, as a comma-separated list of `words` columns."""

    # -- counting ---------------------------------------------------------------------------------

    def count(self, selection: Selection) -> int:
        """How many rows of `images` are selected."""
        sql, params = self._union(selection, lambda info, params: "count(*) AS n")
        if sql is None:
            return 0
        return int(self._fetch(f"SELECT sum(n) FROM ({sql}) AS parts", params)[0][0])

    def count_by(
        self,
        selection: Selection,
        by: str,
        unit: Literal["images", "detections"] = "images",
        limit: int = 1000,
    ) -> list[tuple[str, int]]:
        """Counts per value of `by`, largest first, ties by name; rows without a value count as "unknown"."""
        if by in ("class", "group"):
            counts = self._count_by_class(selection, by, unit)
        else:
            counts = self._count_by_field(selection, by, unit)
        return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:limit]

    def _count_by_class(self, selection: Selection, by: str, unit: str) -> dict[str, int]:
        counts: dict[str, int] = {}
        for info in self._chosen(selection):
            wanted = selected_class_ids(selection, info) if selection.classes else None
            if unit == "images":
                words = self._class_word_counts(selection, info)
                found = grouping.images_by_class(info, words, by, wanted)
            else:
                found = grouping.by_label(info, self._detections_by_class(selection, info), by, wanted)
            for label, n in found.items():
                counts[label] = counts.get(label, 0) + n
        return counts

    def _class_word_counts(self, selection: Selection, info: DatasetInfo) -> list[tuple[Any, ...]]:
        words = self._words(info)
        where, params = self._where(selection, info)
        if where is None or not words:
            return []
        source = self._source(info, _fields_of(selection))
        return self._fetch(
            f"SELECT count(*), {words} FROM {source} AS r WHERE {where} GROUP BY {words}", params
        )

    def _detections_by_class(self, selection: Selection, info: DatasetInfo) -> dict[int, int]:
        where, params = self._where(selection, info)
        if where is None or info.detections == 0:
            return {}
        source = self._source(info, _fields_of(selection))
        sql = (
            f"SELECT class_id, count(*) FROM {self._boxes(info)} AS boxes"
            f" WHERE image_num IN (SELECT image_num FROM {source} AS r WHERE {where}) GROUP BY class_id"
        )
        return {int(class_id): int(n) for class_id, n in self._fetch(sql, params)}

    def _count_by_field(self, selection: Selection, by: str, unit: str) -> dict[str, int]:
        infos = self._chosen(selection)
        if by not in grouping.DERIVED:
            self._check_field(by, also=("class", "group", *grouping.DERIVED))
        counts: dict[str, int] = {}
        for info in infos:
            for value, n in self._field_counts(selection, info, by, unit):
                label = grouping.label(by, value)
                counts[label] = counts.get(label, 0) + int(n)
        return {label: n for label, n in counts.items() if n}

    def _field_counts(
        self, selection: Selection, info: DatasetInfo, by: str, unit: str
    ) -> list[tuple[Any, ...]]:
        where, params = self._where(selection, info)
        if where is None:
            return []
        key = grouping.key_sql(info, by, self.dialect, params)
        source = self._source(info, {*_fields_of(selection), by})
        if unit == "images" or not selection.classes:
            total = "1" if unit == "images" else "detections"
            rows = f"SELECT {key} AS k, {total} AS n FROM {source} AS r WHERE {where}"
            return self._fetch(f"SELECT k, sum(n) FROM ({rows}) AS parts GROUP BY k", params)
        if info.detections == 0:
            return []
        ids = ", ".join(params.add(i) for i in sorted(selected_class_ids(selection, info)))
        sql = (
            f"SELECT k, count(*) FROM (SELECT image_num, {key} AS k FROM {source} AS r WHERE {where}) AS chosen"
            f" JOIN {self._boxes(info)} AS boxes USING (image_num) WHERE class_id IN ({ids}) GROUP BY k"
        )
        return self._fetch(sql, params)

    # -- rows -------------------------------------------------------------------------------------

    def rows(
        self,
        selection: Selection,
        columns: tuple[str, ...] | None = None,
        order_by: Order = (),
        limit: int = 100,
        offset: int = 0,
    ) -> pd.DataFrame:
        """Selected images, in a total order (ties by image_id, nulls last); properties' keys are columns too."""
        infos = self._chosen(selection)
        names = columns if columns is not None else self._all_columns(infos)
        for name in names:
            if name not in READ_ONLY_COLUMNS:
                self._check_field(name, also=READ_ONLY_COLUMNS)
        return self._read(self._numbers(selection, order_by, limit, offset), names)

    def points(self, selection: Selection, bbox: Bbox | None = None, limit: int = 5000) -> pd.DataFrame:
        """What the map draws of the selected rows in `bbox`, by data set and number."""
        sql, params = self._union(
            selection, lambda info, params: f"{self._name(info, params)} AS ds, image_num", bbox=bbox
        )
        if sql is None:
            return pd.DataFrame(columns=list(POINT_COLUMNS))
        page = f"SELECT ds, image_num FROM ({sql}) AS parts ORDER BY ds, image_num LIMIT {params.add(limit)}"
        return self._read(self._fetch(page, params), POINT_COLUMNS)

    def images_near(self, selection: Selection, lon: float, lat: float, limit: int = 10) -> pd.DataFrame:
        """Selected images whose box holds the point (smallest first), else the nearest; with distance_km."""
        holds = (
            "(south <= {lat} AND north >= {lat} AND CASE WHEN west <= east THEN west <= {lon} AND east >= {lon}"
            " ELSE west <= {lon} OR east >= {lon} END)"
        )

        def branch(info: DatasetInfo, params: Params) -> str:
            inside = holds.format(lon=params.add(float(lon)), lat=params.add(float(lat)))
            area = f"CASE WHEN {inside} THEN (north - south) * (east - west + CASE WHEN west > east THEN 360 ELSE 0 END) END"
            return f"{self._name(info, params)} AS ds, image_num, image_id, {area} AS area, {haversine_sql(lon, lat, params)} AS far"

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
        params = Params(self.dialect.prefix)
        row = self._fetch(
            f"SELECT {', '.join(names)} FROM {self._records(info)} AS r WHERE image_num = {params.add(number)}",
            params,
        )[0]
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
        sql = f"SELECT class_id, count(*) FROM {self._boxes(info)} AS boxes WHERE image_num = {params.add(number)} GROUP BY class_id"
        return grouping.by_label(info, {int(c): int(n) for c, n in self._fetch(sql, params)}, "class", None)

    # -- detections -------------------------------------------------------------------------------

    def detections(self, selection: Selection, bbox: Bbox | None = None, limit: int = 5000) -> pd.DataFrame:
        """Detections of the selected images (of the selected classes, where it names any), in `bbox`."""
        rows: list[tuple[Any, ...]] = []
        for info in self._chosen(selection):
            if info.detections and len(rows) < limit:
                rows += self._detections_of(selection, info, bbox, limit - len(rows))
        return pd.DataFrame(rows, columns=list(DETECTION_COLUMNS))

    def image_detections(self, image_id: str, limit: int = 5000) -> pd.DataFrame:
        """The detections of one image, same columns; CatalogueError when there is no such image."""
        located = self._locate(image_id)
        if located is None:
            raise CatalogueError(f"There is no image {image_id!r}; ids look like 'fair1m:train_0012'.")
        info, number = located
        params = Params(self.dialect.prefix)
        chosen = f"SELECT image_num, image_id FROM {self._source(info, ())} AS r WHERE image_num = {params.add(number)}"
        outside = f"image_num = {params.add(number)}"
        found = self._detection_rows(info, chosen, outside, params, limit) if info.detections else []
        return pd.DataFrame(found, columns=list(DETECTION_COLUMNS))

    def _detections_of(
        self, selection: Selection, info: DatasetInfo, bbox: Bbox | None, limit: int
    ) -> list[tuple[Any, ...]]:
        where, params = self._where(selection, info)
        if where is None:
            return []
        conditions_on_boxes = grouping.boxes_where(selection, info, bbox, params)
        chosen = (
            f"SELECT image_num, image_id FROM {self._source(info, _fields_of(selection))} AS r WHERE {where}"
        )
        return self._detection_rows(info, chosen, conditions_on_boxes, params, limit)

    def _detection_rows(
        self, info: DatasetInfo, chosen: str, where: str, params: Params, limit: int
    ) -> list[tuple[Any, ...]]:
        casts = {name: f"CAST({name} AS DOUBLE PRECISION)" for name in ("confidence", "length_m")}
        columns = ", ".join(casts.get(name, name) for name in _OUTLINE_COLUMNS)
        sql = (
            f"SELECT image_id, num, class_id, {columns} FROM (SELECT * FROM {self._boxes(info)} AS boxes WHERE {where}) AS b"
            f" JOIN ({chosen}) AS chosen USING (image_num) ORDER BY image_num, num LIMIT {params.add(limit)}"
        )
        names = {c.id: c.name for c in info.classes}
        return [
            (f"{image_id}/{num}", image_id, info.name, names.get(class_id), *map(plain, rest))
            for image_id, num, class_id, *rest in self._fetch(sql, params)
        ]

    # -- the map ----------------------------------------------------------------------------------

    def cells(self, selection: Selection, bbox: Bbox, zoom: float, limit: int = 2000) -> list[Cell]:
        """Web-Mercator grid aggregate for a viewport; coarser cells rather than more than `limit` of them.

        A cell's `bbox` is the box around its rows' centres. Largest first.
        """
        sql, params = self._union(selection, lambda info, params: "lon, lat", bbox=bbox)
        if sql is None:
            return []
        return cells_of_rows(self._fetch(cells_sql(sql, zoom, params), params), limit)

    def bounds(self, selection: Selection) -> Bbox | None:
        """The smallest box that holds the selected centres; None when nothing is selected."""
        shifted = "CASE WHEN lon < 0 THEN lon + 360 ELSE lon END"
        sql, params = self._union(
            selection,
            lambda info, params: (
                f"min(lon) AS a, max(lon) AS b, min({shifted}) AS c, max({shifted}) AS d, min(lat) AS e, max(lat) AS f"
            ),
        )
        if sql is None:
            return None
        row = self._fetch(
            f"SELECT min(a), max(b), min(c), max(d), min(e), max(f) FROM ({sql}) AS parts", params
        )[0]
        if row[0] is None:
            return None
        return narrowest_bbox((row[0], row[1]), (row[2], row[3]), row[4], row[5])

    # -- what there is ----------------------------------------------------------------------------

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
        page = f"SELECT DISTINCT v FROM ({sql}) AS parts WHERE v IS NOT NULL ORDER BY v LIMIT {params.add(limit)}"
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

    # -- pieces -----------------------------------------------------------------------------------

    def _chosen(self, selection: Selection) -> list[DatasetInfo]:
        everything = self.datasets()
        check_fields(selection, everything)
        return chosen_datasets(selection, everything)

    def _where(self, selection: Selection, info: DatasetInfo) -> tuple[str | None, Params]:
        params = Params(self.dialect.prefix)
        found = conditions(selection, info, self.dialect, params)
        return (None if found is None else " AND ".join(found) or "TRUE"), params

    def _union(
        self, selection: Selection, branch: Branch, *fields: str, bbox: Bbox | None = None
    ) -> tuple[str | None, Params]:
        """One SELECT per data set that can match; None when none can."""
        params = Params(self.dialect.prefix)
        parts = []
        for info in self._chosen(selection):
            found = conditions(selection, info, self.dialect, params, bbox)
            if found is not None:
                source = self._source(info, {*_fields_of(selection), *fields})
                where = " AND ".join(found) or "TRUE"
                parts.append(f"SELECT {branch(info, params)} FROM {source} AS r WHERE {where}")
        return (" UNION ALL ".join(parts) or None), params

    def _name(self, info: DatasetInfo, params: Params) -> str:
        return self.dialect.text(params.add(info.name))

    def _key(self, info: DatasetInfo, field: str, kind: Kind, params: Params) -> str:
        """A field's value, in the kind that all data sets share."""
        expr = field_expr(info, field, self.dialect, params)
        if expr is None:
            casts = {"number": "CAST(NULL AS DOUBLE PRECISION)", "time": "CAST(NULL AS TIMESTAMP)"}
            return casts.get(kind, self.dialect.text("NULL"))
        if kind == "text":
            return self.dialect.text(expr.sql)
        return f"CAST({expr.sql} AS DOUBLE PRECISION)" if kind == "number" else expr.sql

    def _numbers(
        self, selection: Selection, order_by: Order, limit: int, offset: int
    ) -> list[tuple[Any, ...]]:
        """(data set, image_num) of one page."""
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
            return ", ".join([f"{self._name(info, params)} AS ds", "image_num", "image_id", *keys])

        sql, params = self._union(selection, branch, *(field for field, _ in order_by))
        if sql is None:
            return []
        order = "".join(f"k{i} {way.upper()} NULLS LAST, " for i, (_, way) in enumerate(order_by))
        page = (
            f"SELECT ds, image_num FROM ({sql}) AS parts ORDER BY {order}image_id"
            f" LIMIT {params.add(max(0, limit))} OFFSET {params.add(max(0, offset))}"
        )
        return self._fetch(page, params)

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
        in_memory = all(c in COLUMN_KINDS and c != "dataset" for c in stored)
        source = self._source(info, ()) if in_memory else self._records(info)
        params = Params(self.dialect.prefix)
        listed = ", ".join(params.add(n) for n in numbers) if len(numbers) <= 200 else None
        test = (
            f"image_num IN ({listed})"
            if listed
            else f"image_num BETWEEN {params.add(min(numbers))} AND {params.add(max(numbers))}"
        )
        select = ", ".join(["image_num", *(f"{c} AS c{i}" for i, c in enumerate(stored))])
        asked = set(numbers)
        found = {}
        for number, *values in self._fetch(f"SELECT {select} FROM {source} AS r WHERE {test}", params):
            if number in asked:
                record = dict(zip(stored, map(plain, values), strict=True))
                record["properties"] = properties = properties_of(record.get("properties"))
                found[(info.name, number)] = tuple(
                    record.get(c) if c in IMAGES.names else properties.get(property_key(c)) for c in columns
                )
        return found

    def _all_columns(self, infos: list[DatasetInfo]) -> tuple[str, ...]:
        keys = dict.fromkeys(key for info in infos for key, _ in info.properties if key not in IMAGES.names)
        return (*(c for c in IMAGES.names if c not in ("class_words", "properties")), *keys)

    def _check_field(self, field: str, also: tuple[str, ...] = ()) -> None:
        """CatalogueError when no data set of the catalogue has the field; one that others have is null here."""
        infos = self.datasets()
        if infos and all(field_kind(info, field) is None for info in infos):
            raise unknown_field(field, infos, also)

    def _locate(self, image_id: str) -> tuple[DatasetInfo, int] | None:
        name = image_id.partition(":")[0]
        for info in self.datasets():
            if info.name == name:
                params = Params(self.dialect.prefix)
                test = f"image_id = {self.dialect.text(params.add(image_id))}"
                rows = self._fetch(
                    f"SELECT image_num FROM {self._source(info, ())} AS r WHERE {test}", params
                )
                return (info, int(rows[0][0])) if rows else None
        return None


def _fields_of(selection: Selection) -> set[str]:
    return {attribute.field for attribute in selection.attributes}
