"""The detections of selected images."""

from __future__ import annotations

from typing import Any

import pandas as pd

from data.catalogue import grouping
from data.catalogue.base import Bbox, CatalogueError, Selection
from data.catalogue.dialect import Params
from data.catalogue.records import plain
from data.catalogue.sql_base import SqlBase, fields_of
from data.schema import DatasetInfo

DETECTION_COLUMNS = (
    "detection_id", "image_id", "dataset", "class_name", "confidence", "length_m",
    "lon", "lat", "west", "south", "east", "north", "outline",
)  # fmt: skip
_OUTLINE_COLUMNS = DETECTION_COLUMNS[4:]


class Detecting(SqlBase):
    """detections and image_detections."""

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
        chosen = (
            f"SELECT image_num, image_id FROM {self._source(info, ())} AS r WHERE image_num ="
            f" {params.add(number)}"
        )
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
            f"SELECT image_num, image_id FROM {self._source(info, fields_of(selection))} AS r WHERE {where}"
        )
        return self._detection_rows(info, chosen, conditions_on_boxes, params, limit)

    def _detection_rows(
        self, info: DatasetInfo, chosen: str, where: str, params: Params, limit: int
    ) -> list[tuple[Any, ...]]:
        casts = {name: f"CAST({name} AS DOUBLE PRECISION)" for name in ("confidence", "length_m")}
        columns = ", ".join(casts.get(name, name) for name in _OUTLINE_COLUMNS)
        sql = (
            f"SELECT image_id, num, class_id, {columns} FROM (SELECT * FROM {self._boxes(info)} AS"
            f" boxes WHERE {where}) AS b"
            f" JOIN ({chosen}) AS chosen USING (image_num) ORDER BY image_num, num LIMIT {params.add(limit)}"
        )
        names = {c.id: c.name for c in info.classes}
        return [
            (f"{image_id}/{num}", image_id, info.name, names.get(class_id), *map(plain, rest))
            for image_id, num, class_id, *rest in self._fetch(sql, params)
        ]
