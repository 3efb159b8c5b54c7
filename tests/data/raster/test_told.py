"""What a STAC item says of the numbers in its files."""

from __future__ import annotations

from typing import Any

import pytest

from data.raster.metadata import Linear
from data.raster.told import Told, told_in, told_of

SCALED = {"scale": 0.0001, "offset": -0.1, "nodata": 0}
RED = [{"name": "B04", "common_name": "red"}]
TAKEN_OFF = (
    "Its STAC item says that Sentinel-2's offset was taken off of its numbers already, so it was not taken "
    "off again."
)
UNCLEAR = (
    "By its STAC item it is of Sentinel-2's processing baseline 05.09, where reflectance = (number - 1000) / "
    "10000. Nothing says whether the 1000 is taken off, so its numbers are as stored; toa_reflectance with "
    "gain=0.0001 offset=-0.1 takes it off."
)
AS_STORED = Linear(1.0, 0.0)


@pytest.mark.parametrize(
    ("properties", "asset", "told"),
    [
        ({}, {"raster:bands": [SCALED]}, Told((Linear(0.0001, -0.1),), (0.0,))),
        (
            {},
            {"bands": [{"raster:scale": 2, "nodata": -1}, {"name": "b2"}], "raster:offset": 5},
            Told((Linear(2.0, 5.0), Linear(1.0, 5.0)), (-1.0, None)),
        ),
        ({}, {"nodata": 0, "raster:scale": 0.1}, Told((Linear(0.1, 0.0),), (0.0,))),
        (
            {"earthsearch:boa_offset_applied": True},
            {"raster:bands": [SCALED]},
            Told((Linear(0.0001, 0.0),), (0.0,), TAKEN_OFF),
        ),
        (
            {"earthsearch:boa_offset_applied": False},
            {"raster:bands": [SCALED]},
            Told((Linear(0.0001, -0.1),), (0.0,)),
        ),
        ({"s2:processing_baseline": "05.09"}, {"eo:bands": RED}, Told((AS_STORED,), (None,), UNCLEAR)),
        ({"s2:processing_baseline": "05.09"}, {"eo:bands": [{"name": "visual"}]}, None),
        ({"s2:processing_baseline": "02.14"}, {"eo:bands": RED}, None),
        ({}, {"raster:bands": [{"data_type": "uint16", "nodata": "nan"}]}, None),
        ({}, {"raster:bands": [{"scale": 0, "offset": "x"}], "nodata": True}, None),
        ({}, {"raster:bands": "no list"}, None),
    ],
)
def test_an_items_scale_offset_and_nodata_are_read_wherever_they_stand(
    properties: dict[str, Any], asset: dict[str, Any], told: Told | None
) -> None:
    assert told_of({"properties": properties}, asset) == told


def test_what_was_told_is_kept_and_is_of_each_band() -> None:
    told = Told((Linear(0.0001, -0.1),), (0.0,))
    assert told_in(told.text()) == told
    assert told.spread(2) == Told((Linear(0.0001, -0.1),) * 2, (0.0, 0.0))
    two = Told((Linear(2.0, 0.0), AS_STORED), (None, None))
    assert two.spread(2) is two
    said = "Its STAC item tells of 2 bands and it has 3, so nothing of it was used."
    assert two.spread(3) == Told((AS_STORED,) * 3, (None,) * 3, said)
    assert told_in(None) is told_in("{") is told_in("3") is None
