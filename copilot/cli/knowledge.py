"""`copilot knowledge`: what is known; search it, add documents to it, take them out, measure it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from copilot.cli.output import Json, fail, print_json, progress

if TYPE_CHECKING:
    from data.knowledge.base import Base
    from data.knowledge.dualrag import Guidance
    from state.log import Event

app = typer.Typer(
    help="The knowledge base: search, ask, add, remove, share, list, build, lint, bench.",
    no_args_is_help=True,
)
Scope = Annotated[str, typer.Option(help="all, mine, azimuth or entries.")]
Name = Annotated[str, typer.Argument(help="A document's name or id, as `copilot knowledge list` shows it.")]


@app.command()
def search(
    query: Annotated[str, typer.Argument(help="What to look for.")],
    k: Annotated[int, typer.Option("-k", min=1, max=50, help="N of DualRAG.")] = 10,
    mode: Annotated[str, typer.Option(help="hybrid, local, global or passages.")] = "hybrid",
    scope: Scope = "all",
    as_json: Json = False,
) -> None:
    """The passages that the knowledge base holds on something, with their sources."""
    data = _called("knowledge_search", as_json, query=query, k=k, mode=mode, scope=scope).data
    if as_json:
        print_json(data)
        return
    typer.echo(
        "keywords: " + ", ".join(f"{each['text']} {each['weight']}" for each in data["keywords"]), err=True
    )
    for each in data["passages"]:
        typer.echo(f"[{each['n']}] {each['cited']}  ({each['score']:.2f}; {', '.join(each['paths'])})")
        typer.echo("    " + " ".join(each["text"].split())[:300])
        for source in each["sources"]:
            typer.echo(f"    source: {source}")


@app.command()
def ask(
    question: Annotated[str, typer.Argument(help="A question.")],
    by: Annotated[
        str, typer.Option(help="quotes, or model: phrased by the configured chat model.")
    ] = "quotes",
    scope: Scope = "all",
    as_json: Json = False,
) -> None:
    """The answer in quotations with their sources, or that the knowledge base does not say."""
    if by == "quotes":
        event = _called("docs_rag", as_json, question=question, scope=scope)
    else:
        event = _called("answer_tools", as_json, question=question, scope=scope, by=by)
    if as_json:
        print_json(event.data)
        return
    typer.echo(event.data["answer"])
    for each in event.data["sources"]:
        typer.echo(f"  [{each['n']}] {each['cited']}")
        for source in each["sources"]:
            typer.echo(f"      {source}")


@app.command()
def add(
    source: Annotated[
        Path, typer.Argument(help="A PDF, Word, HTML, Markdown, text or notebook file, or a folder.")
    ],
    licence: Annotated[str, typer.Option(help="Under what it may be passed on.")] = "",
    as_json: Json = False,
) -> None:
    """Add a document, or a folder of them. The same file twice is one document."""
    event = _called("knowledge_add", as_json, file=str(source.expanduser().absolute()), licence=licence)
    _said(event, as_json)


@app.command()
def remove(name: Name, as_json: Json = False) -> None:
    """Take a document, or all of a folder, out again."""
    _said(_called("knowledge_remove", as_json, name=name), as_json)


@app.command()
def share(
    name: Name,
    people: Annotated[
        list[str] | None, typer.Argument(help="Ids of people, or everybody; nobody else when left out.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Say who else sees a document when others reach this Azimuth over the web."""
    _said(_called("knowledge_share", as_json, name=name, people=people or []), as_json)


@app.command("list")
def list_documents(as_json: Json = False) -> None:
    """The documents that were added, and how much there is besides."""
    from dataclasses import asdict

    from copilot.engine import default_engine
    from data.knowledge.built_in import parts_of
    from data.knowledge.own import MY_OWN, People

    documents = People(default_engine().home / "knowledge").documents(MY_OWN)
    if as_json:
        print_json([asdict(each) for each in documents])
        return
    for each in documents:
        shared = f", seen by {', '.join(each.shared)}" if each.shared else ""
        pages = f"{each.pages:>5,} pages" if each.pages is not None else " " * 11
        typer.echo(f"{each.id}  {each.name:<40} {pages} {each.passages:>6,} passages  {each.added}{shared}")
    parts = parts_of()
    typer.echo(
        f"{len(documents):,} added; built in: {len(parts.passages):,} passages, "
        f"{len(parts.entities):,} entries, "
        f"{len(parts.relations):,} relations.",
        err=True,
    )


@app.command()
def build(as_json: Json = False) -> None:
    """Make the indexes anew: new vectors of what is built in, and those of the added documents."""
    from copilot.engine import default_engine, encode_texts
    from data.knowledge.built_in import built_in, parts_of, remember
    from data.knowledge.errors import KnowledgeError
    from data.knowledge.own import MY_OWN, People

    try:
        parts = parts_of()
        with progress("Encoding what is built in") as advance:
            new = remember(parts, encode_texts, advance)
        own = People(default_engine().home / "knowledge").rebuild(
            MY_OWN, built_in(encode_texts), encode_texts
        )
    except KnowledgeError as error:
        fail(str(error), as_json)
    made = {
        "passages": len(parts.passages),
        "entities": len(parts.entities),
        "relations": len(parts.relations),
        "encoded": new,
        "own_passages": own,
    }
    if as_json:
        print_json(made)
        return
    typer.echo(
        f"{made['passages']:,} passages, {made['entities']:,} entities and "
        f"{made['relations']:,} relations built in, "
        f"{new:,} texts newly encoded; {own:,} passages of added documents."
    )


@app.command("lint")
def lint_entries(as_json: Json = False) -> None:
    """What is wrong with the built-in entries; exits with 1 where something is."""
    from data.knowledge.entries import lint, read_entries
    from data.knowledge.errors import KnowledgeError

    try:
        entries = read_entries()
    except KnowledgeError as error:
        fail(str(error), as_json)
    problems = lint(entries)
    if as_json:
        print_json({"entries": len(entries), "problems": problems})
    else:
        for each in problems:
            typer.echo(each)
        typer.echo(f"{len(entries):,} entries, {len(problems):,} problems.", err=True)
    if problems:
        raise typer.Exit(1)


@app.command()
def bench(
    questions: Annotated[
        list[Path] | None, typer.Argument(help="JSONL files; those in benches/knowledge when left out.")
    ] = None,
    n: Annotated[int, typer.Option("-n", min=1, max=50, help="N of DualRAG.")] = 10,
    ablation: Annotated[
        bool, typer.Option("--ablation", help="Each path alone, equal weights, each mode too.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Measure recall@5, nDCG@10, refusals and times over question sets."""
    from data.knowledge.errors import KnowledgeError
    from data.knowledge.measuring import VARIANTS, measure, questions_of, refusals, unknown_passages

    try:
        base = _base()
        found = []
        for file in questions or _sets():
            asked = questions_of(file)
            for problem in unknown_passages(asked, base):
                typer.echo(f"{file.name}, {problem}", err=True)
            chosen = VARIANTS if ablation else VARIANTS[:1]
            kept: dict[str, Guidance] = {}
            found.append(
                {
                    "set": file.name,
                    "questions": len(asked),
                    "retrieval": [
                        measure(base, asked, n, each, kept if each is VARIANTS[0] else None)
                        for each in chosen
                    ],
                    "refusals": refusals(base, asked, n, kept),
                }
            )
    except (KnowledgeError, OSError) as error:
        fail(str(error), as_json)
    if as_json:
        print_json({"passages": base.passages, "sets": found})
        return
    for each in found:
        _show(each)


@app.command()
def fit(
    questions: Annotated[list[Path], typer.Argument(help="JSONL files with and without an answer.")],
    made: Annotated[
        list[Path] | None, typer.Option(help="Files of questions that templates made, which count less.")
    ] = None,
    write: Annotated[
        bool, typer.Option("--write", help="Use it from now on: data/knowledge/weights.json.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Fit when it is said that nothing is said; the figures are of five folds."""
    import json
    from dataclasses import asdict

    from data.knowledge.answer import WEIGHTS
    from data.knowledge.errors import KnowledgeError
    from data.knowledge.fitting import fit as fitted
    from data.knowledge.measuring import questions_of

    try:
        asked, by_template = (
            [each for file in files for each in questions_of(file)] for files in (questions, made or [])
        )
        found = fitted(_base(), asked, by_template)
    except (KnowledgeError, OSError) as error:
        fail(str(error), as_json)
    if write:
        WEIGHTS.write_text(json.dumps(found.weights) + "\n", encoding="utf-8")
    if as_json:
        print_json(asdict(found))
        return
    typer.echo(f"right refusals {found.right_refusals:.3f}, answered {found.answered:.3f}; {found.weights}")


def _show(found: dict[str, Any]) -> None:
    typer.echo(f"{found['set']}: {found['questions']} questions")
    for each in found["retrieval"]:
        recall, gain = each["recall_at_5"], each["ndcg_at_10"]
        if not recall:
            continue
        typer.echo(
            f"  {each['variant']:<22} recall@5 {recall['all']:.3f}  nDCG@10 {gain['all']:.3f}  "
            f"p50 {each['p50_ms']:.0f} ms  p95 {each['p95_ms']:.0f} ms"
        )
        if each["variant"] == "both":
            kinds = ", ".join(f"{kind} {value:.3f}" for kind, value in recall.items() if kind != "all")
            typer.echo(f"  {'':<22} recall@5 by kind: {kinds}")
    for name, value in found["refusals"].items():
        shown = "none" if value is None else f"{value:.3f}" if isinstance(value, float) else value
        typer.echo(f"  {name:<22} {shown}")


def _sets() -> list[Path]:
    return sorted((Path(__file__).parents[2] / "benches" / "knowledge").glob("*.jsonl"))


def _base() -> Base:
    """What is built in, alone: the same on every machine."""
    from copilot.engine import encode_texts
    from data.knowledge.base import Base, Seen
    from data.knowledge.built_in import built_in

    return Base((Seen(built_in(encode_texts)),), encode_texts)


def _called(tool: str, as_json: bool, **arguments: Any) -> Event:
    """One call in a session that is not kept, over this home's documents. Fails as the call does."""
    from copilot.engine import Engine, default_engine
    from copilot.session import Session

    engine = Engine(default_engine().home, "sqlite://", background=None)
    event = Session.open(name=tool, engine=engine).call_tool(tool, arguments, source="cli")
    if not event.ok:
        fail(event.text, as_json)
    return event


def _said(event: Event, as_json: bool) -> None:
    if as_json:
        print_json(event.data)
    else:
        typer.echo(event.text)
