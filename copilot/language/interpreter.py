"""The interpreter: a request, said into a session, as calls, the likeliest reading first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from copilot.language.ambiguity import Several, several_places, with_choice
from copilot.language.asking import in_words
from copilot.language.confidence import Confidence, features_of
from copilot.language.coverage import Coverage, names_passed_over, not_accounted_for, unread
from copilot.language.decoding import Scored
from copilot.language.frame import Frame
from copilot.language.grounding import grounded
from copilot.language.holdings import holdings
from copilot.language.mentions import Mentions, names_in
from copilot.language.policy import Learned, Policy
from copilot.language.schema import Argument
from copilot.language.shown import Shown
from copilot.language.talk import Talk
from copilot.language.view import Past, selected_days, view
from copilot.planner.encoder import Encoder
from copilot.planner.plan import Plan
from copilot.planner.situation import Call, Situation
from copilot.planner.spans import Reader
from state.codec import canonical
from tools.class_words import ClassWords
from tools.phrases import listed
from tools.toolbox import Toolbox

TOO_LONG = "That is longer than I can read at once; please say it in a few sentences."
OFFERED = 2
"""Tools that a refusal names as what comes nearest."""
CANDIDATES = 4
"""Readings of one request that are looked at."""
COMPOSED: Mapping[str, Mapping[str, str]] = {
    "ask_user": {"question": "What exactly do you mean?"},
    "reject_task": {"reason": "That is outside what my tools do."},
}
"""Arguments that are not read from a request, but put into words."""


@dataclass(frozen=True)
class Reading:
    """One way to read a request."""

    frame: Frame
    calls: tuple[Call, ...]
    confidence: float
    """How probable it is that these are the right calls."""
    features: tuple[float, ...]
    """What the confidence was told from, as `confidence.FEATURES` names them."""
    unread: tuple[str, ...] = ()
    """Named values that no call has."""


class Interpreter:
    """Reads requests. Holds no state of a conversation: everything comes with the situation."""

    def __init__(
        self, policy: Policy, coverage: Coverage, confidence: Confidence, talk: Talk, toolbox: Toolbox
    ) -> None:
        self._policy, self._coverage, self._confidence = policy, coverage, confidence
        self._talk, self._toolbox = talk, toolbox

    @classmethod
    def of(cls, learned: Learned, encoder: Encoder, toolbox: Toolbox) -> Interpreter:
        """From what training gave."""
        policy = Policy(learned, encoder, toolbox)
        return cls(policy, learned.coverage, learned.confidence, Talk(encoder), toolbox)

    def readings(self, request: str, situation: Situation) -> tuple[Reading, ...]:
        """The readings of a request said into a situation, the one that is most probably right first.

        None of one that is too long to be read at once.
        """
        shown = shown_in(request, situation)
        return self.read(shown) if self._policy.has_room(shown) else ()

    def read(self, shown: Shown) -> tuple[Reading, ...]:
        """The readings of what is shown: one that leaves words over can lose to one that leaves none."""
        scored = self._of_one_meaning(self._policy.frames(shown), shown)[:CANDIDATES]
        found = (self._reading(shown, scored, n) for n in range(len(scored)))
        return tuple(sorted(found, key=lambda each: -each.confidence))

    def _of_one_meaning(self, scored: Sequence[Scored], shown: Shown) -> tuple[Scored, ...]:
        """Frames that come to the same calls as one, as probable as all of them together."""
        found: dict[str, Scored] = {}
        for each in scored:
            meaning = canonical([[call.tool, call.args] for call in self._calls(each.frame, shown)])
            likelier = found.get(meaning)
            if likelier is None:
                found[meaning] = each
            else:
                both = float(np.logaddexp(likelier.log_probability, each.log_probability))
                found[meaning] = replace(likelier, log_probability=both)
        return tuple(sorted(found.values(), key=lambda each: -each.log_probability))

    def _reading(self, shown: Shown, scored: tuple[Scored, ...], number: int) -> Reading:
        frame = scored[number].frame
        left, unused = self._coverage.left(shown, frame), unread(shown, frame)
        unsaid = self._coverage.unsaid(shown, frame)
        features = features_of(shown, scored, number, left, unused, unsaid)
        calls, told = self._calls(frame, shown), not_accounted_for(unused, left)
        passes_over = names_passed_over(shown, [call.args for call in calls])
        confidence = 0.0 if passes_over else self._confidence.of(features)
        return Reading(frame, calls, confidence, features, told)

    def _calls(self, frame: Frame, shown: Shown) -> tuple[Call, ...]:
        return calls_of(frame, shown, self._policy.vocabulary.schema)

    def plan(self, request: str, situation: Situation) -> Plan:
        """The plan of the likeliest reading, with those of the others behind it."""
        if (chosen := self._chosen(request, situation)) is not None:
            return chosen
        plans = [self.as_plan(each) for each in self.readings(request, situation)]
        if not plans:
            return Plan((Call("reject_task", {"reason": TOO_LONG}),))
        several = several_places(request, situation)
        if several is not None and _is_about(several, plans[0]):
            return Plan((several.question(),))
        first, *others = (self._told(each, request, situation) for each in plans)
        return replace(first, instead=tuple(others))

    def _told(self, plan: Plan, request: str, situation: Situation) -> Plan:
        """A plan without calls says something and nothing else happens; a refusal says what comes nearest."""
        if [call.tool for call in plan.calls] == ["reject_task"]:
            return replace(plan, calls=(Call("reject_task", {"reason": self._refusal(request)}),))
        if plan.calls:
            return plan
        return replace(plan, notes=(self._talk.answer(request, situation),), talk=None)

    def _refusal(self, request: str) -> str:
        near = (self._toolbox.get(name).summary for name in self._policy.likest(request, OFFERED))
        reason = COMPOSED["reject_task"]["reason"]
        return f"{reason} What comes nearest: {' '.join(near)}"

    def _chosen(self, request: str, situation: Situation) -> Plan | None:
        """The place or reading that was chosen of what the last turn offered; None where none was."""
        last = situation.past[-1] if situation.past else None
        if last is None or last.question is None or request not in last.question.args.get("choices", ()):
            return None
        state = {**situation.state, "ui": {**situation.state["ui"], "question": None}}
        before = replace(situation, state=state, past=situation.past[:-1])
        if (said := with_choice(last.request, request, before)) is not None:
            return self.plan(said, before)
        offered = (each.calls for each in self.readings(last.request, before))
        meant = (calls for calls in offered if in_words(calls, self._toolbox) == request)
        return next((Plan(calls) for calls in meant), None)

    def as_plan(self, reading: Reading) -> Plan:
        """The plan of one reading, without the others."""
        sure = reading.confidence >= self._confidence.least
        notes = _notes(reading.unread) if reading.calls else ()
        talk = None if reading.calls else "smalltalk"
        return Plan(reading.calls, notes, talk=talk, is_sure=sure)


def _is_about(several: Several, plan: Plan) -> bool:
    """Whether a plan needs to know which place is meant, or asks about something."""
    return any(call.tool == "ask_user" or several.is_meant_by(call) for call in plan.calls)


def _notes(unread: Sequence[str]) -> tuple[str, ...]:
    """What the answer says of values that were named for nothing."""
    return (f"I left out {listed(f'“{each}”' for each in unread)}.",) if unread else ()


def calls_of(frame: Frame, shown: Shown, schema: Mapping[str, Mapping[str, Argument]]) -> tuple[Call, ...]:
    """The calls that a frame of what is shown comes to."""
    return tuple(
        Call(step.tool, dict(COMPOSED[step.tool]))
        if step.tool in COMPOSED
        else Call(step.tool, grounded(step, dict(schema[step.tool]), shown))
        for step in frame
    )


def shown_in(request: str, situation: Situation) -> Shown:
    """What the policy sees of a request said into a situation."""
    named = names_in(request, Reader(situation.gazetteer, situation.today, situation.names()))
    mentions = Mentions(request, situation.today, named, selected_days(situation.state))
    past = [
        Past(turn.request, [(call.tool, call.args) for call in turn.calls], turn.data)
        for turn in situation.past
    ]
    held = tuple(holdings(mentions, ClassWords.over(situation.catalogue)))
    return Shown(mentions, view(situation.state, past, situation.columns), held)
