"""How many rows and detections are selected, in all and per value."""

from __future__ import annotations

from typing import Any, Literal

from data.catalogue import grouping
from data.catalogue.base import Selection
from data.catalogue.compile import selected_class_ids
from data.catalogue.dialect import Params
from data.catalogue.sql_base import SqlBase, fields_of
from data.schema import DatasetInfo


class Counting(SqlBase):
    """count and count_by."""

    def count(self, selection: Selection) -> int:
        """How many rows of `images` are selected."""
        sql, params = self._union(selection, lambda info, params: "count(*) AS n")
        if sql is None:
            return 0
        return self._counted(f"SELECT sum(n) FROM ({sql}) AS parts", params)

    def _counted(self, sql: str, params: Params) -> int:
        """The one number a count's statement gives."""
        return int(self._fetch(sql, params)[0][0])

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
        source = self._source(info, fields_of(selection))
        return self._fetch(
            f"SELECT count(*), {words} FROM {source} AS r WHERE {where} GROUP BY {words}", params
        )

    def _detections_by_class(self, selection: Selection, info: DatasetInfo) -> dict[int, int]:
        where, params = self._where(selection, info)
        if where is None or info.detections == 0:
            return {}
        source = self._source(info, fields_of(selection))
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
        source = self._source(info, {*fields_of(selection), by})
        if unit == "images" or not selection.classes:
            total = "1" if unit == "images" else "detections"
            rows = f"SELECT {key} AS k, {total} AS n FROM {source} AS r WHERE {where}"
            return self._fetch(f"SELECT k, sum(n) FROM ({rows}) AS parts GROUP BY k", params)
        if info.detections == 0:
            return []
        ids = ", ".join(params.add(i) for i in sorted(selected_class_ids(selection, info)))
        sql = (
            f"SELECT k, count(*) FROM (SELECT image_num, {key} AS k FROM {source} AS r WHERE {where})"
            f" AS chosen"
            f" JOIN {self._boxes(info)} AS boxes USING (image_num) WHERE class_id IN ({ids}) GROUP BY k"
        )
        return self._fetch(sql, params)
