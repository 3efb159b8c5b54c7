"""What people say: the wordings of the bank, by voice and task, with places that an image fills."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal, cast

from copilot.vague.tasks import EVENTS, TASKS, Event, Task

BANK = Path(__file__).with_name("bank")
Part = Literal["train", "test"]
SLOTS: dict[Task, tuple[frozenset[str], ...]] = {
    "scene": (frozenset(),),
    "labels": (frozenset(),),
    "grounding": (frozenset({"one"}),),
    "counting": (frozenset({"many"}), frozenset({"place"})),
    "region": (frozenset({"part"}), frozenset({"cover"}), frozenset({"part", "cover"})),
    "detection": (frozenset({"many"}),),
    "segmentation": (frozenset(),),
    "referring": (frozenset({"one"}),),
    "change": (frozenset(),),
    "contour": (frozenset(),),
}
"""What a wording of each task may leave open: `one` thing, `many` things, a `place` to be busy, a `part`
of the image, a `cover`."""
FOLLOW_UP = "+"
"""What marks a wording that goes on from an earlier turn, which names what it is about."""


class BankError(Exception):
    """A line of the bank that cannot be used: file, line and why, in one sentence."""


@dataclass(frozen=True)
class Wording:
    """One way of saying one of the tasks."""

    task: Task
    text: str
    voice: str
    event: Event | None = None
    """What a question about two images supposes to have happened."""
    follows: bool = False
    """Whether it goes on from an earlier turn."""

    @property
    def slots(self) -> frozenset[str]:
        """What it leaves open."""
        return frozenset(
            name for name in ("one", "many", "place", "part", "cover") if f"{{{name}}}" in self.text
        )


@cache
def wordings(part: Part) -> tuple[Wording, ...]:
    """The wordings to learn from or to test on, by voice. Raises BankError."""
    return tuple(each for path in sorted((BANK / part).glob("*.txt")) for each in read(path))


def about(part: Part) -> dict[str, str]:
    """Who each voice is."""
    return {
        path.stem: path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
        for path in sorted((BANK / part).glob("*.txt"))
    }


def read(path: Path) -> tuple[Wording, ...]:
    """The wordings of one voice. Raises BankError.

    The first line says who it is; then `task | text`, of a question about two images with what it supposes
    (`change:fire | text`), of one that goes on from an earlier turn with a plus (`counting+ | text`).
    """
    first, *lines = path.read_text(encoding="utf-8").splitlines()
    if not first.startswith("# "):
        raise BankError(f"{path.name} begins with {first[:40]!r}; '# who it is' would have worked.")
    return tuple(_wording(path, number, line) for number, line in enumerate(lines, 2) if line.strip())


def _wording(path: Path, number: int, line: str) -> Wording:
    head, bar, text = line.partition(" | ")
    name, _, event = head.strip().partition(":")
    follows, name = name.endswith(FOLLOW_UP), name.removesuffix(FOLLOW_UP)
    if not bar or name not in TASKS or event not in ("", *EVENTS[1:], "build"):
        raise BankError(
            f"{path.name}:{number} is {line[:60]!r}; 'scene | what is this place' would have worked."
        )
    happened = "change" if event == "build" else event or None
    made = Wording(name, text.strip(), path.stem, cast("Event | None", happened), follows)
    if not follows and made.slots not in SLOTS[made.task]:
        raise BankError(f"{path.name}:{number} leaves {sorted(made.slots)} open, which {name} does not know.")
    return made
