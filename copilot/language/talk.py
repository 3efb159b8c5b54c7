"""Talk: what is answered to words that ask for nothing to be done.

`talk.toml` has the topics with their answers, `talk_phrases.tsv` more of what people say for each;
`python -m copilot.language.talk` makes the file of their vectors.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path

import numpy as np

from copilot.planner.encoder import Encoder, Floats
from copilot.planner.situation import Situation
from state.codec import canonical
from tools.phrases import listed

FILE = Path(__file__).with_name("talk.toml")
PHRASES = Path(__file__).with_name("talk_phrases.tsv")
VECTORS = Path(__file__).with_name("talk.npz")
_BYTE = 127
NEAREST = 3
"""A topic is as near as so many of its phrases are in the mean."""


class Talk:
    """Topics, each with phrases that people have for it and its answer."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self.topics = tomllib.loads(FILE.read_text("utf-8"))["topic"]
        self.phrases = {str(each["name"]): list(each["asked"]) for each in self.topics}
        for line in PHRASES.read_text("utf-8").splitlines():
            topic, _, phrase = line.partition("\t")
            self.phrases[topic].append(phrase)

    def answer(self, request: str, situation: Situation) -> str:
        """What is said to a request that asks for nothing to be done."""
        topic = self.topics[self._topic(request)]
        tell = _TOLD.get(topic["name"])
        return str(topic["says"]) if tell is None else tell(situation)

    def topic(self, request: str) -> str:
        """The name of the topic whose phrases are most like a request."""
        return str(self.topics[self._topic(request)]["name"])

    def _topic(self, request: str) -> int:
        vector = self._encoder.encode([request])[0]
        likeness = [np.sort(phrases @ vector)[-NEAREST:].mean() for phrases in self._vectors]
        return int(np.argmax(likeness))

    @cached_property
    def _vectors(self) -> list[Floats]:
        """Of each topic's phrases, (phrases, 384)."""
        with np.load(VECTORS) as file:
            kept = file["vectors"].astype(np.float32) / _BYTE
            vectors = kept if str(file["source"]) == self.source else self.encoded()
        ends = np.cumsum([len(each) for each in self.phrases.values()])[:-1]
        return np.split(vectors, ends)

    def encoded(self) -> Floats:
        """(phrases, 384) Of all phrases, topic after topic: some seconds, so that a file keeps them."""
        return self._encoder.encode([phrase for each in self.phrases.values() for phrase in each])

    @property
    def source(self) -> str:
        """A digest of the phrases."""
        return hashlib.sha256(canonical(self.phrases).encode()).hexdigest()

    def save(self) -> None:
        """Write the file of the phrases' vectors anew, in bytes."""
        vectors = np.rint(self.encoded() * _BYTE).astype(np.int8)
        np.savez_compressed(VECTORS, vectors=vectors, source=np.array(self.source))


def _sources(situation: Situation) -> str:
    """Of the loaded data sets, or of all, by source and licence."""
    infos = [info for name, info in sorted(situation.datasets.items())]
    meant = [info for info in infos if info.name in situation.loaded] or infos
    alike: dict[tuple[str, str], list[str]] = {}
    for info in meant:
        key = (info.source or "an unknown source", (info.licence or "not given").rstrip("."))
        alike.setdefault(key, []).append(info.name)
    said = [
        f"{listed(names)}: from {source}; licence: {licence}." for (source, licence), names in alike.items()
    ]
    if any(info.origin == "sample" for info in meant):
        said.append("Sample data is made up in the shape of the published data sets: quote no number of it.")
    return " ".join(said) or "No data set is there."


def _datasets(situation: Situation) -> str:
    told = [
        f"{info.name} ({info.title}): {info.images:,} images, {info.detections:,} objects"
        for _, info in sorted(situation.datasets.items())
    ]
    return f"There are {listed(told)}. The Data page tells more of each." if told else "No data set is there."


def _selection(situation: Situation) -> str:
    if not situation.loaded:
        return "No data set is loaded, and nothing is filtered."
    held = [f"{name} {value}" for name, value in sorted(situation.filters.items()) if name not in _UNSAID]
    count = int(situation.state["database"]["count"])
    filters = f" by {listed(held)}" if held else ", without a filter"
    return f"{count:,} images of {listed(sorted(situation.loaded))} are selected{filters}."


_UNSAID = frozenset({"bbox", "match", "drawing"})
"""Parts of a selection that stand for another one that is told."""


def _layers(situation: Situation) -> str:
    names = [str(each["name"]) for each in situation.layers]
    return f"On the map, from below: {listed(names)}." if names else "There is no layer on the map."


_TOLD: Mapping[str, Callable[[Situation], str]] = {
    "sources": _sources,
    "datasets": _datasets,
    "selection": _selection,
    "layers": _layers,
}
"""Answers that are told from the session."""


if __name__ == "__main__":
    Talk(Encoder()).save()
