"""What a request has in common with the phrases of the tool that it wants: a projection that is learned.

It is learned on tools that are known, and serves those that are not.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from copilot.language.network import Ids
from copilot.language.new_tools import SHARPNESS, Leaflets
from copilot.language.policy import Known
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


BLOCK = 4096
"""Requests that are held against all known ones at once."""


def learned_projection(
    vectors: Floats, wanted: Ids, leaflets: Leaflets, seed: int = 0, device: str = "cpu"
) -> Floats:
    """(384, 384) For requests, (requests, 384), that want one tool each, by number; -1 for others."""
    chance = torch.Generator().manual_seed(seed)
    rows = np.flatnonzero(wanted >= 0)
    if not len(rows):
        return np.eye(vectors.shape[1], dtype=np.float32)
    asked, tools = torch.tensor(vectors[rows]).to(device), torch.tensor(wanted[rows])
    said, of = torch.tensor(leaflets.vectors).to(device), torch.tensor(leaflets.of).to(device)
    # A tool that is asked for more often is drawn more often, but not as much.
    weights = torch.bincount(tools)[tools].float() ** -0.5
    begun = torch.eye(asked.shape[1], device=device)
    projection = begun.clone().requires_grad_()
    adam = torch.optim.Adam([projection], lr=RATE)
    for _ in range(STEPS):
        batch = torch.multinomial(weights, BATCH, replacement=True, generator=chance)
        left = (torch.rand(len(said), generator=chance) < LEFT_OUT).to(device)
        requests = functional.dropout(asked[batch.to(device)], FEATURES_LEFT_OUT)
        alike = _alike(requests, said, of, projection, left)
        loss = functional.cross_entropy(LOGIT * alike, tools[batch].to(device), label_smoothing=SMOOTHED)
        loss = loss + STAYS * (projection - begun).square().sum()
        adam.zero_grad()
        loss.backward()
        adam.step()
    return np.asarray(projection.detach().cpu().numpy(), np.float32)


def _alike(requests: Tensor, said: Tensor, of: Tensor, projection: Tensor, left: Tensor | None) -> Tensor:
    """(requests, tools), as `Leaflets.likeness`; without the phrases that are `left` out."""
    cosines = functional.normalize(requests @ projection.T) @ functional.normalize(said @ projection.T).T
    each = torch.exp(SHARPNESS * (cosines - 1))
    if left is not None:
        each = each.masked_fill(left, 0)
    sums = each.new_zeros(len(requests), int(of.max()) + 1).index_add(1, of, each)
    return torch.log(sums + 1e-12) / SHARPNESS


def to_phrases(
    several: Sequence[Floats], leaflets: Leaflets, projection: Floats, device: str = "cpu"
) -> Floats:
    """(requests, tools) `Leaflets.likeness` of each request, of whose parts the vectors are given."""
    said, of = torch.tensor(leaflets.vectors).to(device), torch.tensor(leaflets.of).to(device)
    projected = torch.tensor(projection).to(device)
    parts = torch.tensor(np.concatenate(list(several)))
    owner = torch.tensor(np.repeat(np.arange(len(several)), [len(each) for each in several]))
    alike = torch.cat(
        [_alike(part.to(device), said, of, projected, None).cpu() for part in parts.split(BLOCK)]
    )
    best = torch.full((len(several), alike.shape[1]), -torch.inf)
    best.scatter_reduce_(0, owner[:, None].expand_as(alike), alike, "amax")
    return np.asarray(best.numpy(), np.float32)


def to_known(
    asked: Floats, voices: Sequence[str], known: Known, known_voices: Sequence[str], names: Sequence[str],
    device: str = "cpu",
) -> Floats:  # fmt: skip
    """(requests, tools) `Known.likeness` of each request, without the known ones of the same voice.

    Who asks later is another.
    """
    numbers = {name: n for n, name in enumerate(dict.fromkeys((*voices, *known_voices)))}
    of_asked = torch.tensor([numbers[name] for name in voices]).to(device)
    of_known = torch.tensor([numbers[name] for name in known_voices]).to(device)
    rows = dict[str, list[int]]()
    for row, tools in enumerate(known.tools):
        for tool in set(tools):
            rows.setdefault(tool, []).append(row)
    wanting = [(n, torch.tensor(rows[name]).to(device)) for n, name in enumerate(names) if name in rows]
    vectors, best = torch.tensor(known.vectors).to(device), np.zeros((len(asked), len(names)), np.float32)
    for start in range(0, len(asked), BLOCK):
        part = slice(start, start + BLOCK)
        cosines = torch.tensor(asked[part]).to(device) @ vectors.T
        cosines.masked_fill_(of_asked[part, None] == of_known, 0)
        for n, found in wanting:
            best[part, n] = cosines[:, found].amax(1).clamp(min=0).cpu().numpy()
    return best
