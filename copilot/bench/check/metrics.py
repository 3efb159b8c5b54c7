"""The figures over many verdicts: overall, and by how many calls a task needs.

From GeoLLM-Engine: success and correctness rate, ROUGE-L of the reply, F1 of detected objects, recall of
land-cover classes, ROUGE-L of answers about an image (its VQA figure), tokens a task. Each is the mean over
the tasks that have it; None where a set has no such task.

Step by step, as GTA defined it and ThinkGeo and KnowFlow use it: InstAcc, ToolAcc, ArgAcc. GTA gives a model
the first n gold steps and looks at its next one; here they are taken from whole runs, whose calls were
paired with the gold's, so that one early error can cost the later steps too. copilot/bench/check/stepwise.py
has the other way, for an agent that can be asked for its next call.

From KnowFlow-Bench: NTC, the number of tool calls, NI, the number of rounds between model and tools, FPA,
the share of tasks whose first plan went through, and TSR, the task success rate. Its abstract and its
summaries name these without a formula; a first plan went through here when the task succeeded and no call
was refused or needless.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any

from copilot.bench.check.verdict import CHECKS, Verdict


@dataclass(frozen=True)
class Metrics:
    """The figures of one set of runs; shares from 0 to 1."""

    tasks: int
    success: float | None
    correctness: float | None
    rouge_l: float | None
    detection_f1: float | None
    land_cover_recall: float | None
    vqa_rouge_l: float | None
    tokens_per_task: float | None
    seconds_per_task: float | None
    inst_acc: float | None
    """The share of made calls that were well-formed and worked."""
    tool_acc: float | None
    """The share of gold calls whose tool was called."""
    arg_acc: float | None
    """The share of gold calls that were made with the right arguments."""
    ntc: float | None
    """Calls a task."""
    ni: float | None
    """Rounds a task, over the tasks where they were counted."""
    fpa: float | None
    tsr: float | None
    errors: dict[str, int]
    """How many runs each check found something in."""
    by_calls: dict[int, Metrics] | None = None
    """The same by the number of calls that the gold makes; None inside of it."""

    def to_json(self) -> dict[str, Any]:
        """The figures as plain JSON values; the numbers of calls are texts there, as JSON wants."""
        plain = asdict(self)
        if self.by_calls is None:
            del plain["by_calls"]
        else:
            plain["by_calls"] = {str(calls): each.to_json() for calls, each in self.by_calls.items()}
        return plain


def measure(verdicts: Iterable[Verdict]) -> Metrics:
    """The figures over all verdicts, with those by number of calls inside."""
    all_of = tuple(verdicts)
    numbers = sorted({each.complexity for each in all_of})
    by_calls = {n: _metrics([each for each in all_of if each.complexity == n]) for n in numbers}
    return _metrics(all_of, by_calls)


def _metrics(verdicts: Sequence[Verdict], by_calls: dict[int, Metrics] | None = None) -> Metrics:
    success = _mean(verdicts, lambda each: float(each.success))
    return Metrics(
        tasks=len(verdicts),
        success=success,
        correctness=_mean(verdicts, lambda each: each.correctness),
        rouge_l=_mean(verdicts, lambda each: each.rouge),
        detection_f1=_mean(verdicts, lambda each: each.detections.f1 if each.detections else None),
        land_cover_recall=_mean(verdicts, lambda each: each.land_cover.recall if each.land_cover else None),
        vqa_rouge_l=_mean(verdicts, lambda each: each.rouge if each.asks_image else None),
        tokens_per_task=_mean(verdicts, lambda each: each.tokens),
        seconds_per_task=_mean(verdicts, lambda each: each.seconds),
        inst_acc=_share(sum(each.valid for each in verdicts), sum(each.made for each in verdicts)),
        tool_acc=_share(sum(each.picked for each in verdicts), sum(each.wanted for each in verdicts)),
        arg_acc=_share(sum(each.right for each in verdicts), sum(each.wanted for each in verdicts)),
        ntc=_mean(verdicts, lambda each: each.made),
        ni=_mean(verdicts, lambda each: each.rounds),
        fpa=_mean(verdicts, lambda each: float(first_plan_held(each))),
        tsr=success,
        errors={name: sum(name in each.wrong for each in verdicts) for name in CHECKS},
        by_calls=by_calls,
    )


def first_plan_held(verdict: Verdict) -> bool:
    """Whether a run succeeded without a call that was refused or needless."""
    return verdict.success and not {"valid_tools", "needed_tools"} & set(verdict.wrong)


def _mean(verdicts: Iterable[Verdict], value: Callable[[Verdict], float | None]) -> float | None:
    values = [found for each in verdicts if (found := value(each)) is not None]
    return fmean(values) if values else None


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
