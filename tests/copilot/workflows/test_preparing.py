"""What is put in front of a workflow because its data need it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from copilot.bench.knowflow.spoiling import spoil
from copilot.session import Session
from copilot.workflows.preparing import findings, prepared
from copilot.workflows.quality import measure
from copilot.workflows.running import run
from tests.copilot.workflows.making import FILES, added, bound, workflow, write_tiff

FLOW = workflow(
    "steps: [{id: index, tool: spectral_index, args: {raster: $image, index: NDVI}}]\ngives: [$index]",
    {"image": "raster: modality=optical, bands=nir+red"},
)


def test_a_sound_image_is_left_as_it_is(session: Session) -> None:
    instance = bound(FLOW, image=added(session, FILES / "scene.tif"))
    assert prepared(session, instance) is instance


@pytest.mark.parametrize(("kind", "tool"), [("nodata_stripes", "fill_nodata"), ("noise", "denoising")])
def test_what_spoils_an_image_is_put_right_before_it_is_used(
    session: Session, tmp_path: Path, kind: str, tool: str
) -> None:
    instance = bound(FLOW, image=added(session, spoil(kind, FILES / "scene.tif", tmp_path)))
    report = run(session, instance)
    assert [each.tool for each in report.steps] == [tool, "spectral_index"]
    assert report.ok


PAIR = workflow(
    """
    steps:
      - {id: first, tool: spectral_index, args: {raster: $before, index: NDVI}}
      - {id: second, tool: spectral_index, args: {raster: $after, index: NDVI}}
      - {id: change, tool: raster_calc, args: {raster: $first, expression: "A - B", others: [$second]}}
    gives: [$change]
    """,
    {"before": "raster: modality=optical, bands=nir+red", "after": "raster: modality=optical, bands=nir+red"},
)


@pytest.mark.parametrize(
    ("kind", "tools"),
    [
        ("unnamed_bands", ["name_bands"]),
        ("missing_crs", ["place_raster", "raster_reproject"]),
        ("uncalibrated", ["toa_reflectance"]),
    ],
)
def test_what_one_date_does_not_say_is_taken_from_the_other(
    session: Session, tmp_path: Path, kind: str, tools: list[str]
) -> None:
    good = reflectance(tmp_path / "good.tif")
    instance = bound(PAIR, before=added(session, good), after=added(session, spoil(kind, good, tmp_path)))
    report = run(session, instance)
    assert report.ok, report.trouble
    assert [each.tool for each in report.steps if each.tool not in ("spectral_index", "raster_calc")] == tools
    # A box in degrees is not quite one in metres, so that edges of what was placed may be off by a pixel.
    assert measure("median", Path(session.world().artifacts.find(report.answer["$change"]) or "")) == (
        pytest.approx(0, abs=0.02)
    )
    assert session.replay() == session.state


def reflectance(path: Path) -> Path:
    """The example scene in parts of one, as floats."""
    import rasterio

    with rasterio.open(FILES / "scene.tif") as source:
        values, profile, names = source.read() / 10_000, source.profile, source.descriptions
    profile.update(dtype="float32")
    with rasterio.open(path, "w", **profile) as target:
        target.write(values.astype(np.float32))
        target.descriptions = names
    return path


def test_of_two_dates_whose_bands_disagree_the_one_out_of_order_is_named_anew(
    session: Session, tmp_path: Path
) -> None:
    good = FILES / "scene.tif"
    spoiled = spoil("band_order", good, tmp_path)
    instance = bound(PAIR, before=added(session, spoiled), after=added(session, good))
    made = prepared(session, instance)
    assert [each["said"] for each in made.adjustments] == ["name_bands put in front of before"]


def test_two_images_that_lie_apart_are_left_to_a_person_where_nothing_says_which_is_wrong(
    session: Session, tmp_path: Path
) -> None:
    good = FILES / "scene.tif"
    instance = bound(
        PAIR, before=added(session, good), after=added(session, spoil("wrong_crs", good, tmp_path))
    )
    assert prepared(session, instance) is instance


def test_what_was_prepared_is_told_and_on_the_record(session: Session, tmp_path: Path) -> None:
    image = added(session, spoil("nodata_stripes", FILES / "scene.tif", tmp_path))
    data = {"image": image, "fields": added(session, FILES / "fields.geojson")}
    event = session.call("workflow_run", workflow="crop_vigour/weak_spots", data=data)
    assert event.ok, event.text
    assert "fill_nodata put in front of image, since 25 % of image are gaps" in event.text
    calls = [each.tool for each in session.events if each.source == "workflow"]
    assert calls[:2] == ["workflow_adjust", "fill_nodata"]
    assert session.replay() == session.state


def test_a_value_under_which_nothing_is_found_goes_back_to_the_workflows_own(session: Session) -> None:
    flow = workflow(
        """
        steps:
          - {id: index, tool: spectral_index, args: {raster: $image, index: NDVI}}
          - {id: green, tool: raster_calc, args: {raster: $index, expression: "A > ${limit}", dtype: uint8}}
        gives: [$green]
        """,
        {"image": "raster: modality=optical, bands=nir+red"},
        {"limit": {"default": 0.3, "range": [0, 1]}},
    )
    instance = bound(flow, image=added(session, FILES / "scene.tif"))
    report = run(session, replace(instance, parameters={"limit": 0.99}))
    assert (report.ok, report.instance.parameters) == (True, {"limit": 0.3})
    assert report.instance.adjustments[0]["because"] == "nothing is found with 0.99"
    without = run(session, replace(instance, parameters={"limit": 0.98}), repairs=False)
    assert without.instance.parameters == {"limit": 0.98}


def test_a_date_that_lies_beside_the_other_is_found(session: Session, tmp_path: Path) -> None:
    ground = np.random.default_rng(3).gamma(4, 1, (24, 24)).repeat(6, 0).repeat(6, 1).astype(np.float32)
    one = added(session, write_tiff(tmp_path / "one.tif", ground))
    other = added(session, write_tiff(tmp_path / "other.tif", np.roll(ground, (5, 7), (0, 1))))
    flow = workflow(
        "steps: [{id: change, tool: change_detection, args: {before: $before, after: $after}}]\n"
        "gives: [$change]",
        {"before": "raster: modality=radar", "after": "raster: modality=radar"},
    )
    found = findings(session.state, session.world(), bound(flow, before=one, after=other))
    assert [(each.name, each.input) for each in found] == [("shift", "after")]
