"""The editor of a layer's style, in the Layers panel: what it is drawn by, how, and its histogram."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from copilot.messages import later, t
from copilot.session import Session
from copilot.view.styling import METHODS, Look, columns, histogram, look_of, methods_for
from pages.here import act, changed
from state.model import Layer
from tools.map.columns import has_size
from tools.map.palettes import PALETTES

ONE_COLOUR = later("One colour")
NO_LABELS = later("No labels")


def open_for(layer: Layer) -> bool:
    """Whether the editor of this layer is open."""
    return bool(st.session_state.get("styling") == layer.id)


def toggle(layer_id: str) -> None:
    """Open the editor of a layer, or close it."""
    st.session_state["styling"] = None if st.session_state.get("styling") == layer_id else layer_id


def editor(session: Session, layer: Layer) -> None:
    """Draw the editor of a layer's style."""
    there = {each.name: each for each in columns(session.state, session.world(), layer)}
    if not there:
        st.caption(t("Its features are not told apart by a column: it has one colour."))
        return
    look = look_of(layer)
    # A layer that a call has changed shows its new values: they are part of the keys.
    key = f"{layer.id}-{hash((look, layer.color))}"
    with st.container(key="style_editor", horizontal=True, vertical_alignment="bottom", gap="small"):
        by = [ONE_COLOUR, *there]
        _field(t("Draw by"), f"sf-{key}", by, look.field or ONE_COLOUR, layer, "field", _said(ONE_COLOUR))
        if look.field is not None and look.field in there:
            methods, now = methods_for(there[look.field]), look.method or "categories"
            known = {each: t(title) for each, title in METHODS.items()}
            _field(t("Method"), f"sm-{key}", [*methods], now, layer, "method", known)
            if look.method not in ("categories", "continuous"):
                counts = [str(each) for each in range(2, 10)]
                _field(t("Classes"), f"sc-{key}", counts, str(look.classes), layer, "classes")
            if look.method != "categories":
                if has_size(session.state, session.world(), layer):
                    shown = {"color": t("Colour"), "size": t("Size")}
                    _field(t("Show by"), f"ss-{key}", [*shown], _shown(look), layer, "show_by", shown)
                if not look.by_size:
                    shades = [each for each in PALETTES if each != "okabe_ito"]
                    _field(t("Palette"), f"sp-{key}", shades, look.palette or shades[0], layer, "palette")
        labels = [NO_LABELS, *there]
        _field(t("Labels"), f"sl-{key}", labels, look.label or NO_LABELS, layer, "label", _said(NO_LABELS))
    if drawn := histogram(session.state, session.world(), layer):
        st.html(drawn)


def _shown(look: Look) -> str:
    return "size" if look.by_size else "color"


def _said(text: str) -> dict[str, str]:
    return {text: t(text)}


def _field(
    label: str,
    key: str,
    options: list[str],
    now: str,
    layer: Layer,
    part: str,
    said: Mapping[str, str] | None = None,
) -> None:
    """A choice among names out of the data, and among ours, which `said` has in the reader's language."""
    in_words = said or {}
    # A column's name out of a file may be among the options twice, or have gone since.
    known = list(dict.fromkeys([*options, now]))
    st.selectbox(
        label,
        known,
        index=known.index(now),
        key=key,
        format_func=lambda each: in_words.get(each, each),
        on_change=changed,
        args=(key, _chosen, layer, part),
        width=150 if part in ("field", "label", "method") else 105,
    )


def _chosen(wanted: str, layer: Layer, part: str) -> None:
    look = look_of(layer)
    if part == "label":
        act("label_layer", layer=layer.id, **({} if wanted == NO_LABELS else {"field": wanted}))
        return
    if part == "field":
        if wanted == ONE_COLOUR:
            act("style_layer", layer=layer.id, color=layer.color)
        else:
            act("style_by_field", layer=layer.id, field=wanted)
        return
    args: dict[str, Any] = {
        "method": look.method,
        "classes": look.classes,
        "palette": look.palette,
        "show_by": _shown(look),
    }
    if part == "method":
        args["method"] = wanted
        if wanted == "categories":
            args |= {"show_by": "color", "palette": None}
    else:
        args[part] = int(wanted) if part == "classes" else wanted
    given = {name: value for name, value in args.items() if value is not None}
    act("style_by_field", layer=layer.id, field=look.field, **given)
