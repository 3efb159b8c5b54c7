"""DualRAG beside LightRAG on the same corpora, questions, embedder and graph, in one run.

python -m benches.knowledge.beside_lightrag --python /tmp/lightrag/bin/python [--json]

`lightrag-hku` wants other versions than Azimuth's, so it has an interpreter of its own:

    python -m venv /tmp/lightrag && /tmp/lightrag/bin/pip install lightrag-hku==1.5.7

Neither has a language model: both get the entities and relations that the entries state, and Azimuth's
keywords of each question.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from benches.knowledge.corpora import NAMES, Corpus, as_graph, corpora
from copilot.engine import encode_texts
from data.knowledge.base import Base, Seen
from data.knowledge.measuring import VARIANTS, Asked, guidance, ndcg_at, quantile, recall_at

ROOT = Path(__file__).parents[2]
_RUN = Path(__file__).parent / "lightrag_run.py"
_OURS = ("both", "union as published", "global only", "keyword only", "equal weights")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure both, and print a line a system and corpus."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--python", type=Path, required=True, help="An interpreter that has lightrag-hku.")
    parser.add_argument("--corpus", choices=NAMES, help="One of the corpora alone.")
    parser.add_argument("--limit", type=int, help="So many questions of each corpus, spread evenly.")
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args(arguments)
    began = perf_counter()
    made = corpora(encode_texts, [chosen.corpus] if chosen.corpus else NAMES, chosen.limit)
    ours_s = perf_counter() - began
    rows = [row for each in made for row in _ours(each)]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    theirs = _theirs(chosen.python, [as_graph(each, encode_texts) for each in made])
    for corpus, found in zip(made, theirs, strict=True):
        rows += [
            _row(corpus, f"LightRAG {mode}", {each["id"]: each["found"] for each in asked},
                 [each["ms"] for each in asked])
            for mode, asked in found["modes"].items()
        ]  # fmt: skip
    told = {
        "rows": rows,
        "azimuth": {"build_s": ours_s, "peak_mib": peak},
        "lightrag": [{key: each[key] for key in ("name", "insert_s", "peak_mib")} for each in theirs],
    }
    print(json.dumps(told, indent=1) if chosen.json else _shown(told))
    return 0


def _ours(corpus: Corpus) -> list[dict[str, Any]]:
    base = Base((Seen(corpus.shelf),), encode_texts)
    rows = []
    for variant in VARIANTS:
        if variant.name not in _OURS:
            continue
        found, times = {}, []
        for each in corpus.questions:
            began = perf_counter()
            guides = guidance(base, each.question, 10, variant).guides
            times.append(1000 * (perf_counter() - began))
            found[each.id] = [guide.passage.id for guide in guides]
        rows.append(_row(corpus, f"DualRAG {variant.name}", found, times))
    return rows


def _theirs(python: Path, graphs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as folder:
        given, found = Path(folder) / "corpora.json", Path(folder) / "found.json"
        given.write_text(json.dumps(graphs), encoding="utf-8")
        # Behind its own packages those of Azimuth, which the encoder needs.
        code = (
            f"import sys; sys.path += [{str(ROOT)!r}, {sysconfig.get_paths()['purelib']!r}]; "
            f"sys.argv = ['lightrag_run', {str(given)!r}, {str(found)!r}]; "
            f"import runpy; runpy.run_path({str(_RUN)!r}, run_name='__main__')"
        )
        subprocess.run([str(python), "-c", code], check=True, stdout=sys.stderr, env={**os.environ})
        made: list[dict[str, Any]] = json.loads(found.read_text(encoding="utf-8"))
        return made


def _row(
    corpus: Corpus, system: str, found: Mapping[str, Sequence[str]], times: Sequence[float]
) -> dict[str, Any]:
    asked: Sequence[Asked] = corpus.questions
    recalls = [recall_at(found[each.id], each.passages, 5) for each in asked]
    gains = [ndcg_at(found[each.id], each.passages, 10) for each in asked]
    return {
        "corpus": corpus.name,
        "system": system,
        "questions": len(asked),
        "recall_at_5": sum(recalls) / len(recalls),
        "ndcg_at_10": sum(gains) / len(gains),
        "p50_ms": quantile(times, 0.5),
        "p95_ms": quantile(times, 0.95),
    }


def _shown(told: dict[str, Any]) -> str:
    lines = [
        f"{each['corpus']:<9} {each['system']:<28} {each['questions']:>4} questions  "
        f"recall@5 {each['recall_at_5']:.3f}  nDCG@10 {each['ndcg_at_10']:.3f}  "
        f"p50 {each['p50_ms']:.0f} ms  p95 {each['p95_ms']:.0f} ms"
        for each in told["rows"]
    ]
    own = told["azimuth"]
    lines.append(f"Azimuth: both corpora in {own['build_s']:.1f} s, peak {own['peak_mib']:.0f} MiB")
    lines += [
        f"LightRAG: {each['name']} in {each['insert_s']:.1f} s, peak {each['peak_mib']:.0f} MiB"
        for each in told["lightrag"]
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    raise SystemExit(main())
