from __future__ import annotations

import ast
import dataclasses
from pathlib import Path

import pytest

from data.models import training
from data.models.card import as_mlm, read_card
from data.models.choosing import ImageFacts, bands_for, choose, resolution_gap
from data.models.registry import CARDS, Registry, registry
from data.raster.errors import RasterError

CARD = """
name = "{name}"
title = "Planes"
tasks = ["object-detection"]
architecture = "a network"
kind = "onnx"
licence = "MIT"
{more}
[weights]
file = "{name}.onnx"
[input]
modality = ["{modality}"]
bands = ["red", "green", "blue"]
gsd_m = [{low}, {high}]
[output]
layout = "boxes"
classes = ["plane", "ship"]
[[measured]]
data = "a test"
metric = "mAP50"
value = {value}
n = 10
"""
COLOURS = ImageFacts("optical", ("red", "green", "blue"), 0.5, 1000, 1000)


def put(folder: Path, name: str, *, low: float = 0.3, high: float = 1.0, value: float = 0.5, more: str = "",
        modality: str = "optical") -> None:  # fmt: skip
    """A card and its weights, which nobody loads here."""
    text = CARD.format(name=name, low=low, high=high, value=value, more=more, modality=modality)
    (folder / f"{name}.toml").write_text(text)
    (folder / f"{name}.onnx").write_bytes(b"weights")


def own(folder: Path) -> Registry:
    """The models of a folder alone."""
    found = registry(folder)
    return Registry(tuple(each for each in found.models if each.own), found.problems)


def test_every_card_of_the_repository_is_read_and_its_own_weights_are_there() -> None:
    found = registry()
    assert found.problems == ()
    assert len(found.models) == len(list(CARDS.glob("*.toml")))
    missing = [each.name for each in found.models if not each.ready and each.card.weights.url is None]
    assert missing == []


def test_every_card_of_the_repository_is_called_as_its_file() -> None:
    assert [path.stem for path in sorted(CARDS.glob("*.toml"))] == sorted(
        read_card(path).name for path in CARDS.glob("*.toml")
    )


def test_a_mistake_in_a_card_is_told_in_one_sentence_and_hides_no_other(tmp_path: Path) -> None:
    put(tmp_path, "good")
    (tmp_path / "bad.toml").write_text('name = "bad"\ntasks = ["flying"]\n')
    found = own(tmp_path)
    assert [each.name for each in found.models] == ["good"]
    assert len(found.problems) == 1
    assert found.problems[0].startswith("bad.toml is no model card: ") and found.problems[0].endswith(".")


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ('address = "x"\nflavour = "sweet"', "flavour"),
        ('training = "../../etc"', "training"),
        ("parameters = -1", "parameters"),
    ],
)
def test_a_card_with_a_wrong_field_names_it(tmp_path: Path, more: str, says: str) -> None:
    put(tmp_path, "wrong", more=more)
    with pytest.raises(RasterError, match=says):
        read_card(tmp_path / "wrong.toml")


CLAIMS = """
[[false_claims]]
object = "ship"
ground = "forest"
images = 40
claimed = {claimed}
gsd_m = [0.3, {high}]
command = "python -m benches.vision_false_claims"
[[calibrated]]
data = "cuts of NAIP"
ece = 0.04
n = 80
images = "real"
"""


def test_a_card_says_how_often_it_claims_what_is_not_there_and_how_sure_it_may_be(tmp_path: Path) -> None:
    put(tmp_path, "sober")
    path = tmp_path / "sober.toml"
    path.write_text(path.read_text() + CLAIMS.format(claimed=2, high=0.6))
    card = read_card(path)
    (claims,), (calibrated,) = card.false_claims, card.calibrated
    assert (claims.object, claims.ground, claims.share, claims.gsd_m) == ("ship", "forest", 0.05, (0.3, 0.6))
    assert (calibrated.ece, calibrated.n, calibrated.images) == (0.04, 80, "real")


@pytest.mark.parametrize(
    ("claimed", "high", "says"),
    [(41, 0.6, "claimed in 41 of 40 images"), (2, 0.1, "gsd_m is two lengths in metres")],
)
def test_false_claims_that_cannot_be_are_refused(
    tmp_path: Path, claimed: int, high: float, says: str
) -> None:
    put(tmp_path, "odd")
    path = tmp_path / "odd.toml"
    path.write_text(path.read_text() + CLAIMS.format(claimed=claimed, high=high))
    with pytest.raises(RasterError, match=says):
        read_card(path)


def test_weights_outside_the_folder_are_refused(tmp_path: Path) -> None:
    put(tmp_path, "outside")
    text = (tmp_path / "outside.toml").read_text().replace('file = "outside.onnx"', 'file = "../x.onnx"')
    (tmp_path / "outside.toml").write_text(text)
    with pytest.raises(RasterError, match="must lie in the folder"):
        read_card(tmp_path / "outside.toml")


def test_a_new_file_in_the_models_folder_is_found_without_a_restart(tmp_path: Path) -> None:
    put(tmp_path, "one")
    before = [each.name for each in own(tmp_path).models]
    put(tmp_path, "two")
    assert (before, [each.name for each in own(tmp_path).models]) == (["one"], ["one", "two"])


def test_the_model_whose_resolution_holds_the_image_comes_before_the_better_measured(tmp_path: Path) -> None:
    put(tmp_path, "fine", low=0.1, high=0.3, value=0.9)
    put(tmp_path, "fitting", low=0.3, high=1.0, value=0.4)
    put(tmp_path, "coarse", low=5, high=20, value=0.95)
    assert choose(own(tmp_path), "object-detection", COLOURS).name == "fitting"


def test_of_models_that_fit_alike_the_best_measured_is_taken(tmp_path: Path) -> None:
    put(tmp_path, "worse", value=0.4)
    put(tmp_path, "better", value=0.7)
    assert choose(own(tmp_path), "object-detection", COLOURS).name == "better"


def test_the_user_may_pick_another_and_a_slip_gets_the_nearest(tmp_path: Path) -> None:
    put(tmp_path, "worse", value=0.4)
    put(tmp_path, "better", value=0.7)
    assert choose(own(tmp_path), "object-detection", COLOURS, "worse").name == "worse"
    with pytest.raises(RasterError, match="There is no model 'beter'; did you mean better"):
        choose(own(tmp_path), "object-detection", COLOURS, "beter")


def test_a_model_for_another_task_or_sensor_is_refused_in_one_sentence(tmp_path: Path) -> None:
    put(tmp_path, "radar-ships", modality="sar")
    with pytest.raises(RasterError, match=r"^radar-ships is for object detection, not for land cover.$"):
        choose(own(tmp_path), "land-cover", COLOURS, "radar-ships")
    with pytest.raises(RasterError, match=r"^Radar-ships is for sar images and this one is optical.$"):
        choose(own(tmp_path), "object-detection", COLOURS, "radar-ships")
    with pytest.raises(RasterError, match="suits this image: radar-ships is for sar images"):
        choose(own(tmp_path), "object-detection", COLOURS)


def test_without_weights_the_sentence_says_how_to_fetch_them(tmp_path: Path) -> None:
    put(tmp_path, "absent")
    (tmp_path / "absent.onnx").unlink()
    with pytest.raises(RasterError, match="`copilot models pull absent` fetches them"):
        choose(own(tmp_path), "object-detection", COLOURS)


@pytest.mark.parametrize(
    ("bands", "wanted"),
    [
        (("blue", "green", "red", "nir"), (3, 2, 1)),
        ((None, None, None), (1, 2, 3)),
        ((None, None, None, None), (1, 2, 3)),
        ((None,), (1, 1, 1)),
        (("pan",), (1, 1, 1)),
        (("nir", "swir16", "swir22"), None),
    ],
)
def test_a_model_gets_its_bands_in_its_own_order(
    tmp_path: Path, bands: tuple[str | None, ...], wanted: tuple[int, ...] | None
) -> None:
    put(tmp_path, "colours")
    facts = dataclasses.replace(COLOURS, modality=None, bands=bands)
    assert bands_for(own(tmp_path).get("colours"), facts) == wanted


def test_a_resolution_twice_too_coarse_is_one_step_away(tmp_path: Path) -> None:
    put(tmp_path, "model", low=0.5, high=1.0)
    model = own(tmp_path).get("model")
    assert [resolution_gap(model, each) for each in (0.25, 0.5, 0.7, 2.0, None)] == [1, 0, 0, 1, 0]


def test_a_card_says_the_same_in_the_words_of_stacs_extension() -> None:
    card = read_card(CARDS / "oriented-objects.toml")
    said = as_mlm(card)
    assert said["mlm:name"] == "oriented-objects"
    assert said["mlm:tasks"] == ["object-detection"]
    assert said["mlm:input"][0]["bands"] == ["red", "green", "blue"]
    assert said["mlm:input"][0]["input"]["dim_order"] == ["batch", "bands", "height", "width"]
    assert [each["name"] for each in said["mlm:output"][0]["classification:classes"]] == list(
        card.output.classes
    )


def test_what_a_card_names_as_its_training_can_be_run() -> None:
    """`copilot models train` calls it so; the module itself may want PyTorch to be imported."""
    named = {read_card(path).training for path in CARDS.glob("*.toml")} - {None}
    scripts = Path(training.__file__).parent
    found = {name: ast.parse((scripts / f"{name}.py").read_text("utf-8")) for name in named if name}
    taken = {
        name: [each.arg for each in function.args.args]
        for name, module in found.items()
        for function in module.body
        if isinstance(function, ast.FunctionDef) and function.name == "train"
    }
    assert taken == {name: ["out", "minutes", "seed"] for name in named}
