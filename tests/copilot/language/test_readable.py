"""What a tool says, for people."""

from __future__ import annotations

import pytest

from copilot.language.readable import names_of, readable

NAMES = {"raster-5d1f": "NDVI of field", "table-0a": "Images by country", "raster-77": "field"}


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("Halved the scene. The raster is raster-5d1f.", "Halved the scene."),
        ("Counted 12 rows; the table is table-0a.", "Counted 12 rows."),
        ("Wrote the map as PNG (raster-5d1f).", "Wrote the map as PNG."),
        ("The text, 7 words, is table-0a.", "The text, 7 words, is “Images by country”."),
        ("There are raster-5d1f (NDVI of field) and raster-77.", "There are NDVI of field and “field”."),
        ("The raster is raster-9999.", "The raster is raster-9999."),
        ("Nothing is selected.", "Nothing is selected."),
    ],
)
def test_ids_are_left_out_or_become_names(said: str, read: str) -> None:
    assert readable(said, NAMES) == read


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("The threshold is 1e-06.", "The threshold is 0.000001."),
        ("It covers 1.2e+07 m².", "It covers 12,000,000 m²."),
        ("Mass 3.1e+21, p = 4e-12", "Mass 3.1 × 10²¹, p = 4 × 10⁻¹²"),
        ("The file is 1e5.tif of tile 2e3a", "The file is 1e5.tif of tile 2e3a"),
        ("-2.5e-03 dB", "-0.0025 dB"),
    ],
)
def test_numbers_are_written_out(said: str, read: str) -> None:
    assert readable(said, {}) == read


def test_the_names_are_those_of_artifacts() -> None:
    state = {"artifacts": [{"id": "table-1", "name": "Images by month"}]}
    assert names_of(state) == {"table-1": "Images by month"}
    assert names_of({}) == {}
