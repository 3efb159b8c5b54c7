"""What is said after "no, I mean" takes the place of what it takes back."""

from __future__ import annotations

import pytest

from copilot.engine import Engine
from copilot.planner.corrected import corrected
from copilot.planner.spans import Reader
from tests.copilot.planner.asked import situation


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("fmow images in France, or rather in Spain", "fmow images in Spain"),
        ("Show ships in Rotterdam, no I mean Antwerp", "Show ships in Antwerp"),
        ("plot airports in fmow from 2015, actually make it 2016", "plot airports in fmow from 2016"),
        ("fmow images of airports, no wait, stadiums in Italy", "fmow images of stadiums in Italy"),
        ("airports in 2015 in France, or rather in Spain in 2016", "airports in 2016 in Spain"),
        ("set the opacity to 60 %, no wait, 40 %", "set the opacity to 40 %"),
        ("buffer the drawing by 5 km, no, make it 10 km", "buffer the drawing by 10 km"),
        ("Zoom in 3 levels, no, 2", "Zoom in 2 levels"),
        ("a pie, or rather a bar chart of the sensors", "a bar chart of the sensors"),
        ("airports in france, actually germany", "airports in germany"),
    ],
)
def test_the_later_of_two_phrases_of_a_kind_wins(said: str, meant: str, engine: Engine) -> None:
    assert _corrected(said, engine) == meant


@pytest.mark.parametrize(
    "said",
    [
        "no, I mean Antwerp",
        "actually make it 2016",
        "what do I mean by cloud_pct?",
        "wait a moment, show ships",
        'rename the layer to "France, no wait, Spain"',
        "plot fmow in France, actually make it a heatmap",
        "load xview1 around Melbourne, satellite base, no legend, zoom to Melbourne",
        "monthly time slider, no legend, daily line of images",
        "apply the atmospheric correction to the 2018 image and the 2019 image",
    ],
)
def test_a_request_that_takes_back_nothing_of_its_own_stays(said: str, engine: Engine) -> None:
    assert _corrected(said, engine) == said


def _corrected(said: str, engine: Engine) -> str:
    here = situation(engine)
    return corrected(said, Reader(here.gazetteer, here.today, here.names()))
