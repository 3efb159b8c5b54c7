"""`copilot bench solutions`: first-tool accuracy with and without task inference and the Solution Space."""

from __future__ import annotations

from typing import Annotated

import typer

from copilot.cli.output import Json, fail, print_json

ModelName = Annotated[
    str | None, typer.Option("--model", help="A chat model to ask; without one it is measured offline.")
]
Requests = Annotated[
    str, typer.Option("--requests", help="developed, heldout (requests nobody developed on) or both.")
]


def solutions(model: ModelName = None, requests: Requests = "both", as_json: Json = False) -> None:
    """The ablation of RS-Agent's Table 6: the first tool over its 18 tasks, four ways."""
    from copilot.bench.first_tool import SETS, first_tool_requests
    from copilot.cli.output import progress
    from copilot.solutions.ablation import WAYS, ablation

    if requests not in (*SETS, "both"):
        fail(f"There are no requests called {requests!r}; there are developed, heldout and both.", as_json)
    asked = {name: first_tool_requests(SETS[name]) for name in SETS if requests in (name, "both")}
    chat = None
    if model is not None:
        from copilot.cli.catalogue import ready_engine
        from copilot.models import EMBEDDED, ModelNotConfigured, chat_model

        if model != EMBEDDED:
            try:
                chat = chat_model(model, ready_engine())
            except ModelNotConfigured as error:
                fail(str(error), as_json)
    done, count = 0, len(WAYS) * sum(len(each) for each in asked.values())
    with progress("First tools") as tell:

        def counted(way: str) -> None:
            nonlocal done
            done += 1
            tell(done / count, way)

        found = {name: ablation(chat, each, counted) for name, each in asked.items()}
    if as_json:
        print_json(
            {
                "model": model or "embedded",
                **{name: {way: each.to_json() for way, each in ways.items()} for name, ways in found.items()},
            }
        )
        return
    for name, ways in found.items():
        title = f"{name}, of {len(asked[name])}"
        typer.echo(f"{title:<20}{'all':>8}{'95 % interval':>17}{'clear':>8}{'ambiguous':>11}")
        for way, each in ways.items():
            low, high = each.interval
            within = f"{low:.1%}-{high:.1%}"
            typer.echo(f"{way:<20}{each.overall:>8.1%}{within:>17}{each.clear:>8.1%}{each.ambiguous:>11.1%}")
