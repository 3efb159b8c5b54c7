"""The report of a run as one HTML page or one PDF: each stands alone and needs no network."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator
from html import escape
from typing import TYPE_CHECKING

from copilot.workflows.told import Told, arguments_of, told

if TYPE_CHECKING:
    from copilot.session import Session

_STYLE = """
body{font:15px/1.5 system-ui,sans-serif;color:#1b1f24;max-width:960px;margin:2rem auto;padding:0 1rem}
h1{font-size:1.6rem;margin-bottom:.2rem}h2{font-size:1.15rem;margin-top:2rem;border-bottom:1px solid #d0d7de}
table{border-collapse:collapse;width:100%;font-size:13px}td,th{border:1px solid #d0d7de;padding:.3rem .5rem;
text-align:left;vertical-align:top;overflow-wrap:anywhere}th{background:#f6f8fa}figure{margin:1rem 0}
img{max-width:100%;border:1px solid #d0d7de}figcaption,.muted{color:#57606a;font-size:13px}
code{background:#f6f8fa;padding:0 .2rem;overflow-wrap:anywhere}.failed{color:#b42318}.repaired{color:#9a5b00}
.finished{color:#1a7f37}.graph{overflow-x:auto}@media print{body{margin:0;max-width:none}}
"""


def html(session: Session, handle: str) -> str:
    """The report of a started workflow as one HTML page. Raises WorkflowError for what is none."""
    return html_of(told(session, handle))


def pdf(session: Session, handle: str) -> bytes:
    """The report of a started workflow as a PDF of A4 pages. Raises WorkflowError for what is none."""
    from copilot.workflows.reporting_pdf import pdf_of

    return pdf_of(told(session, handle))


def html_of(report: Told) -> str:
    """The page of what is told."""
    parts = [
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>",
        "<meta name='viewport' content='width=device-width,initial-scale=1'>",
        f"<title>{escape(report.title)}</title><style>{_STYLE}</style></head><body>",
        f"<h1>{escape(report.title)}</h1>",
        f"<p class='muted'>{escape(report.id)} · session {escape(report.session)} · {escape(report.at)}</p>",
        f"<p>{escape(report.goal)} {escape(report.when)}</p>",
        *_answer(report),
        *_data(report),
        *_graph(report),
        *_steps(report),
        *_list("What was changed on the way", report.repairs),
        *_list("Limits", report.limits),
        *_sources(report),
        "</body></html>",
    ]
    return "\n".join(parts) + "\n"


def _answer(report: Told) -> Iterator[str]:
    state = "" if report.ok else " <strong class='failed'>The run did not come to its end.</strong>"
    yield f"<h2>Result</h2><p>{escape(report.said)}{state}</p>"
    if report.map is not None:
        yield f"<figure><img alt='The results on the map' src='{_uri(report.map)}'></figure>"
    if report.numbers:
        rows = [
            [escape(each.name), f"{each.value:.6g}",
             f"<a href='#call-{each.seq}'>{escape(each.step)}: {escape(each.tool)}, call {each.seq}</a>"]
            for each in report.numbers
        ]  # fmt: skip
        yield _table(("number", "value", "from"), rows)
    for figure in report.figures:
        yield (
            f"<figure><img alt='{escape(figure.title)}' src='{_uri(figure.png)}'>"
            f"<figcaption>{escape(figure.title)}. {escape(figure.said)}</figcaption></figure>"
        )
    for table in report.tables:
        yield f"<h3>{escape(table.title)}</h3>"
        yield _table(table.head, [[escape(cell) for cell in row] for row in table.rows])
        if table.of > len(table.rows):
            yield f"<p class='muted'>The first {len(table.rows)} of {table.of} rows.</p>"


def _data(report: Told) -> Iterator[str]:
    yield "<h2>Data and values</h2>"
    yield _table(("data", "what", "from"), [[escape(cell) for cell in row] for row in report.data])
    if report.values:
        yield _table(
            ("parameter", "value", "taken from", "why"),
            [[escape(cell) for cell in row] for row in report.values],
        )


def _graph(report: Told) -> Iterator[str]:
    """The graph as a drawing: a column a level, a box a step."""
    levels: dict[int, list[str]] = {}
    kept = [each for each in report.nodes if each.status != "skipped"]
    for node in kept:
        levels.setdefault(node.level, []).append(node.id)
    place = {
        name: (20 + 210 * level, 20 + 60 * row)
        for level, names in levels.items()
        for row, name in enumerate(names)
    }
    width = 40 + 210 * (max(levels, default=0) + 1)
    height = 30 + 60 * max((len(each) for each in levels.values()), default=0)
    lines = [_edge(place[a], place[b]) for a, b in report.edges if a in place and b in place]
    boxes = [_box(each.id, each.tool, each.status, place[each.id]) for each in kept]
    yield "<h2>Method</h2><div class='graph'>"
    size = f"width='{width}' height='{height}'"
    yield f"<svg xmlns='http://www.w3.org/2000/svg' {size} font-family='sans-serif'>"
    yield "".join([*lines, *boxes]) + "</svg></div>"


def _edge(start: tuple[int, int], end: tuple[int, int]) -> str:
    line = f"M{start[0] + 180} {start[1] + 20} L{end[0]} {end[1] + 20}"
    return f"<path d='{line}' stroke='#8c959f' fill='none'/>"


def _box(name: str, tool: str, status: str, at: tuple[int, int]) -> str:
    x, y = at
    return (
        f"<rect x='{x}' y='{y}' width='180' height='40' rx='6' fill='#f6f8fa' "
        f"stroke='{_STROKE.get(status, '#8c959f')}' stroke-width='2'/>"
        f"<text x='{x + 8}' y='{y + 17}' font-size='12'>{escape(name[:26])}</text>"
        f"<text x='{x + 8}' y='{y + 32}' font-size='11' fill='#57606a'>{escape(tool[:28])}</text>"
    )


_STROKE = {"finished": "#1a7f37", "repaired": "#9a5b00", "failed": "#b42318"}


def _steps(report: Told) -> Iterator[str]:
    rows = []
    for node in report.nodes:
        checks = "; ".join(
            f"{each['measure']} {'—' if each['value'] is None else format(each['value'], '.6g')} "
            f"({'met' if each['met'] else 'not met'})"
            for each in node.checks
        )
        anchor = f" id='call-{node.seq}'" if node.seq is not None else ""
        call = f"call {node.seq}" if node.seq is not None else "no call"
        rows.append(
            f"<tr{anchor}><td>{escape(node.id)}<br><span class='{node.status}'>{node.status}</span><br>"
            f"<span class='muted'>{call}, {node.seconds:.2f} s</span></td>"
            f"<td><code>{escape(node.tool)}({escape(arguments_of(node))})</code><br>{escape(node.why)}</td>"
            f"<td>{escape(node.said)}<br><span class='muted'>{escape(checks)}</span></td></tr>"
        )
    yield "<table><tr><th>step</th><th>call and why</th><th>what came out, and its checks</th></tr>"
    yield "".join(rows) + "</table>"


def _sources(report: Told) -> Iterator[str]:
    if report.sources:
        yield "<h2>Sources</h2><ul>"
        for title, where in report.sources:
            yield f"<li>{escape(title)}. {_link(where)}</li>"
        yield "</ul>"


def _link(where: str) -> str:
    address = f"https://doi.org/{where.removeprefix('doi:')}" if where.startswith("doi:") else where
    if not address.startswith(("https://", "http://")):
        return escape(where)
    return f"<a href='{escape(address, quote=True)}' rel='noreferrer'>{escape(where)}</a>"


def _list(title: str, lines: Iterable[str]) -> Iterator[str]:
    found = [f"<li>{escape(each)}</li>" for each in lines]
    if found:
        yield f"<h2>{title}</h2><ul>{''.join(found)}</ul>"


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table whose cells are HTML already."""
    top = "".join(f"<th>{escape(each)}</th>" for each in head)
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><tr>{top}</tr>{body}</table>"


def _uri(png: bytes) -> str:
    return f"data:image/png;base64,{b64encode(png).decode()}"


__all__ = ["html", "html_of", "pdf"]
