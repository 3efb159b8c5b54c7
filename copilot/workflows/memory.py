"""What runs teach, per person: rules that say what helped against what, and variants that ended well.

A rule reads IF tool fails on data with property and cause THEN action, and counts how often it helped. A
repaired run that ended well becomes a variant with the context in which it applies. A rule is only asked when
a step has failed, and a variant only where its context holds; one that fails where its original would not is
set aside. So what was learned never makes worse what went well before. All of it is one JSON file of a
person's own, which may be read, edited, forgotten and taken elsewhere.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from copilot.workflows.adjusting import Proposal
from copilot.workflows.changing import Change
from copilot.workflows.diagnosing import Cause
from copilot.workflows.engine import Report, Trouble
from copilot.workflows.instantiate import Instance
from copilot.workflows.model import Workflow, WorkflowError

MOST_KEPT = 2000
"""Rules, variants and traces each: the oldest go first."""
SET_ASIDE_AFTER = 2
"""So many failures more than successes set a rule aside."""
_OWNER = re.compile(r"[^A-Za-z0-9_-]")


@dataclass(frozen=True)
class Rule:
    """IF `tool` fails (`kind`) with `cause` THEN `action`, a change whose step and names are open."""

    tool: str
    kind: str
    cause: str
    argument: str
    action: Mapping[str, Any]
    helped: int = 0
    failed: int = 0

    @property
    def key(self) -> str:
        """What makes two rules one."""
        return json.dumps(
            [self.tool, self.kind, self.cause, self.argument, dict(self.action)], sort_keys=True
        )

    @property
    def set_aside(self) -> bool:
        """Whether it failed so much oftener than it helped that it is not tried any more."""
        return self.failed - self.helped >= SET_ASIDE_AFTER

    def __str__(self) -> str:
        change = Change.from_json({**self.action, "step": self.tool})
        on = f" of its {self.argument}" if self.argument else ""
        return (
            f"IF {self.tool} fails ({self.kind}) by {self.cause.replace('_', ' ')}{on} THEN {change} "
            f"(helped {self.helped}, did not {self.failed}{', set aside' if self.set_aside else ''})"
        )


@dataclass(frozen=True)
class Variant:
    """A workflow that a repair made, and where it applies."""

    workflow: Mapping[str, Any]
    """As JSON."""
    made_of: str
    context: tuple[str, ...]
    """`input.property=value` of what was repaired: all must hold."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    helped: int = 0
    failed: int = 0
    set_aside: bool = False

    @property
    def key(self) -> str:
        """What makes two variants one."""
        return f"{self.made_of}|{Workflow.from_json(self.workflow).digest}|{'&'.join(self.context)}"


@dataclass(frozen=True)
class Kept:
    """All that one person's memory holds."""

    rules: tuple[Rule, ...] = ()
    variants: tuple[Variant, ...] = ()
    traces: tuple[Mapping[str, Any], ...] = ()
    saved: tuple[Mapping[str, Any], ...] = ()
    """Workflows that the person saved, as JSON."""


class Memory:
    """One person's memory, in a file; whole at every moment, for one process or several.

    What the person's teams were given is read beside it, and never written by it.
    """

    def __init__(self, path: Path, teams: Sequence[Memory] = ()) -> None:
        self.path = path
        self.teams = tuple(teams)
        self._threads = threading.Lock()

    @classmethod
    def of(cls, home: Path, owner: str) -> Memory:
        """The memory of a person in a home folder, with that person's teams. Nobody else's is read."""
        from copilot.workflows.teams import teams_of

        teams = [cls(team.path) for team in teams_of(home, owner)]
        return cls(home / "workflows" / f"{_OWNER.sub('_', owner)[:100]}.json", teams)

    @property
    def _lock(self) -> AbstractContextManager[None]:
        """Held while it is read and written, against the other threads and processes."""
        return _held(self._threads, self.path)

    def read(self) -> Kept:
        """What it holds; nothing where the file is absent or broken."""
        try:
            plain = json.loads(self.path.read_text(encoding="utf-8"))
            return Kept(
                tuple(Rule(**each) for each in plain.get("rules", ())),
                tuple(
                    Variant(**{**each, "context": tuple(each["context"])})
                    for each in plain.get("variants", ())
                ),
                tuple(plain.get("traces", ())),
                tuple(plain.get("saved", ())),
            )
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return Kept()

    def write(self, kept: Kept) -> None:
        """Put all of it in place at once."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        plain = {name: [_plain(each) for each in getattr(kept, name)[-MOST_KEPT:]] for name in _PARTS}
        part = self.path.with_suffix(f".{os.getpid()}.{threading.get_ident()}.part")
        part.write_text(json.dumps(plain, indent=1, ensure_ascii=False, sort_keys=True), encoding="utf-8")
        part.replace(self.path)

    # -- while a run goes on --------------------------------------------------------------------

    def saw(self, trouble: Trouble, cause: Cause, change: Change, helped: bool) -> None:
        """A change was tried against a cause: the rule of it counts that."""
        action = generalised(change, trouble.step)
        if action is None:
            return
        wanted = Rule(trouble.tool, trouble.kind, cause.name, cause.argument, action)
        with self._lock:
            kept = self.read()
            known = {each.key: each for each in kept.rules}
            found = known.get(wanted.key, wanted)
            counted = replace(found, helped=found.helped + helped, failed=found.failed + (not helped))
            self.write(replace(kept, rules=tuple({**known, counted.key: counted}.values())))

    def proposals(self, trouble: Trouble, causes: Sequence[Cause]) -> list[Proposal]:
        """What its rules say of a trouble with these causes; what helped most comes first."""
        found = []
        mine = self.read()
        aside = {each.key for each in mine.rules if each.set_aside}
        shared = (rule for team in self.teams for rule in team.read().rules if rule.key not in aside)
        for rule in {each.key: each for each in (*shared, *mine.rules)}.values():
            if rule.tool != trouble.tool or rule.set_aside or rule.helped == 0:
                continue
            for cause in causes:
                if (cause.name, cause.argument) == (rule.cause, rule.argument):
                    change = Change.from_json(specific(rule.action, trouble.step))
                    found.append(Proposal(change, cause, rule.helped - rule.failed, learned=True))
        return sorted(found, key=lambda each: -each.helped)

    # -- after it -------------------------------------------------------------------------------

    def learn(self, report: Report, context: Sequence[str] = ()) -> None:
        """Keep a run's trace, and, of a repaired one that ended well, its workflow as a variant."""
        instance = report.instance
        made_of = instance.workflow.made_of or instance.workflow.id
        trace = {
            "workflow": made_of,
            "ok": report.ok,
            "calls": report.calls,
            "context": list(context),
            "adjustments": [dict(each) for each in instance.adjustments],
            "trouble": None if report.trouble is None else report.trouble.said[:300],
        }
        with self._lock:
            kept = self.read()
            kept = replace(kept, traces=(*kept.traces, trace))
            if report.ok and context and _repaired(instance):
                variant = Variant(instance.workflow.to_json(), made_of, tuple(context), _own_values(instance))
                known = {each.key: each for each in kept.variants}
                found = known.get(variant.key, variant)
                known[variant.key] = replace(found, helped=found.helped + 1)
                kept = replace(kept, variants=tuple(known.values()))
            self.write(kept)

    def variant(self, workflow_id: str, context: Sequence[str]) -> Variant | None:
        """The variant of a workflow whose whole context holds; the one that helped most.

        None where the workflow itself once went well in this context: it is not to be made worse.
        """
        holds, mine = set(context), self.read()
        if any(
            each.get("workflow") == workflow_id
            and each.get("ok")
            and not each.get("adjustments")
            and set(each.get("context", ())) == holds
            for each in mine.traces
        ):
            return None
        aside = {each.key for each in mine.variants if each.set_aside}
        shared = [each for team in self.teams for each in team.read().variants]
        found = [
            each
            for each in (*mine.variants, *shared)
            if each.made_of == workflow_id
            and each.context
            and set(each.context) <= holds
            and each.key not in aside
            and not each.set_aside
        ]
        return max(found, key=lambda each: (each.helped - each.failed, len(each.context)), default=None)

    def judged(self, variant: Variant, helped: bool) -> None:
        """A variant was run: one that failed is set aside."""
        with self._lock:
            kept = self.read()
            if variant.key not in {
                each.key for each in kept.variants
            }:  # a team's: here it is judged for oneself
                kept = replace(kept, variants=(*kept.variants, replace(variant, helped=0, failed=0)))
            after = tuple(
                replace(
                    each,
                    helped=each.helped + helped,
                    failed=each.failed + (not helped),
                    set_aside=each.set_aside or not helped,
                )
                if each.key == variant.key
                else each
                for each in kept.variants
            )
            self.write(replace(kept, variants=after))

    def keep(self, workflow: Workflow) -> None:
        """Save a workflow of the person's own, in place of one of its id."""
        with self._lock:
            kept = self.read()
            others = tuple(each for each in kept.saved if each.get("id") != workflow.id)
            self.write(replace(kept, saved=(*others, workflow.to_json())))

    def saved(self) -> tuple[Workflow, ...]:
        """The workflows that the person saved, and then those of teams; what is broken is left out."""
        found: dict[str, Workflow] = {}
        for each in (*self.read().saved, *(one for team in self.teams for one in team.read().saved)):
            try:
                made = Workflow.from_json(each)
            except WorkflowError:
                continue
            found.setdefault(made.id, made)
        return tuple(found.values())

    def forget(self, what: str = "") -> int:
        """Forget everything, or what a tool's, a workflow's or a rule's text names; how much that was."""
        with self._lock:
            kept = self.read()
            left = Kept(
                tuple(each for each in kept.rules if what and what not in str(each)),
                tuple(each for each in kept.variants if what and what not in each.made_of),
                tuple(each for each in kept.traces if what and what not in str(each.get("workflow"))),
                tuple(each for each in kept.saved if what and what not in str(each.get("id"))),
            )
            self.write(left)
        return sum(len(getattr(kept, name)) - len(getattr(left, name)) for name in _PARTS)

    def export(self, what: str = "") -> dict[str, Any]:
        """All of it, or what names a tool, a workflow or a rule's text, as plain JSON."""
        kept = self.read()
        chosen = Kept(
            tuple(each for each in kept.rules if what in str(each)),
            tuple(each for each in kept.variants if what in each.made_of),
            tuple(each for each in kept.traces if what in str(each.get("workflow"))),
            tuple(each for each in kept.saved if what in str(each.get("id"))),
        )
        return {name: [_plain(each) for each in getattr(chosen, name)] for name in _PARTS}

    def edit(self, plain: Mapping[str, Any]) -> None:
        """Put what was exported and edited by hand in place of all of it. Raises WorkflowError."""
        new = _parsed(plain)
        with self._lock:
            self.write(new)

    def share(self, what: str, team: Memory) -> int:
        """Give a team what `export` would give, without traces; how much was new."""
        return team.take_in({**self.export(what), "traces": []})

    def take_in(self, plain: Mapping[str, Any]) -> int:
        """Add what somebody shared: rules with their counts, variants, workflows. Raises WorkflowError."""
        given = _parsed(plain)
        with self._lock:
            kept = self.read()
            mine = {each.key for each in kept.rules}
            known = {each.key for each in kept.variants}
            ids = {str(each.get("id")) for each in kept.saved}
            new_rules = tuple(each for each in given.rules if each.key not in mine)
            new_variants = tuple(each for each in given.variants if each.key not in known)
            new_saved = tuple(each for each in given.saved if each["id"] not in ids)
            self.write(
                Kept(
                    (*kept.rules, *new_rules),
                    (*kept.variants, *new_variants),
                    kept.traces,
                    (*kept.saved, *new_saved),
                )
            )
        return len(new_rules) + len(new_variants) + len(new_saved)


def _parsed(plain: Mapping[str, Any]) -> Kept:
    """A memory out of somebody's JSON. Raises WorkflowError for what is none."""
    try:
        rules = tuple(Rule(**each) for each in plain.get("rules", ()))
        for each in rules:
            Change.from_json({**each.action, "step": ""})
        variants = tuple(
            Variant(**{**each, "context": tuple(each["context"])}) for each in plain.get("variants", ())
        )
        for one in variants:
            Workflow.from_json(one.workflow)
        saved = tuple(Workflow.from_json(each).to_json() for each in plain.get("saved", ()))
        return Kept(rules, variants, tuple(dict(each) for each in plain.get("traces", ())), saved)
    except (TypeError, KeyError, ValueError, AttributeError) as error:
        raise WorkflowError(f"This is no memory of workflows: {error}.") from None


@contextmanager
def _held(threads: threading.Lock, path: Path) -> Iterator[None]:
    with threads:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.with_suffix(".lock").open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield


def generalised(change: Change, step: str) -> dict[str, Any] | None:
    """A change as a rule keeps it, without the step's name; None for one that only this workflow has."""
    if change.kind == "workflow":
        return None
    if change.kind == "together":
        parts = [generalised(each, step) for each in change.parts]
        if any(each is None for each in parts):
            return None
        return {"kind": "together", "parts": [dict(each) for each in parts if each is not None]}
    if change.step != step:
        return None
    plain = change.to_json()
    plain.pop("step", None)
    # A neighbour is named by this workflow's own names: it is looked up anew where the rule is used.
    if any(isinstance(each, str) and each.startswith("$") and each != "$@" for each in change.args.values()):
        return None
    return plain


def specific(action: Mapping[str, Any], step: str) -> dict[str, Any]:
    """A rule's action for a step."""
    made = {**action, "step": step}
    if "parts" in made:
        made["parts"] = [specific(each, step) for each in made["parts"]]
    return made


def _repaired(instance: Instance) -> bool:
    """Whether all that was changed was a repair: what a person changed holds for that run."""
    return bool(instance.adjustments) and all(each.get("failed") for each in instance.adjustments)


def _own_values(instance: Instance) -> dict[str, Any]:
    changed = {each["change"].get("name") for each in instance.adjustments if "change" in each}
    return {key: value for key, value in instance.parameters.items() if key in changed}


def _plain(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else asdict(value)


_PARTS = ("rules", "variants", "traces", "saved")

__all__ = ["Kept", "Memory", "Rule", "Variant", "generalised", "specific"]
