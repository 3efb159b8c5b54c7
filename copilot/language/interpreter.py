"""The interpreter: a request, said into a session, as calls, the likeliest reading first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from copilot.language.asking import in_words
from copilot.language.confidence import Confidence, features_of
from copilot.language.coverage import Coverage, unread
from copilot.language.decoding import Scored
from copilot.language.frame import Frame
from copilot.language.grounding import grounded
from copilot.language.holdings import holdings
from copilot.language.mentions import Mentions, names_in
from copilot.language.policy import Learned, Policy
from copilot.language.schema import Argument
from copilot.language.shown import Shown
from copilot.language.talk import Talk
from copilot.language.view import Past, view
from copilot.planner.encoder import Encoder
from copilot.planner.plan import Plan
from copilot.planner.situation import Call, Situation
from copilot.planner.spans import Reader
from state.codec import canonical
from tools.class_words import ClassWords
from tools.phrases import listed
from tools.toolbox import Toolbox

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
        """The readings of a request said into a situation, the one that is most probably right first."""
        return self.read(shown_in(request, situation))

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
        return Reading(frame, self._calls(frame, shown), self._confidence.of(features), features, unused)

    def _calls(self, frame: Frame, shown: Shown) -> tuple[Call, ...]:
        return calls_of(frame, shown, self._policy.vocabulary.schema)

    def plan(self, request: str, situation: Situation) -> Plan:
        """The plan of the likeliest reading, with those of the others behind it."""
        if (chosen := self._chosen(request, situation)) is not None:
            return chosen
        plans = (self.as_plan(each) for each in self.readings(request, situation))
        first, *others = (self._told(each, request, situation) for each in plans)
        return replace(first, instead=tuple(others))

    def _told(self, plan: Plan, request: str, situation: Situation) -> Plan:
        """A plan without calls says something, and nothing else happens."""
        if plan.calls:
            return plan
        return replace(plan, notes=(self._talk.answer(request, situation),), talk=None)

    def _chosen(self, request: str, situation: Situation) -> Plan | None:
        """The reading that was chosen of those that the last turn offered; None where none was."""
        last = situation.past[-1] if situation.past else None
        if last is None or last.question is None or request not in last.question.args.get("choices", ()):
            return None
        state = {**situation.state, "ui": {**situation.state["ui"], "question": None}}
        before = replace(situation, state=state, past=situation.past[:-1])
        offered = (each.calls for each in self.readings(last.request, before))
        meant = (calls for calls in offered if in_words(calls, self._toolbox) == request)
        return next((Plan(calls) for calls in meant), None)

    def as_plan(self, reading: Reading) -> Plan:
        """The plan of one reading, without the others."""
        sure = reading.confidence >= self._confidence.least
        notes = _notes(reading.unread) if reading.calls else ()
        return Plan(reading.calls, notes, talk=None if reading.calls else "smalltalk", is_sure=sure)


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
    mentions = Mentions(request, situation.today, named)
    past = [Past(turn.request, [(call.tool, call.args) for call in turn.calls]) for turn in situation.past]
    held = tuple(holdings(mentions, ClassWords.over(situation.catalogue)))
    return Shown(mentions, view(situation.state, past, situation.columns), held)
