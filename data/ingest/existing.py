"""The rows of an ingested data set, read back so that others can be added to it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from data.catalogue.whole import DETECTIONS_FILE, IMAGES_FILE
from data.ingest.finish import ROWS_PER_BATCH, Part
from data.ingest.staging import COUNTED, STAGED_DETECTIONS
from data.schema import CLASS_BITS_PER_WORD, DatasetInfo

_IDS = pa.schema([("image_id", pa.string())])


def stage_existing(folder: Path, info: DatasetInfo, work: Path, newer: pa.ChunkedArray) -> Part:
    """The data set in `folder` as staged rows in `work`, without those whose id is among `newer`."""
    work.mkdir()
    part = Part(work / "images.parquet", work / "detections.parquet", work / "ids.parquet")
    newer_ids = newer.combine_chunks()
    keep: list[np.ndarray[tuple[int], np.dtype[np.bool_]]] = []
    with (
        pq.ParquetFile(folder / IMAGES_FILE) as source,
        pq.ParquetWriter(part.images, COUNTED) as images,
        pq.ParquetWriter(work / "ids.parquet", _IDS) as ids,
    ):
        for batch in source.iter_batches(batch_size=ROWS_PER_BATCH):
            keep.append(pc.invert(pc.is_in(batch["image_id"], newer_ids)).to_numpy(zero_copy_only=False))
            ids.write_table(pa.table({"image_id": batch["image_id"]}, schema=_IDS))
            images.write_table(_staged(batch, info))
    _stage_detections(folder, info, work / "detections.parquet")
    return Part(part.images, part.detections, part.ids, np.concatenate(keep))


def write_ids(path: Path, ids: pa.ChunkedArray) -> None:
    """Image ids as a Parquet file, in the order of their rows."""
    pq.write_table(pa.table([ids], schema=_IDS), path)


def _staged(batch: pa.RecordBatch, info: DatasetInfo) -> pa.Table:
    names = {}
    lists = []
    for words in batch["class_words"].to_pylist():
        key = tuple(words or ())
        if key not in names:
            names[key] = [
                each.name
                for each in info.classes
                if each.id // CLASS_BITS_PER_WORD < len(key)
                and key[each.id // CLASS_BITS_PER_WORD] >> (each.id % CLASS_BITS_PER_WORD) & 1
            ]
        lists.append(names[key])
    columns = {name: batch[name] for name in COUNTED.names if name in batch.schema.names}
    # The key has done its work once a row has an id.
    columns |= {"key": batch["image_id"], "classes": pa.array(lists, pa.list_(pa.string()))}
    return pa.table([columns[name] for name in COUNTED.names], schema=COUNTED)


def _stage_detections(folder: Path, info: DatasetInfo, target: Path) -> None:
    names = pa.array([each.name for each in sorted(info.classes, key=lambda each: each.id)], pa.string())
    with pq.ParquetWriter(target, STAGED_DETECTIONS) as writer:
        if not (folder / DETECTIONS_FILE).is_file():
            return
        with pq.ParquetFile(folder / DETECTIONS_FILE) as source:
            for batch in source.iter_batches(batch_size=ROWS_PER_BATCH):
                columns = {
                    name: batch[name] for name in STAGED_DETECTIONS.names if name in batch.schema.names
                }
                columns |= {
                    "image": batch["image_num"].cast(pa.int64()),
                    "class_name": names.take(batch["class_id"]),
                }
                writer.write_table(
                    pa.table([columns[name] for name in STAGED_DETECTIONS.names], schema=STAGED_DETECTIONS)
                )
