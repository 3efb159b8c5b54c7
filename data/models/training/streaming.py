"""Scenes for training, rendered by another process while the network learns."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from queue import Queue
from typing import IO, Any

import cv2
import numpy as np
from numpy.typing import NDArray

from data.scenes import CLASSES, Scene, render

ROOT = Path(__file__).resolve().parents[3]

FIRST_TRAINING_SEED = 10_000_000
"""Seeds below it are never trained on: tests and benches draw from them."""

MOST_BOXES = 60
"""Crops with more are drawn again: matching boxes to anchors costs as much as the fullest crop of a batch."""


@dataclass(frozen=True)
class Example:
    """(h, w, 3) RGB and its boxes: corners (n, 4, 2) in pixels, the first side along the heading; classes
    (n,)."""

    image: NDArray[np.uint8]
    corners: NDArray[np.float64]
    classes: NDArray[np.int64]


GSD_M = {
    "sea": (0.25, 2.0),
    "harbour": (0.12, 0.9),
    "marina": (0.08, 0.3),
    "airport": (0.12, 1.1),
    "parking": (0.07, 0.3),
    "town": (0.08, 0.36),
    "depot": (0.15, 1.5),
    "fields": (0.1, 1.0),
    "woods": (0.1, 1.0),
}
"""Metres of a pixel for each theme, from and to: a car is 14 pixels long or more."""
SHARES = (0.14, 0.15, 0.13, 0.2, 0.14, 0.1, 0.1, 0.02, 0.02)


def example_scene(seed: int, size: int) -> Scene:
    """The optical scene of a seed, at a resolution at which its objects can be told apart."""
    rng = np.random.default_rng([seed, 21])
    theme = str(rng.choice(list(GSD_M), p=SHARES))
    low, high = GSD_M[theme]
    gsd_m = float(np.exp(rng.uniform(np.log(low), np.log(high))))
    return render(seed, size=size, gsd_m=gsd_m, theme=theme, maps=False)


def example(seed: int, size: int) -> Example:
    """That scene as the training takes it."""
    scene = example_scene(seed, size)
    corners = np.array([each.outline for each in scene.objects], np.float64).reshape(-1, 4, 2)
    classes = np.array([CLASSES.index(each.class_name) for each in scene.objects], np.int64)
    return Example(np.ascontiguousarray(scene.pixels.transpose(1, 2, 0)), corners, classes)


class Stream:
    """A pool of the newest scenes, filled by one process of its own; the oldest are given up when it is
    full."""

    def __init__(self, first_seed: int, size: int, most: int) -> None:
        # A command and not multiprocessing, which would first run whatever script this process was started
        # with once more.
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__, str(first_seed), str(size)],
            stdout=subprocess.PIPE,
            cwd=ROOT,
            start_new_session=True,  # Scheduled apart from the training, which goes first.
        )
        self._ready: Queue[Example | None] = Queue(64)
        threading.Thread(target=self._receive, daemon=True).start()
        self._most = most
        self._next = 0
        self.pool: list[Example] = []
        self.seen = 0

    def _receive(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as pipe:
            while True:
                try:
                    self._ready.put(Example(*pickle.load(pipe)))
                except (EOFError, pickle.UnpicklingError):
                    break
        self._ready.put(None)

    def take(self, least: int = 0) -> None:
        """Take in what is ready, and wait until the pool holds `least`.

        Raises RuntimeError when the process that renders has ended."""
        while len(self.pool) < least or not self._ready.empty():
            each = self._ready.get()
            if each is None:
                raise RuntimeError(
                    f"Rendering ended with status {self._process.wait()} after {self.seen} scenes."
                )
            self.seen += 1
            if len(self.pool) < self._most:
                self.pool.append(each)
            else:
                self.pool[self._next % self._most] = each
                self._next += 1

    def close(self) -> None:
        """Stop the process."""
        self._process.kill()
        self._process.wait()


def render_on(out: IO[bytes], seed: int, size: int) -> None:
    """Write one scene after the other until nobody reads any more."""
    os.nice(5)
    cv2.setNumThreads(1)
    try:
        while True:
            made = example(seed, size)
            pickle.dump((made.image, made.corners, made.classes), out, pickle.HIGHEST_PROTOCOL)
            out.flush()
            seed += 1
    except BrokenPipeError:
        os._exit(0)  # Closing the pipe once more would complain.


def crop(
    each: Example, size: int, rng: np.random.Generator
) -> tuple[NDArray[np.uint8], NDArray[np.float64], NDArray[np.int64]]:
    """A random square of an example, mirrored, turned by quarters, scaled and recoloured; boxes cut to what
    is left of them."""
    scale = float(np.exp(rng.uniform(np.log(0.8), np.log(1.5)))) if rng.uniform() < 0.7 else 1.0
    window = min(round(size / scale), *each.image.shape[:2])
    top, left = (int(rng.integers(0, extent - window + 1)) for extent in each.image.shape[:2])
    image = each.image[top : top + window, left : left + window]
    corners = (each.corners - [left, top]) * (size / window)
    if window != size:
        way = cv2.INTER_AREA if window > size else cv2.INTER_LINEAR
        image = np.asarray(cv2.resize(image, (size, size), interpolation=way), np.uint8)
    if rng.uniform() < 0.5:
        image, corners = image[:, ::-1], np.stack([size - corners[..., 0], corners[..., 1]], axis=-1)
    for _ in range(int(rng.integers(4))):
        image, corners = np.rot90(image), np.stack([corners[..., 1], size - corners[..., 0]], axis=-1)
    return recoloured(np.ascontiguousarray(image), rng), *kept(corners, each.classes, size)


def recoloured(image: NDArray[np.uint8], rng: np.random.Generator) -> NDArray[np.uint8]:
    """Brightness, contrast and colour a little off."""
    if rng.uniform() < 0.3:
        return image
    steps = np.arange(256, dtype=np.float32) / 255
    table = np.stack(
        [np.clip(steps ** rng.uniform(0.75, 1.3) * rng.uniform(0.8, 1.2) + rng.uniform(-0.08, 0.08), 0, 1)]
        * 3,
        axis=-1,
    ) * np.exp(rng.normal(0, 0.06, 3))
    result = cv2.LUT(image, np.clip(table * 255, 0, 255).astype(np.uint8)[None])
    if rng.uniform() < 0.1:
        result = np.repeat(cv2.cvtColor(result, cv2.COLOR_RGB2GRAY)[..., None], 3, axis=2)
    return np.asarray(result, np.uint8)


def kept(
    corners: NDArray[np.float64], classes: NDArray[np.int64], size: int, share: float = 0.35
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Boxes as (n, 5) of middle, length, width and angle in radians, cut to the square; those mostly
    outside left out."""
    boxes: list[list[float]] = []
    labels: list[int] = []
    square = np.array([[0, 0], [size, 0], [size, size], [0, size]], np.float32)
    for outline, label in zip(corners, classes, strict=True):
        low, high = outline.min(axis=0), outline.max(axis=0)
        if (high <= 0).any() or (low >= size).any():
            continue
        if low.min() < 0 or high.max() > size:
            whole = abs(float(cv2.contourArea(outline.astype(np.float32))))
            area, inside = cv2.intersectConvexConvex(outline.astype(np.float32), square)
            if area < share * whole or inside is None:
                continue
            outline = along(outline, inside[:, 0, :].astype(np.float64))
        box = xywhr(outline)
        if box[3] >= 2.0:
            boxes.append(box)
            labels.append(int(label))
    return np.array(boxes, np.float64).reshape(-1, 5), np.array(labels, np.int64)


def along(outline: NDArray[np.float64], points: NDArray[np.float64]) -> NDArray[np.float64]:
    """The box around points whose sides lie as the outline's do."""
    side = outline[1] - outline[0]
    forward = side / max(float(np.hypot(*side)), 1e-9)
    axes = np.array([forward, [-forward[1], forward[0]]])
    own = points @ axes.T
    low, high = own.min(axis=0), own.max(axis=0)
    return np.asarray(np.array([low, [high[0], low[1]], high, [low[0], high[1]]]) @ axes, np.float64)


def xywhr(outline: NDArray[np.float64]) -> list[float]:
    """Middle, longer side, shorter side, and the longer side's angle from -pi/4 up to 3 pi/4 (clockwise, y
    runs down)."""
    first, second = outline[1] - outline[0], outline[2] - outline[1]
    long, short = float(np.hypot(*first)), float(np.hypot(*second))
    angle = float(np.arctan2(first[1], first[0]))
    if long < short:
        long, short, angle = short, long, float(np.arctan2(second[1], second[0]))
    angle = (angle + np.pi / 4) % np.pi - np.pi / 4
    x, y = outline.mean(axis=0).tolist()
    return [x, y, long, short, angle]


def batch(pool: list[Example], count: int, size: int, rng: np.random.Generator) -> dict[str, Any]:
    """A batch as Ultralytics' oriented-box loss takes it, in torch tensors; pixels 0 to 1."""
    import torch

    images, boxes, labels, places = [], [], [], []
    for place in range(count):
        for _ in range(4):
            image, box, label = crop(pool[int(rng.integers(len(pool)))], size, rng)
            if 0 < len(label) <= MOST_BOXES:
                break
        images.append(image)
        boxes.append(box / [size, size, size, size, 1.0])
        labels.append(label)
        places.append(np.full(len(label), place))
    pixels = torch.from_numpy(np.stack(images)).permute(0, 3, 1, 2).float() / 255
    return {
        "img": pixels.contiguous(memory_format=torch.channels_last),
        "bboxes": torch.from_numpy(np.concatenate(boxes)).float(),
        "cls": torch.from_numpy(np.concatenate(labels)).float()[:, None],
        "batch_idx": torch.from_numpy(np.concatenate(places)).float(),
    }


if __name__ == "__main__":
    render_on(sys.stdout.buffer, int(sys.argv[1]), int(sys.argv[2]))
