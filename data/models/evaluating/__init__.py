"""How well a model does: on rendered scenes that it has not seen, or on a folder of images with labels."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from data.models.registry import Model
from data.raster.errors import RasterError

SCENES = 20


def evaluate(
    model: Model,
    folder: Path | None,
    tell: Callable[[float, str], None],
    *,
    labels: Path | None = None,
    scenes: int = SCENES,
) -> dict[str, Any]:
    """What was measured: at least model, data, metric, value, by_class and images, by the model's task.

    Detectors: mean average precision of oriented boxes at an IoU of 0.5. Land cover: mean IoU of classes.
    Upscaling: PSNR in dB beside bicubic interpolation's. `folder`: the user's models. `labels`: a folder of
    images with labels (for upscaling, images alone); without it rendered scenes that no training draws
    from. Raises RasterError for a model of another kind, and for a folder without what is needed.
    """
    from data.models.evaluating.covers import evaluate_cover
    from data.models.evaluating.objects import evaluate_detector
    from data.models.evaluating.upscaling import evaluate_upscaling
    from data.vision import detect, segment, upscale

    tasks = set(model.card.tasks)
    for known, measure in (
        (detect.TASKS, evaluate_detector),
        (segment.TASKS, evaluate_cover),
        (upscale.TASKS, evaluate_upscaling),
    ):
        if tasks & set(known) and model.card.kind not in ("method", "chat"):
            return measure(model, folder, tell, labels=labels, scenes=scenes)
    raise RasterError(
        f"{model.name} is measured by the command its card names; here detectors and networks of land cover "
        "and of super-resolution are."
    )
