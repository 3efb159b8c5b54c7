"""How often a request is shown every tool it needs, and at what cost in tokens: measured, not asserted.

Two sources, both written by hand. `requests.jsonl` holds requests with the tools by which the embedded
planner answered them rightly (`python -m tests.requests.gold` writes it); the benchmark's intents carry their
own gold calls. Half of the intents and the requests of other people are held out: nothing was tuned on them.
"""

from __future__ import annotations

import json
import re
import statistics
import tomllib
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from copilot.retrieval.shown import BUDGET_TOKENS, tools_for
from tools.toolbox import toolbox

REQUESTS = Path(__file__).with_name("requests.jsonl")
INTENTS = Path(__file__).parents[1] / "bench" / "intents"
KS = (5, 10, 15, 20)
_SAID = {
    "dataset": "fair1m", "class": "airplanes", "scene": "airports", "city": "Rotterdam", "country": "Brazil",
    "year": "2019", "month": "March 2019", "day": "14 March 2019", "sensor": "Gaofen-2",
    "range": "between 3 March 2018 and 20 May 2019", "event": "Hurricane Harvey", "image": "fair1m:10.tif",
}  # fmt: skip
"""What stands for a slot whose value the catalogue would give."""
_SLOT = re.compile(r"\{(\w+(?:@\d)?)(?:\.\w+)*\}")


@dataclass(frozen=True)
class Wanted:
    """A request, what the state has, and the tools that a right answer calls."""

    id: str
    source: str
    """"requests" or "intents"."""
    held_out: bool
    request: str
    tools: tuple[str, ...]
    has: frozenset[str] = frozenset()
    past: tuple[str, ...] = ()


@dataclass(frozen=True)
class Showing:
    """What was shown for one of them."""

    wanted: Wanted
    shown: tuple[str, ...]
    tokens: int

    @property
    def missed(self) -> tuple[str, ...]:
        """The gold tools that were not shown."""
        return tuple(name for name in self.wanted.tools if name not in self.shown)


def measure(wanted: Iterable[Wanted], budget_tokens: int = BUDGET_TOKENS) -> list[Showing]:
    """Show each its tools."""
    found = []
    for each in wanted:
        shown = tools_for(each.request, each.has, each.past, budget_tokens)
        found.append(Showing(each, tuple(tool.name for tool in shown.tools), shown.tokens))
    return found


def figures(showings: Sequence[Showing]) -> dict[str, Any]:
    """Recall of the gold tools, overall and among the first k shown, and the tokens; {} of nothing."""
    if not showings:
        return {}
    golds = sum(len(each.wanted.tools) for each in showings)
    tokens = sorted(each.tokens for each in showings)
    return {
        "requests": len(showings),
        "gold_tools": golds,
        "all_shown": sum(not each.missed for each in showings) / len(showings),
        "recall": 1 - sum(len(each.missed) for each in showings) / golds,
        "recall_at": {str(k): _recall_at(showings, k) / golds for k in KS},
        "tools": statistics.median(len(each.shown) for each in showings),
        "tokens": {
            "mean": round(statistics.fmean(tokens)),
            "median": statistics.median(tokens),
            "p95": tokens[int(0.95 * (len(tokens) - 1))],
            "max": tokens[-1],
        },
    }


def _recall_at(showings: Sequence[Showing], k: int) -> int:
    return sum(name in each.shown[:k] for each in showings for name in each.wanted.tools)


def missed_tools(showings: Iterable[Showing]) -> dict[str, int]:
    """How often each tool was wanted and not shown, most often first."""
    return dict(Counter(name for each in showings for name in each.missed).most_common())


def all_wanted() -> list[Wanted]:
    """Every request of both sources."""
    return [*read_requests(), *read_intents()]


def read_requests(file: Path = REQUESTS) -> list[Wanted]:
    """The hand-written requests with the tools that answered them."""
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    return [
        Wanted(
            row["id"], "requests", row["held_out"], row["request"],
            tuple(row["tools"]), frozenset(row["has"]), tuple(row["past"]),
        )
        for row in rows
    ]  # fmt: skip


def read_intents(folder: Path = INTENTS) -> list[Wanted]:
    """Every way to say every intent, its slots filled with plain words."""
    found = []
    for file in sorted(folder.glob("*.toml")):
        for intent in tomllib.loads(file.read_text(encoding="utf-8")).get("intent", ()):
            found += _variants(intent)
    return found


def _variants(intent: Mapping[str, Any]) -> list[Wanted]:
    tools = tuple(dict.fromkeys(call["tool"] for call in intent["calls"]))
    there = [toolbox().get(call["tool"]) for call in intent.get("setup", ()) if call["tool"] in toolbox()]
    has = frozenset(kind for tool in there for kind in tool.gives)
    slots = intent.get("slots", {})
    return [
        Wanted(
            f"{intent['id']}/{number}", "intents", is_held_out(intent["id"]),
            _SLOT.sub(lambda match: _said(slots.get(match[1])), text), tools, has,
        )
        for number, text in enumerate(intent["request"], start=1)
        if tools
    ]  # fmt: skip


def _said(slot: Any) -> str:
    if isinstance(slot, list):
        return str(slot[0]["say"] if isinstance(slot[0], Mapping) else slot[0])
    kind = str(slot).split("@")[0]
    name, _, choice = kind.partition(":")
    return choice.split(",")[0] if choice else _SAID.get(name, name)


def is_held_out(intent_id: str) -> bool:
    """Whether an intent was kept from whoever tuned the retrieval: the half whose hash is odd."""
    return zlib.crc32(intent_id.encode()) % 2 == 1
