"""`copilot bench solutions`: first-tool accuracy with and without task inference and the Solution Space."""

from __future__ import annotations

from typing import Annotated

import typer

from copilot.cli.output import Json, fail, print_json

ModelName = Annotated[
    str | None, typer.Option("--model", help="A chat model to ask; without one it is measured offline.")
]


def solutions(model: ModelName = None, as_json: Json = False) -> None:
    """The ablation of RS-Agent's Table 6: the first tool over its 18 tasks, four ways."""
    from copilot.bench.first_tool import first_tool_requests
    from copilot.cli.output import progress
    from copilot.solutions.ablation import WAYS, ablation

    asked = first_tool_requests()
    if not asked:
        fail("There are no requests in copilot/bench/first_tool.", as_json)
    chat = None
    if model is not None:
        from copilot.cli.catalogue import ready_engine
        from copilot.models import EMBEDDED, ModelNotConfigured, chat_model

        if model != EMBEDDED:
            try:
                chat = chat_model(model, ready_engine())
            except ModelNotConfigured as error:
                fail(str(error), as_json)
    done = 0
    with progress("First tools") as tell:

        def counted(way: str) -> None:
            nonlocal done
            done += 1
            tell(done / (len(WAYS) * len(asked)), way)

        found = ablation(chat, asked, counted)
    if as_json:
        print_json({"model": model or "embedded", **{way: each.to_json() for way, each in found.items()}})
        return
    typer.echo(f"{'first tool right, of ' + str(len(asked)):<28}{'all':>8}{'clear':>8}{'ambiguous':>11}")
    for way, each in found.items():
        typer.echo(f"{way:<28}{each.overall:>8.1%}{each.clear:>8.1%}{each.ambiguous:>11.1%}")
