"""A reply in two parts: what was found, and what was assumed, measured besides and to be kept in mind."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from copilot.language.readable import readable

LONG = 260
"""Characters from which a reply is folded: a short one is read at a glance."""
_SENTENCES = re.compile(r"(?:(?<=[\w)”%⁽⁾]{3}[.!?])|(?<=\d[.!?])) (?=[A-Z“\d])")
_MARK = re.compile(r" ?⁽[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}⁾")


def folded(reply: str, observations: Iterable[str], names: Mapping[str, str]) -> tuple[str, str]:
    """What is shown of a reply, and what is folded beneath it.

    Folded are the sentences that follow the first one of a call's observation: thresholds, caveats, what
    was assumed. The mark of the call goes to the sentence that stays. `names` are those of artifacts by
    their ids.
    """
    if len(reply) < LONG or "\n" in reply:
        return reply, ""
    later = {
        sentence for each in observations for sentence in _SENTENCES.split(readable(each.strip(), names))[1:]
    }
    shown, beneath = list[str](), list[str]()
    for sentence in _SENTENCES.split(reply):
        plain = _MARK.sub("", sentence)
        if shown and plain in later:
            beneath.append(plain)
            marks = [each.strip() for each in _MARK.findall(sentence)]
            shown[-1] = _marked(shown[-1], [each for each in marks if each not in shown[-1]])
        else:
            shown.append(sentence)
    return " ".join(shown), " ".join(beneath)


def _marked(sentence: str, marks: list[str]) -> str:
    return f"{sentence[:-1]} {' '.join(marks)}{sentence[-1]}" if marks else sentence
