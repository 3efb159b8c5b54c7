"""Which bands a packed Sentinel-2 product holds, by the names of its files."""

from __future__ import annotations

import pytest

from data.uploads.archive import Member
from data.uploads.safe import Product, product_in

L1C = "S2A_MSIL1C_20240505T104021_N0510_R008_T31UET_20240505T132145"
INSIDE = "GRANULE/L1C_T31UET_A037412_20240505T104021/IMG_DATA"


def member(name: str) -> Member:
    """A file of an archive."""
    return Member(name, 1)


@pytest.mark.parametrize(("folder", "name"), [(f"{L1C}.SAFE/", L1C), ("", "Sentinel-2 Level-1C")])
def test_the_bands_of_level_1c_have_the_pixels_that_the_instrument_gives_them(folder: str, name: str) -> None:
    codes = ("B01", "B02", "B05", "B08", "B8A", "B10", "TCI")
    files = {each: member(f"{folder}{INSIDE}/T31UET_20240505T104021_{each}.jp2") for each in codes}
    metadata = member(f"{folder}MTD_MSIL1C.xml")
    found = product_in([metadata, *files.values(), member(f"{folder}{INSIDE}/../QI_DATA/MSK_B02.gml")])
    assert found == Product(
        name,
        "1C",
        metadata,
        {
            10: {each: files[each] for each in ("B02", "B08")},
            20: {each: files[each] for each in ("B05", "B8A")},
            60: {each: files[each] for each in ("B01", "B10")},
        },
        None,
    )


def test_an_archive_of_no_product_of_several_or_of_several_tiles_is_none() -> None:
    band = member(f"{L1C}.SAFE/{INSIDE}/T31UET_20240505T104021_B02.jp2")
    other = member(f"{L1C}.SAFE/{INSIDE}/T31UFT_20240505T104021_B02.jp2")
    metadata = member(f"{L1C}.SAFE/MTD_MSIL1C.xml")
    assert product_in([band]) is product_in([metadata]) is product_in([metadata, band, other]) is None
    assert product_in([metadata, member("other.SAFE/MTD_MSIL1C.xml"), band]) is None
