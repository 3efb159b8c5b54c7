"""Buildings as outlines and roads as a graph, against shapes that were drawn."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
import shapely
from affine import Affine
from numpy.typing import NDArray
from pyproj import Geod
from shapely.affinity import rotate
from shapely.geometry import Point, Polygon, box

from data.progress import Unheard
from data.raster.errors import RasterError
from data.uploads.gdal import quiet_gdal
from data.vision.buildings import building_index, building_mask, buildings_of, regular
from data.vision.roads import graph_of, ridge_strength, road_mask
from data.vision.skeleton import traced

UTM = Affine(1, 0, 500_000, 0, -1, 5_000_000)


def write(path: Path, band: NDArray[Any], placed: bool = True, transform: Affine = UTM) -> Path:
    rows, columns = band.shape
    profile = {"driver": "GTiff", "count": 1, "height": rows, "width": columns, "dtype": band.dtype}
    if placed:
        profile |= {"crs": "EPSG:32631", "transform": transform}
    with quiet_gdal(), rasterio.open(path, "w", **profile) as target:
        target.write(band, 1)
        target.descriptions = ("pan",)
    return path


def cross(side: int = 121, width: int = 5) -> NDArray[np.uint8]:
    """Two roads that meet in the middle, ends ten pixels from the border."""
    mask, middle, half = np.zeros((side, side), np.uint8), side // 2, width // 2
    mask[middle - half : middle + half + 1, 10 : side - 10] = 1
    mask[10 : side - 10, middle - half : middle + half + 1] = 1
    return mask


def test_two_roads_that_cross_are_four_edges_between_five_nodes(tmp_path: Path) -> None:
    frame, network = graph_of(write(tmp_path / "mask.tif", cross()))
    assert (network.nodes, network.edges, network.parts) == (5, 4, 1)
    # Thinning takes about half the width off each end.
    assert network.length_px == pytest.approx(2 * 101, abs=4 * 3.5)
    assert frame["width_px"].between(4, 7).all()
    geod = Geod(ellps="WGS84")
    assert frame["length_m"].tolist() == pytest.approx(
        [geod.geometry_length(each) for each in frame.geometry], abs=0.01
    )
    assert network.length_m == pytest.approx(network.length_px, rel=0.01)


def test_a_road_lies_where_it_was_drawn_and_without_a_place_in_pixels_alone(tmp_path: Path) -> None:
    mask = np.zeros((60, 120), np.uint8)
    mask[29:32, 5:115] = 1
    frame, network = graph_of(write(tmp_path / "mask.tif", mask, placed=False))
    assert (network.length_m, network.edges, network.nodes) == (None, 1, 2)
    line = shapely.from_wkt(frame["pixels"][0])
    assert line.hausdorff_distance(shapely.LineString([(6, 30.5), (114, 30.5)])) < 2
    assert frame.geometry.isna().all()


def test_a_ring_is_one_line_back_to_its_start() -> None:
    ring = np.zeros((9, 9), bool)
    ring[2, 3:6] = ring[6, 3:6] = ring[3:6, 2] = ring[3:6, 6] = True
    lines = traced(ring)
    assert len(lines) == 1
    assert lines[0].first == lines[0].last
    assert len(lines[0].points) == int(ring.sum()) + 1


def test_no_road_is_an_empty_graph(tmp_path: Path) -> None:
    frame, network = graph_of(write(tmp_path / "mask.tif", np.zeros((20, 20), np.uint8)))
    assert (len(frame), network.nodes, network.length_m, network.parts) == (0, 0, 0.0, 0)


def test_a_ridge_answers_best_on_its_middle_and_at_its_width() -> None:
    bar = np.zeros((61, 61))
    bar[27:34] = 1.0
    strength = ridge_strength(bar, (7.0,))
    assert int(strength[:, 30].argmax()) == 30
    by_width = [float(ridge_strength(bar, (each,))[30, 30]) for each in (2.0, 7.0, 30.0)]
    assert max(by_width) == by_width[1] == pytest.approx(math.sqrt(2 / math.pi) * math.exp(-0.5), rel=0.04)
    blob = np.hypot(*np.mgrid[-30:31, -30:31]) < 3.5
    assert ridge_strength(blob.astype(float), (7.0,))[30, 30] < 0.2 * by_width[1]


def test_ridges_find_a_road_across_a_grey_image(tmp_path: Path) -> None:
    image = np.random.default_rng(3).normal(90, 4, (160, 160))
    image[78:86] += 60
    source = write(tmp_path / "pan.tif", image.clip(0, 255).astype(np.uint8))
    done = road_mask(Unheard(), source, tmp_path / "mask.tif")
    assert done.model == "multi-scale-ridges"
    frame, network = graph_of(tmp_path / "mask.tif")
    assert network.length_m == pytest.approx(160, abs=20)
    assert (frame["length_px"].iloc[0], network.parts) == (pytest.approx(160, abs=20), 1)


def test_the_building_index_is_high_on_buildings_and_not_on_roads() -> None:
    image = np.full((96, 96), 60.0)
    image[20:34, 20:38] = 200.0
    image[60:66] = 200.0
    index = building_index(image, (4, 10, 20, 30))
    assert index[27, 29] > 30
    assert index[63, 48] < 0.8 * index[27, 29]
    assert index[5, 5] == 0.0


def test_buildings_drawn_in_a_grey_image_are_found_with_their_area(tmp_path: Path) -> None:
    image = np.random.default_rng(4).normal(70, 3, (120, 120))
    shapes = [box(15, 20, 33, 34), rotate(box(60, 55, 80, 67), 30), box(20, 80, 32, 96)]
    from rasterio.features import rasterize

    image[rasterize(shapes, image.shape).astype(bool)] = 210
    source = write(tmp_path / "pan.tif", image.clip(0, 255).astype(np.uint8))
    done = building_mask(Unheard(), source, tmp_path / "mask.tif")
    frame = buildings_of(tmp_path / "mask.tif")
    assert done.model == "morphological-building-index"
    assert len(frame) == 3
    assert set(frame["shape"]) == {"rectangle"}
    assert frame["area_m2"].sum() == pytest.approx(sum(each.area for each in shapes), rel=0.08)
    found = shapely.from_wkt(frame["pixels"].to_numpy())
    for shape in shapes:
        best = max(each.intersection(shape).area / each.union(shape).area for each in found)
        assert best > 0.85


def test_a_patch_is_drawn_as_its_rectangle_its_outline_or_not_at_all() -> None:
    notched = rotate(Polygon([(0, 0), (20, 0), (20, 10), (12, 10), (12, 8), (0, 8)]), 25)
    shape, kind = regular(notched)
    assert (kind, shape.area) == ("rectangle", pytest.approx(notched.area))
    corner = Polygon([(0, 0), (20, 0), (20, 4), (4, 4), (4, 20), (0, 20)])
    assert regular(corner) == (corner, "outline")
    assert regular(box(0, 0, 70, 10))[0] is None
    disc = Point(0, 0).buffer(5)
    assert regular(disc)[0].area == pytest.approx(math.pi * 25, rel=0.02)


def test_buildings_and_roads_are_not_looked_for_in_radar_or_coarse_pixels(tmp_path: Path) -> None:
    coarse = write(tmp_path / "coarse.tif", np.ones((8, 8), np.uint8), transform=UTM * Affine.scale(30))
    for function in (building_mask, road_mask):
        with pytest.raises(RasterError, match="do not show in pixels of 30 m"):
            function(Unheard(), coarse, tmp_path / "out.tif")
