"""Conditions of tools: their text form, what meets them, what a call leads to."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.conditions import LEVELS, MODALITIES, Raster, Thing, Unmet, made, unmet
from tools.toolbox import toolbox

BANDS = ("blue", "green", "red", "nir", "swir16", "swir22")


def several(words: tuple[str, ...]) -> st.SearchStrategy[tuple[str, ...]]:
    return st.sets(st.sampled_from(words)).map(lambda each: tuple(sorted(each)))


things = st.builds(
    Thing,
    kind=st.sampled_from(("raster", "vector", "table")),
    argument=st.sampled_from(("", "image", "before")),
    modality=several(MODALITIES),
    bands=several(BANDS),
    level=several(LEVELS),
    placed=st.sampled_from((None, True, False)),
    grid_of=st.sampled_from(("", "before")),
    coarsest_m=st.none() | st.floats(0.1, 1000, allow_nan=False).map(lambda each: float(f"{each:.6g}")),
    done=several(("despeckled", "filled")),
    regrids=st.booleans(),
)


@given(things)
def test_a_thing_and_its_text_say_the_same(thing: Thing) -> None:
    assert Thing.parse(str(thing)) == thing


def test_the_text_of_a_raster_and_its_value_are_one() -> None:
    assert Thing.parse("raster image: bands=red+nir, level=toa|surface") == Raster(
        "image", bands="nir+red", level="surface|toa"
    )


@pytest.mark.parametrize(
    "text", ["", "raster: colour=red", "raster: level=high", "raster: coarsest_m=wide", "raster: modality"]
)
def test_a_text_that_says_nothing_known_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        Thing.parse(text)


def test_what_is_not_known_is_met_unless_it_is_asked_strictly_but_for_bands() -> None:
    need = Raster("image", bands="nir", level="toa")
    assert unmet(need, Raster(bands="nir")) == ()
    assert unmet(need, Raster(bands="nir"), strict=True) == (Unmet("image", "level", ("toa",), ()),)
    assert unmet(need, Raster()) == (Unmet("image", "bands", ("nir",), ()),)


def test_a_new_modality_takes_bands_and_level_away_and_keeps_the_place() -> None:
    image = Raster(modality="optical", bands="nir+red", level="toa", placed=True, grid_of="a", done="dehazed")
    result = made(Raster("raster", of="image", modality="mask"), {"image": image})
    assert result == Raster("raster", modality="mask", placed=True, grid_of="a", done="dehazed")


def test_a_grid_that_changes_is_told_by_its_token() -> None:
    image = Raster(grid_of="a", placed=True)
    assert made(Raster("raster", of="image", regrids=True), {"image": image}, "b").grid_of == "b"


def test_every_typed_condition_speaks_of_an_argument_that_its_tool_has() -> None:
    for tool in toolbox():
        arguments = set(tool.schema.get("properties", {}))
        assert {each.argument for each in tool.needed} <= arguments, tool.name
        assert {each.of for each in tool.given if each.of} <= arguments, tool.name
        said = {each.partition("=")[0] for thing in (*tool.needed, *tool.given) for each in thing.when}
        assert said <= arguments, tool.name
