"""The calls of a run against the calls of a right way: valid, needed, missed, and their arguments.

Made calls and gold calls are paired so that as many pairs as possible are of one tool with equal
arguments; what is left is paired by tool. A gold call without a partner is not missed when its effect is
there by other means: what it changes in the state is as it should be at the end and a call of another
tool (or with other arguments) changed just that, or what it brings was brought by another call.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from copilot.bench.check.gold import End
from copilot.bench.check.output import Facts, missing
from copilot.bench.check.runs import Made
from copilot.bench.check.same import Difference, differences, matching
from copilot.bench.check.settings import Settings
from tools.toolbox import Toolbox


@dataclass
class Compared:
    """What came of holding a run's calls against an end's."""

    invalid: list[Made] = field(default_factory=list)
    """No such tool, arguments that do not validate, or a call that was refused."""
    unneeded: list[Made] = field(default_factory=list)
    missed: list[Made] = field(default_factory=list)
    """Gold calls that were not made, and whose effect is not there by other means either."""
    wrong: list[tuple[Made, tuple[Difference, ...]]] = field(default_factory=list)
    """Calls of the right tool with arguments that differ, and lead elsewhere."""
    wanted: int = 0
    """The gold calls that do anything."""
    picked: int = 0
    """Those whose tool was called, or one for the same effect."""
    right: int = 0
    """Those that were made with the right arguments, or have their effect."""

    @property
    def errors(self) -> int:
        """Calls that should be otherwise."""
        return len(self.invalid) + len(self.unneeded) + len(self.missed) + len(self.wrong)


def compare(
    end: End, made: Sequence[Made], facts: Sequence[Facts], off: frozenset[str], settings: Settings
) -> Compared:
    """Hold the calls of a run against an end's.

    `facts` is what each call brought; `off` are the aspects in which the run ended otherwise.
    """
    toolbox = end.toolbox
    found = Compared(invalid=[each for each in made if not each.ok], wanted=sum(end.needed))
    worked = [each for each in made if each.ok]
    gold_args = [normal_arguments(toolbox, each.tool, each.args) for each in end.steps]
    made_args = [normal_arguments(toolbox, each.tool, each.args) for each in worked]
    gaps = {
        (i, j): tuple(differences(gold_args[i], made_args[j], settings.epsilon))
        for i, gold in enumerate(end.steps)
        for j, other in enumerate(worked)
        if gold.tool == other.tool
    }
    whole, other = range(len(end.steps)), range(len(worked))
    exact = matching(whole, other, lambda i, j: gaps.get((i, j)) == ())
    pairs = dict(exact)
    left = [i for i in whole if i not in exact]
    free = [j for j in other if j not in exact.values()]
    by_tool = matching(left, free, lambda i, j: (i, j) in gaps)
    pairs.update({left[i]: free[j] for i, j in by_tool.items()})
    found.right = len([i for i in exact if end.needed[i]])
    found.picked = len([i for i in pairs if end.needed[i]])
    brought = [brings for each, brings in zip(made, facts, strict=True) if each.ok]
    spare = {j for j in other if j not in pairs.values()}
    for i in left:
        _settle(found, end, i, pairs.get(i), worked, gaps, brought, spare, off, settings)
    found.unneeded = [worked[j] for j in sorted(spare) if not _is_free(end, worked[j])]
    return found


def _is_free(end: End, made: Made) -> bool:
    """Whether a call does nothing that is graded: where the gold leaves the camera alone, it may be moved."""
    return made.touched == ("map.camera",) and "map.camera" not in end.touched


def _settle(
    found: Compared,
    end: End,
    i: int,
    partner: int | None,
    worked: list[Made],
    gaps: Mapping[tuple[int, int], tuple[Difference, ...]],
    brought: list[Facts],
    spare: set[int],
    off: frozenset[str],
    settings: Settings,
) -> None:
    """Judge a gold call that was not made as it stands: with other arguments, by other means, or missed."""
    gold = end.steps[i]
    candidates = [*([] if partner is None else [partner]), *sorted(spare)]
    means = _means(end, i, candidates, worked, brought, off, settings) if settings.by_effect else []
    if means:
        found.right += end.needed[i]
        found.picked += end.needed[i] and partner is None
        spare.difference_update(means)
        if partner is not None and partner not in means:
            spare.add(partner)
    elif partner is not None:
        found.wrong.append((worked[partner], gaps[i, partner]))
    elif end.needed[i]:
        # What another call brought by the way, as a filter brings its count, need not be asked for again.
        everything = not missing(end.facts[i], brought, settings.epsilon) and bool(end.facts[i])
        if everything and end.answering[i] and settings.by_effect:
            found.right += 1
            found.picked += 1
        else:
            found.missed.append(gold)


def _means(
    end: End,
    i: int,
    candidates: list[int],
    worked: list[Made],
    brought: list[Facts],
    off: frozenset[str],
    settings: Settings,
) -> list[int]:
    """Those of the candidates that have the effect of gold call `i`; none when the effect is not there."""
    gold = end.steps[i]
    if end.answering[i]:
        return [
            j
            for j in candidates
            if end.facts[i] and not missing(end.facts[i], [brought[j]], settings.epsilon)
        ][:1]
    changes = frozenset(gold.touched)
    if not changes or changes & off:
        return []
    return [j for j in candidates if worked[j].touched and frozenset(worked[j].touched) & changes]


def normal_arguments(toolbox: Toolbox, tool: str, args: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments with their types and defaults, so that a default said and one left out are the same.

    Those that are wrong, or of a tool that is not there, are left as they are.
    """
    if tool not in toolbox:
        return dict(args)
    try:
        model = toolbox.get(tool).arguments.model_validate(dict(args))
    except ValidationError:
        return dict(args)
    plain: dict[str, Any] = model.model_dump(mode="json")
    return plain
