"""Measure the selection agent beside its baselines: `python -m benches.modelzoo [--json] [--limit N]`."""

from __future__ import annotations

import argparse
import json
import time
from datetime import date
from statistics import fmean
from typing import Any

from benches.modelzoo.rubric import (
    HIGH_QUALITY,
    Judged,
    is_development,
    judge,
    meant,
    ndcg,
    queries,
    scores,
    second_rubric,
)
from benches.modelzoo.systems import SYSTEMS, Given
from copilot.engine import encode_texts
from data.modelzoo.agent import Collection
from data.modelzoo.reading import zoo

TODAY = date(2026, 11, 24)
"""The day that recency is counted from, fixed so that figures stay comparable."""


def measure(limit: int | None = None, only: list[str] | None = None) -> dict[str, dict[str, Any]]:
    """Every system's figures over the requests."""
    collection = Collection.of(zoo().records, encode_texts)
    asked = queries(limit)
    by_score = {each.id: scores(meant(each, collection), collection, TODAY) for each in asked}
    second = second_rubric()
    found = {}
    for name, system in SYSTEMS.items():
        if only and name not in only:
            continue
        system(collection, asked[0], TODAY)  # indexes and cards are made once, not while somebody waits
        judged: list[tuple[Judged, Given, float]] = []
        told: dict[bool, list[tuple[float, int]]] = {True: [], False: []}
        for each in asked:
            began = time.perf_counter()
            given = system(collection, each, TODAY)
            seconds = time.perf_counter() - began
            judged.append(
                (judge(each, given.shown, by_score[each.id], said_closest=given.said_closest), given, seconds)
            )
            if each.id in second and given.shown:
                ids = [model.id for model in given.shown]
                told[is_development(each)].append(
                    (ndcg(ids, second[each.id]), second[each.id].get(ids[0], 1))
                )
        found[name] = _figures(judged, told)
    return found


def _figures(
    judged: list[tuple[Judged, Given, float]], told: dict[bool, list[tuple[float, int]]]
) -> dict[str, Any]:
    answers = [each for each, _, _ in judged]
    seconds = sorted(each for _, _, each in judged)
    return {
        "queries": len(judged),
        "average top-1 score": round(fmean(each.first for each in answers), 2),
        "average set score": round(fmean(each.mean for each in answers), 2),
        "top-1 hit %": round(100 * fmean(each.rank_of_best == 1 for each in answers), 1),
        "high-quality hit %": round(100 * fmean(each.first >= HIGH_QUALITY for each in answers), 1),
        "MRR": round(fmean(1 / each.rank_of_best if each.rank_of_best else 0.0 for each in answers), 3),
        "models that break a constraint": sum(each.broken for each in answers),
        "models that do not tell": sum(each.untold for each in answers),
        "said to be only the closest": sum(given.said_closest for _, given, _ in judged),
        "questions a query": round(fmean(given.questions for _, given, _ in judged), 2),
        "median s": round(seconds[len(seconds) // 2], 3),
        "p95 s": round(seconds[int(len(seconds) * 0.95)], 3),
        **_second("all", [*told[True], *told[False]]),
        **_second("development", told[True]),
        **_second("kept", told[False]),
    }


def _second(part: str, told: list[tuple[float, int]]) -> dict[str, Any]:
    """The second hand's judgement of some requests: how many, nDCG@3, and the first model's mean, 1 to 5."""
    return {
        f"second rubric, {part}: requests": len(told),
        f"second rubric, {part}: nDCG@3": round(fmean(each for each, _ in told), 3) if told else None,
        f"second rubric, {part}: the first": round(fmean(first for _, first in told), 2) if told else None,
    }


def main() -> None:
    """Print a table, or JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--only", action="append", choices=list(SYSTEMS), help="Leave the other systems out.")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    found = measure(arguments.limit, arguments.only)
    if arguments.json:
        print(json.dumps(found))
        return
    names = list(found)
    print(f"{'':44}" + "".join(f"{name:>16}" for name in names))
    for figure in found[names[0]]:
        print(f"{figure:44}" + "".join(f"{found[name][figure]!s:>16}" for name in names))


if __name__ == "__main__":
    main()
