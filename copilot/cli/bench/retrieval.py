"""`copilot bench retrieval`: how often a request is shown every tool it needs, and what the schemas cost."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from copilot.cli.output import Json, fail, print_json

Budget = Annotated[int, typer.Option("--budget", min=500, help="Tokens that the tools' schemas may cost.")]


def retrieval(budget: Budget = 2500, as_json: Json = False) -> None:
    """Measure the tools shown over all hand-written requests: recall of the gold tools, and tokens."""
    from copilot.cli.output import progress
    from copilot.retrieval.measure import all_wanted, measure

    wanted = all_wanted()
    if not wanted:
        fail("There are no requests to measure with.", as_json)
    showings = []
    with progress("Showing tools") as tell:
        for number, each in enumerate(wanted, start=1):
            showings += measure([each], budget)
            tell(number / len(wanted), each.id)
    found = _figures(showings)
    if as_json:
        print_json({"budget": budget, **found})
        return
    typer.echo(
        f"{'':<22}{'requests':>9}{'all shown':>11}{'recall':>8}{'@10':>8}{'@20':>8}"
        f"{'median':>8}{'max':>7} tokens"
    )
    for name, each in found.items():
        at, tokens = each["recall_at"], each["tokens"]
        typer.echo(
            f"{name:<22}{each['requests']:>9}{each['all_shown']:>11.1%}{each['recall']:>8.1%}"
            f"{at['10']:>8.1%}{at['20']:>8.1%}{tokens['median']:>8.0f}{tokens['max']:>7}"
        )


def _figures(showings: list[Any]) -> dict[str, Any]:
    """The figures of each source, what was tuned on and what was held out apart, and of the whole."""
    from copilot.retrieval.measure import figures

    found = {
        f"{source}, {'held out' if held else 'tuned on'}": figures(
            [each for each in showings if each.wanted.source == source and each.wanted.held_out == held]
        )
        for source in ("requests", "intents")
        for held in (False, True)
    }
    return {name: each for name, each in {**found, "all": figures(showings)}.items() if each}
