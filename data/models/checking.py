"""Whether a model works: loaded, run on a rendered scene, and its figure held against the card's."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np

from data.models.registry import Model
from data.models.runners import load
from data.raster.errors import RasterError
from data.vision.detect import TASKS

SCENES = 6
"""How many rendered scenes a detector is looked at with: enough to tell a broken one, not to measure."""
LOOSE = 0.5
"""Below this share of the card's figure something is wrong with it."""


def check_model(model: Model, folder: Path) -> dict[str, Any]:
    """`ok`, a sentence in `says`, seconds a window, and for detectors the figure of a few rendered scenes.

    Raises RasterError where it cannot be loaded or run.
    """
    card = model.card
    if card.kind in ("method", "chat"):
        what = (
            "a method without weights" if card.kind == "method" else "a server elsewhere, which is not asked"
        )
        return {"model": model.name, "ok": True, "says": f"{model.name} is {what}; there is nothing to load."}
    runner = load(model)
    side = min(card.input.size_px or 256, 512) if not card.input.fixed_size else card.input.size_px or 256
    bands = len(card.input.bands) * (2 if card.input.pairs else 1) or 3
    window = np.random.default_rng(0).random((1, bands, side, side), dtype=np.float32)
    started = time.perf_counter()
    outputs = runner(window)
    seconds = time.perf_counter() - started
    finite = all(np.isfinite(each).all() for each in outputs)
    shapes = [list(each.shape) for each in outputs]
    facts: dict[str, Any] = {
        "model": model.name,
        "seconds_a_window": round(seconds, 4),
        "outputs": shapes,
    }
    if not finite:
        return {**facts, "ok": False, "says": f"{model.name} gives numbers that are none on a noisy window."}
    said = next(
        (each for each in card.measured if each.images == "rendered" and each.metric.startswith("mAP50")),
        None,
    )
    if not set(card.tasks) & set(TASKS) or said is None:
        says = f"{model.name} runs: {seconds:.2f} s for a window of {side} x {side} pixels."
        return {**facts, "ok": True, "says": says}
    return {**facts, **_against_the_card(model, folder, said.value)}


def _against_the_card(model: Model, folder: Path, said: float) -> dict[str, Any]:
    from data.models.evaluating.objects import evaluate_detector

    try:
        found = evaluate_detector(model, folder, lambda fraction, sentence: None, scenes=SCENES)
    except RasterError as error:
        return {"ok": False, "says": str(error)}
    ok = found["value"] >= LOOSE * said
    verdict = "as the card has it, roughly" if ok else "far below the card's figure"
    says = (
        f"{model.name} runs; mAP50 on {SCENES} rendered scenes is {found['value']:.2f}, "
        f"{verdict} ({said:.2f})."
    )
    return {"ok": ok, "value": found["value"], "card": said, "scenes": SCENES, "says": says}
