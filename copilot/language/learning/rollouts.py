"""Requests in their sessions, and the frames that a policy writes for them, as reinforcement sees both."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any, Protocol

from copilot.bench.asked import task_of
from copilot.bench.check import Gold, GoldFails, Played, Player, gold_after
from copilot.bench.task import TODAY
from copilot.engine import Engine
from copilot.language.bank.example import Example
from copilot.language.frame import Frame
from copilot.language.interpreter import calls_of
from copilot.language.learning.lessons import shown_to_policy
from copilot.language.learning.records import Record, records
from copilot.language.learning.rewards import play, reward
from copilot.language.schema import Argument
from copilot.language.shown import Shown

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True)
class Request:
    """One turn of the bank: what is shown, and where it is to lead."""

    record: Record
    shown: Shown
    example: Example
    number: int
    """Of the turn in the example, from 0."""
    gold: Gold

    @property
    def id(self) -> str:
        """As the record's."""
        return self.record.id

    def begun(self, player: Player) -> Played:
        """The session that it was said into.

        Played anew, which costs little: a player removes the files of calls that it forgets.
        """
        return before(self.example, self.number, player)


@dataclass(frozen=True)
class Rollout:
    """A frame that was written for a request."""

    request: str
    """Its id."""
    tokens: tuple[int, ...]
    """As the policy wrote it: of the grammar's vocabulary, or of a language model's own."""
    frame: Frame


class Actor(Protocol):
    """A policy that is reinforced: the learner of this package, or a language model that writes frames."""

    @property
    def module(self) -> Any:
        """The torch module that is trained, in those of its parameters that require a gradient."""

    def sample(self, request: Request, count: int, chance: Random) -> list[Rollout]:
        """So many frames of one request, drawn by chance at the policy's temperature."""

    def log_probabilities(self, rollouts: Sequence[Rollout]) -> tuple[Tensor, Tensor]:
        """(rollouts, tokens) of each token, with gradient, and (rollouts, tokens) whether there is one.

        They are those of the distribution that was drawn from, so at the same temperature.
        """

    def reference(self, rollouts: Sequence[Rollout]) -> Tensor:
        """(rollouts, tokens) The same by the policy as it began, without gradient."""


@dataclass(frozen=True)
class Environment:
    """Where frames are tried."""

    player: Player
    schema: Mapping[str, Mapping[str, Argument]]

    def reward(self, request: Request, frame: Frame) -> float:
        """What a frame of a request is worth (rewards.reward)."""
        calls = calls_of(frame, request.shown, self.schema)
        return reward(request.gold, play(self.player, calls, request.begun(self.player)))


def before(example: Example, number: int, player: Player) -> Played:
    """The session before a turn of an example."""
    played = player.begin(example.setup)
    for turn in example.turns[:number]:
        played = player.play(turn.calls, played)
    return played


def requests_of(examples: Iterable[Example], engine: Engine, player: Player) -> Iterator[Request]:
    """Each turn of the examples whose right calls work."""
    for example in examples:
        for number, record in enumerate(records([example], player)):
            try:
                task = task_of(example, example.turns[number])
                gold = gold_after(player, task, before(example, number, player))
            except GoldFails:
                continue
            shown = shown_to_policy(record, engine.catalogue, engine.gazetteer, TODAY)
            yield Request(record, shown, example, number, gold)
