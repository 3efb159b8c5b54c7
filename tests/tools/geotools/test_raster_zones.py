"""Tables of a raster's values in zones and at points."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import rasterio
import rasterstats

from copilot.bench.build.example_files import FOLDER, PARTS
from state.model import State
from tests.real_files import real
from tests.tools.prepared import DEM, FIELDS, RASTER, SCENE
from tests.tools.world import after, run
from tools.base import World
from tools.geotools.raster_zones import raster_sample, zonal_stats
from tools.map.drawing import draw_marker


def table(world: World, name: str) -> pd.DataFrame:
    path = world.artifacts.find(name)
    assert path is not None
    return pd.read_parquet(path)


def test_fields_have_the_statistics_of_their_own_pixels_and_their_areas(ready: tuple[World, State]) -> None:
    world, state = ready
    step = run(world, state, zonal_stats, raster=SCENE.id, zones=FIELDS.id, band="nir")
    rows = table(world, step.data["table"]).set_index("name")
    with rasterio.open(FOLDER / "scene.tif") as source:
        nir = source.read(4)
    for name in ("park", "lake", "town"):
        left, top, right, bottom = PARTS[name]
        inside = nir[top:bottom, left:right].astype(float)
        assert rows.loc[
            name, ["count", "mean", "std", "min", "max", "median", "sum"]
        ].tolist() == pytest.approx(
            [
                inside.size,
                inside.mean(),
                inside.std(),
                inside.min(),
                inside.max(),
                np.median(inside),
                inside.sum(),
            ]
        )
        # Squares of 10 m of the map, which is 0.99971 of the ground at 1.37° from the middle meridian.
        assert rows.loc[name, "area_ha"] == pytest.approx(inside.size / 100 / 0.99971**2, rel=1e-4)
    assert rows.loc["bare field", "nodata"] == 2
    assert step.observation.startswith(
        "Band 4 of Scene in 4 zones of Fields: bare field: mean 2,395.14, median 2,394, min 2,176, 12.01 ha; "
    )


def test_a_feature_is_taken_by_its_name(ready: tuple[World, State]) -> None:
    step = run(*ready, zonal_stats, raster=SCENE.id, zones="fields", feature="Park", statistics="mean, p90")
    assert (step.data["zone"], step.data["rows"]) == ("park", 1)
    with rasterio.open(FOLDER / "scene.tif") as source:
        left, top, right, bottom = PARTS["park"]
        blue = source.read(1)[top:bottom, left:right]
    assert [step.data[key] for key in ("mean", "p90")] == pytest.approx(
        [blue.mean(), np.percentile(blue, 90)]
    )
    wrong = run(*ready, zonal_stats, raster=SCENE.id, zones="fields", feature="forest")
    assert wrong.observation == "No feature is called 'forest'; there are bare field, park, lake and town."


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")  # rasterstats multiplies places with *
def test_real_buildings_on_a_real_surface_model_are_rasterstats() -> None:
    import geopandas as gpd

    from data.raster.zonal import zonal_statistics

    folder = real("elevation")
    zones = gpd.read_file(folder / "buildings.geojson")
    with rasterio.open(folder / "hag.tif") as source:
        placed = zones.to_crs(source.crs)
    names = ["count", "min", "max", "mean", "std", "median"]
    theirs = rasterstats.zonal_stats(list(placed.geometry), str(folder / "hag.tif"), stats=names)
    ours = zonal_statistics(folder / "hag.tif", zones, names)
    assert len(ours) == len(theirs) > 10
    for one, two in zip(ours, theirs, strict=True):
        assert one["count"] == two["count"]
        for name in names[1:]:
            assert one[name] == (None if two[name] is None else pytest.approx(two[name], rel=1e-5)), name


def test_zones_that_hold_no_pixel_are_counted(ready: tuple[World, State]) -> None:
    step = run(*ready, zonal_stats, raster=SCENE.id, zones="vector-1a2b3c")
    assert step.data["zones"][0]["mean"] is None
    assert "2 zones hold no valid pixel." in step.observation


def test_a_position_has_the_values_of_its_pixel(ready: tuple[World, State]) -> None:
    step = run(*ready, raster_sample, raster=SCENE.id, lon=4.38, lat=52.007, bands="nir,red")
    with rasterio.open(FOLDER / "scene.tif") as source:
        from rasterio.warp import transform

        x, y = transform("EPSG:4326", source.crs, [4.38], [52.007])
        row, column = source.index(x[0], y[0])
        wanted = source.read()[:, row, column]
    assert (step.data["nir"], step.data["red"], step.data["value"]) == (wanted[3], wanted[2], wanted[3])
    assert step.observation.startswith(
        f"Scene at 52.007, 4.38 (latitude, longitude): nir {wanted[3]:,} and red"
    )


def test_a_position_beside_the_raster_or_on_nodata_has_no_value(ready: tuple[World, State]) -> None:
    away = run(*ready, raster_sample, raster=SCENE.id, lon=14, lat=52)
    assert away.data["value"] is None and away.observation.startswith("Scene has no value at 52, 14")
    corner = run(*ready, raster_sample, raster=SCENE.id, lon=4.36965, lat=52.00961)
    assert corner.data["value"] is None


def test_points_and_tables_get_a_column_a_band(ready: tuple[World, State]) -> None:
    world, state = ready
    state = after(
        world, state, (draw_marker, {"lon": 4.38, "lat": 52.007}), (draw_marker, {"lon": 4.3, "lat": 52})
    )
    step = run(world, state, raster_sample, raster=DEM.id, points="drawings")
    first = table(world, step.data["table"])
    assert first["height"].notna().tolist() == [True, False] and step.data["inside"] == 1
    again = run(world, step.state, raster_sample, raster=SCENE.id, table=step.data["table"], bands=[1])
    assert table(world, again.data["table"]).columns.tolist() == ["name", "lon", "lat", "height", "blue"]


def test_a_hundred_thousand_points_are_read_tile_by_tile(tmp_path: Path) -> None:
    from data.raster.sampling import sample
    from tests.data.raster.test_windows import write

    values = np.arange(1200 * 1100, dtype=np.float32).reshape(1, 1200, 1100)
    from affine import Affine

    path = write(tmp_path / "a.tif", values, crs="EPSG:4326", transform=Affine(1e-3, 0, 4, 0, -1e-3, 52))
    random = np.random.default_rng(1)
    rows, columns = random.integers(0, 1200, 100_000), random.integers(0, 1100, 100_000)
    found, names = sample(path, (4 + (columns + 0.5) / 1000).tolist(), (52 - (rows + 0.5) / 1000).tolist())
    assert names == ["band_1"]
    np.testing.assert_array_equal(found[0], values[0, rows, columns])


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ({}, "raster_sample needs lon and lat, or points, or a table with lon and lat; one of them."),
        ({"lon": 4}, "raster_sample needs lon and lat,"),
        ({"lon": 4, "lat": 52, "points": "fields"}, "raster_sample needs lon and lat,"),
        ({"table": "counts"}, "No table has the id 'counts'."),
    ],
)
def test_what_cannot_be_sampled_is_said(
    ready: tuple[World, State], args: dict[str, object], said: str
) -> None:
    step = run(*ready, raster_sample, raster=RASTER.id, **args)
    assert step.failed and step.observation.startswith(said)
