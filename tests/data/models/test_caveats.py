"""An answer's caveat is of the class that it claims, of images like this one, with false alarms."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from data.models.card import Card, FalseClaims, Measured
from data.models.caveats import caveat, claims_of
from data.models.evaluating.negatives import Negative
from data.models.registry import registry


def picture(side: int, gsd_m: float) -> Negative:
    """A picture in colour, even and without grain, so many pixels wide."""
    rows, columns = np.indices((side, side)) / side
    pixels = np.stack([80 + 90 * rows, 120 - 60 * columns, 60 + 40 * rows * columns], axis=-1)
    return Negative("slope", "field", gsd_m, pixels.astype(np.uint8), 0, ())


def measured(**of: Any) -> Measured:
    given = {"data": "DOTA", "metric": "AP50", "value": 0.5, "n": 3, "images": "real"}
    return Measured.model_validate({**given, **of})


def alarms(ground: str, claimed: int, **of: Any) -> FalseClaims:
    given = {"object": "ship", "ground": ground, "images": 100, "claimed": claimed, "gsd_m": [0.3, 0.6]}
    return FalseClaims.model_validate({**given, **of})


def card(*figures: Measured, claims: tuple[FalseClaims, ...] = ()) -> Card:
    own = registry(None).get("oriented-objects").card
    return own.model_copy(update={"name": "finder", "measured": figures, "false_claims": claims})


@pytest.fixture
def small(tmp_path: Path) -> Path:
    return picture(300, 0.3).write(tmp_path / "small.tif")


def said(of: Card, image: Path, *claims: str) -> str:
    return caveat(of, image, claims).removeprefix("How far to trust finder: ")


def test_what_nobody_measured_on_real_images_is_said_to_be_so(small: Path) -> None:
    nothing = "ship: not measured on real images, nor its false alarms."
    assert said(card(), small, "ship") == nothing
    assert said(card(measured(images="rendered", object="ship")), small, "ship") == nothing
    assert (
        said(card(measured(object="plane"), claims=(alarms("all", 1, object="plane"),)), small, "ship")
        == nothing
    )


def test_a_figure_of_the_class_goes_before_one_of_all_classes(small: Path) -> None:
    every, ships = measured(value=0.9), measured(object="ship", value=0.4)
    assert said(card(every, ships), small, "ship") == (
        "ship: on real images (DOTA, n = 3) AP50 0.40, false alarms not measured on real images."
    )
    assert said(card(every), small, "ship") == (
        "ship: of all its classes together, on real images (DOTA, n = 3) AP50 0.90, false alarms not "
        "measured on real images."
    )


def test_figures_of_images_unlike_this_one_are_said_to_be_so(small: Path) -> None:
    coarse = measured(object="ship", gsd_m=[10, 10])
    assert "which are unlike this one (pixels of 10 m, not 0.3 m)" in said(card(coarse), small, "ship")
    fine = measured(object="ship", value=0.7, gsd_m=[0.2, 0.5])
    assert "AP50 0.70, false" in said(card(coarse, fine), small, "ship")


def test_false_alarms_are_those_of_images_as_large_as_this_one(small: Path, tmp_path: Path) -> None:
    known = card(claims=(alarms("roofs", 7), alarms("all", 2), alarms("large mosaics", 9, from_mpx=1.0)))
    assert said(known, small, "ship").endswith(
        "claimed in 2 of 100 real images without any (all kinds of ground, pixels of 0.3 to 0.6 m)."
    )
    large = picture(1100, 0.3).write(tmp_path / "large.tif")
    assert said(known, large, "ship").endswith(
        "claimed in 9 of 100 real images without any (large mosaics, pixels of 0.3 to 0.6 m)."
    )


def test_that_there_is_none_is_a_claim_of_what_was_looked_for() -> None:
    assert claims_of("optical_detection", {"by_class": {}, "classes": ["ship", "plane"]}) == ("ship", "plane")
    assert claims_of("optical_detection", {"by_class": {"ship": 2, "plane": 5}}) == ("plane", "ship")
    assert claims_of("scene", {"scene": None}) is None
