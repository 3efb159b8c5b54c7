"""`copilot doctor` says plainly which model answers, whether it can be reached, and who answers instead."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from copilot import reach
from tests.copilot.cli.conftest import Copilot
from tests.openai_server import KEY, Reply, ends, fails, openai_server, page_instead


def model_lines(copilot: Copilot, **settings: str) -> dict[str, tuple[bool, str]]:
    done = copilot("doctor", "--json", **settings)
    assert KEY not in done.out + done.err
    named = ("model", "key", "model server", "fallback")
    return {each["what"]: (each["ok"], each["says"]) for each in done.json if each["what"] in named}


def test_a_model_that_answers_is_told_with_where_it_is_and_who_answers_instead(copilot: Copilot) -> None:
    with openai_server(fails(500, "never asked")) as server:
        where, address = server.url, {"OPENAI_BASE_URL": server.url, "COPILOT_MODEL": "small"}
        found = model_lines(copilot, **address, OPENAI_API_KEY=KEY, COPILOT_FALLBACK_MODEL="embedded")
        bare = model_lines(copilot, **address)
        assert server.asked == []
    assert found == {
        "model": (True, "small at 127.0.0.1: nothing leaves this machine"),
        "key": (True, "taken from OPENAI_API_KEY"),
        "model server": (True, f"{where} answers and has 'small'"),
        "fallback": (True, "the embedded planner answers where the model does not"),
    }
    assert bare["key"] == (True, "none set; some servers need none")
    assert bare["fallback"] == (
        False,
        "COPILOT_FALLBACK_MODEL is not set; 'embedded' would answer where the model does not",
    )


def test_another_model_of_the_same_server_can_answer_instead(copilot: Copilot) -> None:
    with openai_server(fails(500, "never asked")) as server:
        found = model_lines(copilot, OPENAI_BASE_URL=server.url, COPILOT_FALLBACK_MODEL="tiny")
    assert found["fallback"] == (True, "tiny, at the same address, answers where the model does not")


@pytest.mark.parametrize(
    ("listing", "ok", "says"),
    [
        (
            fails(401, f"Incorrect API key provided: {KEY}"),
            False,
            "refuses the key (401); correct OPENAI_API_KEY",
        ),
        (fails(503, "Overloaded."), False, "answers with status 503"),
        (
            fails(404, "Not found."),
            True,
            "answers; it keeps no list of models, so 'small' is not confirmed",
        ),
        (
            page_instead(),
            False,
            "answers, but not as an OpenAI-compatible server; OPENAI_BASE_URL ends in /v1",
        ),
        (
            Reply(body=b'{"object": "list", "data": [{"id": "large"}]}'),
            False,
            "has no model 'small'; set COPILOT_MODEL to one that it has, such as large",
        ),
        (ends("hangs"), False, "does not answer within 1 s"),
    ],
)
def test_what_is_wrong_with_a_server_is_one_sentence(
    copilot: Copilot, monkeypatch: pytest.MonkeyPatch, listing: Reply, ok: bool, says: str
) -> None:
    monkeypatch.setattr(reach, "_SECONDS", 1.0)
    with openai_server(fails(500, "never asked")) as server:
        server.listing = listing
        settings = {"OPENAI_BASE_URL": server.url, "COPILOT_MODEL": "small", "OPENAI_API_KEY": KEY}
        assert model_lines(copilot, **settings)["model server"] == (ok, f"{server.url} {says}")
        assert copilot("doctor", **settings).status == (0 if ok else 1)


def test_a_server_that_is_not_there_is_told_without_what_is_secret_in_its_address(copilot: Copilot) -> None:
    found = model_lines(copilot, OPENAI_BASE_URL="http://ann:s3cret@127.0.0.1:1/v1")
    assert found["model server"] == (
        False,
        "nothing answers at http://127.0.0.1:1/v1; start the server, or correct OPENAI_BASE_URL",
    )


def test_the_embedded_planner_needs_no_key_no_server_and_nobody_instead(copilot: Copilot) -> None:
    found: dict[str, Any] = model_lines(copilot)
    assert found == {"model": (True, "embedded planner, offline"), "key": (True, "none needed")}


def findings(copilot: Copilot, **settings: str) -> dict[str, tuple[bool, str]]:
    told = copilot("doctor", "--json", **settings).json
    return {each["what"]: (each["ok"], each["says"]) for each in told}


def test_what_is_open_over_the_web_is_told(copilot: Copilot, tmp_path: Path) -> None:
    usual = findings(copilot)
    assert usual["data folders"] == (
        True,
        "none; over the web only uploads are read (AZIMUTH_DATA_FOLDERS opens folders to all)",
    )
    assert usual["names"] == (True, "localhost")
    (tmp_path / "imagery").mkdir()
    opened = findings(
        copilot,
        AZIMUTH_DATA_FOLDERS=str(tmp_path / "imagery"),
        AZIMUTH_HOSTS="maps.lan,https://maps.example.org",
    )
    assert opened["data folders"] == (True, f"imagery/ is {tmp_path / 'imagery'}")
    assert opened["names"] == (True, "localhost, maps.lan, maps.example.org")
    wrong = findings(copilot, AZIMUTH_DATA_FOLDERS=str(tmp_path / "none"), AZIMUTH_HOSTS="http://*")
    assert wrong["data folders"] == (
        False,
        f"{tmp_path / 'none'} cannot be read; correct AZIMUTH_DATA_FOLDERS",
    )
    assert wrong["names"] == (
        False,
        "http://* is no name of a host; write AZIMUTH_HOSTS=maps.lan,https://maps.example.org",
    )
