"""How far a look at an image is to be trusted: by which model it was, how well that did, and what it left out.

Everything comes from the model's card and from what the call came back with; nothing is judged here.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from copilot.planner.declared.looks import Look, images_at_hand
from copilot.planner.situation import Situation

if TYPE_CHECKING:
    from data.models.card import Card

_ITS = (
    r"(?:the |that |this |your )?(?:model|detector|network|method|algorithm|classifier|results?|answers?|numbers?|"
    r"counts?|estimates?|finding|map|mask|it|that|this|these|those|they|them|you|detections?|boxes|assessment)"
)
_SURE = re.compile(
    rf"\bhow (?:sure|certain|confident|reliable|accurate|trustworthy|precise|right|safe|exact|solid|good) (?:is|are|was|were) {_ITS}\b(?! (?:image|picture|photo|scene))"
    rf"|\b(?:can|could|should|may) (?:i|we|one) (?:really |fully )?(?:trust|rely on|believe|use|depend on) {_ITS}\b"
    rf"|\b(?:are|were) you (?:really |quite |that )?(?:sure|certain|confident)\b|\bhow (?:do|did|can) you know\b"
    rf"|\bhow (?:well|good) (?:does|did|has) {_ITS} (?:work|do|perform)\w*|\b(?:accuracy|reliability|error rate|margin of error|uncertainty|confidence)\b(?! (?:of|from|above|over|below|under)? ?\d)",
    re.I,
)
_WHICH = re.compile(
    r"\b(?:which|what) (?:kind of |sort of )?(?:ai |ml )?(?:model|method|detector|network|algorithm|technique)\b(?!s)"
    r"|\bhow (?:did|do|have) you (?:find|found|get|got|measure|count|tell|work|come|compute|make|made|detect|do|did)\w*\b(?:.*\b(?:it|that|this|them|those|these|out)\b)?\W*$"
    r"|\bhow (?:was|were) (?:it|that|this|they|these|those) (?:made|found|measured|computed|counted|done|detected)\b|\btrained on\b",
    re.I,
)
_LEFT_OUT = re.compile(
    r"\bwhat (?:did|do|have|has|was|were|is|are|might|could|would|can'?t|didn'?t|haven'?t|don'?t)\b.*\b(?:not|miss\w*|skip\w*|overlook\w*|ignor\w*|left out|leave out|"
    r"can'?t|didn'?t|haven'?t|look(?:ed)? at)\b|\bwhat (?:can'?t|didn'?t|haven'?t|don'?t|wasn'?t|weren'?t) (?:you|it)\b|\b(?:limits|limitations|weak(?:ness(?:es)?| points?)|blind spots?|caveats?)\b"
    r"|\bdid you (?:miss|skip|overlook)\b|\bwhat(?:'s| is) (?:missing|left out)\b|\bwhere (?:is|does) (?:it|the model|that) (?:weak|fail)\w*",
    re.I,
)
_OTHER_SUBJECT = re.compile(r"\b(?:detection|no\.?|number|#) ?\d+\b|\breviewed\b", re.I)


def asks_how_sure(text: str) -> bool:
    """Whether a request asks how sure a result is."""
    return _SURE.search(text) is not None


def trusted(text: str, look: Look, situation: Situation) -> list[str] | None:
    """The answer to a question of trust in the last look, in sentences; None for any other request."""
    if _OTHER_SUBJECT.search(text):
        return None
    sure, which, left = (bool(each.search(text)) for each in (_SURE, _WHICH, _LEFT_OUT))
    if not (sure or which or left):
        return None
    card = _card(look)
    said: list[str] = []
    if which or card is None:
        said += _what_it_is(look, card)
    if sure or which:
        said += list(_measured(look, card))
    if sure:
        said += list(_of_this_result(look))
    if left:
        said += list(_not_looked_at(look, card, situation))
    if card is not None and (sure or left):
        said += ["Where it is weak, by its card: " + " ".join(card.weak_points)] if card.weak_points else []
    return said


def _card(look: Look) -> Card | None:
    """The card of the model that the look's last call names."""
    from data.models.registry import registry
    from data.raster.errors import RasterError

    name = look.facts.get("model")
    if not isinstance(name, str) or not name:
        return None
    try:
        return registry().get(name).card
    except RasterError:
        return None


def _what_it_is(look: Look, card: Card | None) -> list[str]:
    if card is not None:
        made = (
            f"It was made from: {card.trained_on}."
            if card.trained_on
            else "Nothing had to be trained for it."
        )
        return [
            f"That was {card.name}, called by {look.last.tool}: {card.architecture} ({card.citation}).",
            made,
        ]
    name = look.facts.get("model")
    by = f"'{name}'" if isinstance(name, str) and name else "a published method; the answer above names it"
    return [f"That was {look.last.tool}, by {by}; it has no card with measurements here."]


def _measured(look: Look, card: Card | None) -> Iterator[str]:
    """What the model was measured on: real images, and rendered ones only where there are none."""
    if card is None:
        return
    real = [each for each in card.measured if each.images == "real"]
    rendered = [each for each in card.measured if each.images == "rendered"]
    found = look.facts.get("by_class") or {}
    telling = [each for each in real or rendered if _is_about(each.metric, found, card)][:3]
    figures = "; ".join(f"{each.metric} {each.value:g} ({each.data}, n = {each.n:,})" for each in telling)
    if real:
        yield (
            f"Measured on real images: {figures}."
            if figures
            else (f"What was measured on real images says nothing of {_listed(list(found))}.")
        )
    elif rendered:
        yield f"It was not measured on real images; on rendered scenes that it was not made from: {figures}."
    else:
        yield "It was not measured, on real images or on rendered ones."


def _is_about(metric: str, found: Collection[str], card: Card) -> bool:
    """Whether a figure is of all classes together, or of one that was found."""
    named = [each for each in card.output.classes if re.search(rf"\b{re.escape(each)}\b", metric)]
    return not named or not found or bool(set(named) & set(found))


def _of_this_result(look: Look) -> Iterator[str]:
    facts = look.facts
    low, high = facts.get("count_low"), facts.get("count_high")
    if low is not None and high is not None:
        yield f"The count lies between {low:,} and {high:,} with a score 0.1 up or down."
    if look.found_objects:
        yield (
            "Scores order the detections by how sure the model is, and are no probabilities; confirm or reject "
            "some, and the precision is estimated from that."
        )


def _not_looked_at(look: Look, card: Card | None, situation: Situation) -> Iterator[str]:
    """What the look left out: other images, other classes, low scores, windows without values, land."""
    facts, args = look.facts, look.last.args
    rasters = {str(each["id"]): each for each in situation.state["artifacts"] if each["kind"] == "raster"}
    seen = [str(rasters[each]["name"]) for each in look.images if each in rasters]
    cut = any(
        str(rasters[each]["made_by"]).startswith("image_crop") for each in look.images if each in rasters
    )
    others = [each.name for each in images_at_hand(situation) if each.ref not in look.images]
    if seen:
        rest = f"; {_listed(others)} {'was' if len(others) == 1 else 'were'} not looked at" if others else ""
        yield f"I looked at {_listed(seen)}{rest}{' beside that part' if cut and others else ''}."
    yield from _classes(args.get("classes"), card)
    least = facts.get("min_score", args.get("min_score"))
    if isinstance(least, int | float):
        yield f"What scored under {least:g} was left out."
    if skipped := facts.get("windows_without_values"):
        yield f"{skipped:,} of {facts.get('windows', 0):,} windows hold no values and were left out."
    if isinstance(share := facts.get("water_share"), int | float) and facts.get("land") != "none":
        yield f"Ships were looked for on water alone, {100 * share:.1f} % of the image."


def _classes(asked: Any, card: Card | None) -> Iterator[str]:
    known = list(card.output.classes) if card is not None else []
    if not known:
        return
    if asked:
        beside = [each for each in known if each not in asked]
        if beside:
            yield f"Only {_listed(asked)} was looked for; the model also knows {_listed(beside)}, and nothing else."
    else:
        yield f"The model knows {_listed(known)}, and nothing else is found."


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
