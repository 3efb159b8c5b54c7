"""Tools as actions: the PDDL domain is read by a PDDL parser, and says what the declarations say."""

from __future__ import annotations

from pddl.parser.domain import DomainParser

from copilot.workflows import actions
from tools.conditions import Raster
from tools.toolbox import toolbox


def test_the_domain_of_all_tools_is_pddl_and_has_an_action_for_each() -> None:
    tools = list(toolbox())
    domain = DomainParser()(actions.domain(tools))
    names = {each.name.partition("--")[0] for each in domain.actions}
    assert names == {each.name.replace("_", "-") for each in tools}
    speckle = next(each for each in domain.actions if each.name == "speckle-filter")
    assert "(modality ?raster-in w-radar)" in str(speckle.precondition)
    assert "(done ?raster-out w-despeckled)" in str(speckle.effect)


def test_of_alternatives_one_is_enough_and_the_nearest_is_told() -> None:
    water = toolbox().get("water_extraction")
    assert actions.lacking(water, {"image": "x"}, {"image": Raster(modality="radar")}) == ()
    assert actions.lacking(water, {"image": "x"}, {"image": Raster(bands="green+nir")}) == ()
    found = actions.lacking(water, {"image": "x"}, {"image": Raster(modality="elevation", bands="height")})
    assert [each.property for each in found] in (["modality"], ["bands"])


def test_the_bands_of_an_index_are_those_of_its_formula() -> None:
    tool = toolbox().get("spectral_index")
    arguments = {"raster": "x", "index": "NDSI"}
    found = actions.lacking(tool, arguments, {"raster": Raster(bands="nir+red")})
    assert [(each.property, each.wanted) for each in found] == [("bands", ("green", "swir16"))]
