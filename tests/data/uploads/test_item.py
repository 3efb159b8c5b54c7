"""What is known of a file is a STAC item that a validator accepts."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pystac
import pytest

from data.uploads.bring import bring, staged
from data.uploads.item import whole_item
from tests.data.uploads.samples import SAMPLES


@pytest.mark.parametrize("name", ["field.tif", "photo.jpg", "points.csv", "levels.xlsx", "report.pdf"])
def test_the_item_keeps_to_the_schema_of_stac(tmp_path: Path, name: str) -> None:
    path = SAMPLES[name][0](tmp_path / name)
    with staged(path, tmp_path) as incoming:
        item = whole_item(bring(incoming), "a-1", name, {"name": name, "bytes": 7}, date(2026, 11, 22))
    core = pystac.Item.from_dict({**item, "stac_extensions": []})  # their schemas are not on this machine
    assert core.validate() == ["https://schemas.stacspec.org/v1.1.0/item-spec/json-schema/item.json"]
    assert item["properties"]["upload:bytes"] == 7


def test_a_time_that_is_not_known_is_a_range_that_says_so(tmp_path: Path) -> None:
    path = SAMPLES["points.csv"][0](tmp_path / "points.csv")
    with staged(path, tmp_path) as incoming:
        item = whole_item(bring(incoming), "a-1", "points", {}, date(2026, 11, 22))
    properties = item["properties"]
    assert properties["datetime"] is None and properties["time_known"] is False
    assert (properties["start_datetime"], properties["end_datetime"]) == (
        "1800-01-01T00:00:00Z",
        "2026-11-22T23:59:59Z",
    )
