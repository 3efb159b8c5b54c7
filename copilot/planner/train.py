"""Train the head on the bank's phrases: python -m copilot.planner.train

Full-batch and without chance, so the same bank and encoder give the same weights up to rounding.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from copilot.planner.clauses import without_openers
from copilot.planner.encoder import Floats
from copilot.planner.head import WEIGHTS, Head, features, shared_encoder, softmax
from copilot.planner.labels import LABELS, MASKS
from copilot.planner.lexicon import COLORS, FIELDS

BANK = Path(__file__).with_name("bank")
HELD_OUT = BANK / "held_out.jsonl"
OFF_TOPIC = BANK / "off_topic.jsonl"
PENALTY = 1e-5
"""Half the squared length of the weights costs this much a phrase."""
STEPS = 300
RATE = 1.0
"""Below 2 / L: the loss's curvature is at most half the squared length of a row, which is at most 3."""
LOST_RIGHT = 0.03
"""Share of the right answers that may fall below the threshold."""

Indices = NDArray[np.intp]


class BankError(Exception):
    """A line of the bank is wrong; the sentence names the file and the line."""


@dataclass(frozen=True)
class Phrase:
    """One line of the bank, placeholders and all."""

    label: str
    text: str


def read_bank(files: Iterable[Path]) -> tuple[Phrase, ...]:
    """The phrases of some files in order. BankError for a line that is not one."""
    return tuple(
        _phrase(line, f"{file.name} line {number}")
        for file in files
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1)
    )


def _phrase(line: str, where: str) -> Phrase:
    try:
        phrase = Phrase(**json.loads(line))
        masked(phrase.text)
    except (ValueError, TypeError, KeyError) as error:
        raise BankError(
            f"{where} is {line[:60]!r}; it needs a label and a text with known {{placeholders}}."
        ) from error
    if phrase.label not in LABELS and phrase.label != "off_topic":
        raise BankError(f"{where} has the unknown label {phrase.label!r}; see labels.py.")
    return phrase


def training_files() -> tuple[Path, ...]:
    """The bank without what is held out."""
    return tuple(path for path in sorted(BANK.glob("*.jsonl")) if path not in (HELD_OUT, OFF_TOPIC))


def bank_digest() -> str:
    """SHA-256 over the standing words and the names and bytes of every file of the bank."""
    digest = hashlib.sha256(json.dumps(MASKS, sort_keys=True).encode())
    for path in sorted(BANK.glob("*.jsonl")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def _names_pattern() -> re.Pattern[str]:
    words = sorted({**FIELDS, **COLORS}, key=len, reverse=True)
    return re.compile(rf"\{{\w+\}}|(?<!\w)(?:{'|'.join(map(re.escape, words))})(?!\w)", re.IGNORECASE)


_NAMES = _names_pattern()


def _stand_in(match: re.Match[str]) -> str:
    name = match[0]
    if name.startswith("{"):
        return MASKS[name[1:-1]]
    return MASKS["color" if name.lower() in COLORS else "field"]


def masked(text: str) -> str:
    """A phrase as the head would read it in a request: names, fields and colours are standing words."""
    return without_openers(_NAMES.sub(_stand_in, text).lower().strip(" ?!."))


def plain(text: str) -> str:
    """A phrase with only its placeholders replaced, for requests whose words the reader left alone."""
    return without_openers(re.sub(r"\{(\w+)\}", lambda match: MASKS[match[1]], text).lower().strip(" ?!."))


def examples(phrases: Sequence[Phrase]) -> list[Phrase]:
    """Each phrase masked, and plain where that differs; each once."""
    both = (Phrase(each.label, form(each.text)) for each in phrases for form in (masked, plain))
    return list(dict.fromkeys(both))


def fit(inputs: Floats, wanted: Indices, labels: int) -> tuple[Floats, Floats]:
    """Weights (inputs' columns, labels) and bias (labels,) of least loss, by Nesterov's method."""
    rows = np.concatenate([inputs, np.ones((len(inputs), 1), np.float32)], axis=1)
    target = np.eye(labels, dtype=np.float32)[wanted]
    counts = np.maximum(np.bincount(wanted, minlength=labels), 1)
    share = (counts.mean() / counts)[wanted] ** 0.5  # rare labels count more
    share = (share / share.sum()).astype(np.float32)[:, None]
    weights = ahead = np.zeros((rows.shape[1], labels), np.float32)
    for step in range(STEPS):
        gradient = rows.T @ (share * (softmax(rows @ ahead) - target)) + np.float32(PENALTY) * ahead
        after = ahead - np.float32(RATE) * gradient
        ahead = after + np.float32(step / (step + 3)) * (after - weights)
        weights = after
    return weights[:-1], weights[-1]


def fit_temperature(head: Head, inputs: Floats, wanted: Indices) -> float:
    """The temperature under which the right labels of held-out phrases are likeliest."""
    tried = np.geomspace(0.2, 3, 80)
    rows = np.arange(len(wanted))
    losses = [
        -np.log(replace(head, temperature=float(each)).probabilities(inputs)[rows, wanted] + 1e-12).mean()
        for each in tried
    ]
    return float(tried[int(np.argmin(losses))])


def calibration_error(shares: Floats, wanted: Indices, bins: int = 10) -> float:
    """Expected calibration error: the mean gap of confidence and accuracy over equal bins."""
    best = shares.max(axis=1)
    right = shares.argmax(axis=1) == wanted
    place = np.minimum((best * bins).astype(int), bins - 1)
    parts = [(place == each) for each in range(bins) if (place == each).any()]
    return float(sum(part.mean() * abs(best[part].mean() - right[part].mean()) for part in parts))


def train() -> Head:
    """A head for the bank as it is."""
    names = tuple(LABELS)
    numbers = {name: number for number, name in enumerate(names)}
    phrases = examples(read_bank(training_files()))
    wanted = np.array([numbers[each.label] for each in phrases])
    weights, bias = fit(features(shared_encoder(), [each.text for each in phrases]), wanted, len(names))
    head = Head(names, weights, bias, temperature=1.0, threshold=0.0, digest=bank_digest())
    inputs, truth = held_out(head)
    head = replace(head, temperature=fit_temperature(head, inputs, truth))
    shares = head.probabilities(inputs)
    right = shares.max(axis=1)[shares.argmax(axis=1) == truth]
    return replace(head, threshold=float(np.quantile(right, LOST_RIGHT, method="lower")))


def held_out(head: Head) -> tuple[Floats, Indices]:
    """The held-out phrases' features and the numbers of their labels."""
    phrases = read_bank([HELD_OUT])
    numbers = {name: number for number, name in enumerate(head.names)}
    inputs = features(shared_encoder(), [masked(each.text) for each in phrases])
    return inputs, np.array([numbers[each.label] for each in phrases])


def report(head: Head) -> str:
    """What the held-out phrases say about a head, as text."""
    inputs, wanted = held_out(head)
    shares = head.probabilities(inputs)
    best = shares.argmax(axis=1)
    right = best == wanted
    top3 = (np.argsort(-shares, axis=1)[:, :3] == wanted[:, None]).any(axis=1)
    noise = [masked(each.text) for each in read_bank([OFF_TOPIC])]
    noise_shares = head.probabilities(features(shared_encoder(), noise))
    silent = noise_shares.max(axis=1) < head.threshold
    refused = silent | (noise_shares.argmax(axis=1) == head.names.index("reject"))
    lines = [
        f"Held out: {right.mean():.3f} right of {len(right)}, {top3.mean():.3f} among the best three, "
        f"calibration error {calibration_error(shares, wanted):.3f} at temperature {head.temperature:.2f}",
        f"Threshold {head.threshold:.3f}: below it "
        f"{np.mean(shares.max(axis=1)[right] < head.threshold):.3f} of right "
        f"answers, {np.mean(shares.max(axis=1)[~right] < head.threshold):.3f} of wrong ones, "
        f"{silent.mean():.3f} of off-topic lines ({refused.mean():.3f} with those called reject)",
    ]
    totals, hits = Counter(wanted.tolist()), Counter(wanted[right].tolist())
    lines += [
        f"  {head.names[each]}: {hits[each]} of {totals[each]}"
        for each in sorted(totals)
        if hits[each] < totals[each]
    ]
    return "\n".join(lines)


def main() -> None:
    """Retrain, write head.npz and print how well it does."""
    head = train()
    head.save(WEIGHTS)
    print(report(Head.load()))


if __name__ == "__main__":
    main()
