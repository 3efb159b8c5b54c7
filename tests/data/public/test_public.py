"""The real scenes that come along: ingested once, whole, and told apart from the sample."""

from __future__ import annotations

from pathlib import Path

import pytest

from data.catalogue import open_catalogue
from data.public import FOLDER, SCENES
from data.public.ingesting import ensure_scenes


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("catalogue")
    assert ensure_scenes(root) == list(SCENES)
    return root


def test_they_are_in_the_catalogue_with_their_pixels(root: Path):
    catalogue = open_catalogue(str(root))
    infos = {info.name: info for info in catalogue.datasets()}
    assert {name: (info.images, info.origin) for name, info in infos.items()} == {
        "landsat": (3, "ingested"),
        "naip": (1, "ingested"),
    }
    assert all("public domain" in info.licence for info in infos.values())
    record = catalogue.image("landsat:pucallpa_2020.tif")
    assert record is not None
    assert (record["bands"], record["sensor"]) == ("swir1,nir,red,green", "Landsat")
    assert catalogue.raster("landsat:pucallpa_2020.tif") == FOLDER / "public_landsat" / "pucallpa_2020.tif"


def test_they_are_not_ingested_twice(root: Path):
    assert ensure_scenes(root) == []


def test_they_are_small():
    assert sum(each.stat().st_size for each in FOLDER.rglob("*.tif")) < 12_000_000
