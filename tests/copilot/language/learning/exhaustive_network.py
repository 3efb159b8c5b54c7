"""The network that is trained and the one that answers are the same."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from copilot.language.frame import Pointer, Step
from copilot.language.grammar import Vocabulary
from copilot.language.learning.batches import Rounds, loader
from copilot.language.learning.lessons import Read, lesson_of
from copilot.language.learning.network import Learner
from copilot.language.learning.records import Record
from copilot.language.learning.samples import Sample, batch_of, sample_of
from copilot.language.learning.train import Checkpoints, Course, loss_of, train
from copilot.language.network import NEVER, Network, described
from copilot.language.new_tools import OFFERED, Leaflets
from copilot.language.policy import descriptions, tokenizer
from copilot.planner.encoder import DIMENSIONS, model_folder, read_weights
from copilot.planner.head import shared_encoder
from tests.copilot.language.said import shown, tools
from tools.toolbox import toolbox

SAID = "zoom to Tokyo"
FRAME = (Step("zoom_map", (("place", (Pointer(2, 2),)),)),)


def _learner(vocabulary: Vocabulary) -> Learner:
    torch.manual_seed(0)
    known = descriptions(vocabulary, toolbox(), shared_encoder())
    return Learner(read_weights(model_folder() / "model.safetensors"), *known, depth=1)


def _sample(vocabulary: Vocabulary, favour: float = 0.0):
    read = Read(Record("a", "b", SAID, (), {}), shown(SAID), FRAME)
    some, part = np.full(len(vocabulary.tools), favour, np.float32), np.ones((1, DIMENSIONS), np.float32)
    sample = sample_of(lesson_of(read), vocabulary, tokenizer(), {"place": 1}, some, some, part)
    assert sample is not None
    return sample


def _batches(samples: list[Sample], vocabulary: Vocabulary):
    return loader(Rounds(samples, lambda some, _: some, vocabulary, size=2, parts=2), processes=0)


@pytest.mark.parametrize("first_known", [0, 40])
def test_both_networks_score_the_same(first_known: int) -> None:
    vocabulary = Vocabulary(tools(), {})
    learner, sample = _learner(vocabulary).eval(), _sample(vocabulary)
    new = np.arange(len(vocabulary.tools)) < first_known
    leaflets = Leaflets(toolbox(), shared_encoder(), tokenizer())
    offers = leaflets.offers(new, sample.phrases, sample.parts, len(sample.pieces))
    assert len(offers.tools) == min(first_known, OFFERED)
    batch = batch_of([replace(sample, new=new, offers=offers)], vocabulary)
    with torch.no_grad():
        learner.olook.weight.normal_(std=0.05)  # as if it were learned: it begins at nothing
        learner.delta.zero_()  # likeness, and what it counts, is added by the policy
        outputs = learner(batch)
        scores, first, last = (each[0].numpy() for each in outputs)
    weights = {name: values.numpy() for name, values in learner.state_dict().items()}
    known = descriptions(vocabulary, toolbox(), shared_encoder())
    taken = np.zeros(vocabulary.size, bool)
    taken[1 : vocabulary.first_name] = new
    network = Network(weights, described(weights, *known), taken)
    encoded = network.encode(sample.pieces, sample.first, sample.tags, sample.kinds, offers)
    beams, likely = network.begin(), scores[0] > NEVER / 2
    for n in range(len(sample.tokens)):
        tokens, kinds = [int(batch["written"][0, n])], [int(batch["token_kinds"][0, n])]
        beams, got = network.write(encoded, beams, tokens, kinds)
        np.testing.assert_allclose(got.tokens[0][likely], scores[n][likely], atol=2e-3)
        np.testing.assert_allclose(got.first[0], first[n], atol=2e-3)
        np.testing.assert_allclose(got.last[0], last[n], atol=2e-3)


def test_training_makes_the_right_frame_likelier(tmp_path: Path) -> None:
    vocabulary = Vocabulary(tools(), {})
    learner, sample = _learner(vocabulary), _sample(vocabulary)
    before = loss_of(learner.eval(), batch_of([sample], vocabulary))[0].item()
    kept = Checkpoints(tmp_path / "policy.checkpoint")
    train(learner, _batches([sample] * 2, vocabulary), Course(4), kept, told=lambda _: None)
    after = loss_of(learner.eval(), batch_of([sample], vocabulary))[0].item()
    assert after < before


def test_training_that_was_broken_off_goes_on_from_where_it_was(tmp_path: Path) -> None:
    vocabulary = Vocabulary(tools(), {})
    learner, sample = _learner(vocabulary), _sample(vocabulary)
    kept = Checkpoints(tmp_path / "policy.checkpoint", every=2)
    train(learner, _batches([sample], vocabulary), Course(2), kept, told=lambda _: None)
    other, said = _learner(vocabulary), list[str]()
    train(other, _batches([sample], vocabulary), Course(2), kept, told=said.append)
    assert said == []
    for name, values in learner.state_dict().items():
        assert torch.equal(values, other.state_dict()[name]), name
