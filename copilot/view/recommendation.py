"""A recommendation of foundation models as the Models page shows it: question, models, each criterion."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from copilot.messages import later, t
from state.log import Event
from state.model import State

RECOMMEND, COMPARE = "recommend_model", "compare_models"
_NAMES = {
    "num_parameters": later("parameters, million"),
    "memory_gb": later("memory to run, GB (an estimate)"),
    "seconds_an_image": later("time for an image, s (an estimate)"),
    "pretext_training_type": later("pretraining"),
    "licence_weights": later("licence of the weights"),
}
"""Fields as a person reads them, where the field's own name is not enough."""
_CODE = re.compile(r"`([^`]*)`")


@dataclass(frozen=True)
class Standing:
    """What stands of a session's search for a model."""

    recommended: Mapping[str, Any] | None = None
    """The newest recommendation's data, as the tool gave them."""
    question: str = ""
    """The question that waits for an answer; empty for none."""
    choices: tuple[str, ...] = ()
    compared: Mapping[str, Mapping[str, Any]] | None = None
    """The newest comparison since then: model, to field, to value."""
    comparison: str = ""
    """What it said."""


def standing(events: Sequence[Event], state: State) -> Standing:
    """What stands now: what was undone is passed over, since its table is no longer there."""
    there = {each.id for each in state.artifacts}
    compared: Event | None = None
    for event in reversed(events):
        if event.kind != "call" or not event.ok or event.data.get("table") not in there:
            continue
        if event.tool == COMPARE and compared is None:
            compared = event
        elif event.tool == RECOMMEND:
            asked = state.ui.question
            if "question" in event.data and (asked is None or asked.text != event.data["question"]):
                continue  # it was answered, or passed over
            if "question" in event.data and asked is not None:
                return Standing(question=asked.text, choices=asked.choices)
            return Standing(
                recommended=event.data,
                compared=compared.data.get("comparison") if compared is not None else None,
                comparison=compared.text if compared is not None else "",
            )
    return Standing()


def models_html(data: Mapping[str, Any]) -> str:
    """The recommended models as markup, the first first; every value is escaped."""
    counted = t(
        "{satisfying:,} of {considered:,} models satisfy all that was asked",
        satisfying=data["satisfying"],
        considered=data["considered"],
    )
    counted += (
        t(", {not_stated:,} more do not state enough to tell", not_stated=data["not_stated"])
        if data["not_stated"]
        else ""
    )
    closest = t("No model is known to satisfy everything; these come closest. ") if data["closest"] else ""
    items = "".join(_model(each) for each in data["models"])
    trades = "".join(
        "<li>"
        + _text(t("{name} is better in {what}.", name=_name(data, each["model_id"]), what=each["better_in"]))
        + "</li>"
        for each in data["trade_offs"]
    )
    trades = f"<ul class='az-sources'>{trades}</ul>" if trades else ""
    sure = t("confidence {confidence:.2f}", confidence=data["confidence"])
    said = f"{closest}{counted}; {sure}."
    return f"<p class='az-pick-said'>{_text(said)}</p><ol class='az-picks'>{items}</ol>{trades}"


def _model(told: Mapping[str, Any]) -> str:
    lines = [
        _line(t("lacks"), told["breaks"]),
        _line(t("does not state"), told["does_not_state"]),
        _line(t("for it"), told["reasons"]),
        _line(t("against it"), told["weaknesses"]),
        _line(t("will it fit"), [told["will_it_fit"]]),
        _line(t("next"), [told["next_step"]] if told.get("next_step") else []),
    ]
    links = " ".join(
        f"<a href='{html.escape(told[name], quote=True)}' rel='noopener noreferrer' target='_blank'>"
        f"{name}</a>"
        for name in ("paper", "code", "weights")
        if told[name]
    )
    head = f"<b>{_text(told['name'])}</b> <span>{t('{score:g} of 100', score=told['score'])}</span> {links}"
    return f"<li><h4>{head}</h4><dl>{''.join(lines)}</dl></li>"


def _line(name: str, values: Sequence[str]) -> str:
    said = "; ".join(values)
    marked = _CODE.sub(r"<code>\1</code>", _text(said))
    return f"<dt>{name}</dt><dd>{marked}</dd>" if said else ""


def criteria_html(data: Mapping[str, Any]) -> str:
    """Every criterion of every recommended model as a table: its weight, the rating and why."""
    models = data["models"]
    head = "".join(f"<th>{_text(each['name'])}</th>" for each in models)
    rows = []
    for at, criterion in enumerate(models[0]["criteria"]):
        cells = "".join(_rated(each["criteria"][at]) for each in models)
        name = f"{_text(criterion['criterion'])} <small>{criterion['weight']} %</small>"
        rows.append(f"<tr><th scope='row'>{name}</th>{cells}</tr>")
    total = "".join(f"<td><b>{each['score']:g}</b> {t('of 100')}</td>" for each in models)
    rows.append(f"<tr><th scope='row'>{t('score')}</th>{total}</tr>")
    body = "".join(rows)
    return f"<table class='az-models'><thead><tr><td></td>{head}</tr></thead><tbody>{body}</tbody></table>"


def _rated(criterion: Mapping[str, Any]) -> str:
    dim = "" if criterion["stated"] else " class='az-unknown'"
    return f"<td{dim}><b>{criterion['rating']:.1f}</b> {_text(criterion['because'])}</td>"


def side_by_side_html(compared: Mapping[str, Mapping[str, Any]], names: Mapping[str, str]) -> str:
    """A comparison as the tool made it: a column a model; what none of them states is left out."""
    fields = dict.fromkeys(field for column in compared.values() for field in column)
    head = "".join(f"<th>{_text(names.get(each, each))}</th>" for each in compared)
    rows = []
    for field in fields:
        values = [column.get(field) for column in compared.values()]
        if field == "model" or all(each in (None, "") for each in values):
            continue
        cells = "".join(_cell(each) for each in values)
        named = _NAMES.get(field, field.replace("_", " "))
        rows.append(f"<tr><th scope='row'>{_text(named)}</th>{cells}</tr>")
    body = "".join(rows)
    return f"<table class='az-models'><thead><tr><td></td>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value: Any) -> str:
    if value in (None, ""):
        return f"<td class='az-unknown'>{t('unknown')}</td>"
    if isinstance(value, str) and value.startswith(("https://", "http://")):
        link = html.escape(value, quote=True)
        return f"<td><a href='{link}' rel='noopener noreferrer' target='_blank'>{_text(value)}</a></td>"
    return f"<td>{_text(f'{value:,g}' if isinstance(value, int | float) else str(value))}</td>"


def asked_for(data: Mapping[str, Any]) -> str:
    """The query as it was read, field by field, in one line."""
    return " · ".join(
        f"{name.replace('_', ' ')}: {_plain(value)}" for name, value in data.get("query", {}).items()
    )


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return " ".join(f"{name} {each}" for name, each in value.items())
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "yes" if value is True else str(value)


def _name(data: Mapping[str, Any], model_id: str) -> str:
    return next((str(each["name"]) for each in data["models"] if each["model_id"] == model_id), model_id)


def _text(value: str) -> str:
    return html.escape(value)
