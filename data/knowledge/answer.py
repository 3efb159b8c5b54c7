"""An answer made of quotations: sentences of what was found, each with its source, or that nothing is said.

Nothing is phrased anew. A sentence is chosen by how near it is to the question in meaning and how many of the
question's rare words it holds. Whether there is an answer at all is told by a logistic model of a few figures
of the best passages, fitted on questions with and without an answer (`weights.json`; `copilot knowledge
bench` says how often it is right). What tells most is how near a sentence without the names in it is to the
question without them: anything may be asked of a thing that is known.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from data.knowledge.base import Base
from data.knowledge.dualrag import Guidance, Guide
from data.knowledge.graph import Link
from data.knowledge.index import Floats
from data.knowledge.model import Passage
from data.knowledge.words import content_stems, instruction_stems, sentences_of, words_of

NOTHING = "The knowledge base does not say."
WEIGHTS = Path(__file__).parent / "weights.json"
_READ_PASSAGES = 6
_EMBEDDED_SENTENCES = 14
"""Sentences that are embedded: those with the most of the question's words."""
_MOST_QUOTES = 4
_ALIKE = 0.92
"""Two sentences with this cosine say the same."""
_GOOD_SHARE = 0.8
"""A further sentence is quoted when it scores this share of the best."""


@dataclass(frozen=True)
class Quote:
    """A sentence, word for word, and where it stands."""

    text: str
    source: int
    """The number of its source among the answer's, the first is 1."""
    score: float


@dataclass(frozen=True)
class Answer:
    """What the knowledge base says to a question."""

    question: str
    quotes: tuple[Quote, ...]
    """None where it does not say."""
    sources: tuple[Passage, ...]
    """Those that are quoted, in the order of their numbers."""
    confidence: float
    """The chance, from 0 to 1, that what was found answers the question."""
    missing: tuple[str, ...] = ()
    """Keywords of the question that stand nowhere in what was found."""

    @property
    def said(self) -> bool:
        """Whether there is an answer."""
        return bool(self.quotes)

    def in_words(self) -> str:
        """The sentences, each with the number of its source; or that nothing is said."""
        return " ".join(f"{each.text} [{each.source}]" for each in self.quotes) or NOTHING


@dataclass(frozen=True)
class _Sentence:
    text: str
    guide: Guide
    place: int
    """The rank of its passage."""
    covered: float
    """The share of the question's rare words that it holds."""
    asked: float
    """The same of the words that stand in no known name."""


def answered(base: Base, found: Guidance) -> Answer:
    """The answer that a guidance holds."""
    read = _read(base, found)
    if read is None:
        return Answer(found.question, (), (), 0.0, tuple(each.text for each in found.keywords))
    confidence = chance(_signs(found, read))
    if confidence < threshold():
        return Answer(found.question, (), (), confidence, _missing(found))
    chosen = _chosen(base, found, read)
    sources = tuple(dict.fromkeys(read.sentences[at].guide.passage for at in chosen))
    numbers = {each.id: number for number, each in enumerate(sources, start=1)}
    quotes = tuple(
        Quote(_shown(each.text), numbers[each.guide.passage.id], float(read.scores[at]))
        for at, each in ((at, read.sentences[at]) for at in chosen)
    )
    return Answer(found.question, quotes, sources, confidence, _missing(found))


@dataclass(frozen=True, eq=False)
class _Read:
    """The sentences that may be quoted, with what was reckoned of each."""

    sentences: Sequence[_Sentence]
    vectors: Floats
    cosines: Floats
    """With the question."""
    scores: Floats
    asked: Floats
    """The scores by what the question says besides the names in it."""
    besides: Floats
    """The cosines of what both say besides names; those of the whole where the question says nothing else."""
    bare: bool
    """Whether the question is names alone, and nothing is asked of them but what they are."""
    weights: Mapping[str, float]
    """How rare each stem of the question is."""


def _read(base: Base, found: Guidance) -> _Read | None:
    told = set(content_stems(found.question)) - instruction_stems()
    weights = {each: base.rarity.of_stem(each) for each in sorted(told)}
    focus = [each for each in words_besides_names(base, found.question) if _says(each)]
    besides = {each: weights[each] for each in sorted(set(content_stems(" ".join(focus))) & told)}
    sentences = _candidates(found, weights, besides)
    if not sentences:
        return None
    vectors = base.encode([_in_context(each) for each in sentences])
    cosines = vectors @ found.vector
    near = cosines
    if focus:
        vectors_besides = base.encode([" ".join(focus), *(_besides(base, each) for each in sentences)])
        near = vectors_besides[1:] @ vectors_besides[0]
    scores = _scores(sentences, cosines, [each.covered for each in sentences])
    asked = _scores(sentences, np.float32(0.5) * (cosines + near), [each.asked for each in sentences])
    return _Read(sentences, vectors, cosines, scores, asked, near, not focus, weights)


def _says(word: str) -> bool:
    """Whether a word says what is asked, and not only what to do with it."""
    return bool(set(content_stems(word)) - instruction_stems())


def _besides(base: Base, sentence: _Sentence) -> str:
    """A sentence without names, its subject's among them; the whole where nothing else is left."""
    title = set(words_of(sentence.guide.passage.title))
    left = [each for each in words_besides_names(base, sentence.text) if each not in title]
    return " ".join(left) or sentence.text


def _candidates(
    found: Guidance, weights: Mapping[str, float], besides: Mapping[str, float]
) -> list[_Sentence]:
    """The best sentence of each passage, then those with most of the question's words.

    Words besides names count twice: what names both sides of a comparison would else leave no room for what
    says something of one.
    """
    every: list[_Sentence] = []
    for place, guide in enumerate(found.guides[:_READ_PASSAGES]):
        named = set(content_stems(" ".join((guide.passage.title, *guide.passage.aliases))))
        for text in sentences_of(guide.passage.text):
            held = weights.keys() & (named | set(content_stems(text)))
            every.append(_Sentence(text, guide, place, _share(held, weights), _share(held, besides)))
    every.sort(key=lambda each: (-each.covered - each.asked, each.place))
    best_of = {each.place: each for each in reversed(every)}
    kept = sorted(best_of.values(), key=lambda each: each.place)
    others = [each for each in every if best_of[each.place] is not each]
    return [*kept, *others][:_EMBEDDED_SENTENCES]


def _share(held: Iterable[str], weights: Mapping[str, float]) -> float:
    """What share of the weight some stems have."""
    return sum(weights.get(each, 0.0) for each in sorted(held)) / (sum(weights.values()) or 1.0)


def _in_context(sentence: _Sentence) -> str:
    """A sentence with the title that its pronouns stand for."""
    title = sentence.guide.passage.title.partition(" (")[0]
    return sentence.text if title in sentence.text else f"{title}: {sentence.text}"


def _scores(sentences: Sequence[_Sentence], cosines: Floats, covered: Sequence[float]) -> Floats:
    shares = np.array(covered, dtype=np.float32)
    places = np.array([each.place for each in sentences], dtype=np.float32)
    scores: Floats = 0.6 * cosines + 0.4 * shares - np.float32(0.02) * places
    return scores


def _chosen(base: Base, found: Guidance, read: _Read) -> list[int]:
    """The best sentence, one for each thing that the question names, and others that are nearly as good.

    Of several things that are named, each has the sentence that says what is asked of it, not the one that
    names the others too.
    """
    sentences, scores, vectors = read.sentences, read.scores, read.vectors
    order = [int(each) for each in np.argsort(-scores, kind="stable")]
    names = list(dict.fromkeys(each.entities for each in named_in(base, found.question)))
    of_each = [int(at) for at in np.argsort(-read.asked, kind="stable")] if len(names) > 1 else order
    wanted = order[:1]
    for ids in names:
        wanted += next(([at] for at in of_each if sentences[at].guide.passage.id in ids), [])
    wanted += [at for at in order if scores[at] >= _GOOD_SHARE * scores[order[0]]]
    chosen: list[int] = []
    for at in dict.fromkeys(wanted):
        alike = max((float(vectors[at] @ vectors[other]) for other in chosen), default=0.0)
        if alike < _ALIKE and len(chosen) < _MOST_QUOTES:
            chosen.append(at)
    return sorted(chosen, key=lambda at: (sentences[at].place, -scores[at]))


def named_in(base: Base, question: str) -> list[Link]:
    """The known names in the question."""
    return [link for each in base.shelves for link in each.shelf.linker.links(question)]


def words_besides_names(base: Base, text: str) -> list[str]:
    """The words of a text that stand in no known name."""
    named = {at for link in named_in(base, text) for at in range(link.first, link.last)}
    return [each for at, each in enumerate(words_of(text)) if at not in named]


def _missing(found: Guidance) -> tuple[str, ...]:
    held = {
        stem
        for guide in found.guides[:_READ_PASSAGES]
        for stem in content_stems(" ".join((guide.passage.title, *guide.passage.aliases, guide.passage.text)))
    }
    return tuple(each.text for each in found.keywords if not held.intersection(content_stems(each.text)))


SIGNS = ("cosine", "sentence", "together", "besides", "bare", "words")
"""What the chance of an answer is told by."""
_BESIDES = 3
"""Sentences whose nearness besides names counts: one may be near by chance."""


def signs_of(base: Base, found: Guidance) -> dict[str, float]:
    """Figures from 0 to 1: how near what was found is, and how much of the question stands in it."""
    read = _read(base, found)
    return dict.fromkeys(SIGNS, 0.0) if read is None else _signs(found, read)


def _signs(found: Guidance, read: _Read) -> dict[str, float]:
    total = sum(read.weights.values()) or 1.0
    together = {
        stem
        for each in found.guides[:3]
        for stem in content_stems(" ".join((each.passage.title, *each.passage.aliases, each.passage.text)))
    }
    return {
        "cosine": float(read.cosines.max()),
        "sentence": max(each.covered for each in read.sentences),
        "together": sum(weight for stem, weight in read.weights.items() if stem in together) / total,
        "besides": float(np.sort(read.besides)[-_BESIDES:].mean()),
        "bare": float(read.bare),
        "words": min(1.0, len(read.weights) / 8),
    }


def chance(figures: Mapping[str, float]) -> float:
    """The chance that there is an answer, by the logistic model."""
    fitted = _fitted()
    score = fitted["constant"] + sum(fitted[name] * figures[name] for name in SIGNS)
    return 1 / (1 + math.exp(-score))


def threshold() -> float:
    """The chance below which nothing is said."""
    return _fitted()["threshold"]


@cache
def _fitted() -> dict[str, float]:
    found: dict[str, float] = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    return found


def _shown(text: str) -> str:
    return text if text[-1:] in ".!?:" else f"{text}."
