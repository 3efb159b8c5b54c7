"""Pixels on the ground: lengths, widths and headings, in projected, geographic and rotated images."""

from __future__ import annotations

import numpy as np
import pytest
from affine import Affine
from pyproj import Geod

from data.vision.ground import Ground

BOX = np.array([[10.0, 10.0], [50.0, 10.0], [50.0, 20.0], [10.0, 20.0]])
UTM = Affine(2.0, 0.0, 500_000.0, 0.0, -2.0, 5_700_000.0)


def test_a_box_in_a_utm_image_has_its_length_width_and_heading_in_metres():
    size = Ground(UTM, "EPSG:32631").size_m(BOX)
    assert (size.length_m, size.width_m) == (pytest.approx(80, rel=2e-3), pytest.approx(20, rel=2e-3))
    assert size.heading_deg == pytest.approx(90, abs=0.2)


def test_a_box_in_a_rotated_image_turns_with_it_and_keeps_its_size():
    rotated = Ground(UTM @ Affine.rotation(30), "EPSG:32631").size_m(BOX)
    assert (rotated.length_m, rotated.width_m) == (pytest.approx(80, rel=2e-3), pytest.approx(20, rel=2e-3))
    assert rotated.heading_deg == pytest.approx(120, abs=0.3)


def test_a_box_in_a_geographic_image_is_as_long_as_the_geodesic_says():
    size = Ground(Affine(1e-4, 0.0, 10.0, 0.0, -1e-4, 60.0), "EPSG:4326").size_m(BOX)
    metres = Geod(ellps="WGS84").inv(10.001, 59.9985, 10.005, 59.9985)[2]
    assert size.length_m == pytest.approx(metres, rel=1e-3)


def test_an_outline_lies_where_the_transform_puts_it():
    lonlat = Ground(Affine(0.1, 0.0, 10.0, 0.0, -0.1, 60.0), "EPSG:4326").lonlat(BOX[:1])
    assert lonlat.tolist() == [[pytest.approx(11.0), pytest.approx(59.0)]]
