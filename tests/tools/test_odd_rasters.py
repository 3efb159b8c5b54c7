"""One scene that is stored in many ways gives every raster tool the same values.

The plain file has its values as floats and not-a-number for nothing. The odd ones hold the same scene as
whole numbers with a scale and an offset, with a nodata that its pixels have with more digits, with one that
is not declared, and as a packed NetCDF.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
from affine import Affine

from state.model import State
from tests.tools.prepared import example_arguments, prepared
from tests.tools.world import small_world
from tools.base import Step, Tool, World
from tools.run import run_call
from tools.toolbox import toolbox

SCALE, OFFSET, SIDE = 0.001, -0.1, 24
NUMBERS = (np.add.outer(np.arange(SIDE) * 37, np.arange(SIDE) * 11) % 900 + 50).astype("int16")
HOLE = np.zeros((SIDE, SIDE), dtype=bool)
HOLE[3:6, 4:9] = True
VALUES = np.where(HOLE, np.nan, NUMBERS * SCALE + OFFSET)
PLACE = {"crs": "EPSG:32631", "transform": Affine(10, 0, 590_000, 0, -10, 5_750_000)}


def tiff(path: Path, values: Any, nodata: float | None, **scaled: float) -> None:
    """One band of these numbers."""
    with rasterio.open(
        path,
        "w",
        driver="GTiff",
        width=SIDE,
        height=SIDE,
        count=1,
        dtype=values.dtype.name,
        nodata=nodata,
        **PLACE,
    ) as target:
        target.write(values, 1)
        if scaled:
            target.scales, target.offsets = (scaled["scale"],), (scaled["offset"],)


def packed(path: Path) -> None:
    """The scene as a NetCDF of 16-bit numbers, with the grid of the others."""
    import xarray
    from pyproj import CRS

    x, y = 590_005 + 10 * np.arange(SIDE), 5_749_995 - 10 * np.arange(SIDE)
    scene = (("y", "x"), VALUES, {"grid_mapping": "crs"})
    data = xarray.Dataset({"scene": scene, "crs": ((), 0, CRS.from_epsg(32631).to_cf())}, {"y": y, "x": x})
    how = {"scale_factor": SCALE, "add_offset": OFFSET, "dtype": "int16", "_FillValue": np.int16(-9999)}
    data.to_netcdf(path, engine="h5netcdf", encoding={"scene": how})


ODD: dict[str, Callable[[Path], None]] = {
    "scaled.tif": lambda path: tiff(
        path, np.where(HOLE, -9999, NUMBERS).astype("int16"), -9999, scale=SCALE, offset=OFFSET
    ),
    "fewer_digits.tif": lambda path: tiff(
        path, np.where(HOLE, np.float32(-3.4028235e38), VALUES).astype("float32"), -3.40282306e38
    ),
    "undeclared.tif": lambda path: tiff(path, np.where(HOLE, -9999, VALUES).astype("float32"), None),
    "packed.nc": packed,
}


@pytest.fixture(scope="module")
def scenes(
    small_catalogue: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[World, State, dict[str, str]]:
    """A world with the scene in each way, and the raster that each became."""
    folder = tmp_path_factory.mktemp("odd")
    (folder / "uploads").mkdir()
    world = replace(small_world(small_catalogue, folder / "artifacts"), uploads=folder / "uploads")
    state = prepared(world)
    tiff(folder / "uploads" / "plain.tif", VALUES.astype("float32"), math.nan)
    for name, write in ODD.items():
        write(folder / "uploads" / name)
    found: dict[str, str] = {}
    for name in ("plain.tif", *ODD):
        step = called(world, state, toolbox().get("add_file"), {"file": name, "name": "scene"})
        assert not step.failed, step.observation
        state, found[name] = step.state, str(step.data["raster"])
    return world, state, found


def called(world: World, state: State, tool: Tool, arguments: dict[str, Any]) -> Step:
    return run_call(toolbox(), state, world, tool.name, arguments)


def numbers_in(value: Any) -> Iterator[float]:
    """The numbers of a call's data, in their order."""
    if isinstance(value, bool):
        return
    if isinstance(value, (int, float)):
        yield float(value)
    elif isinstance(value, dict):
        for key, each in value.items():
            if key not in ("bytes", "seconds"):
                yield from numbers_in(each)
    elif isinstance(value, list):
        for each in value:
            yield from numbers_in(each)


def pixels(world: World, step: Step) -> Any:
    """The values of the raster that a call made; None of one that made none."""
    path = world.artifacts.find(str(step.data.get("raster", "")))
    if path is None or path.suffix != ".tif":
        return None
    with rasterio.open(path) as source:
        return source.read(masked=True).astype(float).filled(np.nan)


APART = frozenset({"place_raster", "raster_info", "image_info", "radiometric_calibration", "toa_reflectance"})
"""What places a raster, tells of its file, or takes the gain that the file has been read with already."""
TOOLS = [tool for tool in toolbox() if "raster" in tool.arguments.model_fields and tool.name not in APART]


def test_every_raster_tool_takes_the_same_values_however_they_are_stored(
    scenes: tuple[World, State, dict[str, str]], subtests: pytest.Subtests
) -> None:
    world, state, rasters = scenes
    compared = 0
    for tool in TOOLS:
        arguments = {**example_arguments(tool, state), "raster": rasters["plain.tif"]}
        right = called(world, state, tool, arguments)
        if right.failed:  # it needs a scene of several bands, heights, or radar
            continue
        compared += 1
        for name in ODD:
            with subtests.test(tool=tool.name, stored=name):
                step = called(world, state, tool, {**arguments, "raster": rasters[name]})
                assert not step.failed, step.observation
                wanted, found = list(numbers_in(right.data)), list(numbers_in(step.data))
                assert found == pytest.approx(wanted, rel=1e-4, abs=1e-5, nan_ok=True)
                if (made := pixels(world, right)) is not None:
                    assert np.allclose(pixels(world, step), made, rtol=1e-4, atol=1e-5, equal_nan=True)
    assert compared >= 20
