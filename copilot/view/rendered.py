"""Rendered scenes as the page shows them: their address, and what is said with each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import pandas as pd

from copilot.messages import later, t
from data.catalogue.base import Catalogue
from tools.map.rendered import samples, subject

SIDE_PX = 96
"""Of a thumbnail."""
THUMBNAILS = "rendered"
"""The column of small pictures."""
THUMBNAILS_SAID = later("Rendered from the record, not imagery: the sample has no pixels.")
THUMBNAIL_ROW_PX = 44


@dataclass(frozen=True)
class Figure:
    """A picture of a record."""

    address: str
    alt: str
    caption: str


def figures(catalogue: Catalogue, row: Mapping[str, Any]) -> list[Figure]:
    """All of a sample record, and a part of it at its own pixels where that shows more; none for others."""
    found = subject(catalogue, row)
    if found is None:
        return []
    from data.rendered import close_up, whole

    image, name = address(found.image_id), str(row["name"])
    all_of_it, near = whole(found), close_up(found)
    whole_said = t("from the record, not imagery. {gsd_m} a pixel", gsd_m=_metres(all_of_it.gsd_m))
    if all_of_it.gsd_m < found.gsd_m * 1.2:
        return [Figure(image, t("Rendered scene of {name}", name=name), f"{whole_said}.")]
    items = sum(near.holds(each) for each in found.items)
    return [
        Figure(
            image,
            t("Rendered scene of {name}", name=name),
            t(
                "{whole_said}, to fit; the record's are {gsd_m}.",
                whole_said=whole_said,
                gsd_m=_metres(found.gsd_m),
            ),
        ),
        Figure(
            f"{image}?near=1",
            t("A part of the rendered scene of {name} from near", name=name),
            t(
                "from near: {gsd_m} a pixel, with {items:,} of its {items2:,} objects.",
                gsd_m=_metres(found.gsd_m),
                items=items,
                items2=len(found.items),
            ),
        ),
    ]


def address(image_id: str) -> str:
    """Where the picture of a record comes from."""
    return f"/api/rendered/{quote(image_id)}"


def thumbnail(image_id: str) -> str:
    """Where the small picture of a record comes from."""
    return f"{address(image_id)}?side={SIDE_PX}"


def with_thumbnails(rows: pd.DataFrame, catalogue: Catalogue) -> pd.DataFrame:
    """The rows with a first column of small pictures, where any of them is a sample's image."""
    generated = samples(catalogue)
    pictures = [
        thumbnail(image) if dataset in generated else None
        for image, dataset in zip(rows["image_id"], rows.get("dataset", [""] * len(rows)), strict=True)
    ]
    if not any(pictures):
        return rows
    shown = rows.copy()
    shown.insert(0, THUMBNAILS, pictures)
    return shown


def _metres(gsd_m: float) -> str:
    return f"{gsd_m:.2g} m" if gsd_m < 10 else f"{gsd_m:.0f} m"
