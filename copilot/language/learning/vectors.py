"""The embedded sentence encoder in PyTorch: the vectors of very many texts, on any device."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional

from copilot.language.learning.network import Learner
from copilot.planner.encoder import MAX_TOKENS, Floats

BATCH = 512


def vectors_of(texts: Sequence[str], learner: Learner, tokenizer: Tokenizer, device: str) -> Floats:
    """(texts, 384) As `Encoder.encode` gives them, by a learner whose encoder is still the published one."""
    learner.to(device).eval()
    order = sorted(range(len(texts)), key=lambda n: len(texts[n]))
    found = np.zeros((len(texts), learner.word.embedding_dim), np.float32)
    with torch.no_grad():
        for start in range(0, len(order), BATCH):
            rows = order[start : start + BATCH]
            pieces = [each.ids[:MAX_TOKENS] for each in tokenizer.encode_batch([texts[n] for n in rows])]
            found[rows] = _pooled(pieces, learner, device).cpu().numpy()
    return found


def _pooled(pieces: Sequence[Sequence[int]], learner: Learner, device: str) -> Tensor:
    """(texts, 384) The mean over the pieces of each, of length one."""
    longest = max(map(len, pieces))
    ids = torch.tensor([[*each, *[0] * (longest - len(each))] for each in pieces]).to(device)
    present = torch.arange(longest, device=device) < torch.tensor([[len(each)] for each in pieces]).to(device)
    values = learner.norm(learner.word(ids) + learner.pos.weight[:longest] + learner.typ.weight[0])
    for layer in learner.enc:
        values = layer(values, present[:, None, None, :])
    mean = (values * present[:, :, None]).sum(1) / present.sum(1, keepdim=True)
    return functional.normalize(mean)
