"""SARFish: the xView3 vessels over Sentinel-1 products, and a table that maps scenes to products."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from data.readers.base import BadRecord, ImageRow, Item, JsonValue, Noted, Reader, Rejected
from data.readers.files import relative, walk
from data.readers.geometry import box_around
from data.readers.vessels import EXPECTED, NEEDED, Scene, columns_of, gather, missing, records, split_of_scene
from data.readers.when import day_in_name

SUFFIXES = frozenset({".csv"})
_IDENTIFIERS = {"GRD": "grd_product_identifier", "SLC": "slc_product_identifier"}
_OWN = frozenset({"partition", "product_type", *_IDENTIFIERS.values()})
_GSD_M = {"GRD": 10.0}
"""Ground range products are sampled at 10 m; single-look complex ones are not square on the ground."""


def sniff(source: Path) -> float:
    """Sure when a table of vessels also names products."""
    return 0.95 if any(_is_labels(path) for path in walk(source, SUFFIXES)) else 0.0


def read(source: Path) -> Iterator[Item]:
    """One image for each product of a scene."""
    scenes: dict[tuple[str, ...], Scene] = {}
    products: dict[str, dict[str, str]] = {}
    for path in walk(source, SUFFIXES):
        file, columns = relative(path, source), columns_of(path)
        try:
            if set(NEEDED) <= set(columns):
                yield from missing(columns, file, (*EXPECTED, "partition", "product_type"))
                yield from gather(path, file, scenes, by=("scene_id", "product_type"))
            elif "scene_id" in columns and _OWN & set(columns):
                yield from _products(path, file, products)
        except BadRecord as error:
            yield Rejected(file, None, str(error))
    for key in sorted(scenes):
        yield from _row(key, scenes.pop(key), products)


def _is_labels(path: Path) -> bool:
    columns = set(columns_of(path))
    return set(NEEDED) <= columns and bool(_OWN & columns)


def _products(path: Path, file: str, products: dict[str, dict[str, str]]) -> Iterator[Rejected]:
    for _, record in records(path, file):
        if isinstance(record, Rejected):
            yield record
        elif record["scene_id"]:
            known = products.setdefault(record["scene_id"], {})
            known.update({name: value for name, value in record.items() if value})


def _row(key: tuple[str, ...], scene: Scene, products: dict[str, dict[str, str]]) -> Iterator[Item]:
    scene_id, product_type = key[0], key[1].upper()
    about = products.get(scene_id, {}) | {name: value for name, value in scene.first.items() if value}
    kind = product_type or next((kind for kind, name in _IDENTIFIERS.items() if about.get(name)), "")
    product = about.get(_IDENTIFIERS.get(kind, ""), "")
    extent = box_around([each.extent for each in scene.detections if each.extent is not None])
    if extent is None:
        yield Noted(scene_id, None, "no place: none of the scene's rows says where it is")
    properties: dict[str, JsonValue] = {"scene_id": scene_id, "product_type": kind, "product": product}
    yield ImageRow(
        key=f"{scene_id}/{kind}" if kind else scene_id,
        name=product or scene_id,
        extent=extent,
        sensor="Sentinel-1",
        modality="sar",
        gsd_m=_GSD_M.get(kind),
        acquired=day_in_name(product),
        split=split_of_scene(about),
        bands=("vh", "vv"),
        detections=tuple(scene.detections),
        properties={name: value for name, value in properties.items() if value},
    )


READER = Reader("sarfish", "SARFish's CSV", sniff, read)
