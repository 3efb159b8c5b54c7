"""What a request has in common with the phrases of the tool that it wants: a projection that is learned.

It is learned on tools that are known, and serves those that are not.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from copilot.language.network import Ids
from copilot.language.new_tools import SHARPNESS, Leaflets
from copilot.planner.encoder import Floats

STEPS, BATCH = 200, 128
RATE = 1e-3
STAYS = 0.02
"""How much it costs to leave what the encoder finds alike by itself."""
LEFT_OUT = 0.3
"""The share of phrases that are left out of each step, so that the others serve too."""
SMOOTHED, FEATURES_LEFT_OUT = 0.05, 0.1
LOGIT = 14.0
"""What a likeness counts against the others; as it is learned, about."""


def learned_projection(vectors: Floats, wanted: Ids, leaflets: Leaflets, seed: int = 0) -> Floats:
    """(384, 384) For requests, (requests, 384), that want one tool each, by number; -1 for others."""
    chance = torch.Generator().manual_seed(seed)
    rows = np.flatnonzero(wanted >= 0)
    if not len(rows):
        return np.eye(vectors.shape[1], dtype=np.float32)
    asked, tools = torch.tensor(vectors[rows]), torch.tensor(wanted[rows])
    said, of = torch.tensor(leaflets.vectors), torch.tensor(leaflets.of)
    # A tool that is asked for more often is drawn more often, but not as much.
    weights = torch.bincount(tools)[tools].float() ** -0.5
    begun = torch.eye(asked.shape[1])
    projection = begun.clone().requires_grad_()
    adam = torch.optim.Adam([projection], lr=RATE)
    for _ in range(STEPS):
        batch = torch.multinomial(weights, BATCH, replacement=True, generator=chance)
        left = torch.rand(len(said), generator=chance) < LEFT_OUT
        requests = functional.dropout(asked[batch], FEATURES_LEFT_OUT)
        alike = _alike(requests, said, of, projection, left)
        loss = functional.cross_entropy(LOGIT * alike, tools[batch], label_smoothing=SMOOTHED)
        loss = loss + STAYS * (projection - begun).square().sum()
        adam.zero_grad()
        loss.backward()
        adam.step()
    return np.asarray(projection.detach().numpy(), np.float32)


def _alike(requests: Tensor, said: Tensor, of: Tensor, projection: Tensor, left: Tensor) -> Tensor:
    """(requests, tools), as `Leaflets.likeness`."""
    cosines = functional.normalize(requests @ projection.T) @ functional.normalize(said @ projection.T).T
    each = torch.exp(SHARPNESS * (cosines - 1)).masked_fill(left, 0)
    sums = each.new_zeros(len(requests), int(of.max()) + 1).index_add(1, of, each)
    return torch.log(sums + 1e-12) / SHARPNESS
