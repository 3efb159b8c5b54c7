"""A policy that is reinforced in its environment."""

from __future__ import annotations

import copy
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from copilot.bench.check import Player
from copilot.engine import Engine
from copilot.language.bank.example import example_of
from copilot.language.confidence import Confidence
from copilot.language.coverage import Coverage
from copilot.language.frame import Frame, Step
from copilot.language.grammar import Vocabulary
from copilot.language.learning.actor import LearnerActor, voices_of
from copilot.language.learning.network import Learner
from copilot.language.learning.reinforcement import (
    Group,
    Settings,
    advantages,
    drawn_group,
    loss_of,
    reinforce,
    told,
)
from copilot.language.learning.reinforcement import Step as Stepped
from copilot.language.learning.rewards import (
    ASKED,
    FAILED,
    MOST_NEEDLESS,
    NEEDLESS,
    SILENT,
    closeness,
    overlap,
    play,
    reward,
)
from copilot.language.learning.rollouts import Environment, Request, Rollout, requests_of
from copilot.language.learning.train import Checkpoints
from copilot.language.policy import Known, Learned, descriptions
from copilot.language.schema import schema_of
from copilot.planner.encoder import DIMENSIONS, model_folder, read_weights
from copilot.planner.head import shared_encoder
from copilot.planner.situation import Call
from tests.tools.world import small_world
from tools.toolbox import Toolbox, toolbox

FEW = Toolbox(tuple(toolbox().get(name) for name in ("undo", "redo", "ask_user", "reject_task")))
SAID = {
    "take that back": [["undo", {}]],
    "no, do it again": [["redo", {}]],
    "take it back again": [["undo", {}]],
}


@pytest.fixture
def player(small_catalogue: Path, tmp_path: Path) -> Player:
    return Player(small_world(small_catalogue, tmp_path / "artifacts"))


def _requests(engine: Engine, player: Player, *turns: tuple[str, list[Any]]) -> list[Request]:
    said = [{"say": say, "calls": calls} for say, calls in turns]
    setup = [["open_page", {"name": "help"}]]
    example = example_of({"id": "talk", "voice": "a visitor", "turns": said, "setup": setup})
    return list(requests_of([example], engine, player))


def _worth(player: Player, request: Request, *calls: tuple[str, dict[str, Any]]) -> float:
    made = [Call(tool, args) for tool, args in calls]
    return reward(request.gold, play(player, made, request.begun(player)))


BOX = ("draw a box", [["draw_bbox", {"bbox": [4, 51, 5, 52]}]])


def test_calls_that_end_right_are_worth_most_and_silent_errors_least(engine: Engine, player: Player) -> None:
    (request,) = _requests(engine, player, BOX)
    assert _worth(player, request, ("draw_bbox", {"bbox": [4, 51, 5, 52]})) == 1
    beside = _worth(player, request, ("draw_bbox", {"bbox": [4.5, 51, 5.5, 52]}))
    # Of two parts, the layers are wrong, and the box is right by a third.
    assert beside == pytest.approx((0 + 1 / 3) / 2 - SILENT)
    assert _worth(player, request, ("open_page", {"name": "data"})) == -SILENT
    assert _worth(player, request, ("ask_user", {"question": "Where?"})) == -ASKED
    assert _worth(player, request, ("draw_bbox", {"bbox": [9, 99, 1, 99]})) == -FAILED
    assert _worth(player, request) == -FAILED


def test_asking_is_worth_most_where_it_is_due(engine: Engine, player: Player) -> None:
    (request,) = _requests(engine, player, ("draw it", [["ask_user", {"question": "Draw what?"}]]))
    assert _worth(player, request, ("ask_user", {"question": "What exactly do you mean?"})) == 1
    assert _worth(player, request, ("reject_task", {"reason": "No."})) == -ASKED
    assert _worth(player, request, ("open_page", {"name": "data"})) == -SILENT


def test_a_right_end_is_worth_less_with_calls_that_nobody_needs_or_that_fail(
    engine: Engine, player: Player
) -> None:
    (request,) = _requests(engine, player, ("my data", [["open_page", {"name": "data"}]]))
    data, count = ("open_page", {"name": "data"}), ("list_layers", {})
    assert _worth(player, request, count, data, count) == 1 - 2 * NEEDLESS
    assert _worth(player, request, data, *[count] * 20) == 1 - MOST_NEEDLESS
    assert _worth(player, request, data, ("redo", {})) == -FAILED


def test_a_turn_is_over_when_it_asks(engine: Engine, player: Player) -> None:
    (request,) = _requests(engine, player, BOX)
    asks = ("ask_user", {"question": "Where?"})
    assert _worth(player, request, asks, ("draw_bbox", {"bbox": [4, 51, 5, 52]})) == -ASKED


def test_what_a_call_made_goes_into_the_next(engine: Engine, player: Player) -> None:
    box = {"bbox": [4, 51, 5, 52], "name": "Delft"}
    calls = [["draw_bbox", box], ["hide_layer", {"layer": "Delft"}]]
    (request,) = _requests(engine, player, ("a box that is hidden", calls))
    assert _worth(player, request, ("draw_bbox", box), ("hide_layer", {"layer": "@1.made"})) == 1
    assert _worth(player, request, ("draw_bbox", box), ("hide_layer", {"layer": "@2.made"})) == -FAILED


def test_numbers_labels_and_answers_count_as_far_as_they_are_right(engine: Engine, player: Player) -> None:
    load = ["db_load", {"names": ["xview1", "fair1m"]}]
    (request,) = _requests(engine, player, ("load both", [load]))
    # Of two parts, what is loaded is wrong, and one of two names is right.
    assert _worth(player, request, ("db_load", {"names": ["xview1"]})) == pytest.approx(0.25 - SILENT)
    (request,) = _requests(engine, player, ("zoom to 10", [["zoom_map", {"level": 10}]]))
    assert _worth(player, request, ("zoom_map", {"level": 11})) == pytest.approx(math.exp(-0.3) / 2 - SILENT)
    (request,) = _requests(engine, player, ("Lyon?", [["geocode", {"place": "Lyon"}]]))
    # Of nine facts two are the same: both are cities, and neither name is ambiguous.
    assert _worth(player, request, ("geocode", {"place": "Lagos"})) == pytest.approx(2 / 9 - SILENT)
    # One answer is missing, and one is there that nobody wants.
    assert _worth(player, request, ("list_layers", {})) == -SILENT


def test_boxes_are_matched_so_that_they_overlap_most() -> None:
    wanted = [(0.0, 0.0, 2.0, 2.0), (10.0, 0.0, 12.0, 2.0)]
    got = [(10.0, 0.0, 12.0, 1.0), (0.0, 0.0, 2.0, 2.0), (50.0, 50.0, 51.0, 51.0)]
    assert overlap(wanted, got) == pytest.approx((1 + 0.5) / 2)
    assert overlap(wanted, []) == 0


@pytest.mark.parametrize(
    ("wanted", "got", "worth"),
    [
        (7, 7, 1.0),
        (0, 0, 1.0),
        (0, 1, 0.0),
        (10, 11, math.exp(-0.3)),
        (-10, -15, math.exp(-1.5)),
        (10, 16, 0.0),
    ],
)
def test_a_number_loses_worth_with_its_relative_error(wanted: float, got: float, worth: float) -> None:
    assert closeness(wanted, got) == pytest.approx(worth)


def test_an_advantage_is_how_much_better_a_frame_is_than_its_group() -> None:
    np.testing.assert_allclose(advantages([1, 1, 0, 0]), [1, 1, -1, -1], atol=1e-5)
    assert not Group((), (0.5, 0.5)).tells


def test_the_loss_is_clipped_and_keeps_near_the_reference() -> None:
    before = torch.tensor([[math.log(0.5), math.log(0.5)], [math.log(0.5), 0.0]])
    now = torch.tensor([[math.log(0.75), math.log(0.25)], [math.log(0.75), 0.0]])
    there, gains = torch.tensor([[True, True], [True, False]]), torch.tensor([1.0, -1.0])
    settings = Settings(beta=0.1)
    k3 = [before_ / now_ - math.log(before_ / now_) - 1 for now_, before_ in ((0.75, 0.5), (0.25, 0.5))]
    # Ratios of 1.5 and 0.5: what is gained beyond 1.2 does not count, what is lost counts in full.
    first = ((1.2 - 0.1 * k3[0]) + (0.5 - 0.1 * k3[1])) / 2
    second = -1.5 - 0.1 * k3[0]
    loss = loss_of(now, before, before, there, gains, settings)
    assert loss.item() == pytest.approx(-(first + second) / 2)


def test_whose_a_known_request_is_is_told_by_its_being_the_same() -> None:
    known = Known(np.eye(3, dtype=np.float32), (("undo",),) * 3)
    vectors = np.array([[0, 1, 0], [0.999, 0.04, 0]], np.float32)
    assert voices_of(known, vectors, ["a", "b"]) == ["b", "a", ""]


def test_whose_it_is_is_told_by_the_directions_that_a_file_keeps() -> None:
    known = Known(np.array([[1, 0, 0], [0, 1, 0]], np.float32), (("undo",),) * 2)
    vectors = np.array([[0.8, 0, 0.6], [0.6, 0.53, 0.6]], np.float32)
    assert voices_of(known, vectors, ["a", "b"]) == ["a", ""]


class Table:
    """Any policy: for each request the logits of whole frames, each of which is one token."""

    def __init__(self, requests: Sequence[Request], frames: Sequence[Frame]) -> None:
        self.module = nn.ParameterDict({each.id: torch.zeros(len(frames)) for each in requests})
        self._begun, self._frames = copy.deepcopy(self.module), frames

    def sample(self, request: Request, count: int, chance: Random) -> list[Rollout]:
        shares = torch.softmax(self.module[request.id], 0).tolist()
        drawn = chance.choices(range(len(self._frames)), shares, k=count)
        return [Rollout(request.id, (n,), self._frames[n]) for n in drawn]

    def log_probabilities(self, rollouts: Sequence[Rollout]) -> tuple[Tensor, Tensor]:
        return _logged(self.module, rollouts), torch.ones(len(rollouts), 1, dtype=torch.bool)

    def reference(self, rollouts: Sequence[Rollout]) -> Tensor:
        return _logged(self._begun, rollouts).detach()


def _logged(table: nn.ParameterDict, rollouts: Sequence[Rollout]) -> Tensor:
    return torch.stack([torch.log_softmax(table[each.request], 0)[[each.tokens[0]]] for each in rollouts])


FRAMES = ((Step("undo"),), (Step("redo"),), ())


def _undo_is_right(request: Request, frame: Frame) -> float:
    return float(frame == FRAMES[0])


def _steps(
    actor: Any, requests: Sequence[Request], steps: int, kept: Checkpoints, seed: int = 0
) -> list[Stepped]:
    settings = Settings(rate=0.1)
    return list(reinforce(actor, requests, _undo_is_right, settings, steps, kept, seed))


@pytest.fixture
def requests(engine: Engine, player: Player) -> list[Request]:
    return _requests(engine, player, *SAID.items())


def test_any_policy_can_be_reinforced(requests: list[Request], tmp_path: Path) -> None:
    steps = _steps(Table(requests, FRAMES), requests, 40, Checkpoints(tmp_path / "kept"))
    assert np.mean([each.reward for each in steps[-5:]]) > 0.9 > np.mean([each.reward for each in steps[:5]])


def test_a_group_whose_frames_are_worth_the_same_teaches_nothing(
    requests: list[Request], tmp_path: Path
) -> None:
    actor = Table(requests, FRAMES[1:])
    steps = _steps(actor, requests, 3, Checkpoints(tmp_path / "kept"))
    assert steps == [Stepped(number, 0.0, 0.0, 0) for number in (1, 2, 3)]
    assert all(not logits.any() for logits in actor.module.values())


def test_a_frame_that_is_drawn_twice_is_tried_once(requests: list[Request]) -> None:
    tried = Counter[Frame]()

    def noted(request: Request, frame: Frame) -> float:
        tried[frame] += 1
        return 0.5

    group = drawn_group(Table(requests, FRAMES), requests[0], noted, 20, Random(0))
    assert tried == dict.fromkeys(FRAMES, 1)
    assert group.rewards == (0.5,) * 20


def test_reinforcement_that_was_broken_off_goes_on_from_where_it_was(
    requests: list[Request], tmp_path: Path
) -> None:
    whole = _steps(Table(requests, FRAMES), requests, 4, Checkpoints(tmp_path / "whole"))
    kept = Checkpoints(tmp_path / "kept", every=2)
    begun = _steps(Table(requests, FRAMES), requests, 2, kept)
    assert begun + _steps(Table(requests, FRAMES), requests, 4, kept) == whole


def test_figures_are_told_every_few_steps(capsys: pytest.CaptureFixture[str]) -> None:
    told(Stepped(n, reward=n / 10, right=0.5, learned=1) for n in range(1, 7))
    assert capsys.readouterr().out == "5 steps: mean reward 0.300, 50.0% right, 5 groups learned\n"


@pytest.fixture
def learned() -> Learned:
    """A reader of four tools that has learned nothing yet."""
    torch.manual_seed(0)
    vocabulary = Vocabulary(schema_of(FEW), {})
    known = descriptions(vocabulary, FEW, shared_encoder())
    learner = Learner(read_weights(model_folder() / "model.safetensors"), *known, depth=1)
    weights = {**learner.trained(), "like": np.eye(DIMENSIONS, dtype=np.float32)}
    asked = Known(np.zeros((1, DIMENSIONS), np.float32), (vocabulary.tools,))
    return Learned(
        weights, vocabulary.keys, ("place",), {}, asked, Coverage({}), Confidence((1.0,), 0.5, 0.4)
    )


def _actor(learned: Learned, requests: Sequence[Request]) -> LearnerActor:
    return LearnerActor.of(learned, requests, shared_encoder(), FEW)


def test_frames_are_drawn_as_often_as_the_learner_says(learned: Learned, requests: list[Request]) -> None:
    actor, count = _actor(learned, requests), 400
    drawn = Counter(actor.sample(requests[0], count, Random(0)))
    (often, times), *_ = drawn.most_common()
    likely, there = actor.log_probabilities([often])
    assert torch.equal(actor.reference([often]), likely)
    share = math.exp((likely * there).sum().item())
    assert times / count == pytest.approx(share, abs=3 * math.sqrt(share * (1 - share) / count))


def test_frames_of_several_requests_are_as_likely_as_alone(learned: Learned, requests: list[Request]) -> None:
    actor = _actor(learned, requests)
    rollouts = [one for each in requests for one in actor.sample(each, 2, Random(0))]
    likely, there = actor.log_probabilities(rollouts)
    for number, each in enumerate(rollouts):
        alone, _ = actor.log_probabilities([each])
        torch.testing.assert_close(likely[number][there[number]], alone[0], atol=1e-4, rtol=1e-4)


def test_the_learner_gets_better_at_what_the_tools_find_right(
    learned: Learned, requests: list[Request], player: Player, tmp_path: Path
) -> None:
    reward = Environment(player, schema_of(FEW)).reward

    def steps(name: str) -> tuple[LearnerActor, list[Stepped]]:
        actor, kept = _actor(learned, requests), Checkpoints(tmp_path / name)
        return actor, list(reinforce(actor, requests, reward, Settings(group=8, rate=2e-4), 10, kept))

    (actor, first), (_, again) = steps("first"), steps("again")
    assert first == again
    assert np.mean([each.reward for each in first[-3:]]) > np.mean([each.reward for each in first[:3]]) + 0.2
    changed = actor.learned(learned)
    assert replace(changed, weights=learned.weights) == learned
    assert set(changed.weights) == set(learned.weights)
    assert not np.array_equal(changed.weights["pst.weight"], learned.weights["pst.weight"])


def test_what_is_less_than_a_step_of_bytes_is_kept_in_half_precision(
    learned: Learned, tmp_path: Path
) -> None:
    learned.save(tmp_path / "begun.npz")
    begun = Learned.load(tmp_path / "begun.npz")
    better = replace(begun, weights={name: values * 1.002 for name, values in begun.weights.items()})
    better.save(tmp_path / "better.npz", in_bytes=False)
    again = Learned.load(tmp_path / "better.npz")
    assert set(again.weights) == set(better.weights)
    for name, values in better.weights.items():
        np.testing.assert_allclose(again.weights[name], values, rtol=5e-4, atol=1e-6)
