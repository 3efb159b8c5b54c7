"""`python -m copilot.vague`: builds, lints and learns; answers a vague wish about an image file.

build FOLDER [--train]   test.jsonl, and with --train train.jsonl (5,000)
lint [FOLDER]            the bank, and what was built there
learn                    the heads of the intent, from the training voices
route REQUEST IMAGE      where a wish goes, as JSON
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from copilot.vague.questions import DATASET

TEST_IMAGES, TRAIN_IMAGES = 60, 200


def main(arguments: list[str]) -> int:
    """Run one command; 0 where nothing was wrong."""
    command, rest = (arguments[0], arguments[1:]) if arguments else ("", [])
    if command == "build":
        return build(
            Path(rest[0]) if rest and not rest[0].startswith("-") else DATASET, train="--train" in rest
        )
    if command == "lint":
        return lint(Path(rest[0]) if rest else DATASET)
    if command == "learn":
        from copilot.vague.intent import learn

        print(json.dumps(learn()))
        return 0
    if command == "route" and len(rest) == 2:
        return route(rest[0], Path(rest[1]))
    print(__doc__)
    return 2


def build(folder: Path, *, train: bool) -> int:
    """Write the questions to a folder."""
    from copilot.vague import build as building

    folder.mkdir(parents=True, exist_ok=True)
    shelf = building.shelf("test", TEST_IMAGES, print)
    print(building.write(folder / "test.jsonl", list(building.test(shelf))), folder / "test.jsonl")
    if train:
        shelf = building.shelf("train", TRAIN_IMAGES, print)
        print(building.write(folder / "train.jsonl", list(building.train(shelf))), folder / "train.jsonl")
    return 0


def lint(folder: Path) -> int:
    """Say what is wrong with the bank and with what was built."""
    from copilot.vague.build import TEST_EACH, TRAIN_EACH
    from copilot.vague.lint import bank_problems, problems
    from copilot.vague.tasks import DIRECT, TASKS

    found = bank_problems()
    for name, each, tasks in (("test.jsonl", TEST_EACH, TASKS), ("train.jsonl", TRAIN_EACH, DIRECT)):
        if (folder / name).is_file():
            found += problems(folder / name, each, tasks)
    print("\n".join(found) or "Nothing is wrong.")
    return min(1, len(found))


def route(request: str, image: Path) -> int:
    """Say where a wish about an image goes."""
    from copilot.vague.routing import route as routed
    from data.vision.look import LOOKS

    told = routed(request, LOOKS.at(image))
    plain = {
        "task": told.task, "sure": round(told.sure, 3), "way": told.way, "tool": told.tool,
        "arguments": told.arguments, "answer": told.direct.text if told.direct else None,
        "question": told.question,
    }  # fmt: skip
    print(json.dumps(plain, ensure_ascii=False, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
