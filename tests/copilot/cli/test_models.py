"""`copilot models`: what a user does with models at the command line."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest
import rasterio
from PIL import Image

from data.models.training import cover_cells
from data.progress import Unheard
from data.scenes import render
from data.vision.segment import land_cover
from tests.copilot.cli.conftest import Copilot


def test_models_are_listed_with_their_state_and_figures(copilot: Copilot) -> None:
    done = copilot("models", "list", "--task", "super resolution")
    first, *figures = done.out.splitlines()
    assert first.split()[:3] == ["upscale-2x", "ready", "onnx"]
    assert figures and all("SSIM" in each and "(n = " in each for each in figures)


def test_a_card_is_shown_in_stacs_words(copilot: Copilot) -> None:
    shown = copilot("models", "show", "land-cover-rgb", "--mlm").json
    assert (shown["mlm:name"], shown["mlm:framework"]) == ("land-cover-rgb", "ONNX")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["show", "land-cover-rbg"], "did you mean land-cover-rgb?"),
        (["train", "canny"], "canny was not trained here; there is no script for it."),
        (["pull", "canny", "--yes"], "canny needs no weights"),
        (["export", "oriented-objects"], "oriented-objects"),
        (["evaluate", "canny"], "canny is measured by the command its card names"),
        (["evaluate", "upscale-2x", "--data", "/nowhere/at/all"], "There is no folder /nowhere/at/all."),
        (["evaluate", "land-cover-rgb", "--data", "/nowhere/at/all"], "There is no folder /nowhere/at/all."),
    ],
)
def test_what_cannot_be_done_is_told_in_one_sentence(
    copilot: Copilot, arguments: list[str], says: str
) -> None:
    done = copilot("models", *arguments, "--json")
    assert (done.status, says in done.json["error"]) == (1, True), done.json["error"]


def test_a_method_is_checked_without_weights(copilot: Copilot) -> None:
    done = copilot("models", "check", "canny")
    assert (done.status, done.out) == (0, "canny is a method without weights; there is nothing to load.\n")


def test_a_land_cover_network_is_measured_on_images_with_masks(copilot: Copilot, tmp_path: Path) -> None:
    """Its own answer as the truth is right everywhere, and half of it painted over is right in the rest."""
    images, masks = tmp_path / "images", tmp_path / "masks"
    for folder in (images, masks):
        folder.mkdir()
    image = render(5, "optical", 64, 0.5, theme="town").write(images / "a.tif")
    land_cover(Unheard(), image, tmp_path / "said.tif")
    with rasterio.open(tmp_path / "said.tif") as reader:
        said = reader.read(1)
    Image.fromarray(said - 1).save(masks / "a.png")
    whole = copilot("models", "evaluate", "land-cover-rgb", "--data", str(tmp_path), "--json").json
    assert (whole["metric"], whole["value"], whole["right"], whole["images"]) == ("mIoU", 1.0, 1.0, 1)
    assert set(whole["by_class"].values()) == {1.0}

    other = np.where(np.arange(64) < 32, said, said % 5 + 1).astype(np.uint8)
    Image.fromarray(other * 10).save(masks / "a.png")
    names = ("building", "land", "road", "vegetation", "water")
    told = {name: 10 * at for at, name in enumerate(names, 1)}
    (tmp_path / "classes.json").write_text(json.dumps(told))
    half = copilot("models", "evaluate", "land-cover-rgb", "--data", str(tmp_path), "--json").json
    assert half["right"] == 0.5


def test_an_upscaler_is_measured_beside_bicubic(copilot: Copilot, tmp_path: Path) -> None:
    render(7, "optical", 96, 0.5, theme="town").write(tmp_path / "a.tif")
    found = copilot("models", "evaluate", "upscale-2x", "--data", str(tmp_path), "--json").json
    assert (found["metric"], found["images"]) == ("PSNR in dB", 1)
    assert found["value"] > found["by_class"]["bicubic PSNR in dB"] > 10


def test_a_method_that_was_fitted_here_is_trained_anew(
    copilot: Copilot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, least in {"folder": None, "scenes": 2, "trees": 3}.items():
        monkeypatch.setitem(cover_cells.train.__kwdefaults__, name, least)
    target = tmp_path / "new" / "cells.txt"
    done = copilot("models", "train", "cover-cells", "--minutes", "0.1", "--out", str(target), "--json")
    assert done.json == {"model": "cover-cells", "path": str(target), "minutes": 0.1, "seed": 0}
    assert target.read_text("utf-8").startswith("tree\n") and "cells" in done.err


def test_training_without_pytorch_says_what_is_missing(
    copilot: Copilot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.delitem(sys.modules, "data.models.training.segmenter", raising=False)
    done = copilot("models", "train", "land-cover-rgb", "--json")
    assert (done.status, done.json["error"]) == (
        1,
        "Training land-cover-rgb needs torch, which is not installed; `make setup-torch` installs PyTorch "
        "and what else training needs.",
    )
