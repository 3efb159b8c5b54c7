"""Pixels without a value are left out of what is measured of an image."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio

from copilot.bench.build.example_files import FOLDER
from data.vision.facts import Facts


def framed(path: Path, name: str) -> Path:
    """An example image with a frame around it, twice as large, that has no value."""
    with rasterio.open(FOLDER / name) as source:
        values, profile, names = source.read(), source.profile, source.descriptions
        colours = source.colorinterp
    count, rows, columns = values.shape
    made = np.zeros((count, 2 * rows, 2 * columns), values.dtype)
    made[:, rows // 2 : rows // 2 + rows, columns // 2 : columns // 2 + columns] = np.maximum(
        values, 1 if values.dtype.kind == "u" else 1e-6
    )
    profile.update(width=2 * columns, height=2 * rows, nodata=0)
    with rasterio.open(path, "w", **profile) as target:
        target.write(made)
        target.descriptions, target.colorinterp = names, colours
    return path


@pytest.mark.parametrize("name", ["harbour.tif", "sar.tif"])
def test_a_frame_without_values_changes_no_share_and_no_texture(tmp_path: Path, name: str) -> None:
    plain, other = Facts(FOLDER / name), Facts(framed(tmp_path / name, name))
    for group, fact, apart in (
        ("texture", "homogeneity", 0.01), ("texture", "edges", 2.0), ("texture", "entropy", 0.02),
        ("tone", "brightness", 0.3), ("cover", "cover.water", 4.0),
    ):  # fmt: skip
        one, two = plain.value(group, fact), other.value(group, fact)
        assert two == pytest.approx(one, abs=apart), (fact, one, two)
