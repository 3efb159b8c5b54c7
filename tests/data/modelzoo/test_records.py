"""The records of the repository: enough of them, clean, and right where the source is at hand."""

from __future__ import annotations

import json

from data.modelzoo.comparing import filled
from data.modelzoo.lint import lint
from data.modelzoo.reading import RECORDS, zoo


def test_there_are_at_least_170_and_all_are_clean() -> None:
    found = zoo()
    assert (len(found.records) >= 170, found.problems, lint(found.records)) == (True, (), ())


def test_a_file_bears_its_records_id_and_every_field() -> None:
    odd = []
    for path in sorted(RECORDS.glob("*.json")):
        raw = json.loads(path.read_text(encoding="utf-8"))
        whole = list(zoo().get(path.stem).model_dump()) == list(raw)
        odd += [] if whole and raw["model_id"] == path.stem else [path.name]
    assert odd == []


def test_every_stated_value_has_a_source_that_was_read() -> None:
    found = zoo().records
    without = [
        (each.model_id, path) for each in found for path, _ in each.stated() if not each.source_of(path)
    ]
    assert without == []


def test_figures_that_public_tables_hold_are_recorded_as_they_stand() -> None:
    zoo_ = zoo()
    clay, thor, moco = (zoo_.get(name) for name in ("clay", "thor-v1-tiny", "ssl4eo-s12-moco"))
    croma = {
        (each.dataset, each.sampling_percentage): each.metrics_value for each in zoo_.get("croma").benchmarks
    }
    assert (clay.num_parameters, clay.num_layers, clay.licence_weights, clay.version) == (
        632,
        24,
        "Apache-2.0",
        "1.5",
    )
    assert (thor.num_parameters, thor.num_layers) == (7.6, 12)
    assert (moco.licence_weights, moco.num_parameters) == ("CC-BY-4.0", 23.5)
    assert (croma["MADOS", None], croma["MADOS", 10.0]) == ((67.55,), (32.44,))


def test_what_sources_dispute_is_flagged_with_what_the_other_says() -> None:
    wildsat = zoo().get("wildsat")
    known = wildsat.provenance["repository"]
    assert wildsat.repository == "https://github.com/cvl-umass/wildsat"
    assert "repository" in wildsat.flagged() and "https://github.com/mdchuc/HRSFM" in (known.note or "")


def test_the_counts_add_up() -> None:
    records = zoo().records
    found = filled(records)
    assert found.records == found.by_field["model_name"] == len(records)
    assert found.by_field["modalities"] == sum(bool(each.modalities) for each in records)
    assert found.flagged == sum(len(each.flagged()) for each in records)
