"""Encode what people say who want each tool: python -m copilot.planner.declared.learn

From the tools' docstrings, and from the wordings of those intents that end in one call.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np

from copilot.bench.build.intents import BRACES, Intent, load_intents
from copilot.planner.declared.phrases import FILE, Phrases, own_phrases
from copilot.planner.head import shared_encoder
from tools.toolbox import toolbox

BANK = Path(__file__).with_name("bank.toml")
_BATCH = 256
_SAID = {
    "dataset": "FAIR1M", "class": "ships", "scene": "airports", "city": "Rotterdam", "country": "Brazil", "year": "2019",
    "month": "March 2019", "day": "14 March 2019", "range": "2018 to 2019", "sensor": "Gaofen-2", "event": "Hurricane Harvey",
}  # fmt: skip
"""What stands for a slot of each kind."""


def pairs() -> list[tuple[str, str]]:
    """(tool, phrase), each once."""
    said = [
        (intent.calls[0].tool, filled(intent, wording))
        for intent in load_intents()
        if len(intent.calls) == 1 and not intent.held_out
        for wording in intent.requests
    ]
    return list(
        dict.fromkeys(
            [*own_phrases(), *banked(), *((tool, text) for tool, text in said if tool in toolbox())]
        )
    )


def banked() -> list[tuple[str, str]]:
    """(tool, phrase) of the hand-written bank, for tools that there are."""
    families = tomllib.loads(BANK.read_text(encoding="utf-8"))
    return [
        (tool, text)
        for family in families.values()
        for tool, texts in family.items()
        if tool in toolbox()
        for text in texts
    ]


def filled(intent: Intent, wording: str) -> str:
    """A wording with an example in each slot."""

    def example(inside: str) -> str:
        slot = intent.slots.get(inside.partition(".")[0])
        if slot is None:
            return inside
        return slot.choices[0].say if slot.choices else _SAID.get(slot.kind.partition(":")[0], slot.kind)

    return BRACES.sub(lambda brace: example(brace[1]), wording)


def learnt() -> Phrases:
    """The phrases with their vectors."""
    tools, texts = zip(*pairs(), strict=True)
    encoder = shared_encoder()
    vectors = [encoder.encode(texts[at : at + _BATCH]) for at in range(0, len(texts), _BATCH)]
    return Phrases(tools, texts, np.concatenate(vectors))


if __name__ == "__main__":
    found = learnt()
    found.save()
    print(
        f"{len(found.texts)} phrases of {len(set(found.tools))} tools in {FILE}, {FILE.stat().st_size / 1e6:.1f} MB."
    )
