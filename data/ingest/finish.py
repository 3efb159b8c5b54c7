"""From staged rows to the catalogue's columns: numbers, ids, class bits."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from data.ingest.staging import Staging
from data.schema import CLASS_BITS_PER_WORD, DETECTIONS, IMAGES, ClassInfo

ROWS_PER_BATCH = 50_000


@dataclass(frozen=True)
class Part:
    """Staged rows that go into a data set, and where they came from."""

    images: Path
    detections: Path | None
    ids: Path | None = None
    """A Parquet file with the images' ids, row by row, where they have ids already."""
    keep: NDArray[np.bool_] | None = None
    """Which rows to take; None for all."""
    classes_in_images: bool = True


@dataclass
class Numbering:
    """The numbers that rows get in the data set, kept from the pass over images for that over detections."""

    numbers: list[NDArray[np.int64]] = field(default_factory=list)
    """For each part: the image number of each of its rows; -1 for a row that is not taken."""


def ids_of(staging: Staging, dataset: str) -> pa.ChunkedArray:
    """The image ids of staged rows: the file name where no other row has it, else the key.

    Features go by their key, since names of places repeat. A key that repeats is numbered.
    """
    names_seen_twice = _twice(staging.images_path, "name", "kind = 'image'")
    keys_seen_twice = _twice(staging.images_path, "key", "true")
    seen: dict[str, int] = {}
    chunks = []
    with pq.ParquetFile(staging.images_path) as file:
        for batch in file.iter_batches(batch_size=ROWS_PER_BATCH, columns=["key", "name", "kind"]):
            by_name = pc.and_(
                pc.equal(batch["kind"], "image"), pc.invert(pc.is_in(batch["name"], names_seen_twice))
            )
            local = pc.if_else(pc.fill_null(by_name, False), batch["name"], batch["key"])
            doubled = pc.and_(
                pc.invert(pc.fill_null(by_name, False)), pc.is_in(batch["key"], keys_seen_twice)
            )
            if pc.any(doubled).as_py():
                local = pa.array(_numbered(local.to_pylist(), doubled.to_pylist(), seen), pa.string())
            chunks.append(pc.binary_join_element_wise(dataset, local, ":"))
    return pa.chunked_array(chunks, pa.string())


def image_batches(
    parts: list[Part], dataset: str, classes: tuple[ClassInfo, ...], numbering: Numbering
) -> Iterator[pa.RecordBatch]:
    """All parts' rows as batches of IMAGES, numbered on through the parts."""
    ids = {each.name: each.id for each in classes}
    next_number = 0
    for part in parts:
        numbers = []
        for table, image_ids, keep in _images(part):
            taken = np.full(table.num_rows, -1, dtype="int64")
            taken[keep] = np.arange(next_number, next_number + int(keep.sum()))
            numbers.append(taken)
            next_number += int(keep.sum())
            table = table.append_column("image_id", image_ids).append_column(
                "image_num", pa.array(taken, pa.int32())
            )
            if not keep.all():
                table = table.filter(pa.array(keep))
            if table.num_rows:
                yield _as_images(table, dataset, ids, part.classes_in_images)
        numbering.numbers.append(np.concatenate(numbers) if numbers else np.empty(0, dtype="int64"))


def detection_batches(
    parts: list[Part], classes: tuple[ClassInfo, ...], numbering: Numbering
) -> Iterator[pa.RecordBatch]:
    """All parts' detections as batches of DETECTIONS; to be consumed after the images."""
    names = pa.array([each.name for each in classes], pa.string())
    for part, numbers in zip(parts, numbering.numbers, strict=True):
        if part.detections is None:
            continue
        with pq.ParquetFile(part.detections) as file:
            for batch in file.iter_batches(batch_size=ROWS_PER_BATCH):
                image = numbers[batch["image"].to_numpy()]
                table = pa.Table.from_batches([batch]).append_column("image_num", pa.array(image, pa.int32()))
                class_ids = pc.index_in(table["class_name"], names).cast(pa.int16())
                table = table.append_column("class_id", class_ids).filter(pa.array(image >= 0))
                yield from table.select(DETECTIONS.names).cast(DETECTIONS).combine_chunks().to_batches()


def _images(part: Part) -> Iterator[tuple[pa.Table, pa.ChunkedArray, NDArray[np.bool_]]]:
    assert part.ids is not None
    start = 0
    with pq.ParquetFile(part.images) as file, pq.ParquetFile(part.ids) as ids:
        pairs = zip(
            file.iter_batches(batch_size=ROWS_PER_BATCH),
            ids.iter_batches(batch_size=ROWS_PER_BATCH),
            strict=True,
        )
        for batch, id_batch in pairs:
            stop = start + batch.num_rows
            keep = np.ones(batch.num_rows, dtype=bool) if part.keep is None else part.keep[start:stop]
            yield pa.Table.from_batches([batch]), pa.chunked_array([id_batch["image_id"]]), keep
            start = stop


def _as_images(table: pa.Table, dataset: str, ids: dict[str, int], with_classes: bool) -> pa.RecordBatch:
    words = _class_words(table["classes"].combine_chunks(), ids, with_classes)
    table = table.append_column("class_words", words).append_column(
        "dataset", pa.array([dataset] * table.num_rows)
    )
    return table.select(IMAGES.names).cast(IMAGES).combine_chunks().to_batches()[0]


def _class_words(classes: pa.ListArray, ids: dict[str, int], with_classes: bool) -> pa.ListArray:
    count = max(1, math.ceil(len(ids) / CLASS_BITS_PER_WORD))
    words = np.zeros((len(classes), count), dtype="int64")
    if ids and with_classes:
        found = pc.index_in(classes.flatten(), pa.array(list(ids), pa.string()))
        place = found.to_numpy(zero_copy_only=False)
        row = np.repeat(np.arange(len(classes)), pc.list_value_length(classes).to_numpy(zero_copy_only=False))
        known = np.isfinite(place.astype("float64"))
        number = np.array(list(ids.values()))[place[known].astype("int64")]
        bits = np.left_shift(np.int64(1), (number % CLASS_BITS_PER_WORD).astype("int64"))
        np.bitwise_or.at(words, (row[known], number // CLASS_BITS_PER_WORD), bits)
    offsets = np.arange(0, (len(classes) + 1) * count, count, dtype="int32")
    return pa.ListArray.from_arrays(pa.array(offsets), pa.array(words.ravel()))


def _twice(path: Path, column: str, where: str) -> pa.Array:
    """The values that a column of a staged file has more than once."""
    with duckdb.connect(config={"memory_limit": "400MB", "threads": 2}) as connection:
        # `column` and `where` are this module's own words; the path is a parameter.
        query = f"SELECT {column} FROM read_parquet(?) WHERE {where} GROUP BY {column} HAVING count(*) > 1"
        rows = connection.execute(query, [str(path)]).fetchall()
    return pa.array([row[0] for row in rows], pa.string())


def _numbered(keys: list[str], doubled: list[bool], seen: dict[str, int]) -> list[str]:
    """Keys with "#2", "#3" … after the second and later ones of the same."""
    found = []
    for key, twice in zip(keys, doubled, strict=True):
        if twice:
            seen[key] = seen.get(key, 0) + 1
            key = key if seen[key] == 1 else f"{key}#{seen[key]}"
        found.append(key)
    return found
