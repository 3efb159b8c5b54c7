"""Land cover of patches of Sentinel-2: each listed CORINE class over a part of the patch."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from data.rendered.window import Canvas
from data.scenes.model import COVERS
from data.scenes.plan import Plan
from data.scenes.shapes import rect
from data.vocabulary.words import data_lines

Bytes = NDArray[np.uint8]


@cache
def _recipes() -> dict[str, tuple[str, tuple[tuple[str, float], ...]]]:
    """Of each class: how finely its covers are mixed, and their shares."""
    found = {}
    for line in data_lines(Path(__file__).with_name("covers.txt")):
        name, grain, mix = (part.strip() for part in line.split("|"))
        shares = tuple(
            (each.rsplit(" ", 1)[0].strip(), float(each.rsplit(" ", 1)[1])) for each in mix.split(";")
        )
        found[name] = (grain, shares)
    return found


def covers_of(name: str) -> tuple[tuple[str, float], ...]:
    """The covers that a class is drawn with, and the share of each."""
    return _recipes()[name][1]


def mosaic(canvas: Canvas) -> None:
    """Lay the classes of the patch side by side, each at least over a tenth or so of it."""
    classes = canvas.subject.classes
    if not classes:
        return
    fields = [canvas.field(20 + number, 420.0) for number in range(len(classes))]
    for _ in range(6):  # until the smallest part is not too small
        owner = np.argmax(np.stack(fields), axis=0)
        sizes = np.bincount(owner.ravel(), minlength=len(classes)) / owner.size
        if sizes.min() >= 0.5 / len(classes):
            break
        fields = [
            field + np.float32(0.6 * (1 / len(classes) - size)) * 2
            for field, size in zip(fields, sizes, strict=True)
        ]
    for number, name in enumerate(classes):
        _fill(canvas, owner == number, name, number)


def _fill(canvas: Canvas, where: NDArray[np.bool_], name: str, number: int) -> None:
    grain, shares = _recipes()[name]
    ids = np.array([COVERS.index(cover) for cover, _ in shares], np.uint8)
    ends = np.cumsum([share for _, share in shares])
    if grain == "fields":
        covers, patches = _fields(canvas, ids, ends / ends[-1], number)
        canvas.plan.patches[where] = patches[where]
    else:
        noise = canvas.field(40 + number, {"fine": 28.0, "coarse": 150.0}[grain])
        ranks = (
            np.searchsorted(np.quantile(noise[where], ends[:-1] / ends[-1]), noise)
            if where.any()
            else noise.astype(int)
        )
        covers = ids[np.minimum(ranks, len(ids) - 1)]
    canvas.plan.covers[where] = covers[where]


def _fields(canvas: Canvas, ids: Bytes, ends: NDArray[np.float64], number: int) -> tuple[Bytes, Bytes]:
    """Strips and blocks of one cover each, turned as the land lies."""
    rng = np.random.default_rng([canvas.subject.seed, 30, number])
    plan = Plan(canvas.plan.size, canvas.window.gsd_m, float(rng.uniform(0, np.pi)), COVERS[int(ids[0])])
    reach, patch = plan.reach_m, 1
    y = -reach
    while y < reach:
        deep, x = rng.uniform(90, 220), -reach
        while x < reach:
            wide = rng.uniform(70, 330)
            cover = COVERS[int(ids[int(np.searchsorted(ends, rng.uniform(0, 0.999)))])]
            plan.cover(rect(x, x + wide, y, y + deep), cover, patch=patch % 63 + 1)
            x, patch = x + wide, patch + 1
        y += deep
    return plan.covers, plan.patches
