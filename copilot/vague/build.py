"""Builds the data set: every question is one wording, said of one image, with that image's truth."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from copilot.vague.pictures import NoPicture, Truth, truth_of
from copilot.vague.questions import Question, filled
from copilot.vague.tasks import DENSE, DIRECT, EVENTS, SCENE_OF_THEME, TASKS, Task
from copilot.vague.wordings import Part, Wording, wordings

TRAIN_EACH, TEST_EACH = 1000, 100
SEVERAL_TURNS = 10
"""Of a task's test questions, so many follow an earlier turn."""
REAL_PAIRS = (
    "levir_cd/test_102_0512_0000", "levir_cd/test_2_0000_0000", "levir_cd/test_55_0256_0000",
    "levir_cd/train_36_0512_0512", "levir_cd/val_27_0000_0256",
)  # fmt: skip
REAL = (
    "dubai_seg/tile_2-1",
    "dubai_seg/tile_2-3",
    "dubai_seg/tile_2-5",
    "dubai_seg/tile_2-7",
    "dubai_seg/tile_2-9",
)
"""Of the tiles that may be looked at, the one that the shipped cover models were not trained on."""
SIZE_PX: dict[Part, int] = {"train": 512, "test": 1024}
SEEDS: dict[Part, int] = {"train": 17_100_000, "test": 17_900_000}
THEMES = tuple(SCENE_OF_THEME)
WITH_THINGS = ("harbour", "marina", "airport", "parking", "depot", "sea", "town")
EARLIER: dict[Task, tuple[Task, ...]] = {
    "scene": ("labels",), "labels": ("scene",), "grounding": ("counting",), "counting": ("grounding",),
    "region": ("scene",), "detection": ("counting",), "segmentation": ("labels",),
    "referring": ("grounding",),
    "change": ("labels",), "contour": ("scene",),
}  # fmt: skip
"""What was asked in the turn before, of a question in two turns."""
Tell = Callable[[str], None]


@dataclass(frozen=True)
class Shelf:
    """The truths of the images of a part: single ones and pairs."""

    single: tuple[Truth, ...]
    pairs: tuple[Truth, ...]

    def for_task(self, task: Task) -> tuple[Truth, ...]:
        """The images that may be asked of."""
        return self.pairs if task == "change" else self.single


def shelf(part: Part, images: int, tell: Tell = lambda said: None) -> Shelf:
    """So many single images of that part, theme after theme, and a fifth as many pairs.

    Real pairs are among those of the test where they are on this machine.
    """
    size, seed = SIZE_PX[part], SEEDS[part]
    single, themes = [], (*THEMES, *WITH_THINGS)
    for at in range(images):
        single.append(truth_of(f"{themes[at % len(themes)]}-{size}-{seed + at}"))
        if at % 20 == 19:
            tell(f"{at + 1} of {images} images.")
    pairs = [truth_of(f"pair-{EVENTS[at % 4]}-{size}-{seed + at}") for at in range(images // 5)]
    if part == "test":
        for name in (*REAL_PAIRS, *REAL):
            try:
                (pairs if name in REAL_PAIRS else single).append(truth_of(name))
            except NoPicture as error:
                tell(str(error))
    return Shelf(tuple(single), tuple(pairs))


def train(images: Shelf, each: int = TRAIN_EACH) -> Iterator[Question]:
    """So many questions of each task that is answered directly."""
    for task in DIRECT:
        yield from _of_task("train", task, images, each)


def dense_train(images: Shelf, each: int = 200) -> Iterator[Question]:
    """So many questions of each task that goes to an expert: for the router, no part of the 5,000."""
    for task in DENSE:
        yield from _of_task("train", task, images, each)


def test(images: Shelf, each: int = TEST_EACH) -> Iterator[Question]:
    """So many questions of each task, a tenth of them in two turns."""
    for task in TASKS:
        follow = min(SEVERAL_TURNS, each // 10)
        yield from _of_task("test", task, images, each - follow)
        yield from _in_turns(task, images, follow, each - follow)


def _of_task(part: Part, task: Task, images: Shelf, count: int) -> Iterator[Question]:
    """Questions of one task: wordings in turn by voice, images by chance, and no question twice."""
    rng = np.random.default_rng([SEEDS[part], zlib.crc32(task.encode())])
    said = _in_turn([each for each in wordings(part) if each.task == task and not each.follows])
    seen: set[tuple[str, str]] = set()
    made = tries = 0
    while made < count:
        wording = said[tries % len(said)]
        tries += 1
        if tries > 60 * count:
            raise ValueError(
                f"Of {task} only {made} questions can be made of these images; {count} are wanted."
            )
        question = _asked(part, wording, images, rng, f"{part}-{task}-{made + 1:04}")
        if question is None or (question.said[0], question.picture) in seen:
            continue
        seen.add((question.said[0], question.picture))
        made += 1
        yield question


def _in_turn(said: Sequence[Wording]) -> list[Wording]:
    """The wordings so that the voices take turns."""
    by_voice = Counter[str]()
    order = []
    for each in said:
        order.append((by_voice[each.voice], each.voice, each))
        by_voice[each.voice] += 1
    return [each for _, _, each in sorted(order, key=lambda entry: entry[:2])]


def _asked(
    part: Part, wording: Wording, images: Shelf, rng: np.random.Generator, name: str
) -> Question | None:
    """A question of a wording about the first of some images that has what it asks of."""
    shelved = images.for_task(wording.task)
    for at in rng.permutation(len(shelved))[:12]:
        done = filled(wording, shelved[int(at)], part, rng)
        if done is not None:
            return Question(
                name, wording.task, wording.voice, (done.text,), shelved[int(at)].picture,
                done.reference, done.about
            )  # fmt: skip
    return None


def _in_turns(task: Task, images: Shelf, count: int, before: int) -> Iterator[Question]:
    """Questions that go on from an earlier turn of the same voice."""
    rng = np.random.default_rng([SEEDS["test"], zlib.crc32(task.encode()), 2])
    follows = [each for each in wordings("test") if each.task == task and each.follows]
    firsts = [each for each in wordings("test") if each.task in EARLIER[task] and not each.follows]
    made = tries = 0
    while made < count:
        second = follows[tries % len(follows)]
        own = [each for each in firsts if each.voice == second.voice] or firsts
        first = own[int(rng.integers(len(own)))]
        shelved = images.for_task(task)
        truth = shelved[int(rng.integers(len(shelved)))]
        tries += 1
        if tries > 400 * max(count, 1):
            raise ValueError(f"Of {task} only {made} questions in two turns can be made; {count} are wanted.")
        one = filled(first, truth, "test", rng)
        two = None if one is None else filled(second, truth, "test", rng, one.about)
        if one is None or two is None:
            continue
        made += 1
        yield Question(
            f"test-{task}-{before + made:04}", task, second.voice, (one.text, two.text), truth.picture,
            two.reference, two.about,
        )  # fmt: skip


def write(path: Path, questions: Sequence[Question]) -> int:
    """One line a question; how many there are."""
    path.write_text("".join(f"{each.as_line()}\n" for each in questions), encoding="utf-8")
    return len(questions)
