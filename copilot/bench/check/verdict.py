"""The model checker: what is right and what is wrong about one run of one task.

After GeoLLM-Engine (Singh, Fore, Stamoulis 2024), whose checker holds a run's tools, string and number
arguments, reply, output, map state and UI state against the ground truth, and after GeoLLM-QA by the same
authors, which states the two rates:

- success: the state at the end is the right one. Here: database, map, UI, output and outcome are right,
  every answer that the gold's calls bring was brought, and the reply holds the numbers of the gold reply.
  The words of the reply do not enter it (they are the ROUGE-L figure), nor does the way.
- correctness: max(0, 1 - errors / tools), where errors are the calls that were refused, needless, missed,
  or given wrong arguments, and tools are the gold's calls.

Where we had to choose: the papers do not say when two ways are the same. Here a task may have several right
ends, and a run is held against the one that it comes nearest to; and a call counts as right when its effect
is (see copilot/bench/check/calls.py), unless the settings say to the letter. A call that failed is an error
even if it was mended later. The gold's calls that change and say nothing are not counted among the tools.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from copilot.bench.check.calls import Compared, compare
from copilot.bench.check.ends import Pair, wrong_aspects
from copilot.bench.check.gold import End, Gold, artifact_ids
from copilot.bench.check.output import Facts, brings, in_words, makes_artifact, missing
from copilot.bench.check.perception import Overlap, detections, land_cover, perceived
from copilot.bench.check.reply import dates_in, numbers_in, rouge_l, unsaid
from copilot.bench.check.runs import Made, Run
from copilot.bench.check.same import Difference
from copilot.bench.check.settings import Settings
from state.codec import from_json
from state.model import State

CHECKS = (
    "valid_tools",
    "needed_tools",
    "missed_tools",
    "string_arguments",
    "number_arguments",
    "reply_words",
    "reply_numbers",
    "output",
    "database",
    "map",
    "ui",
    "outcome",
)
"""Every check by name. `needed_tools`: no call was needless."""
ENDING = frozenset({"reply_numbers", "output", "database", "map", "ui", "outcome"})
"""Those that success needs, beside that no answer is missing."""


@dataclass(frozen=True)
class Check:
    """One check of one run."""

    name: str
    wrong: tuple[str, ...] = ()
    """What is wrong, a sentence each; nothing when all is right."""

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.wrong


@dataclass(frozen=True)
class Verdict:
    """What came of one run of one task."""

    task: str
    category: str
    complexity: int
    """The calls that the gold makes."""
    end: int
    """Which right end it was held against: 0 is the gold's own."""
    checks: tuple[Check, ...]
    success: bool
    correctness: float
    rouge: float
    """ROUGE-L recall of the reply."""
    made: int
    """The calls that the run made, those that could not be read too."""
    valid: int
    wanted: int
    """The gold calls that do anything."""
    picked: int
    """Those for which the right tool was called."""
    right: int
    """Those that were made right."""
    detections: Overlap | None
    """Objects found, where the task finds some."""
    land_cover: Overlap | None
    """Land-cover classes found, where the task finds some."""
    asks_image: bool
    """Whether the task asks what an image shows."""
    tokens: int
    seconds: float
    rounds: int | None

    @property
    def wrong(self) -> tuple[str, ...]:
        """The checks that found something."""
        return tuple(each.name for each in self.checks if not each.ok)

    def check(self, name: str) -> Check:
        """The check of that name. Raises KeyError."""
        return {each.name: each for each in self.checks}[name]

    def to_json(self) -> dict[str, Any]:
        """The verdict as plain JSON values."""
        plain = asdict(self)
        plain["checks"] = {each.name: list(each.wrong) for each in self.checks if not each.ok}
        return plain

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> Verdict:
        """The verdict that `to_json` wrote."""
        checks = tuple(Check(name, tuple(plain["checks"].get(name, ()))) for name in CHECKS)
        overlaps = {
            name: None if plain[name] is None else Overlap(**plain[name])
            for name in ("detections", "land_cover")
        }
        return cls(**{**plain, **overlaps, "checks": checks})


def check(gold: Gold, run: Run, settings: Settings | None = None) -> Verdict:
    """Hold a run against the right end that it comes nearest to."""
    settings = settings or Settings()
    got = from_json(run.state)
    toolbox = gold.ends[0].toolbox
    facts = tuple(brings(toolbox, each) if each.ok else frozenset() for each in run.calls)
    verdicts = [_check_end(gold, number, run, facts, got, settings) for number in range(len(gold.ends))]
    return max(verdicts, key=lambda each: (each.success, each.correctness, -len(each.wrong), -each.end))


def _check_end(
    gold: Gold, number: int, run: Run, facts: Sequence[Facts], got: State, settings: Settings
) -> Verdict:
    end = gold.ends[number]
    aspects = wrong_aspects(pair_of(gold, end, run.calls, facts, got, settings))
    calls = compare(end, run.calls, facts, frozenset(aspects), settings)
    found = {
        **_tools(calls, run),
        **_arguments(calls),
        **_reply(gold, end, run, settings),
        **_end(aspects),
        "output": _output(end, calls, facts, settings),
        "outcome": [] if run.outcome == end.outcome else [f"The turn is {run.outcome}, not {end.outcome}."],
    }
    checks = tuple(Check(name, tuple(found[name])) for name in CHECKS)
    tools = calls.wanted or len(run.calls)
    seen, shown = perceived(end.steps, end.state), perceived(run.calls, got)
    return Verdict(
        task=gold.task.id,
        category=gold.task.category,
        complexity=gold.task.complexity,
        end=number,
        checks=checks,
        success=not calls.unanswered and all(each.ok for each in checks if each.name in ENDING),
        correctness=max(0.0, 1 - (calls.errors + run.malformed) / tools)
        if tools
        else float(run.outcome == end.outcome),
        rouge=rouge_l(gold.task.reply, run.reply),
        made=len(run.calls) + run.malformed,
        valid=sum(each.ok for each in run.calls),
        wanted=calls.wanted,
        picked=calls.picked,
        right=calls.right,
        detections=detections(seen, shown),
        land_cover=land_cover(seen, shown),
        asks_image=seen.asks_image,
        tokens=run.tokens,
        seconds=run.seconds,
        rounds=run.rounds,
    )


def pair_of(
    gold: Gold, end: End, calls: Sequence[Made], facts: Sequence[Facts], got: State, settings: Settings
) -> Pair:
    """A right end beside the state `got` that calls led to; `facts` is what each of them brought."""
    return Pair(
        end=end,
        got=got,
        settings=settings,
        wanted_contents=_contents(gold, end, end.steps, end.facts),
        got_contents=_contents(gold, end, calls, facts),
    )


def _tools(calls: Compared, run: Run) -> dict[str, list[str]]:
    unread = ["The arguments of a call were no JSON object."] * run.malformed
    return {
        "valid_tools": [*(f"{each.tool} was refused: {each.text}" for each in calls.invalid), *unread],
        "needed_tools": [f"{each.tool} was called without need." for each in calls.unneeded],
        "missed_tools": [f"{each.tool} was not called, nor what it does." for each in calls.missed],
    }


def _arguments(calls: Compared) -> dict[str, list[str]]:
    def told(nature: str) -> list[str]:
        return [_told(made, gap) for made, gaps in calls.wrong for gap in gaps if gap.nature == nature]

    return {"string_arguments": told("string"), "number_arguments": told("number")}


def _told(made: Made, gap: Difference) -> str:
    return f"{made.tool}: {gap}."


def _reply(gold: Gold, end: End, run: Run, settings: Settings) -> dict[str, list[str]]:
    """The words by ROUGE-L, the numbers one by one; a question or a refusal has no number to get right."""
    score = rouge_l(gold.task.reply, run.reply)
    words = [] if score >= settings.least_rouge else [f"The reply has {score:.0%} of the gold's words."]
    numbers = unsaid(gold.task.reply, run.reply, settings.epsilon, _free_numbers(gold, end))
    if end.outcome != "done":
        numbers = []
    return {"reply_words": words, "reply_numbers": [f"The reply does not say {each}." for each in numbers]}


def _free_numbers(gold: Gold, end: End) -> frozenset[float | int | str]:
    """The numbers and days of the gold reply that need not be said.

    Those that the request said itself, unless the calls brought them too; and at another right end those
    that only the gold's own calls bring.
    """
    request = gold.task.request
    return (
        (frozenset(numbers_in(request)) - end.brought)
        | dates_in(request)
        | (gold.ends[0].brought - end.brought)
    )


def _end(aspects: Mapping[str, str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {"database": [], "map": [], "ui": []}
    for name, sentence in aspects.items():
        found[name.partition(".")[0]].append(f"{sentence[0].upper()}{sentence[1:]}.")
    return found


def _output(end: End, calls: Compared, brought: Sequence[Facts], settings: Settings) -> list[str]:
    """What the gold's answering calls brought and no call of the run did; what was missed is told there."""
    missed = {id(each) for each in calls.missed}
    found: list[str] = []
    for step, facts in zip(end.steps, end.facts, strict=True):
        if id(step) not in missed and (lost := missing(facts, brought, settings.epsilon)):
            more = f" and {len(lost) - 1} more" if len(lost) > 1 else ""
            found.append(f"{step.tool} should bring {in_words(lost[0])}{more}.")
    return found


def _contents(gold: Gold, end: End, calls: Sequence[Made], facts: Sequence[Facts]) -> dict[str, Facts]:
    """What is in each artifact that a run can show: the setup's, and those that its calls made."""
    own = {
        name: brought
        for each, brought in zip(calls, facts, strict=True)
        if makes_artifact(end.toolbox, each)
        for name in artifact_ids(each)
    }
    return {**gold.contents, **own}
