"""Which language a request is in, where it is surely one that is not read: Spanish, French, Arabic, Chinese.

A request that is English stays with the reader, however many foreign names it has. So much has to speak for
another language: the script, or else what py3langid (BSD; its model of 732 kB comes in the wheel) makes of
the words that are no names, of their first half and of their second half, and that a quarter of them are no
English words. What is not sure is taken for English: the reader then says what it did not understand.
`tests/copilot/messages/test_identifying.py` counts the errors over the bank's requests.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any

from copilot.messages import speaking, t
from copilot.planner.encoder import model_folder

LIKELY = ("en", "es", "fr", "pt", "it", "de", "nl", "id")
"""What a request in Latin letters may be in: the neighbours are there so that they are not taken for ours."""
SURE = 0.97
"""The least probability of the whole; that of each half is only `HALF` times that of English, or more."""
HALF = 3.0
FOREIGN_SHARE = 0.25
"""The least share of words that no English text has."""
LEAST_WORDS = 2
LEAST_ARABIC_WORDS, LEAST_HAN = 3, 5
"""Shorter ones are names more often than requests."""
SCRIPT_SHARE = 0.6
"""So much of the letters is in the script: an English request may end in a name."""
_ARABIC = ("ar", "fa", "ur")
_SMALL_WORD = re.compile(r"(?<![A-Za-z0-9])[a-z]{2,40}(?![A-Za-z0-9])")
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_QUOTED = re.compile(r"[\"“”«»][^\"“”«»]{0,400}[\"“”«»]")
_SENTENCE_ENDS = ".?!:;¿¡"
_READ_CHARS = 2000


@lru_cache(maxsize=512)
def foreign(request: str) -> str | None:
    """es, fr, ar or zh where a request is surely in it; None for English and for all that is not sure."""
    text = request[:_READ_CHARS]
    letters = [each for each in text if each.isalpha()]
    if not letters:
        return None
    scripts = [_script(each) for each in letters]
    if scripts.count("arabic") > SCRIPT_SHARE * len(scripts):
        words = [each for each in _WORD.findall(text) if _script(each[0]) == "arabic"]
        return "ar" if len(words) >= LEAST_ARABIC_WORDS and _likely(words, _ARABIC)[0] == "ar" else None
    if scripts.count("han") > SCRIPT_SHARE * len(scripts) and "kana" not in scripts:
        asks_in_english = any(map(_is_english, _SMALL_WORD.findall(text)))  # zoom to, before a long name
        return "zh" if scripts.count("han") >= LEAST_HAN and not asks_in_english else None
    words = _own_words(text)
    if len(words) < LEAST_WORDS or sum(not _is_english(each) for each in words) < FOREIGN_SHARE * len(words):
        return None
    found, sure = _likely(words, LIKELY)
    if found not in ("es", "fr") or sure < SURE:
        return None
    middle = len(words) // 2
    return found if all(_holds(part, found) for part in (words[:middle], words[middle:])) else None


def in_their_words(code: str) -> str:
    """What can be done, in the language of somebody whose request was not read."""
    with speaking(code):
        return t(
            "Requests are read in English for now. You can ask for satellite images by place, date and "
            "kind, look for ships, buildings, water or changes in them, measure, draw maps and charts, and "
            "export what you found. These work as they stand: “Where is Pittsburgh?”, “Draw a circle of "
            "50 km around Rotterdam”."
        )


def _script(letter: str) -> str:
    name = unicodedata.name(letter, "")
    for start, script in (
        ("ARABIC", "arabic"),
        ("CJK UNIFIED", "han"),
        ("HIRAGANA", "kana"),
        ("KATAKANA", "kana"),
    ):
        if name.startswith(start):
            return script
    return "other"


def _own_words(text: str) -> list[str]:
    """The words in small letters, without what is quoted and without names: a capital within a sentence."""
    plain = _QUOTED.sub(" ", text)
    found, ended = [], 0
    for match in _WORD.finditer(plain):
        between = plain[ended : match.start()].strip()
        begins = ended == 0 or between[-1:] in tuple(_SENTENCE_ENDS)
        ended = match.end()
        if begins or not match[0][0].isupper():
            found.append(match[0].casefold())
    return found


def _is_english(word: str) -> bool:
    """Whether a word is one of the encoder's, which has read English; none with an accent is."""
    return word in _english()


@cache
def _english() -> frozenset[str]:
    tokens = json.loads((model_folder() / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"]
    return frozenset(each for each in tokens if each.isalpha())


def _holds(words: Sequence[str], code: str) -> bool:
    chances = _chances(words, LIKELY)
    return chances[code] >= HALF * chances["en"]


def _likely(words: Sequence[str], among: tuple[str, ...]) -> tuple[str, float]:
    chances = _chances(words, among)
    best = max(chances, key=lambda each: chances[each])
    return best, chances[best]


def _chances(words: Sequence[str], among: tuple[str, ...]) -> dict[str, float]:
    return {code: float(chance) for code, chance in _identifier(among).rank(" ".join(words))}


@cache
def _identifier(among: tuple[str, ...]) -> Any:
    """Loaded at the first request that may be foreign: an English one rarely waits for it."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    made = LanguageIdentifier.from_pickled_model(MODEL_FILE, norm_probs=True)
    made.set_languages(list(among))
    return made
