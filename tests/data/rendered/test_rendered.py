"""Rendered scenes of records: the same bytes always, true to what is listed, and never called imagery."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime
from pathlib import Path

import numpy as np
import pytest
import rasterio

from data.rendered import (
    Item,
    Subject,
    close_up,
    is_rendered,
    keep_picture,
    keep_raster,
    scene_of,
    subject_of,
    whole,
)
from data.rendered import kept as kept_module
from data.rendered.drawing import plan_of
from data.rendered.mosaic import covers_of
from data.rendered.places import painter_of
from data.rendered.shapes import look_of, shape_of
from data.scenes.model import COVERS
from data.vocabulary import CLASS_NAMES

PLANES = tuple(Item("Boeing737", x, 60.0, 40.0, 36.0, 0.4) for x in (-80.0, 0.0, 80.0))
CARS = tuple(Item("Small Car", 12.0 * n - 90, -70.0, 4.6, 1.9, 0.0) for n in range(15))
TOWN = Subject(
    image_id="fair1m:1.tif",
    dataset="fair1m",
    modality="optical",
    sensor="Gaofen-2",
    gsd_m=0.5,
    width_px=600,
    height_px=500,
    box=(5.0, 45.0, 5.0038, 45.00225),
    taken=date(2019, 6, 1),
    clouds=0.0,
    classes=("Boeing737", "Small Car"),
    items=(*PLANES, *CARS),
    disaster="",
)
SEA = replace(
    TOWN,
    image_id="xview3:scene_1t",
    dataset="xview3",
    modality="sar",
    gsd_m=10.0,
    width_px=512,
    height_px=512,
    items=tuple(Item("non-fishing vessel", 900.0 * n - 1800, 500.0 * n, 180.0, 36.0, 0.0) for n in range(5)),
)
PATCH = replace(
    TOWN,
    image_id="bigearthnet:a",
    dataset="bigearthnet",
    modality="multispectral",
    gsd_m=10.0,
    width_px=120,
    height_px=120,
    classes=("Water bodies", "Coniferous forest", "Pastures"),
    items=(),
)


def pixel(subject: Subject, item: Item, window=None) -> tuple[int, int]:
    window = window or whole(subject)
    x, y = item.x_m - window.x_m, item.y_m - window.y_m
    return int(y / window.gsd_m + window.height_px / 2), int(x / window.gsd_m + window.width_px / 2)


def test_the_same_record_gives_the_same_bytes(tmp_path: Path):
    one, other = keep_picture(tmp_path / "a", TOWN), keep_picture(tmp_path / "b", TOWN)
    assert one.path.read_bytes() == other.path.read_bytes()
    assert one.path.name == other.path.name
    another = keep_picture(tmp_path / "a", replace(TOWN, image_id="fair1m:2.tif"))
    assert another.path.read_bytes() != one.path.read_bytes()


def test_a_scene_that_is_there_is_not_drawn_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    first = keep_raster(tmp_path, PATCH)
    monkeypatch.setattr(kept_module, "scene_of", lambda *given: pytest.fail("it was drawn again"))
    assert keep_raster(tmp_path, PATCH) == first


def test_every_listed_object_is_where_and_as_large_as_it_is_listed():
    plan = plan_of(TOWN, whole(TOWN))
    found = [thing for thing in plan.things if thing.shape.class_name in ("plane", "small-vehicle")]
    assert len(found) == len(TOWN.items)
    window = whole(TOWN)
    for item in TOWN.items:
        row, column = pixel(TOWN, item)
        near = [t for t in found if np.hypot(t.centre[0] - column, t.centre[1] - row) < 2]
        assert [round(t.shape.length_m, 3) for t in near] == [item.length_m]
        along = np.linalg.norm(near[0].outline[1] - near[0].outline[0]) * window.gsd_m
        assert along == pytest.approx(item.length_m, rel=0.1)


def test_objects_show_in_the_pixels_and_nothing_else_changes_far_away():
    bare = replace(TOWN, items=PLANES)
    window = close_up(TOWN)
    with_cars, without = scene_of(TOWN, window).pixels, scene_of(bare, window).pixels
    for car in CARS:
        row, column = pixel(TOWN, car, window)
        assert (with_cars[:, row, column] != without[:, row, column]).any()


def test_the_sides_and_the_pixels_are_those_of_the_record():
    window = whole(TOWN)
    assert (window.width_px, window.height_px) == (512, 427)
    assert window.gsd_m == pytest.approx(0.5 * 600 / 512)
    scene = scene_of(TOWN, window)
    assert scene.pixels.shape == (3, 427, 512)
    assert scene.transform * (0, 0) == pytest.approx((5.0, 45.00225), abs=2e-6)
    assert scene.transform * (512, 427) == pytest.approx((5.0038, 45.0), abs=5e-6)
    near = close_up(TOWN, 200)
    assert (near.width_px, near.height_px, near.gsd_m) == (200, 200, 0.5)
    assert sum(near.holds(item) for item in TOWN.items) >= 8


def test_radar_is_grey_speckle_with_bright_vessels():
    scene = scene_of(SEA, whole(SEA))
    amplitude = scene.pixels[0]
    assert scene.bands == ("vv",)
    power = amplitude[400:, :200] ** 2
    looks = power.mean() ** 2 / power.var()
    assert 2.5 < looks < 4.6  # the sea's own waves make it a little less than the sensor's 4.4
    for item in SEA.items:
        row, column = pixel(SEA, item)
        assert amplitude[row - 1 : row + 2, column - 8 : column + 9].max() > 4 * np.median(amplitude)


def test_each_land_cover_class_has_its_part_of_the_patch():
    covers = plan_of(PATCH, whole(PATCH)).covers
    shares = {name: float((covers == COVERS.index(name)).mean()) for name in ("water", "trees", "grass")}
    assert all(share > 0.12 for share in shares.values())
    allowed = {cover for name in PATCH.classes for cover, _ in covers_of(name)}
    assert {COVERS[each] for each in np.unique(covers)} <= allowed
    scene = scene_of(PATCH, whole(PATCH))
    assert scene.bands == ("blue", "green", "red", "nir", "swir1", "swir2")
    nir, red = scene.pixels[3].astype(float), scene.pixels[2].astype(float)
    ndvi = (nir - red) / (nir + red)
    assert (
        ndvi[covers == COVERS.index("trees")].mean() > 0.5 > 0 > ndvi[covers == COVERS.index("water")].mean()
    )


def test_both_images_of_a_pair_show_one_ground_and_its_damage():
    name = "xview2:storm_00000001_{}_disaster.png"
    houses = tuple(Item("no-damage", 40.0 * n - 100, 0.0, 15.0, 10.0, 0.3) for n in range(6))
    before = replace(
        TOWN, dataset="xview2", gsd_m=1.0, image_id=name.format("pre"), items=houses, classes=("no-damage",)
    )
    after = replace(
        before,
        image_id=name.format("post"),
        items=tuple(replace(each, name="destroyed") for each in houses),
        taken=date(2019, 9, 1),
    )
    assert (plan_of(before, whole(before)).covers == plan_of(after, whole(after)).covers).mean() > 0.99
    flooded = replace(after, disaster="flooding")
    water = COVERS.index("water")
    assert (plan_of(flooded, whole(flooded)).covers == water).mean() > 0.2
    assert (plan_of(after, whole(after)).covers == water).mean() == 0


@pytest.mark.parametrize("dataset", ["xview1", "fair1m", "xview2", "xview3"])
def test_every_class_has_a_look_of_the_listed_size(dataset: str):
    for name in CLASS_NAMES[dataset]:
        shape = shape_of(np.random.default_rng(1), look_of(name), 30.0, 12.0, 0.3)
        assert shape.length_m <= 30.001, name
        assert shape.parts, name


def test_every_category_of_places_can_be_drawn():
    size = replace(
        TOWN, dataset="fmow", gsd_m=1.0, width_px=200, height_px=200, box=(5.0, 45.0, 5.0025, 45.0018)
    )
    seen = {}
    for category in CLASS_NAMES["fmow"]:
        item = Item(category, 10.0, -5.0, 90.0, 70.0, 0.0)
        subject = replace(size, classes=(category,), items=(item,))
        seen.setdefault(painter_of(category), plan_of(subject, whole(subject)))
    empty = plan_of(replace(size, classes=(), items=()), whole(size))
    for look, plan in seen.items():
        marked = (plan.covers != empty.covers).any() or len(plan.things) != len(empty.things)
        assert marked, look


def test_the_raster_says_that_it_is_rendered(tmp_path: Path):
    path = keep_raster(tmp_path, TOWN).path
    with rasterio.open(path) as source:
        assert source.tags()["source"] == "rendered scene, not imagery"
        assert source.tags()["record"] == "fair1m:1.tif"
        assert (source.width, source.height, source.count, source.crs.to_epsg()) == (600, 500, 3, 4326)
    assert is_rendered(path)
    plain = tmp_path / "plain.tif"
    with rasterio.open(
        plain,
        "w",
        driver="GTiff",
        width=2,
        height=2,
        count=1,
        dtype="uint8",
        transform=rasterio.Affine.scale(2),
    ) as target:
        target.write(np.ones((1, 2, 2), np.uint8))
    assert not is_rendered(plain)


def test_the_oldest_make_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    first = keep_picture(tmp_path, PATCH).path
    monkeypatch.setattr(kept_module, "MOST_BYTES", first.stat().st_size + 10)
    second = keep_picture(tmp_path, replace(PATCH, image_id="bigearthnet:b")).path
    assert [each.name for each in tmp_path.iterdir()] == [second.name]


def test_a_record_is_read_with_its_outlines_and_over_the_antimeridian():
    record = {
        "image_id": "fair1m:3.tif", "dataset": "fair1m", "modality": "optical", "sensor": "Gaofen-2",
        "gsd_m": 1.0, "width_px": 1000, "height_px": 1000, "west": 179.995, "east": -179.995, "south": 0.0,
        "north": 0.01, "acquired": datetime(2020, 1, 2), "cloud_pct": 5.0, "classes": ["Bus"],
    }  # fmt: skip
    row = {"class_name": "Bus", "west": -179.9971, "east": -179.9969, "south": 0.00495, "north": 0.00505}
    found = subject_of(record, [row])
    assert found is not None
    assert found.box == pytest.approx((179.995, 0.0, 180.005, 0.01))
    assert found.items[0].x_m == pytest.approx(300, abs=1)
    assert found.items[0].length_m == pytest.approx(20, abs=0.1)
    assert found.clouds == 0.05
    assert subject_of({**record, "gsd_m": None}, []) is None
