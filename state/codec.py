"""The state as JSON: the public contract, its canonical text and its hash."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

from pydantic import TypeAdapter

from state.model import Filters, State

_STATE = TypeAdapter(State)
_FILTERS = TypeAdapter(Filters)


def to_json(state: State) -> dict[str, Any]:
    """The state as plain JSON values; filters that are not set are absent."""
    plain: dict[str, Any] = _STATE.dump_python(state, mode="json")
    plain["database"]["filters"] = _set_only(plain["database"]["filters"])
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
    return _set_only(_FILTERS.dump_python(filters, mode="json"))


def canonical(plain: Any) -> str:
    """Canonical JSON text: sorted keys, no spaces, no NaN."""
    return json.dumps(plain, sort_keys=True, separators=(",", ":"), allow_nan=False, ensure_ascii=False)


def digest(state: State) -> str:
    """SHA-256 of the state's canonical JSON, in hexadecimal."""
    return sha256(canonical(to_json(state)).encode()).hexdigest()


def _set_only(filters: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in filters.items() if value not in (None, [], ())}
