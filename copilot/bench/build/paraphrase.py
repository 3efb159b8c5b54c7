"""Word requests with a chat model; what a model loses or adds is noticed, and the hand-written words stay."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from copilot.bench.build.fill import Filled
from copilot.bench.build.intents import BRACES, slot_of

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    from copilot.engine import Engine

PROMPT = (
    "You reword requests that an analyst puts to a map of satellite images. Say the request below in other "
    "words, as another person would: keep its meaning, its language (English) and all that it asks for; "
    "add nothing. Keep these parts letter by letter: {kept}. Answer with the reworded request alone, in "
    "one line."
)
_LONGEST = 3.0
"""A paraphrase that is so many times as long has added something."""
_SHORTEST = 0.4
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


class Paraphraser:
    """A chat model that words requests."""

    def __init__(self, model: BaseChatModel) -> None:
        self._model = model

    @classmethod
    def named(cls, name: str, engine: Engine) -> Paraphraser:
        """The configured model of that name. Raises copilot.models.ModelNotConfigured."""
        from copilot.models import chat_model

        return cls(chat_model(name, engine))

    def reworded(self, request: str, made: Filled) -> tuple[str, bool]:
        """The request in the model's words, and whether they are; as it was when they do not hold."""
        kept = kept_parts(request, made)
        listed = ", ".join(f'"{part}"' for part in kept) or "none"
        try:
            answer = self._model.invoke([("system", PROMPT.format(kept=listed)), ("user", request)])
        except Exception:  # whatever the server did: the hand-written words are as good
            return request, False
        text = " ".join(str(answer.text).split()).strip("\"'“” ")
        return (text, True) if holds(text, request, kept) else (request, False)


def kept_parts(request: str, made: Filled) -> list[str]:
    """The slots as they are said in the request: what another wording has to say too."""
    names = {slot_of(inside) for wording in made.intent.requests for inside in BRACES.findall(wording)}
    parts = []
    for found in names:
        if found is not None and found[0] in made.values:
            value = made.values[found[0]]
            said = value.parts[found[1]].say if found[1] else value.say
            parts += [said] if said.lower() in request.lower() else []
    return sorted(set(parts))


def holds(text: str, request: str, kept: list[str]) -> bool:
    """Whether a paraphrase says all the parts, no number that was not asked for, and about as much."""
    if not text or "{" in text or "}" in text or text.lower() == request.lower():
        return False
    if not _SHORTEST * len(request) <= len(text) <= _LONGEST * len(request):
        return False
    known = set(_NUMBER.findall(request))
    return all(part.lower() in text.lower() for part in kept) and set(_NUMBER.findall(text)) == known
