"""The learner as the policy that is reinforced: it draws frames, and says how probable they are."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import cast

import numpy as np
import torch
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel

from copilot.language.decoding import drawn
from copilot.language.grammar import Vocabulary
from copilot.language.learning.lessons import Read, lesson_of
from copilot.language.learning.likeness import to_known, to_phrases
from copilot.language.learning.network import Learner
from copilot.language.learning.rollouts import Request, Rollout
from copilot.language.learning.samples import Sample, batch_of, sample_of, with_tokens
from copilot.language.learning.train import permitted
from copilot.language.network import Network, described
from copilot.language.new_tools import Leaflets
from copilot.language.policy import Known, Learned, descriptions, favour_of, tokenizer
from copilot.language.schema import schema_of
from copilot.planner.encoder import Encoder, Floats, model_folder, read_weights
from tools.toolbox import Toolbox

TEMPERATURE = 0.95
"""RemoteAgent's."""
SAME = 0.99
"""The cosine from which a known request, kept in bytes, is the one that is asked."""
_NOTHING = 1e-8
"""The share of the longest direction's second moment below which one is not kept: what rounding leaves."""
_BLOCK = 4096
"""Known requests that are compared at a time: with 20,000 asked, 330 MB."""


class LearnerActor:
    """The network of the policy, trained and drawn from without dropout.

    It draws with the numpy network, which remembers what it has written; it is the same network
    (test_network.py), and has the learner's own weights.
    """

    def __init__(self, learner: Learner, vocabulary: Vocabulary, samples: Mapping[str, Sample]) -> None:
        """`samples`: those of the requests by id, with any frame."""
        self.module = learner.eval()
        self._begun = copy.deepcopy(learner).requires_grad_(False)
        self._vocabulary, self._samples = vocabulary, samples

    @classmethod
    def of(
        cls, learned: Learned, requests: Sequence[Request], encoder: Encoder, tools: Toolbox
    ) -> LearnerActor:
        """The policy of a file, for these requests."""
        vocabulary = Vocabulary(schema_of(tools), learned.literals)
        depth = len({name.split(".")[1] for name in learned.weights if name.startswith("dec.")})
        published = read_weights(model_folder() / "model.safetensors")
        learner = Learner(published, *descriptions(vocabulary, tools, encoder), depth)
        learner.take({**learned.weights, "own.weight": learned.own(vocabulary)})
        return cls(learner, vocabulary, samples_for(learned, requests, vocabulary, encoder, tools))

    def learned(self, begun: Learned) -> Learned:
        """The policy's file with the weights as they are now, and else as it was."""
        weights = {**begun.weights, **self.module.trained()}
        return replace(begun, weights=weights, keys=self._vocabulary.keys)

    def sample(self, request: Request, count: int, chance: Random) -> list[Rollout]:
        """So many frames of one request."""
        sample, weights = self._samples[request.id], self._weights()
        known = (self.module.descriptions.numpy(), self.module.token_kinds.numpy())
        new = np.zeros(self._vocabulary.size, bool)
        new[1 : self._vocabulary.first_name] = sample.new
        network = Network(weights, described(weights, *known), new)
        shown = network.encode(sample.pieces, sample.first, sample.tags, sample.kinds, sample.offers)
        favour = favour_of(weights, sample.new, sample.phrases, sample.known, sample.offers)
        return [
            Rollout(request.id, tokens, self._vocabulary.frame(tokens))
            for tokens in drawn(network, self._vocabulary, shown, favour, count, TEMPERATURE, chance)
        ]

    def log_probabilities(self, rollouts: Sequence[Rollout]) -> tuple[Tensor, Tensor]:
        """(rollouts, tokens) of each token, with gradient, and whether there is one."""
        return self._log_probabilities(self.module, rollouts)

    def reference(self, rollouts: Sequence[Rollout]) -> Tensor:
        """(rollouts, tokens) The same by the policy as it began."""
        with torch.no_grad():
            return self._log_probabilities(self._begun, rollouts)[0]

    def _log_probabilities(self, learner: Learner, rollouts: Sequence[Rollout]) -> tuple[Tensor, Tensor]:
        batch = batch_of([self._written(each) for each in rollouts], self._vocabulary)
        # What is shown is read once for all frames of a request: reading is most of the work.
        numbers = {name: n for n, name in enumerate(dict.fromkeys(each.request for each in rollouts))}
        rows = [numbers[each.request] for each in rollouts]
        asked = {name: values[[rows.index(n) for n in numbers.values()]] for name, values in batch.items()}
        with sdpa_kernel(SDPBackend.MATH):
            read = (each[rows] for each in learner.read(asked))
            values = permitted(learner.write(batch, *read), batch)
        there = batch["gold"] >= 0
        likely = torch.log_softmax(values / TEMPERATURE, 2)
        return likely.gather(2, batch["gold"].clamp(min=0)[:, :, None])[:, :, 0], there

    def _written(self, rollout: Rollout) -> Sample:
        written = with_tokens(self._samples[rollout.request], rollout.tokens, self._vocabulary)
        if written is None:
            raise ValueError(f"The grammar has no room for {rollout}.")
        return written

    def _weights(self) -> dict[str, Floats]:
        return {name: values.numpy() for name, values in self.module.state_dict().items()}


def samples_for(
    learned: Learned, requests: Sequence[Request], vocabulary: Vocabulary, encoder: Encoder, tools: Toolbox
) -> dict[str, Sample]:
    """By id, what the network sees of each request, as `Policy.frames` shows it; the frames are empty."""
    pieces = tokenizer()
    leaflets, projection = Leaflets(tools, encoder, pieces), learned.weights["like"]
    leaflets.project(projection)
    tags = {name: n for n, name in enumerate(learned.tags, 1)}
    lessons = [lesson_of(Read(each.record, each.shown, ())) for each in requests]
    several = [encoder.encode(each.parts) for each in lessons]
    vectors, voices = np.stack([each[0] for each in several]), [each.voice for each in lessons]
    known_voices = voices_of(learned.known, vectors, voices)
    phrases = to_phrases(several, leaflets, projection)
    known = to_known(vectors, voices, learned.known, known_voices, vocabulary.tools)
    new = np.array([name not in learned.known.wanted for name in vocabulary.tools])
    found = {}
    for n, (lesson, parts) in enumerate(zip(lessons, several, strict=True)):
        sample = sample_of(lesson, vocabulary, pieces, tags, phrases[n], known[n], parts)
        if sample is not None:
            offers = leaflets.offers(new, sample.phrases, sample.parts, len(sample.pieces))
            found[lesson.id] = replace(sample, new=new, offers=offers)
    return found


def voices_of(known: Known, vectors: Floats, voices: Sequence[str]) -> list[str]:
    """Whose each known request is, "" where it is of none of these voices: a policy's file does not say.

    `vectors` (requests, 384) are those of requests that the voices say.
    """
    said, found = _as_kept(vectors, known), list[str]()
    for start in range(0, len(known.vectors), _BLOCK):
        cosines = known.vectors[start : start + _BLOCK] @ said.T
        nearest, same = cosines.argmax(axis=1), cosines.max(axis=1) >= SAME
        found += [voices[n] if is_same else "" for n, is_same in zip(nearest, same, strict=True)]
    return found


def _as_kept(vectors: Floats, known: Known) -> Floats:
    """The vectors in the directions that a file keeps of known ones, of length one again."""
    lengths, axes = np.linalg.eigh(known.vectors.T.astype(np.float64) @ known.vectors)
    kept = axes[:, lengths > _NOTHING * lengths.max()].astype(np.float32)
    values = vectors @ kept @ kept.T
    return cast(Floats, values / np.maximum(np.linalg.norm(values, axis=1, keepdims=True), 1e-9))
