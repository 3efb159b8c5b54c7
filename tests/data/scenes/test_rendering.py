"""Rendered scenes: the same from a seed everywhere, with truth that fits the pixels and the ground."""

from __future__ import annotations

import contextlib
import io
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest
import rasterio
from pyproj import Geod, Transformer

from data.scenes import CLASSES, COVERS, Scene, pair, render
from data.scenes.radar import speckled
from data.scenes.themes import THEMES

HASHES = """
import hashlib
from data.scenes import pair, render
for kind in ("optical", "multispectral", "sar"):
    scene = render(5, kind, 96, clouds=0.2 if kind != "sar" else 0.0)
    for each in (scene.pixels, scene.clean, scene.instances, scene.landcover, scene.cloud_transmission):
        print(hashlib.sha256(each.tobytes()).hexdigest())
    print([(each.class_name, each.outline.tolist(), each.level) for each in scene.objects])
made = pair(6, "damage", 96, 0.4, shift_px=1.5)
print(hashlib.sha256(made.after.pixels.tobytes()).hexdigest(), made.shift_px)
"""


def test_a_seed_gives_the_same_scene_in_every_process():
    run = subprocess.run(
        [sys.executable, "-c", HASHES],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONHASHSEED": "1", "PATH": ""},
    )
    here = io.StringIO()
    with contextlib.redirect_stdout(here):
        exec(HASHES, {})
    assert len(here.getvalue().splitlines()) == 19
    assert run.stdout == here.getvalue()


def test_another_seed_gives_another_scene():
    assert not np.array_equal(render(1, size=64).pixels, render(2, size=64).pixels)


@pytest.mark.parametrize("theme", [name for name in THEMES if name not in ("fields", "woods")])
def test_the_box_of_each_object_is_the_least_box_around_its_mask(theme: str):
    scene = render(31, size=192, theme=theme, gsd_m=0.7 if theme == "airport" else None, plain=True)
    checked = 0
    for number, each in enumerate(scene.objects, start=1):
        sides = np.hypot(*(each.outline - np.roll(each.outline, 1, axis=0)).T)
        if each.visible < 1 or sides.min() < 8:
            continue
        rows, columns = np.nonzero(scene.instances == number)
        corners = np.concatenate(
            [np.column_stack([columns + dx, rows + dy]) for dx in (0, 1) for dy in (0, 1)]
        )
        mask_box = _box_along(corners.astype(float), each.outline)
        assert _iou(mask_box, each.outline) >= (0.8 if sides.min() < 14 else 0.9), each
        checked += 1
    assert checked or theme in ("town", "suburb")


def test_a_mask_holds_as_many_square_metres_as_the_outline_of_its_shape():
    scene = render(3, size=256, gsd_m=0.4, theme="depot", plain=True)
    tanks = [
        (number, each)
        for number, each in enumerate(scene.objects, start=1)
        if each.class_name == "storage-tank" and each.visible == 1
    ]
    assert tanks
    for number, each in tanks:
        area = float((scene.instances == number).sum()) * scene.gsd_m**2
        assert area == pytest.approx(np.pi / 4 * each.length_m**2, rel=0.04)


def test_objects_are_painted_where_their_masks_are():
    scene = render(8, size=160, gsd_m=0.3, theme="sea", plain=True)
    inside = scene.instances > 0
    far = cv2.dilate(inside.astype(np.uint8), np.ones((9, 9), np.uint8)) == 0
    water = far & (scene.landcover == COVERS.index("water"))
    brightness = scene.pixels.astype(float).mean(axis=0)
    assert brightness[inside].mean() > brightness[water].mean() + 40


def test_what_is_mostly_outside_is_neither_painted_nor_told():
    scene = render(17, size=128, theme="marina", gsd_m=0.2)
    assert all(each.visible >= 0.35 for each in scene.objects)
    for each in scene.objects:
        assert min(each.box) >= 0 and max(each.box) <= 128


@pytest.mark.parametrize("theme", THEMES)
def test_every_theme_is_rendered_at_the_pixels_of_a_satellite(theme: str) -> None:
    scene = render(1, "multispectral", 32, 20.0, theme=theme)
    assert scene.pixels.shape[1:] == (32, 32) and np.isfinite(scene.pixels).all()


@pytest.mark.parametrize("where", ["utm", "geographic", "rotated"])
def test_an_object_lies_on_the_ground_within_a_pixel_of_where_it_is_told(where, tmp_path: Path):
    scene = render(21, size=(160, 128), gsd_m=1.5, theme="airport", where=where, plain=True)
    path = scene.write(tmp_path / "scene.tif")
    whole = [(n, each) for n, each in enumerate(scene.objects, start=1) if each.visible == 1]
    assert len(whole) >= 2
    with rasterio.open(path) as source:
        to_lonlat = Transformer.from_crs(source.crs, "EPSG:4326", always_xy=True)
        assert source.tags()["source"] == "rendered scene, not imagery"
        assert source.descriptions == ("red", "green", "blue")
        spots = []
        for number, each in whole:
            rows, columns = np.nonzero(scene.instances == number)
            seen = to_lonlat.transform(*source.xy(float(rows.mean()), float(columns.mean())))
            pieces = scene.instances == number
            middle = np.argwhere(pieces).mean(axis=0)[::-1] + 0.5
            told = to_lonlat.transform(*(scene.transform * tuple(middle)))
            assert Geod(ellps="WGS84").inv(*seen, *told)[2] < scene.gsd_m
            assert np.hypot(*(middle - each.outline.mean(axis=0))) < 0.2 * each.length_m / scene.gsd_m
            spots.append((seen, middle))
    (one, here), (two, there) = spots[0], spots[-1]
    metres = Geod(ellps="WGS84").inv(*one, *two)[2]
    assert metres == pytest.approx(float(np.hypot(*(here - there))) * scene.gsd_m, rel=0.01)


def test_a_heading_points_from_the_stern_to_the_bow():
    scene = render(8, size=160, gsd_m=0.3, theme="sea", plain=True)
    for each in scene.objects:
        front = (each.outline[1] + each.outline[2]) / 2 - each.outline.mean(axis=0)
        told = np.radians(each.heading_deg)
        if each.visible == 1:
            assert np.allclose(front / np.hypot(*front), [np.sin(told), -np.cos(told)], atol=1e-6)


def test_speckle_has_the_mean_and_the_variance_of_its_looks():
    for looks in (1.0, 4.0, 16.0):
        flat = speckled(np.full((256, 256), 0.3, np.float32), looks, np.random.default_rng(1)).astype(float)
        assert flat.mean() == pytest.approx(0.3, rel=0.02)
        assert flat.mean() ** 2 / flat.var() == pytest.approx(looks, rel=0.05)


def test_a_radar_scene_is_its_clean_self_times_speckle():
    scene = render(4, "sar", 160, 1.0, theme="harbour", looks=3.0)
    ratio = (scene.pixels[0].astype(float) / scene.clean[0]) ** 2
    assert ratio.mean() == pytest.approx(1.0, abs=0.03)
    assert 1 / ratio.var() == pytest.approx(3.0, rel=0.1)


def test_ships_shine_in_radar():
    scene = render(4, "sar", 160, 1.0, theme="sea")
    power = scene.pixels[0].astype(float) ** 2
    water = (scene.landcover == COVERS.index("water")) & (scene.instances == 0)
    assert power[scene.instances > 0].mean() > 10 * power[water].mean()


def test_plants_are_bright_in_the_near_infrared_and_water_is_dark():
    scene = render(12, "multispectral", 128, 5.0, theme="woods", season="summer", plain=True)
    values = dict(zip(scene.bands, scene.clean.astype(float) / 10_000, strict=True))
    trees = (scene.landcover == COVERS.index("trees")) | (scene.landcover == COVERS.index("grass"))
    ndvi = (values["nir"] - values["red"]) / (values["nir"] + values["red"])
    assert ndvi[trees].mean() > 0.5
    assert scene.pixels.dtype == np.uint16 and len(scene.bands) == 6


def test_clouds_hide_about_the_share_that_was_asked_for():
    scene = render(2, size=192, clouds=0.3, plain=True)
    assert scene.clouds.mean() == pytest.approx(0.3, abs=0.06)
    bright = scene.pixels.astype(float).mean(axis=0)
    assert bright[scene.cloud_transmission < 0.2].mean() > bright[~scene.clouds].mean()


def test_without_weather_noise_and_compression_a_scene_is_clean():
    scene = render(2, size=64, plain=True)
    assert np.array_equal(scene.pixels, scene.clean)


def test_every_class_is_rendered_somewhere():
    found: set[str] = set()
    for seed, theme in enumerate(("sea", "airport", "parking", "depot")):
        found |= {each.class_name for each in render(seed, size=256, theme=theme, maps=False).objects}
    assert found == set(CLASSES)


def _box_along(points: np.ndarray, outline: np.ndarray) -> np.ndarray:
    forward = (outline[1] - outline[0]) / np.hypot(*(outline[1] - outline[0]))
    axes = np.array([forward, [-forward[1], forward[0]]])
    own = points @ axes.T
    low, high = own.min(axis=0), own.max(axis=0)
    return np.array([low, [high[0], low[1]], high, [low[0], high[1]]]) @ axes


def _iou(one: np.ndarray, two: np.ndarray) -> float:
    area, _ = cv2.intersectConvexConvex(one.astype(np.float32), two.astype(np.float32))
    both = sum(abs(cv2.contourArea(each.astype(np.float32))) for each in (one, two))
    return float(area / (both - area))


def changed_share(before: Scene, after: Scene, where: np.ndarray) -> float:
    difference = np.abs(before.clean.astype(float) - after.clean.astype(float)).max(axis=0)
    return float((difference > 12)[where].mean())


def test_buildings_come_and_go_where_the_mask_of_changes_says():
    made = pair(8, "change", 192, 0.5, plain=True, same_season=True)
    assert (
        made.added
        and (made.changed == np.isin(made.building_map, [n + 1 for n in (*made.added, *made.removed)])).all()
    )
    near = cv2.dilate(made.changed.astype(np.uint8), np.ones((61, 61), np.uint8)) > 0
    assert changed_share(made.before, made.after, made.changed) > 0.6
    assert changed_share(made.before, made.after, ~near) < 0.03
    building = COVERS.index("building")
    for number in made.added:
        spot = made.building_map == number + 1
        assert (made.after.landcover[spot] == building).mean() > 0.8
        assert (made.before.landcover[spot] == building).mean() < 0.3


def test_damage_shows_on_the_roofs_that_are_damaged_and_grows_with_its_level():
    made = pair(5, "damage", 256, 0.4, plain=True, same_season=True)
    shares: dict[int, list[float]] = {}
    for number, each in enumerate(made.buildings, start=1):
        roof = made.building_map == number
        if each.visible == 1 and roof.sum() > 60:
            shares.setdefault(each.level, []).append(changed_share(made.before, made.after, roof))
    means = {level: float(np.mean(each)) for level, each in shares.items()}
    assert set(means) >= {0, 3}
    assert means[0] < 0.1 and means[3] > 0.5
    assert all(
        means[low] <= means[high] + 0.05 for low, high in zip(sorted(means), sorted(means)[1:], strict=False)
    )
    assert (
        made.changed == np.isin(made.building_map, [n for n, e in enumerate(made.buildings, 1) if e.level])
    ).all()


@pytest.mark.parametrize(("kind", "cover"), [("flood", "water"), ("fire", "burned")])
def test_a_flood_or_a_fire_lies_exactly_where_the_cover_turned(kind, cover):
    made = pair(3, kind, 128, 5.0, sensor="multispectral", plain=True)
    turned = (made.after.landcover == COVERS.index(cover)) & (made.before.landcover != COVERS.index(cover))
    assert made.changed.any() and (turned == made.changed).all()


def test_a_misplaced_second_image_shows_the_ground_as_far_off_as_told():
    made = pair(9, "flood", 192, 1.0, shift_px=4, plain=True, same_season=True)
    dx, dy = made.shift_px
    still = render_of(made.before), render_of(made.after)
    (found_x, found_y), _ = cv2.phaseCorrelate(*still, cv2.createHanningWindow((192, 192), cv2.CV_64F))
    assert (dx, dy) != (0, 0)
    assert (found_x, found_y) == (pytest.approx(dx, abs=1.0), pytest.approx(dy, abs=1.0))


def render_of(scene: Scene) -> np.ndarray:
    covers = scene.landcover.astype(np.float64)
    covers[covers == COVERS.index("water")] = COVERS.index("grass")
    return covers
