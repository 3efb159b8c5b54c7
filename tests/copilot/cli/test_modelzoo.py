"""`copilot modelzoo`: what a user does with the records at the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.copilot.cli.conftest import Copilot
from tests.data.modelzoo.records import plain


def test_models_are_listed_with_size_modalities_and_sources(copilot: Copilot) -> None:
    rows = copilot("modelzoo", "list", "--modality", "sar", "--largest", "10", "--json").json
    assert rows and all("sar" in each["modalities"] and each["num_parameters"] <= 10 for each in rows)
    tiny = next(each for each in rows if each["model_id"] == "thor-v1-tiny")
    assert (tiny["num_parameters"], tiny["supported_sensors"]) == (
        7.6,
        ["Sentinel-1", "Sentinel-2", "Sentinel-3"],
    )
    assert "https://arxiv.org/abs/2601.16011" in tiny["sources"].values()


def test_a_record_is_shown_with_sources_and_confidence(copilot: Copilot) -> None:
    shown = copilot("modelzoo", "show", "clay").out.splitlines()
    said = next(line for line in shown if line.startswith("num_parameters: "))
    assert said.startswith("num_parameters: 632  [s") and said.endswith("; 0.8]")
    assert copilot("modelzoo", "show", "Clay", "--json").json["num_parameters"] == 632


def test_a_loadable_model_is_shown_in_stacs_words(copilot: Copilot) -> None:
    assert copilot("modelzoo", "show", "croma", "--mlm").json["mlm:name"] == "CROMA"


def test_two_models_are_compared_by_fields_and_results(copilot: Copilot) -> None:
    told = copilot("modelzoo", "diff", "croma", "dofa", "--json").json
    mados = {each["sampling_percentage"]: (each["left"], each["right"]) for each in told["shared_results"]
             if each["dataset"] == "MADOS"}  # fmt: skip
    assert mados == {None: (67.55, 59.58), 10.0: (32.44, 23.77)}
    assert "modalities" in [each["field"] for each in told["differences"]]


def test_the_zoo_is_clean(copilot: Copilot) -> None:
    done = copilot("modelzoo", "check", "--json")
    assert (done.status, done.json["findings"]) == (0, [])


def test_a_record_of_ones_own_is_checked_added_and_listed(copilot: Copilot, tmp_path: Path) -> None:
    bad, good = tmp_path / "bad.json", tmp_path / "good.json"
    bad.write_text(json.dumps(plain(modalities=["radar"])))
    good.write_text(json.dumps(plain()))
    refused = copilot("modelzoo", "add", str(bad), "--json")
    added = copilot("modelzoo", "add", str(good), "--json")
    again = copilot("modelzoo", "add", str(good), "--json")
    replaced = copilot("modelzoo", "add", str(good), "--replace", "--json")
    assert (refused.status, added.status, again.status, replaced.status) == (1, 0, 1, 0)
    assert refused.json["error"] == (
        "tiny: modalities: 'radar' is none of the modalities of vocabulary.toml."
    )
    assert "--replace" in again.json["error"]
    assert [each["model_id"] for each in copilot("modelzoo", "list", "tiny", "--json").json].count(
        "tiny"
    ) == 1


@pytest.mark.parametrize("form", ["csv", "jsonld"])
def test_all_records_are_exported(copilot: Copilot, tmp_path: Path, form: str) -> None:
    out = tmp_path / f"zoo.{form}"
    told = copilot("modelzoo", "export", str(out), "--form", form, "--json").json
    text = out.read_text(encoding="utf-8")
    written = text.count("\n") - 1 if form == "csv" else len(json.loads(text)["@graph"])
    assert (told["records"], written >= 170, written) == (written, True, told["records"])


def test_the_counts_are_told(copilot: Copilot) -> None:
    told = copilot("modelzoo", "counts", "--json").json
    assert told["records"] == told["by_field"]["model_name"] >= 170


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["show", "crom"], "did you mean croma"),
        (["show", "skysense", "--mlm"], "MLM says nothing"),
        (["add", "/nowhere/x.json"], "x.json cannot be read: No such file or directory."),
        (["export", "/nowhere/x.csv"], "/nowhere/x.csv cannot be written: No such file or directory."),
    ],
)
def test_what_cannot_be_done_is_told_in_one_sentence(
    copilot: Copilot, arguments: list[str], says: str
) -> None:
    done = copilot("modelzoo", *arguments, "--json")
    assert (done.status, says in done.json["error"]) == (1, True), done.json["error"]


def test_pulling_a_foundation_model_says_how_its_library_fetches_it(copilot: Copilot) -> None:
    told = copilot("models", "pull", "croma", "--json").json
    assert (told["fetched"], told["loading"][0]["library"]) == (False, "torchgeo")
    assert copilot("models", "pull", "croma").out.startswith("# torchgeo: pip install torchgeo\n")
    assert copilot("models", "pull", "no-such-model").status == 1
