"""Keep what the documents show true: python scripts/docs.py writes it anew, tests/test_docs.py compares.

- A `console` block is run, command by command; what stands under a command is what it prints.
- A `python` block is run; a `text` block right after it is what it prints.
- A `json` block under a `<!-- state: REQUEST -->` comment is the state after that request.
- docs/tools.md is made from the tools themselves, and the table of docs/vision.md from the models' cards.

A block under a `<!-- not run: REASON -->` comment is left alone. The blocks of a page are run in order, in an
empty folder, with a home of its own that has the full sample.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

if TYPE_CHECKING:
    from data.models.card import Card

PAGES = (
    "README.md",
    "docs/architecture.md",
    "docs/catalogue.md",
    "docs/imagery.md",
    "docs/vision.md",
    "docs/planner.md",
    "docs/benchmark.md",
    "docs/performance.md",
    "docs/modelzoo.md",
    "docs/workflows.md",
    "docs/knowledge.md",
    "docs/language.md",
    "docs/vague.md",
)
TOOLS_PAGE = "docs/tools.md"
MODELS_PAGE = "docs/vision.md"
FALSE_CLAIMS = "false claims on real images without the object"
TODAY = date(2024, 6, 15)
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"^(\$ .*(?:(?<=\\)\n.*)*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
_TIME = re.compile(r"\b\d+(\.\d+)? m?s\b")
_FLAT_LIST = re.compile(r"\[[^\[\]{}]*\]")
_STATE = re.compile(r"<!-- state: (.*?) -->\n\Z")
_MODELS = re.compile(r"(?<=<!-- made from the cards -->\n).*?(?=<!-- as far as here -->)", re.DOTALL)
_NOT_RUN = re.compile(r"<!-- not run: (.*?) -->\n\Z")


class DocumentError(Exception):
    """A block of a document does not run."""


def fresh_page(text: str, home: Path) -> str:
    """A page with every block's output as it is now. Raises DocumentError. `home` is the pages' Azimuth."""
    parts: list[str] = []
    printed: str | None = None
    end = 0
    with tempfile.TemporaryDirectory() as folder:
        for match in _FENCE.finditer(text):
            between, (language, body) = text[end : match.start()], match.groups()
            if language == "text" and printed is not None and not between.strip():
                body = printed
            printed = None
            if not _NOT_RUN.search(text[: match.start()]):
                if language == "console":
                    body = "".join(_console(body, Path(folder), home))
                elif language == "python":
                    printed = _run([sys.executable, "-c", body], Path(folder), home)
                elif language == "json" and (asked := _STATE.search(text[: match.start()])):
                    body = state_after(asked[1], home)
            parts += [between, f"```{language}\n{body}```"]
            end = match.end()
    return "".join([*parts, text[end:]])


def state_after(request: str, home: Path) -> str:
    """The public JSON of the state after one request in a new session, indented."""
    from copilot.engine import Engine
    from copilot.session import Session
    from state.codec import to_json

    session = Session.open(engine=Engine.in_memory(str(home / "catalogue"), TODAY))
    answer = session.ask(request, model="embedded")
    if answer.outcome != "done":
        raise DocumentError(f"The request {request!r} ended as {answer.outcome}: {answer.reply}")
    text = json.dumps(to_json(session.state), indent=2, ensure_ascii=False)
    # Lists of numbers and words stand on one line: [west, south, east, north] reads as what it is.
    return (
        _FLAT_LIST.sub(lambda match: " ".join(match[0].split()).replace("[ ", "[").replace(" ]", "]"), text)
        + "\n"
    )


def tools_page() -> str:
    """The reference of every tool, by category."""
    from tools.toolbox import toolbox

    categories: dict[str, list[str]] = {}
    for each in toolbox():
        categories.setdefault(each.category, []).extend(_tool(each))
    lines = [
        "# Tools",
        "",
        "Made from the code by `make docs`; do not edit. `python -m copilot tools` lists the same, and with",
        "every detail when given `--json`. **S** changes the state; **X** reaches outside the",
        "process: its result is recorded, and not asked for again at a replay.",
        "",
        f"{len(toolbox())} tools: {', '.join(categories)}.",
    ]
    for category, entries in categories.items():
        lines += ["", f"## {category}", "", *entries]
    return "\n".join(lines) + "\n"


def with_models(page: str) -> str:
    """A page with the table of the models as their cards have it."""
    return _MODELS.sub(lambda _: models_table(), page)


def models_table() -> str:
    """A row for each figure of each model or method, in the order of what they are for and of their names.

    Its false claims and its calibration stand in the first of its rows.
    """
    from data.models.registry import registry

    names = ("what", "model and source", "made from", "measured on", "figure", FALSE_CLAIMS, "calibration")
    rows = [_row([*names]), "|---" * len(names) + "|"]
    for model in sorted(registry().models, key=lambda each: (each.card.tasks[0], each.name)):
        card = model.card
        source = f"`{card.name}`: {card.architecture}" + (f" ({card.citation})" if card.citation else "")
        first = [card.tasks[0].replace("-", " "), source, card.trained_on or "nothing: a published method"]
        last = [_false_claims(card), _calibration(card)]
        if not card.measured:
            rows.append(_row([*first, "not measured", "", *last]))
        for number, each in enumerate(card.measured):
            how = f"; `{each.command}`" if each.command else ""
            figure = f"{each.metric} {each.value:.3g}"
            begin = first if number == 0 else ["", "", ""]
            end = last if number == 0 else ["", ""]
            rows.append(_row([*begin, f"{each.data}, {each.images} (n = {each.n:,}){how}", figure, *end]))
        for weak in card.weak_points:
            rows.append(_row(["", "", "", f"weak: {weak}", "", "", ""]))
    return "\n".join(rows) + "\n"


def _false_claims(card: Card) -> str:
    """In how many real images without an object one was claimed, over all grounds; the command behind."""
    commands = dict.fromkeys(f"; `{each.command}`" for each in card.false_claims if each.command)
    said = ", ".join(
        f"{each.object} {each.claimed} of {each.images} ({100 * each.share:.2g} %) on {each.ground}, "
        f"{each.gsd_m[0]:g} to {each.gsd_m[1]:g} m"
        for each in card.false_claims
    )
    return (said + "".join(commands)) or "not measured"


def _calibration(card: Card) -> str:
    """How far the confidence said is from the share that is right."""
    return "; ".join(
        f"expected calibration error {each.ece:.2g} on {each.data}, {each.images} (n = {each.n:,})"
        + (f", `{each.command}`" if each.command else "")
        for each in card.calibrated
    )


def _row(cells: list[str]) -> str:
    plain = (" ".join(each.split()).replace("|", "/") for each in cells)
    return f"| {' | '.join(plain)} |"


def pages() -> Iterator[Path]:
    """The documents that hold blocks."""
    return (ROOT / page for page in PAGES)


def sample_home(folder: Path, catalogue: Path) -> Path:
    """A home of its own in `folder`, whose catalogue begins with the data sets of another."""
    (folder / "catalogue").mkdir(parents=True)
    for dataset in catalogue.iterdir():
        if (dataset / "dataset.json").is_file():
            (folder / "catalogue" / dataset.name).symlink_to(dataset.resolve(), target_is_directory=True)
    return folder


def _tool(tool: object) -> list[str]:
    from tools.base import Tool

    assert isinstance(tool, Tool)
    marks = "".join(f" **{mark}**" for mark, on in (("S", tool.changes_state), ("X", tool.external)) if on)
    required = tool.schema.get("required", [])
    lines = [f"### `{tool.name}`{marks}", "", tool.summary, ""]
    for name, schema in tool.schema.get("properties", {}).items():
        about = schema.get("description", "").rstrip(".")
        default = schema.get("default")
        tail = [about] if about else []
        if name not in required:
            tail.append(
                "optional" if default is None else f"default {json.dumps(default, ensure_ascii=False)}"
            )
        lines.append(f"- `{name}` ({_kind(tool.schema, schema)}){': ' if tail else ''}{'; '.join(tail)}")
    return [*lines, ""] if tool.schema.get("properties") else lines


def _kind(whole: dict[str, object], schema: dict[str, object]) -> str:
    """An argument's type in words."""
    if isinstance(reference := schema.get("$ref"), str):
        definitions = whole.get("$defs")
        assert isinstance(definitions, dict)
        return _kind(whole, definitions[reference.rsplit("/", 1)[-1]])
    if isinstance(options := schema.get("anyOf"), list):
        return " or ".join(
            dict.fromkeys(_kind(whole, each) for each in options if each.get("type") != "null")
        )
    if isinstance(choices := schema.get("enum"), list):
        return ", ".join(map(str, choices))
    if "const" in schema:
        return str(schema["const"])
    if schema.get("type") == "array":
        items = schema.get("items")
        return f"list of {_kind(whole, items)}" if isinstance(items, dict) and items else "list"
    return str(schema.get("type", "any"))


def _console(body: str, folder: Path, home: Path) -> Iterator[str]:
    """A console block's lines, with what its commands print now; how long it took is left as it was."""
    for command, shown in _COMMAND.findall(body):
        yield f"{command}\n"
        printed = _run(["bash", "-c", command[2:]], folder, home)
        yield shown if _TIME.sub("", shown) == _TIME.sub("", printed) else printed


def _run(command: list[str], folder: Path, home: Path) -> str:
    environment = {
        key: value for key, value in os.environ.items() if not key.startswith(("OPENAI", "COPILOT"))
    }
    environment |= {
        "AZIMUTH_HOME": str(home),
        "PYTHONPATH": str(ROOT),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    done = subprocess.run(
        command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    if done.returncode:
        raise DocumentError(f"{command[-1]!r} ended with {done.returncode}: {done.stderr.strip()[-500:]}")
    return done.stdout


def main() -> None:
    """Write every page and the tools' reference anew, on the sample of this machine's home.

    The pages are part of the knowledge base, whose vectors are kept beside it: those of new texts are added.
    """
    from copilot.engine import default_engine, encode_texts
    from data.knowledge.built_in import parts_of, remember

    root = default_engine().catalogue_root
    if root is None or not (root / "fmow").is_dir():
        sys.exit("The sample catalogue is not built; `make sample` builds it.")
    (ROOT / TOOLS_PAGE).write_text(tools_page(), encoding="utf-8")
    vision = ROOT / MODELS_PAGE
    vision.write_text(with_models(vision.read_text(encoding="utf-8")), encoding="utf-8")
    for page in pages():
        with tempfile.TemporaryDirectory() as folder:
            new = fresh_page(page.read_text(encoding="utf-8"), sample_home(Path(folder) / "home", root))
        page.write_text(new, encoding="utf-8")
    remember(parts_of(), encode_texts, lambda fraction, sentence: None)


if __name__ == "__main__":
    main()
