"""The calls of a run against the calls of a right way: valid, needed, missed, and their arguments.

Made calls and gold calls are paired so that as many pairs as possible are of one tool with equal
arguments; what is left is paired by tool. A gold call without such a partner is right all the same when its
effect is there by other means: what it changes in the state is as it should be at the end and some call
changed just that, or what it brings was brought by another call.
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
    unanswered: list[Made] = field(default_factory=list)
    """Those of the missed calls whose answer nothing else brought."""
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
    worked = [each for each in made if each.ok]
    brought = [brings for each, brings in zip(made, facts, strict=True) if each.ok]
    work = _Work(end, worked, brought, off, settings)
    work.found.invalid = [each for each in made if not each.ok]
    exact = matching(end.steps, worked, work.fits)
    left = [i for i in range(len(end.steps)) if i not in exact]
    free = [j for j in range(len(worked)) if j not in exact.values()]
    by_tool = matching(left, free, lambda i, j: end.steps[i].tool == worked[j].tool)
    partners = {left[i]: free[j] for i, j in by_tool.items()}
    work.spare = set(free) - set(partners.values())
    for i in exact:
        work.is_right(i)
    for i in left:
        work.settle(i, partners.get(i))
    work.found.unneeded = [worked[j] for j in sorted(work.spare) if not work.is_free(worked[j])]
    return work.found


@dataclass
class _Work:
    """The comparison as it goes on."""

    end: End
    worked: list[Made]
    brought: list[Facts]
    """What each of them brought."""
    off: frozenset[str]
    settings: Settings
    found: Compared = field(default_factory=Compared)
    spare: set[int] = field(default_factory=set)
    """The made calls that nothing is known to need so far."""
    _normal: dict[int, dict[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.found.wanted = sum(self.end.needed)

    def fits(self, gold: Made, made: Made) -> bool:
        """Whether two calls are the same."""
        return gold.tool == made.tool and not self.gaps(gold, made)

    def gaps(self, gold: Made, made: Made) -> tuple[Difference, ...]:
        """Where the arguments of two calls of one tool differ."""
        return tuple(differences(self._arguments(gold), self._arguments(made), self.settings.epsilon))

    def is_right(self, i: int) -> None:
        """Gold call `i` was made, or what it does was done."""
        self.found.right += self.end.needed[i]
        self.found.picked += self.end.needed[i]

    def is_free(self, made: Made) -> bool:
        """Whether a call does nothing that is graded: where the gold leaves the camera, it may be moved."""
        return made.touched == ("map.camera",) and "map.camera" not in self.end.touched

    def settle(self, i: int, partner: int | None) -> None:
        """Judge a gold call that was not made as it stands: by other means, with other arguments, missed."""
        gold = self.end.steps[i]
        means = self._means(i, partner) if self.settings.by_effect else None
        if means is not None:
            self.is_right(i)
            self.spare -= means
            if partner is not None and partner not in means:
                self.spare.add(partner)
        elif partner is not None:
            self.found.wrong.append((self.worked[partner], self.gaps(gold, self.worked[partner])))
            self.found.picked += self.end.needed[i]
        elif self.end.needed[i]:
            self.found.missed.append(gold)
            if self.end.answering[i] and not self._is_brought(i, self.brought):
                self.found.unanswered.append(gold)

    def _means(self, i: int, partner: int | None) -> set[int] | None:
        """The calls that have the effect of gold call `i`; None when the effect is not there.

        The effect of a call that answers is what it brings; another call may bring it by the way, as a
        filter brings its count. That of a call that changes something is what it changes, as it is at the
        end, where any call changed just that.
        """
        order = [*([] if partner is None else [partner]), *sorted(self.spare)]
        if self.end.answering[i]:
            one = next((j for j in order if self._is_brought(i, [self.brought[j]])), None)
            if one is not None:
                return {one}
            return set() if self._is_brought(i, self.brought) else None
        changes = frozenset(self.end.steps[i].touched)
        if not changes or changes & self.off or not any(changes & set(each.touched) for each in self.worked):
            return None
        return {j for j in order if changes & set(self.worked[j].touched)}

    def _is_brought(self, i: int, brought: Sequence[Facts]) -> bool:
        facts = self.end.facts[i]
        return bool(facts) and not missing(facts, brought, self.settings.epsilon)

    def _arguments(self, made: Made) -> dict[str, Any]:
        if id(made) not in self._normal:
            self._normal[id(made)] = normal_arguments(self.end.toolbox, made.tool, made.args)
        return self._normal[id(made)]


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
