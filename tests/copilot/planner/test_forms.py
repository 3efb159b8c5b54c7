"""What drawings are called by their form."""

from __future__ import annotations

import math
from typing import Any

import pytest

from copilot.planner.forms import form_of, forms_said

ROUND = [[math.cos(n / 32 * math.tau), math.sin(n / 32 * math.tau)] for n in range(33)]


@pytest.mark.parametrize(
    ("geometry", "form"),
    [
        ({"type": "Point", "coordinates": [1, 2]}, "marker"),
        ({"type": "LineString", "coordinates": [[1, 2], [3, 4]]}, "line"),
        ({"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]]]}, "box"),
        ({"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, 2], [0, 0]]]}, "polygon"),
        ({"type": "Polygon", "coordinates": [ROUND]}, "circle"),
        ({}, ""),
    ],
)
def test_a_geometry_has_a_form(geometry: dict[str, Any], form: str) -> None:
    assert form_of(geometry) == form


def test_the_forms_that_a_text_names_are_told() -> None:
    assert forms_said("delete the ring and both pins") == ["circle", "marker"]
    assert forms_said("delete what I drew") == []
