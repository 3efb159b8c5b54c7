"""The policy's network in PyTorch, for training; `copilot/language/network.py` runs the same one in numpy."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from copilot.language.network import KEPT, NEVER, PUBLISHED, Ids
from copilot.language.shown import POINTED
from copilot.planner.encoder import DIMENSIONS, HEADS, LAYERS, Floats

PIECES, POSITIONS = 30522, 512
"""Of MiniLM."""
DROPOUT = 0.1
MAX_TAGS, MAX_TOKENS, TOKEN_KINDS = 64, 96, 6
DROPPED_NAMES = 0.4
"""How often a token goes by its description alone, as one that training never knew will."""
HIDDEN_PIECES = 0.05
"""How often a piece of what is shown is hidden, so that no one word is relied on."""
MASK, LAST_SIGN = 103, 998
"""MiniLM's own sign for what is hidden; ids up to the other one are signs of its own."""
FROZEN = ("word.", "pos.", "typ.", "norm.", *(f"enc.{n}." for n in range(KEPT)))
"""Weights that are MiniLM's own, and not kept."""
SINGLE = frozenset({"alpha", "beta", "gamma", "delta"})
"""What likeness counts: one number each."""


class Attention(nn.Module):
    """Scaled dot-product attention of twelve heads."""

    def __init__(self) -> None:
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(DIMENSIONS, DIMENSIONS) for _ in "qkvo")

    def attend(self, values: Tensor, read: Tensor, mask: Tensor | None, *, causal: bool = False) -> Tensor:
        """(batch, tokens, 384) of what the values find in what is read."""
        heads = (layer(each) for layer, each in ((self.q, values), (self.k, read), (self.v, read)))
        query, key, value = (each.unflatten(2, (HEADS, -1)).transpose(1, 2) for each in heads)
        mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask, is_causal=causal)
        return self.o(mixed.transpose(1, 2).flatten(2))


class FeatureDropout(nn.Module):
    """Dropout of the same features in all tokens of a sample (Gal & Ghahramani 2016, arXiv:1512.05287).

    It takes a fortieth of the random numbers, which were a tenth of the time of a step.
    """

    def forward(self, values: Tensor) -> Tensor:
        """(batch, tokens, features) to the same."""
        kept = torch.ones_like(values[:, :1])
        return values * functional.dropout(kept, DROPOUT, self.training)


class Layer(Attention):
    """A layer of the encoder."""

    def __init__(self) -> None:
        super().__init__()
        self.n1, self.n2 = (nn.LayerNorm(DIMENSIONS, eps=1e-12) for _ in range(2))
        self.f1, self.f2 = nn.Linear(DIMENSIONS, 4 * DIMENSIONS), nn.Linear(4 * DIMENSIONS, DIMENSIONS)
        self.drop = FeatureDropout()

    def feed(self, values: Tensor) -> Tensor:
        """The dense half of a layer."""
        return self.n2(values + self.drop(self.f2(functional.gelu(self.f1(values)))))

    def forward(self, values: Tensor, mask: Tensor) -> Tensor:
        """(batch, pieces, 384) to the same."""
        return self.feed(self.n1(values + self.drop(self.attend(values, values, mask))))


class Writing(Layer):
    """A layer of the decoder: it looks at what is written, then at what is shown."""

    def __init__(self) -> None:
        super().__init__()
        self.x, self.n3 = Attention(), nn.LayerNorm(DIMENSIONS, eps=1e-12)

    def write(self, values: Tensor, shown: Tensor, mask: Tensor) -> Tensor:
        """(batch, tokens, 384) to the same."""
        values = self.n1(values + self.drop(self.attend(values, values, None, causal=True)))
        return self.feed(self.n3(values + self.drop(self.x.attend(values, shown, mask))))


class Learner(nn.Module):
    """What is trained. Its names are those of the weights' file."""

    def __init__(
        self, published: Mapping[str, Floats], descriptions: Floats, kinds: Ids, depth: int = 3
    ) -> None:
        """`published`: MiniLM's weights by their own names; the others as policy.descriptions gives them."""
        super().__init__()
        self.size, width = len(descriptions), DIMENSIONS
        self.still = 0
        """Lowest layers of the encoder that are left as they are; what goes into them is too."""
        self.word, self.pos = nn.Embedding(PIECES, width), nn.Embedding(POSITIONS, width)
        self.typ, self.norm = nn.Embedding(2, width), nn.LayerNorm(width, eps=1e-12)
        self.enc = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.dec = nn.ModuleList(Writing() for _ in range(depth))
        self.tag, self.seg = nn.Embedding(MAX_TAGS, width), nn.Embedding(POINTED + 1, width)
        self.dpos, self.kind = nn.Embedding(MAX_TOKENS, width), nn.Embedding(TOKEN_KINDS, width)
        self.dnorm, self.cnorm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.own, self.ktype = nn.Embedding(self.size, width), nn.Embedding(5, width)
        self.proj = nn.Sequential(nn.Linear(2 * width, width), nn.GELU(), nn.Linear(width, width))
        self.pin, self.out = nn.Linear(width, width), nn.Linear(width, width)
        self.pst, self.hst = nn.Linear(width, width), nn.Linear(width, width)
        self.pen, self.hen = nn.Linear(width, width), nn.Linear(width, width)
        self.alpha, self.beta = nn.Parameter(torch.tensor(4.0)), nn.Parameter(torch.tensor(4.0))
        self.gamma, self.delta = nn.Parameter(torch.tensor(12.0)), nn.Parameter(torch.tensor(-4.0))
        self.fresh = nn.Parameter(torch.randn(width) * 0.02)
        self.offer, self.olook, self.ohold = nn.Embedding(1, width), *(nn.Linear(width, width) for _ in "lh")
        nn.init.zeros_(self.olook.weight)
        self.scale = nn.Parameter(torch.tensor(1 / math.sqrt(width)))
        for each in (self.tag, self.seg, self.own, self.dpos, self.kind, self.offer):
            nn.init.normal_(each.weight, std=0.02)
        self.register_buffer("descriptions", torch.tensor(descriptions), persistent=False)
        self.register_buffer("token_kinds", torch.tensor(kinds), persistent=False)
        self._begin(published)

    def _begin(self, published: Mapping[str, Floats]) -> None:
        """From MiniLM: the decoder's layers begin as the encoder's last."""
        tables = {
            self.word: "word_embeddings",
            self.pos: "position_embeddings",
            self.typ: "token_type_embeddings",
        }
        with torch.no_grad():
            for table, name in tables.items():
                table.weight.copy_(torch.tensor(published[f"embeddings.{name}.weight"]))
            _copy(self.norm, published, "embeddings.LayerNorm")
            for n, layer in enumerate(self.enc):
                _begin_layer(layer, published, n)
            for n, layer in enumerate(self.dec, LAYERS - len(self.dec)):
                _begin_layer(layer, published, n)
                for name in "qkvo":
                    _copy(getattr(layer.x, name), published, f"encoder.layer.{n}.{PUBLISHED[name]}")
        for each in (self.word, self.pos, self.typ, self.norm, *self.enc[:KEPT]):
            each.requires_grad_(False)

    def take(self, weights: Mapping[str, Floats]) -> None:
        """Go on from weights of a file, which holds those that were trained."""
        self.load_state_dict({name: torch.tensor(each) for name, each in weights.items()}, strict=False)

    def trained(self) -> dict[str, Floats]:
        """The weights as `take` takes them: those of MiniLM that are not trained on are left out."""
        named = self.state_dict().items()
        return {name: values.cpu().numpy() for name, values in named if not name.startswith(FROZEN)}

    def candidates(self) -> Tensor:
        """(vocabulary, 384), as `network.described`; in training some go by their description alone."""
        own = self.own.weight
        if self.training:
            own = own * (torch.rand(self.size, 1, device=own.device) > DROPPED_NAMES)
        return self.cnorm(self.proj(self.descriptions) + self.ktype(self.token_kinds) + own)

    def read(self, batch: Mapping[str, Tensor]) -> tuple[Tensor, Tensor, Tensor]:
        """(batch, words, 384), (batch, pieces, 384) of what is shown, (batch, offers, 384) of new tools."""
        pieces, first, mask = batch["pieces"], batch["first"], batch["present"][:, None, None, :]
        if self.training:
            hidden = (torch.rand(pieces.shape, device=pieces.device) < HIDDEN_PIECES) & (pieces > LAST_SIGN)
            pieces = pieces.masked_fill(hidden, MASK)
        places = first[:, :, None].expand(-1, -1, DIMENSIONS)
        offers = batch["offered"][:, :, None].expand(-1, -1, DIMENSIONS)
        with torch.set_grad_enabled(torch.is_grad_enabled() and not self.still):
            values = self.norm(self.word(pieces) + self.pos.weight[: pieces.shape[1]] + self.typ.weight[0])
            with torch.no_grad():
                for layer in self.enc[:KEPT]:
                    values = layer(values, mask)
            said = (self.tag(batch["tags"]) + self.seg(batch["kinds"])) * batch["words"][:, :, None]
            values = values.scatter_add(1, places, said.to(values.dtype))
            marks = self.offer.weight[0] * batch["is_offered"][:, :, None]
            values = values.scatter_add(1, offers, marks.to(values.dtype))
            for layer in self.enc[KEPT : self.still]:
                values = layer(values, mask)
        for layer in self.enc[max(KEPT, self.still) :]:
            values = layer(values, mask)
        return values.gather(1, places), values, values.gather(1, offers)

    def forward(self, batch: Mapping[str, Tensor]) -> tuple[Tensor, Tensor, Tensor]:
        """The scores of each token after each: of the vocabulary, of words as a pointer's first and last."""
        return self.write(batch, *self.read(batch))

    def write(
        self, batch: Mapping[str, Tensor], words: Tensor, shown: Tensor, offered: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """The same of what `read` gave: several frames of one request are read once."""
        known = self.candidates()
        last, is_word = batch["written"], batch["written"] >= self.size
        places = (last - self.size).clamp(min=0)[:, :, None].expand(-1, -1, DIMENSIONS)
        pointed, taken = self.pin(words.gather(1, places)), known[last.clamp(max=self.size - 1)]
        inputs = torch.where(is_word[:, :, None], pointed, taken)
        values = self.dnorm(inputs + self.kind(batch["token_kinds"]) + self.dpos.weight[: last.shape[1]])
        for layer in self.dec:
            values = layer.write(values, shown, batch["present"][:, None, None, :])
        scores = self._tokens(batch, values, known, offered)
        first = self.pst(values) @ self.hst(words).transpose(1, 2) * self.scale
        end = self.pen(values) @ self.hen(words).transpose(1, 2) * self.scale
        return scores, first, end

    def _tokens(self, batch: Mapping[str, Tensor], values: Tensor, known: Tensor, offered: Tensor) -> Tensor:
        """(batch, tokens, vocabulary); new tools alike but for their likeness and what is read of them."""
        new, tools = batch["new"], batch["new"].shape[1]
        around = (1, self.size - 1 - tools)
        looking = self.out(values)
        fresh = (looking @ self.cnorm(self.fresh))[:, :, None]
        scores = torch.where(functional.pad(new, around)[:, None], fresh, looking @ known.T) * self.scale
        none = torch.zeros(new.shape, device=new.device)
        is_read = none.scatter_add(1, batch["offered_tools"], batch["is_offered"].float()) > 0
        unread = torch.where(is_read, self.gamma * batch["phrases"] + self.delta, NEVER)
        favour = torch.where(new, unread, self.alpha * batch["phrases"] + self.beta * batch["known"])
        scores = scores + functional.pad(favour, around)[:, None]
        wanted = self.olook(values) @ self.ohold(offered).transpose(1, 2) * self.scale
        wanted = wanted * batch["is_offered"][:, None]
        rows = (1 + batch["offered_tools"])[:, None].expand(-1, values.shape[1], -1)
        return scores.scatter_add(2, rows, wanted.to(scores.dtype))


def _begin_layer(layer: Layer, published: Mapping[str, Floats], number: int) -> None:
    for name, theirs in PUBLISHED.items():
        _copy(getattr(layer, name), published, f"encoder.layer.{number}.{theirs}")


def _copy(module: nn.Module, published: Mapping[str, Floats], name: str) -> None:
    for part in ("weight", "bias"):
        getattr(module, part).copy_(torch.tensor(np.ascontiguousarray(published[f"{name}.{part}"])))
