"""How long a filter chain and a count take over the sample's 1.15 million images."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benches.chains import LOAD, WIDEST, chains
from benches.figure import Budget, Figure, times_ms
from benches.memory_store import memory_engine
from copilot.session import Session
from data.catalogue.base import Catalogue
from data.catalogue.duck import DuckCatalogue

CHAINS = 200
BUDGET = Budget("p95", 10)


def measure(root: Path) -> Iterator[Figure]:
    """The chain as one question to the catalogue, at its widest, and as an agent's tool calls."""
    catalogue = DuckCatalogue(root, kept_counts=0)
    images = sum(info.images for info in catalogue.datasets())
    yield from measure_counts(catalogue, f"{images / 1e6:.2f} M images", BUDGET)
    session = Session.open(engine=memory_engine(root))
    calls = [chain.calls for chain in chains(CHAINS)]
    _run_all(session, [LOAD, *calls[0]])
    yield Figure(
        f"the same as five tool calls, over {images / 1e6:.2f} M images",
        "ms",
        times_ms(lambda one=one: _run_all(session, one) for one in calls),  # type: ignore[misc]
        "The same chains as filter_date, filter_coords, filter_class, filter_attribute and db_count through "
        "Session.call: each filter counts anew, so this is five counts, five hashes and five events.",
        (BUDGET,),
    )


def measure_counts(catalogue: Catalogue, size: str, budget: Budget) -> Iterator[Figure]:
    """One count for each chain, and many of the widest; the rows are in memory before."""
    catalogue.count(WIDEST)
    selections = [chain.selection for chain in chains(CHAINS)]
    yield Figure(
        f"a filter chain and a count over {size}",
        "ms",
        times_ms(lambda each=each: catalogue.count(each) for each in selections),  # type: ignore[misc]
        f"{CHAINS} different chains (period, circle, classes, cloud cover) over all seven data sets, "
        "each one Catalogue.count on DuckDB, rows in memory.",
        (budget,),
    )
    yield Figure(
        f"the widest chain and a count over {size}",
        "ms",
        times_ms([lambda: catalogue.count(WIDEST)] * 40),
        "All years, nearly the whole world, two classes, clouds: nothing can be passed over.",
        (budget,),
    )


def _run_all(session: Session, calls: list[tuple[str, dict[str, object]]]) -> None:
    for tool, arguments in calls:
        event = session.call_tool(tool, arguments, source="bench")
        if not event.ok:
            raise RuntimeError(f"{tool} failed: {event.text}")
