"""First-tool accuracy: how often the first tool that is chosen for a request is the right one.

RS-Agent's measure of task planning, on 18 tasks with 20 hand-written requests each; the requests and what
makes one clear or ambiguous are described in copilot/bench/first_tool/README.md.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from math import sqrt
from pathlib import Path
from typing import Any, Literal

FOLDER = Path(__file__).parent / "first_tool"
SETS = {"developed": FOLDER, "heldout": FOLDER / "heldout"}
"""The requests that the copilot was developed on, and those that nobody opens while developing."""
Clarity = Literal["clear", "ambiguous"]


@dataclass(frozen=True)
class FirstToolRequest:
    """One request with its right first tool."""

    id: str
    task: str
    request: str
    kind: Clarity
    tool: str
    modality: str | None = None
    """Of the image that is uploaded or selected (optical, sar, multispectral, panchromatic), if any."""


Predict = Callable[[FirstToolRequest], str | None]
"""The name of the tool that is called first; None when none is."""


@dataclass(frozen=True)
class FirstToolAccuracy:
    """Shares of requests whose first tool was the right one."""

    requests: int
    overall: float
    clear: float
    ambiguous: float
    by_task: dict[str, float]
    missed: tuple[tuple[str, str, str | None], ...]
    """(id, the right tool, the one that came) of each that was not."""

    @property
    def interval(self) -> tuple[float, float]:
        """Between which shares the true one lies, 95 times of 100."""
        return wilson(self.overall, self.requests)

    def to_json(self) -> dict[str, Any]:
        """The figures as plain JSON values."""
        return asdict(self)


def first_tool_requests(folder: Path = FOLDER) -> tuple[FirstToolRequest, ...]:
    """All requests, in the order of their ids."""
    lines = (line for path in folder.glob("*.jsonl") for line in path.read_text("utf-8").splitlines())
    return tuple(sorted((_read(json.loads(line)) for line in lines), key=lambda each: each.id))


def first_tool_accuracy(
    predict: Predict, requests: Iterable[FirstToolRequest] | None = None
) -> FirstToolAccuracy:
    """Ask `predict` for each request's first tool and count. Raises ValueError without requests."""
    asked = tuple(first_tool_requests() if requests is None else requests)
    if not asked:
        raise ValueError("There are no first-tool requests to ask.")
    came = {each.id: predict(each) for each in asked}

    def share(of: Iterable[FirstToolRequest]) -> float:
        held = [came[each.id] == each.tool for each in of]
        return sum(held) / len(held) if held else 0.0

    return FirstToolAccuracy(
        requests=len(asked),
        overall=share(asked),
        clear=share(each for each in asked if each.kind == "clear"),
        ambiguous=share(each for each in asked if each.kind == "ambiguous"),
        by_task={
            task: share(each for each in asked if each.task == task)
            for task in sorted({each.task for each in asked})
        },
        missed=tuple((each.id, each.tool, came[each.id]) for each in asked if came[each.id] != each.tool),
    )


def wilson(share: float, count: int) -> tuple[float, float]:
    """The 95 % interval of a share of `count` trials (Wilson 1927, JASA 22:209-212)."""
    z = 1.959964
    middle = share + z * z / (2 * count)
    reach = z * sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    return (middle - reach) / (1 + z * z / count), (middle + reach) / (1 + z * z / count)


def _read(plain: dict[str, Any]) -> FirstToolRequest:
    modality = plain.pop("image", {}).get("modality")
    return FirstToolRequest(**plain, modality=modality)
