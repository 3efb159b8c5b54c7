"""Two runs side by side as tables: the data and values, the steps, and the numbers in which they differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from copilot.messages import t
from copilot.view.workflow_graph import WORDS
from copilot.view.workflow_library import title_of
from copilot.view.workflow_runs import changes
from copilot.workflows.instantiate import Instance
from state.log import Event
from state.model import State

NOTHING = "–"


@dataclass(frozen=True)
class Side:
    """One of the two runs: what it was bound to, and `following`'s nodes of it."""

    instance: Instance
    nodes: Sequence[Any]


@dataclass(frozen=True)
class Table:
    """A part of a comparison."""

    title: str
    frame: pd.DataFrame


def tables(
    first: Side,
    second: Side,
    events: Sequence[Event],
    state: State,
    overlap: Mapping[str, float] | None = None,
) -> tuple[Table, ...]:
    """The parts in which two runs differ; none where they are the same.

    `overlap` is the intersection over union of the masks that both give, by the workflow's names of them.
    """
    by_seq = {each.seq: each for each in events}
    found = (
        Table(t("Data and values"), _frame(_given(first, second, state))),
        Table(t("Steps"), _frame(_steps(first, second))),
        Table(t("Numbers"), _frame(_numbers(first, second, by_seq), numbers=True)),
        Table(t("Changed on the way"), _frame(_changed(first, second))),
        Table(t("Masks that both give"), _overlap(overlap or {})),
    )
    return tuple(each for each in found if len(each.frame))


Row = tuple[str, Any, Any]


def _frame(rows: Iterator[Row], *, numbers: bool = False) -> pd.DataFrame:
    different = [row for row in rows if row[1] != row[2]]
    this, other = t("this run"), t("the other")
    frame = pd.DataFrame(different, columns=[t("what"), this, other])
    if numbers and len(frame):
        pair = frame[[this, other]].apply(pd.to_numeric, errors="coerce")
        frame[t("difference")] = pair[this] - pair[other]
    return frame


def _overlap(overlap: Mapping[str, float]) -> pd.DataFrame:
    rows = [(title_of(name.lstrip("$")), round(value, 4)) for name, value in overlap.items() if value < 1]
    return pd.DataFrame(rows, columns=[t("what"), t("intersection over union")])


def _given(first: Side, second: Side, state: State) -> Iterator[Row]:
    names = {each.id: f"{each.name} ({each.id})" for each in state.artifacts}
    yield t("workflow"), first.instance.workflow.id, second.instance.workflow.id
    for name in _both(first.instance.inputs, second.instance.inputs):
        handles = [each.instance.inputs.get(name, NOTHING) for each in (first, second)]
        one, other = (names.get(each, each) for each in handles)
        yield title_of(name), one, other
    for name in _both(first.instance.parameters, second.instance.parameters):
        one, other = (str(each.instance.parameters.get(name, NOTHING)) for each in (first, second))
        yield name, one, other


def _steps(first: Side, second: Side) -> Iterator[Row]:
    one, other = ({each.id: each for each in side.nodes} for side in (first, second))
    for name in _both(one, other):
        yield title_of(name), _step(one.get(name)), _step(other.get(name))


def _step(node: Any) -> str:
    return NOTHING if node is None else f"{node.tool}, {t(WORDS.get(node.status, node.status))}"


def _numbers(first: Side, second: Side, by_seq: Mapping[int, Event]) -> Iterator[Row]:
    """The numbers that the calls of steps gave, and what was measured of them, by step."""
    one, other = (dict(_of_nodes(side.nodes, by_seq)) for side in (first, second))
    for name in _both(one, other):
        yield name, one.get(name), other.get(name)


def _of_nodes(nodes: Sequence[Any], by_seq: Mapping[int, Event]) -> Iterator[tuple[str, float]]:
    for node in nodes:
        event = by_seq.get(node.seq) if node.seq is not None else None
        for key, value in (event.data if event is not None else {}).items():
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                yield f"{title_of(node.id)}: {key.replace('_', ' ')}", float(value)
        for check in node.checks:
            if check.get("value") is not None:
                measure = str(check["measure"]).replace("_", " ")
                yield (
                    t("{step}: {measure}, measured", step=title_of(node.id), measure=measure),
                    float(check["value"]),
                )


def _changed(first: Side, second: Side) -> Iterator[Row]:
    one, other = changes(first.instance), changes(second.instance)
    for number in range(max(len(one), len(other))):
        sides = [each[number] if number < len(each) else NOTHING for each in (one, other)]
        yield t("change {number}", number=number + 1), sides[0], sides[1]


def _both(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    return list(dict.fromkeys([*one, *other]))


__all__ = ["Side", "Table", "tables"]
