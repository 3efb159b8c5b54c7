"""Tune the encoder's last layers on the phrases: python -m copilot.solutions.tune [--check]

Low-rank changes of the last four layers' matrices (LoRA: Hu et al. 2021, arXiv:2106.09685) and a softmax over
the tasks' directions, learnt together from a fixed seed; each epoch half of the phrases are varied (vary.py).
This, and only this, needs requirements-torch.txt. `--check` learns from four of five parts of the phrases,
prints what becomes of the fifth and writes nothing.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from copilot.planner.encoder import DIMENSIONS, HEADS, LAYERS, Floats, model_folder
from copilot.planner.head import softmax
from copilot.planner.train import Indices
from copilot.solutions.bank import Phrase, digest_of, read_phrases
from copilot.solutions.infer import by_modality, joined, normal
from copilot.solutions.near import neighbours
from copilot.solutions.space import RS_AGENT_TASKS, solutions
from copilot.solutions.train import fit, training_set
from copilot.solutions.tuned import WEIGHTS, Tuned
from copilot.solutions.vary import varied

TUNED_LAYERS = 4
RANK = 16
EPOCHS, BATCH = 5, 32
DROPOUT = 0.1
WARM_UP = 50
"""Steps until the rate is full; from there it falls as a cosine does."""
RATE, DIRECTION_RATE = 1e-3, 4e-3
STEEPNESS = 16.0
"""What a cosine with a task's direction is multiplied by."""
SMOOTHING = 0.05
"""The share of each label that is spread over the others: some phrases could mean two tasks."""
_LONGEST = 64
_DENSE = (
    ("attention.self", "query"), ("attention.self", "key"), ("attention.self", "value"),
    ("attention.output", "dense"), ("intermediate", "dense"), ("output", "dense"),
)  # fmt: skip


class Tuning:
    """The published network in PyTorch with low-rank changes to be learnt, over phrases read once."""

    def __init__(self, phrases: Sequence[Phrase], names: tuple[str, ...]) -> None:
        import torch
        from tokenizers import Tokenizer

        torch.manual_seed(0)
        torch.set_num_threads(1)
        self._names = names
        tokenizer = Tokenizer.from_file(str(model_folder() / "tokenizer.json"))
        tokenizer.no_padding()
        tokenizer.enable_truncation(_LONGEST)
        self._phrases = len(phrases)
        texts = [normal(said) for said in (*(each.text for each in phrases), *map(varied, phrases))]
        self._ids = [each.ids for each in tokenizer.encode_batch(texts)]
        self._bert = _network()
        self._low = self._bert.encoder.layer[: LAYERS - TUNED_LAYERS]
        self._high = self._bert.encoder.layer[LAYERS - TUNED_LAYERS :]
        self._read = self._read_below()
        self._changes = [[_adapted(layer, *where) for where in _DENSE] for layer in self._high]

    def _read_below(self) -> list[Any]:
        """What the layers that stay as they are make of each text: (tokens, 384)."""
        import torch

        found: list[Any] = [None] * len(self._ids)
        order = sorted(range(len(self._ids)), key=lambda index: len(self._ids[index]))
        with torch.no_grad():
            for first in range(0, len(order), BATCH):
                rows = order[first : first + BATCH]
                values, present = _padded([torch.tensor(self._ids[row]) for row in rows])
                values = self._bert.embeddings(values)
                for layer in self._low:
                    values = _through(layer, values, present)
                for row, value in zip(rows, values, strict=True):
                    found[row] = value[: len(self._ids[row])].clone()
        return found

    def vectors(self, rows: Sequence[int]) -> Any:
        """(rows, 384) of length one."""
        values, present = _padded([self._read[row] for row in rows])
        for layer in self._high:
            values = _through(layer, values, present)
        summed = (values * present[..., None]).sum(1)
        return summed / summed.norm(dim=1, keepdim=True)

    def _all(self, rows: Indices) -> Floats:
        """The vectors as they are now, of any number of rows."""
        import torch

        with torch.no_grad():
            found = [self.vectors(rows[at : at + BATCH].tolist()) for at in range(0, len(rows), BATCH)]
        vectors: Floats = torch.cat(found).numpy()
        return vectors

    def learn(self, rows: Indices, wanted: Indices) -> Tuned:
        """The changes and directions that tell the tasks of these rows."""
        import torch

        counts = np.bincount(wanted[rows], minlength=len(self._names))
        rarity = torch.tensor((counts.mean() / np.maximum(counts, 1)) ** 0.5, dtype=torch.float32)
        directions = torch.nn.Parameter(self._middles(rows, wanted))
        bias = torch.nn.Parameter(torch.zeros(len(self._names)))
        changes = [part for layer in self._changes for each in layer for part in (each.down, each.up)]
        optimizer = torch.optim.AdamW(
            [{"params": changes, "lr": RATE}, {"params": [directions, bias], "lr": DIRECTION_RATE}],
            weight_decay=0.01,
        )
        batches = [each for epoch in range(EPOCHS) for each in self._batches(rows, epoch)]
        rate = torch.optim.lr_scheduler.LambdaLR(
            optimizer,
            lambda step: min(1.0, (step + 1) / WARM_UP) * (1 + math.cos(math.pi * step / len(batches))) / 2,
        )
        self._bert.train()  # only dropout differs
        for number, batch in enumerate(batches):
            scores = STEEPNESS * (self.vectors(batch.tolist()) @ directions) + bias
            loss = torch.nn.functional.cross_entropy(
                scores, torch.tensor(wanted[batch % self._phrases]), weight=rarity, label_smoothing=SMOOTHING
            )
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            rate.step()
            if number % 200 == 0:
                print(f"step {number} of {len(batches)}: loss {loss.item():.3f}", flush=True)
        self._bert.eval()
        return Tuned(
            self._names,
            STEEPNESS * directions.detach().numpy(),
            bias.detach().numpy(),
            tuple(_joined(layer) for layer in self._changes),
            neighbours(self._all(rows), wanted[rows]),
            digest_of(),
        )

    def _middles(self, rows: Indices, wanted: Indices) -> Any:
        """(384, tasks): where each task's phrases lie before anything is learnt."""
        import torch

        found = torch.from_numpy(self._all(rows))
        middles = torch.stack([found[wanted[rows] == task].mean(0) for task in range(len(self._names))])
        return (middles / middles.norm(dim=1, keepdim=True)).T.contiguous()

    def _batches(self, rows: Indices, epoch: int) -> list[NDArray[np.intp]]:
        """The rows in another order each epoch, half of them varied, those of like length together."""
        chance = np.random.default_rng(epoch)
        mixed = chance.permutation(rows)
        mixed = mixed + self._phrases * chance.integers(2, size=len(mixed))
        found = []
        for first in range(0, len(mixed), 8 * BATCH):
            near = sorted(mixed[first : first + 8 * BATCH].tolist(), key=lambda row: len(self._ids[row]))
            found += [np.array(near[at : at + BATCH]) for at in range(0, len(near), BATCH)]
        return [found[each] for each in chance.permutation(len(found))]


def _network() -> Any:
    from safetensors.torch import load_file
    from transformers import BertConfig, BertModel

    shape = BertConfig(hidden_size=DIMENSIONS, num_hidden_layers=LAYERS, num_attention_heads=HEADS,
                       intermediate_size=4 * DIMENSIONS, hidden_dropout_prob=DROPOUT,
                       attention_probs_dropout_prob=DROPOUT)  # fmt: skip
    network = BertModel(shape, add_pooling_layer=False)
    network.load_state_dict(load_file(model_folder() / "model.safetensors"), strict=False)
    network.eval()
    network.requires_grad_(False)
    return network


def _adapted(layer: Any, part: str, name: str) -> Any:
    """Put a dense layer with a low-rank change, nothing at first, in the place of one of the layer's."""
    import torch

    class Adapted(torch.nn.Module):  # type: ignore[misc]
        def __init__(self, dense: Any) -> None:
            super().__init__()
            self.dense = dense
            size = dense.in_features
            self.down = torch.nn.Parameter(torch.randn(size, RANK) / size**0.5)
            self.up = torch.nn.Parameter(torch.zeros(RANK, dense.out_features))

        def forward(self, values: Any) -> Any:
            return self.dense(values) + (values @ self.down) @ self.up

    holder = layer.get_submodule(part)
    adapted = Adapted(getattr(holder, name))
    setattr(holder, name, adapted)
    return adapted


def _padded(rows: Sequence[Any]) -> tuple[Any, Any]:
    """The rows as one tensor with zeros behind the shorter ones, and where they are."""
    import torch

    lengths = torch.tensor([len(row) for row in rows])
    padded = torch.nn.utils.rnn.pad_sequence(list(rows), batch_first=True)
    return padded, (torch.arange(int(lengths.max()))[None] < lengths[:, None]).float()


def _through(layer: Any, values: Any, present: Any) -> Any:
    found = layer(values, (1 - present)[:, None, None, :] * -1e9)
    return found[0] if isinstance(found, tuple) else found


def _joined(adapted: Sequence[Any]) -> tuple[tuple[Floats, Floats], ...]:
    """A layer's changes as the encoder multiplies: query, key and value side by side, then the others."""
    down, up = zip(*((each.down.detach().numpy(), each.up.detach().numpy()) for each in adapted), strict=True)
    beside = np.zeros((3 * RANK, 3 * DIMENSIONS), np.float32)
    for part in range(3):
        beside[part * RANK : (part + 1) * RANK, part * DIMENSIONS : (part + 1) * DIMENSIONS] = up[part]
    return ((np.concatenate(down[:3], axis=1), beside), *zip(down[3:], up[3:], strict=True))


def check() -> str:
    """What phrases of one part say of a tuning that did not see them, alone and beside the head."""
    names = tuple(solutions())
    phrases = read_phrases()
    inputs, wanted, part = training_set(names)
    weights, bias = fit(inputs[part != 0], wanted[part != 0], len(names))
    wanted, part = wanted[: len(phrases)], part[: len(phrases)]
    known, held = np.flatnonzero(part != 0), np.flatnonzero(part == 0)
    tuned = Tuning(phrases, names).learn(known, wanted)
    plain = softmax(inputs[held] @ weights + bias)
    unseen = [normal(phrases[row].text) for row in held]
    close = tuned.shares(unseen)
    of_them = np.array([names[task] in RS_AGENT_TASKS for task in wanted[held]])

    def right(shares: Floats) -> str:
        rows = zip(shares[of_them], wanted[held][of_them], strict=True)
        told = [_told(row, names, names[task]) for row, task in rows]
        return f"{np.mean(told):.3f} of {len(told)}"

    near, all_three = tuned.votes(unseen), joined(plain, tuned, unseen)
    return (
        f"Of RS-Agent's tasks, with the modality told: head {right(plain)}, tuned {right(close)}, "
        f"known phrases {right(near)}, all {right(all_three)} right"
    )


def _told(shares: Floats, names: tuple[str, ...], task: str) -> bool:
    """Whether the task wins of RS-Agent's, the image's modality being known as it is beside a request."""
    modality = "sar" if task.startswith("sar_") else "optical"
    scores = by_modality(dict(zip(names, shares.tolist(), strict=True)), modality)
    return max(RS_AGENT_TASKS, key=lambda name: scores[name]) == task


def main() -> None:
    """Tune on all phrases and write the weights, or check what a tuning is worth."""
    if "--check" in sys.argv[1:]:
        print(check())
        return
    names = tuple(solutions())
    phrases = read_phrases()
    wanted = np.array([names.index(each.task) for each in phrases])
    Tuning(phrases, names).learn(np.arange(len(phrases)), wanted).save(WEIGHTS)


if __name__ == "__main__":
    main()
