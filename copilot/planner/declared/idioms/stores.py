"""Stores of texts: what is to be done with one, and what goes in or out."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date

from copilot.planner.declared.files import File
from copilot.planner.declared.idioms.base import ORDINALS, Arguments, Idiom, quotes

ALIKE = re.compile(
    r"\bhow (?:similar|alike|close)\b|\bcosine\b|\bembed\w*\b|\bvectors\b|\bclose in meaning\b", re.I
)
_DELETING = re.compile(
    r"\b(?:delete|drop|remove|removed|forget|get rid|throw\b.*\baway|bin|(?:longer|more) need|nonsense|take\b.*\bout|taken out|can go|out of the store)\b",
    re.I,
)
_ADDING = re.compile(
    r"^\W*(?:please |now |and |then )*(?:note|write|jot|keep)\b|\b(?:add|put|remember|extend|one more|belongs?|as well|too|take in|in, too|take\b.*\bin|append|index|should be searchable)\b",
    re.I,
)


CREATING = re.compile(
    r"\b(?:vector|text|searchable|knowledge) ?(?:text )?(?:store|base)\b|\bsearchable\b|\bnew (?:text |vector )?store\b"
    r"|\bcall (?:the|this|that) (?:text |vector )?store\b|\b(?:make|build|create|put|keep)\b.*\bstore\b|\bstore (?:called|named)\b"
    r"|\b(?:index|embed|store|remember)\b.*\b(?:as|under)\b|\b(?:make|build|create) (?:a |an |the )?(?:text )?index\b|\bby meaning later\b|\bmeaning later\b",
    re.I,
)
_QUERYING = re.compile(
    r"\b(?:search|query) (?:it|the store)\b|\b(?:look up|what|find)\b.*\bin (?:it|the store)\b|\bpassages? (?:on|about)\b|\bthe store say\b|\blook up\b.*\bthere\b|\bfind what is nearest\b",
    re.I,
)


def told(text: str, stores: Sequence[str], files: Sequence[File]) -> str | None:
    """What is to be done with a store of texts: one that is called by its name, or a new one."""
    outside = re.sub(r"[\"“][^\"”]*[\"”]", " ", text)
    if not any(re.search(rf"\b{re.escape(each)}\b", text, re.I) for each in stores):
        asked = re.match(r"\W*(?:search|query|find|look|what|which|retrieve|tell)\b", outside, re.I)
        if stores and _QUERYING.search(outside) and (asked or not CREATING.search(outside)):
            return "vectorstore_search"
        material = files or outside != text
        named = re.search(r"\b(?:store|searchable|index|embed|knowledge base|meaning later)\b", outside, re.I)
        session = re.search(
            r"\bsession\b|\bselection\b|\bwork(?:space)?\b|\bproject\b|\bconversation\b", outside, re.I
        )
        cut = re.search(r"^\W*(?:split|cut|chop|break|chunk)\b", outside, re.I)
        alike = ALIKE.search(outside) and not re.search(r"\b(?:as|store)\b", outside, re.I)
        return (
            "vectorstore_create"
            if material and named and not (session or cut or alike) and CREATING.search(outside)
            else None
        )
    if re.search(r"\bnew\b.*\bstore\b", outside, re.I):
        return "vectorstore_create"
    if _DELETING.search(outside):
        return "vectorstore_delete"
    return "vectorstore_add" if _ADDING.search(outside) else "vectorstore_search"


_NAME = r"[\"'“]?(?!(?:of|from|with|to|that|and|the|a|for|out|made|can|is|in|on|please|so|it|called|named|by)\b)(?P<name>[A-Za-z][\w-]*)[\"'”]?"
_NEW_STORE = (
    rf"\b(?:called|named|name|under the name|under|as(?! well)|store(?: called| named)?|base)\s+{_NAME}",
    rf"\bstore\s+{_NAME}",
)


def _new_store(text: str, today: date) -> Arguments:
    plain = re.sub(r"\"[^\"]*\"|“[^”]*”", '""', text)
    plain = re.sub(
        r"\b(?:as|under) (?:a |the )?(?:new )?(?:searchable )?(?:text |vector )?store (?:called |named )?",
        "called ",
        plain,
        flags=re.I,
    )
    match = next((each for pattern in _NEW_STORE if (each := re.search(pattern, plain, re.I))), None)
    found: Arguments = {"name": match["name"]} if match else {}
    if texts := [each for each in quotes(text) if not match or each != match["name"]]:
        found["texts"] = texts
    return found | pieces(plain, today)


def pieces(text: str, today: date) -> Arguments:
    """How long the pieces are and how much of one the next repeats, in characters."""
    found: Arguments = {}
    overlap = re.search(
        r"\boverlap(?:ping)?(?: of| by|:)?\s*(\d+)|\b(\d+)(?: of them repeated| characters? overlap| overlap)|\brepeat\w*\s+(\d+)",
        text,
        re.I,
    )
    if overlap:
        found["overlap"] = int(next(each for each in overlap.groups() if each))
    size = re.search(
        r"\b(\d+)[ -]?char(?:acter)?s?\b(?! overlap)|\bsize(?: of|:)?\s*(\d+)|\bchunks of (\d+)|\bat (\d+) char",
        text,
        re.I,
    )
    if size:
        found["size"] = int(next(each for each in size.groups() if each))
    return found


def more_texts(text: str, today: date) -> Arguments:
    """The texts that stand in quotes."""
    quoted = quotes(text)
    return {"texts": quoted} if quoted else {}


def _store_query(text: str, today: date) -> Arguments:
    found: Arguments = {}
    if quoted := quotes(text):
        found["query"] = quoted[0]
    else:
        plain = re.sub(
            r"\s+(?:there|in it|in the store|please)\W*$", "", text.strip().rstrip("?.! "), flags=re.I
        )
        match = re.search(
            r"\b(?:search|look)\b.*?\b(?:for|up)\s+(?P<a>.+?)(?:\s+in (?:my |the )?(?:text |vector )?(?:store )?\w+)?$"
            r"|\b(?:about|nearest to|to do with|on|for|with)\s+(?P<b>.+)$|:\s*(?P<c>.+)$",
            plain,
            re.I,
        )
        if match:
            found["query"] = next(each for each in match.groups() if each).strip()
    if count := re.search(
        r"\b(?:top|the|which|show|retrieve)\s+(\d+)\b|\b(\d+) (?:texts?|hits|results|passages)\b", text, re.I
    ):
        found["k"] = int(count[1] or count[2])
    return found


_ENTRY = "texts?|entry|entries|items?|lines?|notes?|passages?"


def _out_of_store(text: str, today: date) -> Arguments:
    numbers = re.findall(rf"\b(?:{_ENTRY}|numbers?|no\.?)\s*(?:no\.? )?(\d+)\b", text, re.I)
    ids = [int(each) for each in numbers]
    ids += [
        ORDINALS[each.lower()] for each in re.findall(rf"\b({'|'.join(ORDINALS)}) (?:{_ENTRY})", text, re.I)
    ]
    return {"ids": ids} if ids else {}


IDIOMS: Mapping[str, Idiom] = {
    "vectorstore_create": _new_store,
    "vectorstore_add": more_texts,
    "vectorstore_search": _store_query,
    "vectorstore_delete": _out_of_store,
}
