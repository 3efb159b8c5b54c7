from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyproj import Transformer
from shapely.geometry import Polygon

from data.models.registry import registry
from data.models.runners import load
from data.progress import Unheard
from data.raster.errors import RasterError
from data.scenes import render
from data.scenes.model import Where
from data.vision.aircraft import measure_planes, rank, types
from data.vision.boxes import corners_of
from data.vision.classes import classes_for
from data.vision.detect import Detected, class_numbers, detect
from data.vision.detections import Detection, features
from data.vision.radar_targets import bright_targets
from data.vision.ships import MIN_SCORE, find_ships

KNOWN = ("plane", "ship", "small-vehicle", "large-vehicle", "storage-tank")


@pytest.mark.parametrize("where", ["utm", "geographic", "rotated"])
def test_a_detection_lies_within_a_pixel_of_the_truth_on_the_ground(tmp_path: Path, where: Where) -> None:
    scene = render(7, "optical", 64, 0.5, theme="airport", where=where, plain=True, maps=False)
    path = scene.write(tmp_path / "scene.tif")
    box = corners_of([[40.0, 20.0, 12.0, 6.0, 0.4]])[0]
    frame = features([Detection(box, "plane", 0.9)], path, model="m", source="s")
    to_degrees = Transformer.from_crs(scene.crs, "EPSG:4326", always_xy=True)
    middle = to_degrees.transform(*(scene.transform @ (40.0, 20.0)))
    aside = to_degrees.transform(*(scene.transform @ (41.0, 20.0)))
    pixel = np.hypot(aside[0] - middle[0], aside[1] - middle[1])
    found = frame.geometry.iloc[0].centroid
    assert np.hypot(found.x - middle[0], found.y - middle[1]) < 0.05 * pixel
    assert frame.length_m.iloc[0] == pytest.approx(6.0, rel=0.03)
    assert frame.width_m.iloc[0] == pytest.approx(3.0, rel=0.03)


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("aircraft", ("plane",)),
        ("Airplanes", ("plane",)),
        ("boats", ("ship",)),
        ("vessels", ("ship",)),
        ("cars", ("small-vehicle",)),
        ("trucks", ("large-vehicle",)),
        ("vehicles", ("small-vehicle", "large-vehicle")),
        ("oil tanks", ("storage-tank",)),
        ("Storage_Tank", ("storage-tank",)),
        ("everything", KNOWN),
        ("bus", ("large-vehicle",)),
        ("zebra", ()),
        ("", ()),
    ],
)
def test_words_become_the_models_classes(word: str, meant: tuple[str, ...]) -> None:
    assert classes_for(word, KNOWN) == meant


def test_a_class_that_the_model_does_not_know_gets_the_nearest_or_those_it_knows() -> None:
    model = registry().get("oriented-objects")
    with pytest.raises(RasterError, match=r"^oriented-objects does not know 'plain'; did you mean plane\?$"):
        class_numbers(model, ["plain"])
    with pytest.raises(RasterError, match=r"does not know 'zebra'; it knows plane, ship, "):
        class_numbers(model, ["zebra"])


def test_a_scene_larger_than_a_window_is_looked_at_in_several_and_told_as_it_goes(tmp_path: Path) -> None:
    class Hearing(Unheard):
        def __init__(self) -> None:
            self.fractions: list[float] = []
            self.shown: list[Any] = []

        def tell(self, fraction: float, sentence: str) -> None:
            self.fractions.append(fraction)

        def found(self, features: Any) -> None:
            self.shown.extend(features)

    scene = render(12, "optical", (300, 700), 0.5, theme="airport", plain=True, maps=False)
    path = scene.write(tmp_path / "wide.tif")
    hearing = Hearing()
    found = detect(hearing, path, min_score=0.1)
    assert isinstance(found, Detected) and found.windows == 2 and found.model == "oriented-objects"
    assert hearing.fractions == sorted(hearing.fractions) and 0 < hearing.fractions[-1] < 1
    assert {each["geometry"]["type"] for each in hearing.shown} <= {"Polygon"}
    shapes = [Polygon(each.outline) for each in found.found]
    assert all(shape.centroid.within(Polygon([(0, 0), (700, 0), (700, 300), (0, 300)])) for shape in shapes)
    again = detect(Unheard(), path, min_score=0.1)
    assert [each.outline.tolist() for each in again.found] == [each.outline.tolist() for each in found.found]


@pytest.mark.parametrize("model", [None, "ships-cfar"])
def test_a_radar_image_is_looked_at_by_the_method_for_ships_which_wants_no_weights(
    tmp_path: Path, model: str | None
) -> None:
    path = render(900_000, "sar", 256, 3.0, theme="sea").write(tmp_path / "scene.tif")
    found, own = detect(Unheard(), path, model=model), find_ships(Unheard(), path)
    assert own.found
    assert (found.model, found.wanted, found.min_score) == ("ships-cfar", ("ship",), MIN_SCORE)
    assert [each.score for each in found.found] == [each.score for each in own.found]


def test_what_has_no_weights_is_never_said_to_lack_them() -> None:
    with pytest.raises(RasterError, match="ships-cfar is of kind method and has no weights to run"):
        load(registry(None).get("ships-cfar"))


def test_the_table_of_aircraft_has_types_of_sensible_sizes_and_one_code_each() -> None:
    table = types()
    assert len(table) >= 65
    assert len({each.icao for each in table}) == len(table)
    assert all(7 <= each.length_m <= 80 and 7 <= each.span_m <= 80 for each in table)
    assert all(each.source and each.role for each in table)


def test_a_plane_of_published_size_is_ranked_first_among_those_of_other_sizes() -> None:
    first = [rank(each.length_m, each.span_m, 0.3)[0] for each in types()]
    alike = [
        (wanted.name, got.type.name)
        for wanted, got in zip(types(), first, strict=True)
        if abs(wanted.length_m - got.type.length_m) + abs(wanted.span_m - got.type.span_m) > 0.05
    ]
    assert alike == []


def test_types_of_one_size_share_the_confidence_and_none_fits_a_giant() -> None:
    found = {each.type.icao: each.likelihood for each in rank(63.7, 60.3, 1.0)}
    assert {"A333", "A343"} <= found.keys()
    assert found["A333"] == found["A343"] < 0.5
    assert rank(200.0, 10.0, 0.5) == ()


def test_a_rendered_plane_is_measured_to_about_a_pixel_and_a_half(tmp_path: Path) -> None:
    scene = render(15, "optical", 256, 0.6, theme="airport", plain=True, maps=False)
    path = scene.write(tmp_path / "stand.tif")
    planes = [each for each in scene.objects if each.class_name == "plane" and each.visible > 0.999]
    measured = measure_planes(Unheard(), path, [(at, each.outline) for at, each in enumerate(planes)])
    off_px = [
        max(abs(plane.length_m - each.length_m), abs(plane.span_m - each.width_m)) / 0.6
        for plane, each in zip(measured, planes, strict=True)
        if not plane.swapped
    ]
    assert len(planes) >= 4
    assert float(np.median(off_px)) < 1.5


def test_an_image_without_a_place_needs_the_size_of_its_pixels(tmp_path: Path) -> None:
    from PIL import Image

    Image.fromarray(np.zeros((40, 40, 3), np.uint8)).save(tmp_path / "photo.png")
    square = [(5.0, 5.0), (30.0, 5.0), (30.0, 30.0), (5.0, 30.0)]
    with pytest.raises(RasterError, match="give gsd_m, in metres"):
        measure_planes(Unheard(), tmp_path / "photo.png", [(1, square)])
    found = measure_planes(Unheard(), tmp_path / "photo.png", [(1, square)], gsd_m=2.0)
    assert (found[0].length_m, found[0].span_m) == (50.0, 50.0)


def test_bright_planes_stand_out_of_a_radar_image(tmp_path: Path) -> None:
    scene = render(15, "sar", 128, 1.0, theme="airport", plain=True, maps=False)
    found = bright_targets(Unheard(), scene.write(tmp_path / "apron.tif"), gsd_m=1.0)
    whole = [each for each in scene.objects if each.class_name == "plane" and each.length_m > 25]
    middles = [Polygon(each.outline).centroid for each in whole if each.visible > 0.9]
    assert middles
    assert all(any(Polygon(each.outline).contains(middle) for each in found) for middle in middles)
