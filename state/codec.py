"""The state as JSON: the public contract, its canonical text and its hash."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

from pydantic import TypeAdapter
from pydantic_core import PydanticSerializationError
from pydantic_core import to_json as to_text

from state.model import Filters, State

_STATE = TypeAdapter(State)
_FILTERS = TypeAdapter(Filters)
_DIGEST = "_digest"
"""Where a state keeps its hash: beside its fields, so that it is no part of what is compared or written."""
_EXACT = 2.0**53
"""Whole numbers below it are the same as a float and as an integer."""


def to_json(state: State) -> dict[str, Any]:
    """The state as plain JSON values, equal for equal states; filters and bands are absent where not set."""
    plain = _plain(_STATE, state)
    plain["database"]["filters"] = _set_only(plain["database"]["filters"])
    if not plain["bands"]:
        del plain["bands"]  # as a filter that is not set, so that states from before it was there stay equal
    for layer in plain["map"]["layers"]:
        layer["options"] = dict(layer["options"])
        if layer["query"] is not None:
            layer["query"]["filters"] = _set_only(layer["query"]["filters"])
    return plain


def from_json(plain: dict[str, Any]) -> State:
    """The state that `to_json` gave. Raises pydantic.ValidationError on anything else."""
    layers = [
        {**layer, "options": [list(pair) for pair in sorted(layer.get("options", {}).items())]}
        for layer in plain["map"]["layers"]
    ]
    return _STATE.validate_python({**plain, "map": {**plain["map"], "layers": layers}})


def filters_to_json(filters: Filters) -> dict[str, Any]:
    """The filters as in the state's JSON."""
    return _set_only(_plain(_FILTERS, filters))


def canonical(plain: Any) -> str:
    """Canonical JSON text: sorted keys, no spaces. Raises ValueError on NaN and infinities."""
    return json.dumps(plain, sort_keys=True, separators=(",", ":"), allow_nan=False, ensure_ascii=False)


def canonical_bytes(plain: Any) -> bytes:
    """The canonical text in UTF-8; half a surrogate pair, as in a file name that is no text, is kept."""
    return canonical(plain).encode("utf-8", "surrogatepass")


def digest(state: State) -> str:
    """SHA-256 of the state's canonical JSON, in hexadecimal; made once for each state: it never changes."""
    known: str | None = state.__dict__.get(_DIGEST)
    if known is None:
        known = state.__dict__[_DIGEST] = sha256(canonical_bytes(to_json(state))).hexdigest()
    return known


def recorded(state: State) -> tuple[State, int]:
    """The state as its record gives it back, and how many bytes of canonical JSON it is.

    Raises pydantic.ValidationError for one that is no state, ValueError for one that is no JSON.
    """
    plain = to_json(state)
    text = canonical_bytes(plain)
    back = from_json(plain)
    back.__dict__[_DIGEST] = sha256(text).hexdigest()
    return back, len(text)


def _plain(adapter: TypeAdapter[Any], value: Any) -> dict[str, Any]:
    try:
        # What is no number is written as such, so that it is found out and does not pass for nothing.
        text = to_text(value, inf_nan_mode="constants")
    except PydanticSerializationError:  # half a surrogate pair is no UTF-8
        plain: dict[str, Any] = _one_number(adapter.dump_python(value, mode="json"))
        return plain
    found: dict[str, Any] = _DECODER.decode(text.decode())
    return found


def _number(text: str) -> int | float:
    value = float(text)
    return int(value) if value.is_integer() and abs(value) < _EXACT else value


_DECODER = json.JSONDecoder(parse_float=_number)


def _one_number(plain: Any) -> Any:
    """Whole floats as integers, so that 5, 5.0 and what a file gives back are one text, as -0.0 and 0 are."""
    if isinstance(plain, dict):
        return {key: _one_number(value) for key, value in plain.items()}
    if isinstance(plain, list):
        return [_one_number(value) for value in plain]
    whole = isinstance(plain, float) and plain.is_integer() and abs(plain) < _EXACT
    return int(plain) if whole else plain


def _set_only(filters: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in filters.items() if value not in (None, [], ())}
