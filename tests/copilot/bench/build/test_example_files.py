from pathlib import Path

import pytest
import rasterio

from copilot.bench.build import example_files


def test_the_committed_files_are_what_the_script_makes(tmp_path: Path) -> None:
    example_files.write(tmp_path)
    for name in ("scene.tif", "pan.tif", "dem.tif", "sar.tif"):
        with rasterio.open(tmp_path / name) as made, rasterio.open(example_files.FOLDER / name) as kept:
            assert (made.read() == kept.read()).all() and made.profile == kept.profile
    made_text, kept_text = (
        (folder / "fields.geojson").read_text() for folder in (tmp_path, example_files.FOLDER)
    )
    assert made_text == kept_text


@pytest.mark.parametrize(("name", "row", "column"), [("park", 20, 60), ("lake", 60, 20), ("town", 70, 70)])
def test_the_middle_of_a_part_shows_its_cover(name: str, row: int, column: int) -> None:
    seen = example_files.scene()[:, row - 4 : row + 4, column - 4 : column + 4].mean(axis=(1, 2)) / 10_000
    assert seen == pytest.approx(example_files.COVERS[name], rel=0.03)
