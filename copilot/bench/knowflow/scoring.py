"""How one run did against its gold: by what it ended in, and step by step.

TSR counts a run whose results are right: for each of the gold's, something that the run made is alike
(`results.alike`). FPA counts those that needed no adjustment and no second call. InstAcc is the share of
calls that were in the required form and worked; ToolAcc the share of the gold's calls whose tool was called,
in order; ArgAcc the share of these whose arguments are the gold's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from statistics import fmean
from typing import TYPE_CHECKING, Any

from copilot.bench.knowflow.gold import Gold
from copilot.bench.knowflow.playing import of_artifact
from copilot.bench.knowflow.results import EXACT, Tolerance, alike, kept
from copilot.workflows import actions
from copilot.workflows.engine import results_of
from state.log import Event
from tools.toolbox import toolbox

if TYPE_CHECKING:
    from copilot.session import Session

_BESIDES = ("add_file", "workflow_run", "workflow_report", "workflow_adjust", "workflow_list")
"""Calls that are not of the procedure itself."""


@dataclass(frozen=True)
class Row:
    """How one system did at one task."""

    id: str
    system: str
    right: bool
    first: bool
    """Right with the first workflow: nothing adjusted, no call that failed."""
    calls: int
    interventions: int
    """Times a person would have to step in: it asked, or ended in a trouble."""
    inst: float | None
    tool: float
    args: float | None
    seconds: float
    said: str = ""
    """What is wrong with the result, or how the run ended."""
    workflow: str = ""
    adjusted: tuple[str, ...] = ()
    fault: str = ""
    digest: str = ""
    code: str = ""

    def to_json(self) -> dict[str, Any]:
        """As a line of a run has it."""
        return {**asdict(self), "adjusted": list(self.adjusted)}

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> Row:
        """One out of its line."""
        return cls(**{**plain, "adjusted": tuple(plain["adjusted"])})


def calls_made(session: Session, source: Iterable[str] = ()) -> list[Event]:
    """The calls of a session that are part of a procedure."""
    return [
        each for each in session.events if each.kind == "call" and each.tool and each.tool not in _BESIDES
    ]


def wrong(session: Session, of: Gold, within: Tolerance = EXACT) -> str:
    """What of the gold's results the session has not; empty where it has all."""
    made = calls_made(session)
    there: list[dict[str, Any]] = []
    box = toolbox()
    for event in reversed(made):
        if not event.ok or event.tool not in box:
            continue
        handles = [
            each
            for each in results_of(box.get(event.tool), event).values()
            if session.state.artifact(each) is not None
        ]
        there.extend(of_artifact(session, each) for each in dict.fromkeys(handles))
        there.append(kept("", None, event.data))
    missing = []
    for name, wanted in of.ends.items():
        verdicts = [alike(wanted, each, within) for each in there if each["kind"] == wanted["kind"]]
        if not any(each.right for each in verdicts):
            missing.append(f"{name}: {verdicts[0].said if verdicts else 'not made'}")
    return "; ".join(missing)


@dataclass(frozen=True)
class Steps:
    """The three accuracies of one run."""

    inst: float | None
    tool: float
    args: float | None


def steps(session: Session, of: Gold, inputs: Mapping[str, str]) -> Steps:
    """Compare the calls that were made with the gold's, in order."""
    made = calls_made(session)
    worked = [each for each in made if each.ok]
    pairs = _paired([each["tool"] for each in of.calls], [str(each.tool) for each in worked])
    named = {handle: f"input:{name}" for name, handle in inputs.items()}
    named |= _named_results(worked)
    gold_names = _gold_names(of)
    same = [
        _same(
            _normal(of.calls[a]["tool"], of.calls[a]["args"], gold_names),
            _normal(str(worked[b].tool), worked[b].args, named),
        )
        for a, b in pairs
    ]
    inst = len(worked) / len(made) if made else None
    return Steps(inst, len(pairs) / len(of.calls), fmean(same) if same else None)


def _named_results(events: Sequence[Event]) -> dict[str, str]:
    box = toolbox()
    return {
        handle: f"{event.tool}:{key}"
        for event in events
        if event.tool in box
        for key, handle in results_of(box.get(event.tool), event).items()
    }


def _gold_names(of: Gold) -> dict[str, str]:
    box = toolbox()
    found = {f"${name}": f"input:{name}" for name in of.data}
    for call in of.calls:
        tool = box.get(call["tool"])
        found[f"${call['id']}"] = f"{tool.name}:{actions.main_key(tool)}"
        for each in tool.effects:
            if each.argument:
                found[f"${call['id']}.{each.argument}"] = f"{tool.name}:{each.argument}"
    return found


def _normal(tool: str, args: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    box = toolbox()
    if tool not in box:
        return dict(args)
    full = actions.with_defaults(box.get(tool), args)
    plain = {key: _renamed(value, names) for key, value in full.items()}
    return {key: value for key, value in plain.items() if value not in (None, [], {}) and key != "name"}


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return names.get(value, value)
    if isinstance(value, (list, tuple)):
        return [_renamed(each, names) for each in value]
    if isinstance(value, Mapping):
        return {key: _renamed(each, names) for key, each in value.items()}
    return value


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return abs(one - other) <= 0.01 * max(abs(one), abs(other))
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(one == other)


def _paired(wanted: Sequence[str], made: Sequence[str]) -> list[tuple[int, int]]:
    """The longest common subsequence, as pairs of places."""
    table = [[0] * (len(made) + 1) for _ in range(len(wanted) + 1)]
    for a in range(len(wanted) - 1, -1, -1):
        for b in range(len(made) - 1, -1, -1):
            table[a][b] = (
                table[a + 1][b + 1] + 1 if wanted[a] == made[b] else max(table[a + 1][b], table[a][b + 1])
            )
    found, a, b = [], 0, 0
    while a < len(wanted) and b < len(made):
        if wanted[a] == made[b]:
            found.append((a, b))
            a, b = a + 1, b + 1
        elif table[a + 1][b] >= table[a][b + 1]:
            a += 1
        else:
            b += 1
    return found


@dataclass(frozen=True)
class Figures:
    """The measures over some rows; shares from 0 to 1."""

    tasks: int
    tsr: float | None
    fpa: float | None
    ntc: float | None
    ni: float | None
    inst_acc: float | None
    tool_acc: float | None
    arg_acc: float | None
    overall: float | None
    """The mean of the three accuracies."""
    seconds: float
    by_complexity: dict[str, Figures] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """As plain JSON values."""
        plain = asdict(self)
        if not plain["by_complexity"]:
            del plain["by_complexity"]
        return plain


def figures(rows: Sequence[Row], *, apart: bool = True) -> Figures:
    """The measures, and those of simple and of complex tasks."""
    inst, tool, args = (_mean(getattr(each, name) for each in rows) for name in ("inst", "tool", "args"))
    told = [each for each in (inst, tool, args) if each is not None]
    parts = {
        name: figures(part, apart=False)
        for name in ("simple", "complex")
        if apart and (part := [each for each in rows if each.id.split("@")[0].endswith(f".{name}")])
    }
    return Figures(
        len(rows),
        _mean(float(each.right) for each in rows),
        _mean(float(each.first) for each in rows),
        _mean(float(each.calls) for each in rows),
        _mean(float(each.interventions) for each in rows),
        inst,
        tool,
        args,
        fmean(told) if told else None,
        round(sum(each.seconds for each in rows), 1),
        parts,
    )


def _mean(values: Iterable[float | None]) -> float | None:
    found = [each for each in values if each is not None]
    return round(fmean(found), 4) if found else None


__all__ = ["Figures", "Row", "Steps", "calls_made", "figures", "steps", "wrong"]
