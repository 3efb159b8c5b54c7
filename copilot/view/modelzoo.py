"""The records of foundation models as the Models page shows them: a table, a comparison, and one record."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from copilot.messages import t
from data.modelzoo.comparing import FIELDS, plain
from data.modelzoo.schema import FLAGGED_BELOW, ModelRecord

UNKNOWN = "unknown"
COMPARED = tuple(name for name in FIELDS if name not in ("benchmarks", "pretraining", "loading"))
"""The fields of a comparison; results come in a table of their own."""
MOST = 4
"""How many models fit side by side."""


@dataclass(frozen=True)
class Value:
    """A value as it shows."""

    text: str
    flagged: bool
    proof: str
    """Where it was read, and how sure it is."""


def table(records: Sequence[ModelRecord]) -> pd.DataFrame:
    """One row a model: what one chooses by."""
    return pd.DataFrame(
        [
            {
                "model": each.model_name,
                "released": each.release_date,
                "parameters, M": each.num_parameters,
                "modalities": ", ".join(each.modalities) or UNKNOWN,
                "sensors": ", ".join(each.supported_sensors) or UNKNOWN,
                "weights' licence": each.licence_weights or UNKNOWN,
                "results": sum(len(bench.metrics_value) for bench in each.benchmarks),
                "loaded by": ", ".join(dict.fromkeys(way.library for way in each.loading)),
                "to look at": len(each.flagged()),
                "paper": each.paper_link,
                "repository": each.repository,
            }
            for each in records
        ],
        columns=[
            "model", "released", "parameters, M", "modalities", "sensors", "weights' licence", "results",
            "loaded by", "to look at", "paper", "repository",
        ],
    )  # fmt: skip


def said(value: Any) -> str:
    """A value as one line."""
    value = plain(value)
    if value is None:
        return UNKNOWN
    if isinstance(value, list):
        return ", ".join(said(each) for each in value)
    if isinstance(value, dict):
        return "; ".join(f"{name.replace('_', ' ')} {said(inner)}" for name, inner in value.items())
    return f"{value:,g}" if isinstance(value, float) else str(value)


def value_of(record: ModelRecord, field: str) -> Value:
    """A field of a record with its proof; an unknown one has none and is never flagged."""
    value = plain(getattr(record, field))
    if value is None:
        return Value(UNKNOWN, False, "")
    known = record.source_of(field)
    if known is None:
        return Value(said(value), True, t("no source"))
    titles = ", ".join(record.sources[key].title for key in known.sources if key in record.sources)
    note = f" ({known.note})" if known.note else ""
    proof = f"{titles}; {t('confidence {confidence:g}', confidence=known.confidence)}{note}"
    return Value(said(value), known.confidence < FLAGGED_BELOW, proof)


def comparison_html(records: Sequence[ModelRecord]) -> str:
    """Models side by side as markup; what none of them states is left out, every value is escaped."""
    head = "".join(f"<th>{html.escape(each.model_name)}</th>" for each in records)
    rows = []
    for field in COMPARED[1:]:
        values = [value_of(each, field) for each in records]
        if all(each.text == UNKNOWN for each in values):
            continue
        cells = "".join(_cell(each) for each in values)
        rows.append(f"<tr><th scope='row'>{html.escape(field.replace('_', ' '))}</th>{cells}</tr>")
    body = "".join(rows)
    return f"<table class='az-models'><thead><tr><td></td>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value: Value) -> str:
    why = html.escape(t("less sure than 0.75: look at it"), quote=True)
    mark = f" <i title='{why}'>{t('look at it')}</i>" if value.flagged else ""
    dim = " class='az-unknown'" if value.text == UNKNOWN else ""
    return f"<td{dim} title='{html.escape(value.proof, quote=True)}'>{html.escape(value.text)}{mark}</td>"


def results(records: Sequence[ModelRecord]) -> pd.DataFrame:
    """One row a data set, metric and share of labels; a column a model; only what two of them report."""
    columns: dict[tuple[str, str, str], dict[str, float]] = {}
    for record in records:
        for bench in record.benchmarks:
            for metric, value in zip(bench.metrics, bench.metrics_value, strict=True):
                part = f"{bench.sampling_percentage:g} %" if bench.sampling_percentage else "all or not said"
                row = columns.setdefault((bench.dataset or UNKNOWN, metric, part), {})
                row[record.model_name] = max(value, row.get(record.model_name, value))
    least = min(2, len(records))
    rows = [
        {"data set": name, "metric": metric, "labels": part, **row}
        for (name, metric, part), row in columns.items()
        if len(row) >= least
    ]
    return pd.DataFrame(
        rows, columns=["data set", "metric", "labels", *(each.model_name for each in records)]
    )


def sources_html(record: ModelRecord) -> str:
    """Where a record was read, as markup with links; every value is escaped."""
    items = "".join(
        f"<li><a href='{html.escape(each.url, quote=True)}' rel='noopener noreferrer' "
        f"target='_blank'>{html.escape(each.title)}</a> <small>{html.escape(each.kind)}, "
        f"{t('read {read}', read=each.read)}</small></li>"
        for each in record.sources.values()
    )
    return f"<ul class='az-sources'>{items}</ul>"
