"""Texts as words to compare: folded, without plural endings, and which of them carry no meaning."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from threading import Lock
from typing import Any

_FOLDER = Path(__file__).parent / "words"
_WORD = re.compile(r"[^\W_]+(?:\.\d+)?")
_SENTENCE_END = re.compile(r"[.!?][\"')\]»]?\s+(?=[\"'(\[«]?(?:[^\W_a-z]|[a-z]{1,2}[A-Z]))|\n+")
_MARK = re.compile(r"^[-*#>|\s]+")


def folded(text: str) -> str:
    """Lower case, compatibility forms and accents undone: `Σ⁰` is `σ0`, `Île` is `ile`."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(each for each in plain if not unicodedata.combining(each))


def words_of(text: str) -> list[str]:
    """The words and numbers of a text, folded, in their order."""
    return _WORD.findall(folded(text))


def stem(word: str) -> str:
    """A word without its plural ending, by the S stemmer (Harman 1991, JASIS 42:7-15)."""
    if len(word) > 4 and word.endswith("ies") and word[-4] not in "ae":
        return f"{word[:-3]}y"
    if len(word) > 5 and word.endswith("oes"):
        return word[:-2]
    if len(word) > 4 and word.endswith("es") and word[-3] not in "aeo":
        return word[:-1]
    if len(word) > 3 and word.endswith("s") and word[-2] not in "us":
        return word[:-1]
    return word


@lru_cache(maxsize=100_000)
def root(word: str) -> str:
    """What a word has in common with its inflections, by the English Snowball stemmer (Porter 2001).

    `corrects`, `corrected` and `correction` are one. Names are compared by `stem`, which takes less away.
    """
    with _stemming:
        return str(_stemmer().stemWord(word))


_stemming = Lock()
"""The stemmer holds the word that it is at."""


@cache
def _stemmer() -> Any:
    import snowballstemmer

    return snowballstemmer.stemmer("english")


def content_stems(text: str) -> list[str]:
    """The roots of the words that carry meaning; of an adjective of measure those of what it measures."""
    nouns = _measures()
    return [root(nouns.get(each, each)) for each in words_of(text) if each not in function_words()]


@cache
def function_words() -> frozenset[str]:
    """Words that stand in any question: articles, pronouns, auxiliaries, question words."""
    return frozenset(_lines("function_words.txt"))


@cache
def instruction_stems() -> frozenset[str]:
    """The stems of words that say what to do with what is found."""
    return frozenset(root(each) for each in _lines("instructions.txt"))


@cache
def _measures() -> Mapping[str, str]:
    """`longer` to `length`: questions have the adjective where facts have the noun."""
    lines = (_FOLDER / "measures.txt").read_text(encoding="utf-8").splitlines()
    rows = [line.split() for line in lines if line and not line.startswith("#")]
    return {adjective: noun for noun, *adjectives in rows for adjective in adjectives}


@cache
def _abbreviations() -> frozenset[str]:
    return frozenset(_lines("abbreviations.txt"))


def sentences_of(text: str) -> list[str]:
    """A text's sentences, each on one line; an abbreviation's full stop and a number's end none."""
    found, start = [], 0
    for match in _SENTENCE_END.finditer(text):
        before = text[start : match.start()]
        if "\n" not in match[0] and match[0][0] == "." and _is_abbreviation(before):
            continue
        found.append(before + match[0].strip())
        start = match.end()
    found.append(text[start:])
    lines = (" ".join(_MARK.sub("", each).split()) for each in found)
    return [each for each in lines if each]


def _is_abbreviation(before: str) -> bool:
    """Whether a text ends in an abbreviation or an initial; a unit, as the m of 60 m, is neither."""
    last = before.rpartition(" ")[2].lstrip("([\"'")
    return last.casefold() in _abbreviations() or (len(last) == 1 and last.isupper())


def _lines(name: str) -> list[str]:
    text = (_FOLDER / name).read_text(encoding="utf-8")
    return [word for line in text.splitlines() if not line.startswith("#") for word in line.split()]
