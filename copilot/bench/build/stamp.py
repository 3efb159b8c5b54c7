"""The stamp of a benchmark: what it was made from. Scores of different stamps are never put in one table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from hashlib import sha256
from typing import Any

from copilot.bench.build.intents import Intent
from copilot.bench.build.wording import CARRIERS
from copilot.bench.task import TODAY
from data.schema import DatasetInfo
from state.codec import canonical
from tools.toolbox import Toolbox

FORM = 1
"""Counts up when tasks are made or written in another way."""
_SAID = {
    "form": "the form of the file",
    "intents": "the hand-written intents",
    "carriers": "the forms in which requests are put",
    "tools": "the tools or their arguments",
    "catalogue": "the catalogue",
    "today": "the day on which tasks are set",
    "split": "the half of the intents",
    "agents": "the agents that had a vote",
    "paraphrased": "the model that worded the requests",
    "size": "the size",
    "seed": "the seed",
}


@dataclass(frozen=True)
class Stamp:
    """What tasks were made from, each part as a digest or as it is."""

    form: int
    intents: str
    carriers: str
    tools: str
    catalogue: str
    today: str
    split: str
    agents: str
    """The agents whose solutions had a vote; which tasks stay depends on them."""
    paraphrased: str
    """The model that worded the requests; empty for the hand-written wordings."""
    size: int
    seed: int

    @property
    def version(self) -> str:
        """The stamp in one word: size, half, seed and a digest of everything."""
        return f"{self.size}-{self.split}-{self.seed}-{_digest(asdict(self))}"

    def to_json(self) -> dict[str, Any]:
        """The stamp as plain JSON values."""
        return asdict(self)

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> Stamp:
        """The stamp that `to_json` wrote."""
        return cls(**{each.name: plain[each.name] for each in fields(cls)})


def stamp_of(
    intents: Iterable[Intent],
    toolbox: Toolbox,
    infos: Iterable[DatasetInfo],
    *,
    size: int,
    seed: int,
    split: str,
    paraphrased: str = "",
    agents: Iterable[str] = (),
) -> Stamp:
    """The stamp of what is about to be made."""
    written = [[each.id, each.category, each.requests, _plain(each)] for each in intents]
    tools = [[each.name, each.category, each.changes_state, each.schema] for each in toolbox]
    catalogue = [[info.name, info.version] for info in infos]
    return Stamp(
        form=FORM,
        intents=_digest(written),
        carriers=sha256(CARRIERS.read_bytes()).hexdigest()[:12],
        tools=_digest(tools),
        catalogue=_digest(catalogue),
        today=TODAY.isoformat(),
        split=split,
        agents=",".join(agents),
        paraphrased=paraphrased,
        size=size,
        seed=seed,
    )


def comparable(one: Stamp, other: Stamp) -> str:
    """Why scores of the two may not stand in one table, in one sentence; empty when they may."""
    differ = [
        _SAID[each.name] for each in fields(Stamp) if getattr(one, each.name) != getattr(other, each.name)
    ]
    if not differ:
        return ""
    listed = differ[0] if len(differ) == 1 else f"{', '.join(differ[:-1])} and {differ[-1]}"
    return f"These are other tasks: they differ in {listed}."


def _plain(intent: Intent) -> list[Any]:
    slots = [[slot.name, slot.kind, slot.group, slot.only, [asdict(each) for each in slot.choices]]
             for slot in intent.slots.values()]  # fmt: skip
    chains = [
        [[call.tool, call.args] for call in chain] for chain in (intent.setup, intent.calls, *intent.also)
    ]
    return [slots, chains, intent.reply, list(intent.needs)]


def _digest(plain: Any) -> str:
    return sha256(canonical(plain).encode()).hexdigest()[:12]
