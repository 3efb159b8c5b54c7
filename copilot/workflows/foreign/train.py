"""Learn from the known tasks, and keep what was learned: python -m copilot.workflows.foreign.train

Reads tools.json and tasks.jsonl of a folder (by default GeoPlan-bench's, in this package) and writes
learned.npz beside them. The same files and libraries give the same weights.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from copilot.planner.encoder import Encoder
from copilot.workflows.foreign.planning import Learned, learn_from
from copilot.workflows.foreign.reading import read_known, read_tools
from copilot.workflows.foreign.store import (
    FOLDER,
    LEARNED,
    TASKS,
    TOOLS,
    as_stored,
    sequences_of,
    write_learned,
)
from copilot.workflows.foreign.texts import task_texts, tool_texts


def train(folder: Path, encoder: Encoder) -> Learned:
    """Learn from the tasks of a folder."""
    tools, known = read_tools(folder / TOOLS), read_known(folder / TASKS)
    sequences = sequences_of(known, {tool.name: place for place, tool in enumerate(tools)})
    tasks = as_stored(task_texts(encoder, [each.task for each in known]))
    return learn_from(tasks, as_stored(tool_texts(encoder, tools)), sequences)


def main() -> None:
    """Train, write, and say how large it became."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--folder", type=Path, default=FOLDER)
    path = options.parse_args().folder / LEARNED.name
    learned = train(path.parent, Encoder())
    write_learned(path, learned)
    print(
        f"{path}: {len(learned.tasks)} tasks, {len(learned.tools)} tools, {path.stat().st_size / 1e6:.1f} MB"
    )


if __name__ == "__main__":
    main()
