"""A report as one HTML file that needs nothing beside it."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from copilot.bench.figures import figures
from copilot.bench.report import Graded, apart, by_version
from copilot.bench.tables import Table, tables

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #1e293b; max-width: 76rem; margin: 2rem auto }
body { padding: 0 1.5rem }
table { border-collapse: collapse; margin: .5rem 0 .25rem }
caption { display: none }
th, td { text-align: right; padding: .3rem .8rem; border-bottom: 1px solid #e2e8f0 }
th:first-child, td:first-child, .text td, .text th { text-align: left }
tr.published, .note { color: #64748b }
tr.published { font-style: italic }
.note { font-size: .85rem; max-width: 60rem }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(30rem, 1fr)); gap: 1rem }
"""


def html_report(runs: Sequence[Graded]) -> str:
    """The whole report; runs of different versions stand in sections of their own."""
    parts = ["<h1>Azimuth benchmark</h1>"]
    if why := apart(runs):
        parts.append(f"<p>{escape(why)}</p>")
    scripted = False
    for version, together in by_version(runs).items():
        parts.append(f"<h2>Version {escape(version)}</h2>")
        shown, *rest = tables(together)
        parts.append(_table(shown))
        drawn = []
        for figure in figures(together):
            # The library is put in once, before the first figure.
            drawn.append(f"<div>{figure.to_html(full_html=False, include_plotlyjs=not scripted)}</div>")
            scripted = True
        parts.append(f"<div class='figures'>{''.join(drawn)}</div>")
        parts += [_table(each) for each in rest]
        parts += [f"<p class='note'>Run {escape(each.run.id)}: {escape(each.name)}.</p>" for each in together]
    body = "\n".join(parts)
    head = f"<meta charset='utf-8'><title>Azimuth benchmark</title><style>{_STYLE}</style>"
    return f"<!doctype html><html lang='en'><head>{head}</head><body>{body}</body></html>\n"


def _table(table: Table) -> str:
    head = "".join(f"<th scope='col'>{escape(cell)}</th>" for cell in table.head)
    rows = "".join(_row(row) for row in table.rows)
    note = f"<p class='note'>{escape(table.note)}</p>" if table.note else ""
    kind = " class='text'" if table.head[-1] == "request" else ""
    return (
        f"<h3>{escape(table.title)}</h3><table{kind}><caption>{escape(table.title)}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{note}"
    )


def _row(row: tuple[str, ...]) -> str:
    mark = " class='published'" if row[0].startswith("published: ") else ""
    return f"<tr{mark}>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>"
