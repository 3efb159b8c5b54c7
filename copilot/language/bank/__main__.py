"""`python -m copilot.language.bank lint [FILE …]`: play every example; what is wrong is printed, and counted.

Without files, the bank's own, and other wordings of them. `tools` counts the examples of each tool,
the rarest first.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from copilot.bench.build.steady import steady_player, steady_world
from copilot.bench.standin import in_place
from copilot.engine import Engine, default_engine
from copilot.language.bank.example import EXAMPLES, WITHHELD, BadExample, Example, read_examples
from copilot.language.bank.proving import problems_of, twice
from copilot.language.bank.wording import WORDINGS, Wording, problems_with, read_wordings
from tools.toolbox import toolbox


def main(arguments: list[str]) -> int:
    """Run; 1 where something is wrong."""
    parser = argparse.ArgumentParser(prog="python -m copilot.language.bank", description=__doc__)
    parser.add_argument("what", choices=("lint", "tools"))
    parser.add_argument("files", nargs="*", type=Path)
    asked = parser.parse_args(arguments)
    try:
        own = sorted((*EXAMPLES.glob("*.jsonl"), *WITHHELD.glob("*.jsonl")))
        examples = list(read_examples(asked.files or own))
        wordings = [] if asked.files else list(read_wordings(sorted(WORDINGS.glob("*.jsonl"))))
    except BadExample as error:
        print(error, file=sys.stderr)
        return 1
    return _lint(examples, wordings) if asked.what == "lint" else _count_tools(examples)


def _lint(examples: Sequence[Example], wordings: Sequence[Wording]) -> int:
    player = steady_player(steady_world(Engine.in_memory(default_engine().catalogue_address)))
    with in_place():
        wrong = [f"{each.id}: {problem}" for each in examples for problem in problems_of(player, each)]
    wrong += twice(examples)
    if wordings:
        wrong += problems_with(wordings, examples)
    print("".join(f"{each}\n" for each in wrong), end="", file=sys.stderr)
    turns = sum(len(each.turns) for each in examples)
    several = sum(len(each.turns) > 1 for each in examples)
    voices = len({each.voice for each in examples} | {each.voice for each in wordings})
    said = f"{len(examples)} examples ({several} of several turns), {turns} turns, {voices} voices"
    print(f"{said}, {len(wordings)} other wordings: {len(wrong)} wrong")
    return int(bool(wrong))


def _count_tools(examples: Sequence[Example]) -> int:
    named = Counter(tool for each in examples for tool in {c.tool for t in each.turns for c in t.calls})
    for name in sorted((each.name for each in toolbox()), key=lambda name: (named[name], name)):
        print(f"{named[name]:5}  {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
