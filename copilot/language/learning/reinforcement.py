"""Reinforce the policy in its environment: `python -m copilot.language.learning.reinforcement`.

    python -m copilot.language.learning.reinforcement --policy policy.npz --out better.npz \\
        --examples b_night_nurse d_rail_leeds --steps 200

Group Relative Policy Optimization (Shao et al. 2024, arXiv:2402.03300), as RemoteAgent uses it: several
frames are drawn for each request, each is played and worth what the environment says (`rewards.reward`), and
those that are worth more than their group become likelier. Broken off, the same command goes on from
`better.checkpoint`. Any `rollouts.Actor` can be reinforced so, also a language model that writes frames.

The file is written in half precision, and the policy should be read from such a file too: what is learned
is less than a step of bytes, and where it began on their steps it is rounded back to them. What began beside
them is kept even if it is written as bytes at the very end.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np
import torch
from torch import Tensor

from copilot.bench.build.steady import steady_player, steady_world
from copilot.bench.standin import in_place
from copilot.bench.task import TODAY
from copilot.engine import Engine, default_engine
from copilot.language.bank.example import EXAMPLES, read_examples
from copilot.language.frame import Frame
from copilot.language.learning.actor import LearnerActor
from copilot.language.learning.rollouts import Actor, Environment, Request, Rollout, requests_of
from copilot.language.learning.train import Checkpoints
from copilot.language.policy import Learned
from copilot.language.schema import schema_of
from copilot.planner.head import shared_encoder
from tools.toolbox import toolbox

EPSILON = 1e-6
"""Keeps an advantage finite."""
EVERY = 5
"""Steps between two lines of figures."""


@dataclass(frozen=True)
class Settings:
    """What can be set of GRPO."""

    group: int = 4
    """Frames of one request; RemoteAgent's."""
    requests: int = 8
    """Of one step: with the group, a batch of 32 frames as RemoteAgent's."""
    updates: int = 2
    """Times that the frames of a step are learned from."""
    at_once: int = 8
    """Groups whose gradients are computed together; fewer need less memory."""
    clip: float = 0.2
    """How far a ratio of probabilities may lead from 1."""
    beta: float = 0.04
    """What it costs to leave the reference, for each nat of divergence; that of Shao et al."""
    rate: float = 1e-5
    """Of AdamW. RemoteAgent's 1e-6 is for a model that is larger by far."""


@dataclass(frozen=True)
class Group:
    """The frames of one request, and what each is worth."""

    rollouts: tuple[Rollout, ...]
    rewards: tuple[float, ...]

    @property
    def tells(self) -> bool:
        """Whether some frame is worth more than another."""
        return max(self.rewards) > min(self.rewards)


@dataclass(frozen=True)
class Step:
    """What came of one step."""

    number: int
    """From 1."""
    reward: float
    """The mean of all frames that were drawn."""
    right: float
    """The share of them that end right."""
    learned: int
    """Groups that were learned from."""


def reinforce(
    actor: Actor,
    requests: Sequence[Request],
    reward: Callable[[Request, Frame], float],
    settings: Settings,
    steps: int,
    checkpoints: Checkpoints,
    seed: int = 0,
) -> Iterator[Step]:
    """Train up to `steps` steps, each on requests that chance picks; goes on from where a checkpoint is."""
    chance = Random(seed)
    trained = [each for each in actor.module.parameters() if each.requires_grad]
    adam = torch.optim.AdamW(trained, lr=settings.rate, weight_decay=0.01)
    for step in range(checkpoints.resume(actor.module, adam, chance) + 1, steps + 1):
        asked = chance.sample(requests, min(settings.requests, len(requests)))
        groups = [drawn_group(actor, each, reward, settings.group, chance) for each in asked]
        telling = [each for each in groups if each.tells]
        learn(actor, adam, telling, settings)
        if step % checkpoints.every == 0:
            checkpoints.keep(step, actor.module, adam, chance)
        rewards = np.array([each.rewards for each in groups])
        yield Step(step, float(rewards.mean()), float((rewards > 0).mean()), len(telling))


def drawn_group(
    actor: Actor, request: Request, reward: Callable[[Request, Frame], float], count: int, chance: Random
) -> Group:
    """Some frames of a request with what they are worth; one that comes twice is tried once."""
    rollouts = actor.sample(request, count, chance)
    worth = {frame: reward(request, frame) for frame in dict.fromkeys(each.frame for each in rollouts)}
    return Group(tuple(rollouts), tuple(worth[each.frame] for each in rollouts))


def learn(actor: Actor, adam: torch.optim.Optimizer, groups: Sequence[Group], settings: Settings) -> None:
    """Make what was worth more than its group likelier, over all groups as often as the settings say."""
    parts = [groups[n : n + settings.at_once] for n in range(0, len(groups), settings.at_once)]
    before: list[tuple[Tensor, Tensor]] = []
    for update in range(settings.updates if groups else 0):
        adam.zero_grad()
        for number, part in enumerate(parts):
            rollouts = [one for each in part for one in each.rollouts]
            now, there = actor.log_probabilities(rollouts)
            if update == 0:  # the frames were drawn from the policy as it is now
                before.append((now.detach(), actor.reference(rollouts)))
            gains = torch.tensor(np.concatenate([advantages(each.rewards) for each in part]))
            loss = loss_of(now, *before[number], there, gains.to(now), settings)
            (loss * len(part) / len(groups)).backward()
        torch.nn.utils.clip_grad_norm_([each for group in adam.param_groups for each in group["params"]], 1.0)
        adam.step()


def advantages(rewards: Sequence[float]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """(frames,) How much better each is than its group, in standard deviations of the group."""
    values = np.array(rewards, np.float64)
    found: np.ndarray[tuple[int], np.dtype[np.float64]] = (values - values.mean()) / (values.std() + EPSILON)
    return found


def loss_of(
    now: Tensor, before: Tensor, reference: Tensor, there: Tensor, gains: Tensor, settings: Settings
) -> Tensor:
    """The loss of GRPO: the mean over frames of the mean over each one's tokens.

    `now`, `before`, `reference` (frames, tokens) are log-probabilities: by the policy, by the one that the
    frames were drawn from, by the one that it began as. `there` (frames, tokens): whether there is a token.
    `gains` (frames,) are the advantages, which all tokens of a frame have.

    The divergence is estimated by k3 = r - log r - 1 with r = reference / now (Schulman 2020,
    joschu.net/blog/kl-approx.html): never negative, and right in the mean.
    """
    ratio, gains = torch.exp(now - before), gains[:, None]
    gained = torch.minimum(ratio * gains, ratio.clamp(1 - settings.clip, 1 + settings.clip) * gains)
    apart = reference - now
    objective = gained - settings.beta * (torch.exp(apart) - apart - 1)
    each = (objective * there).sum(1) / there.sum(1)
    return -each.mean()


def main() -> None:
    """Reinforce, and write the file."""
    parser = argparse.ArgumentParser(prog="python -m copilot.language.learning.reinforcement")
    parser.add_argument("--policy", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--examples", nargs="*", help="Files of the bank, without .jsonl; all if left out.")
    parser.add_argument("--steps", type=int, default=200, help="Of 8 requests, 4 frames each.")
    parser.add_argument("--rate", type=float, default=Settings.rate)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    torch.manual_seed(asked.seed)
    named = asked.examples or sorted(each.stem for each in EXAMPLES.glob("*.jsonl"))
    learned = Learned.load(asked.policy)
    address = default_engine().catalogue_address
    engine = Engine.in_memory(address, today=TODAY)
    player = steady_player(steady_world(engine))
    checkpoints = Checkpoints(asked.out.with_suffix(".checkpoint"), every=25)
    with in_place():
        examples = read_examples(EXAMPLES / f"{name}.jsonl" for name in named)
        requests = list(requests_of(examples, engine, player))
        print(f"{len(requests)} requests", flush=True)
        actor = LearnerActor.of(learned, requests, shared_encoder(), toolbox())
        reward = Environment(player, schema_of(toolbox())).reward
        settings = Settings(rate=asked.rate)
        told(reinforce(actor, requests, reward, settings, asked.steps, checkpoints, asked.seed))
    actor.learned(learned).save(asked.out, in_bytes=False)


def told(steps: Iterator[Step]) -> None:
    """Print the figures of every few steps."""
    seen: list[Step] = []
    for each in steps:
        seen.append(each)
        if each.number % EVERY == 0:
            reward = math.fsum(one.reward for one in seen) / len(seen)
            right = math.fsum(one.right for one in seen) / len(seen)
            learned = sum(one.learned for one in seen)
            print(
                f"{each.number} steps: mean reward {reward:.3f}, {right:.1%} right, {learned} groups learned",
                flush=True,
            )
            seen.clear()


if __name__ == "__main__":
    main()
