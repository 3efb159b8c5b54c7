"""Whatever goes wrong is one sentence, and standard output has one JSON value or what was asked for."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.copilot.cli.conftest import ROOT, Copilot


@pytest.mark.parametrize(
    ("arguments", "said", "status"),
    [
        (["nope"], "No such command 'nope'. `copilot --help` shows what there is.", 2),
        (["tools", "--what"], "No such option: --what. `copilot --help` shows what there is.", 2),
        (
            ["bench", "run", "--shots", "12"],
            "Invalid value for '--shots': Input should be less than or equal to 10. "
            "`copilot --help` shows what there is.",
            2,
        ),
        (["session", "show"], "Missing argument 'session_id'. `copilot --help` shows what there is.", 2),
        (["session", "show", "nowhere"], "There is no session 'nowhere'.", 1),
        (["ask"], "Give either a request or --file FILE.", 1),
        (["ask", "  "], "The request is empty; write what you would like to see.", 1),
        (["ask", "hello", "--agent", "crew"], "There is no agent 'crew'. Agents: direct, react,", 1),
        (["ask", "hello", "--today", "May"], "'May' is no day; write it as YYYY-MM-DD.", 1),
        (["ask", "hello", "--session", "nowhere"], "There is no session 'nowhere'.", 1),
        (["call", "zoom_map", "level"], "'level' is not key=value.", 1),
        (["data", "remove", "fnow"], "There is no data set 'fnow' to remove in this catalogue.", 1),
        (["data", "ingest", "nowhere.csv"], "There is no file or folder 'nowhere.csv'; check the path.", 1),
        (["tools", "zoom_mapp"], "There is no tool 'zoom_mapp'. Did you mean zoom_map", 1),
    ],
)
def test_what_goes_wrong_is_told_in_one_sentence_and_as_json(
    copilot: Copilot, arguments: list[str], said: str, status: int
) -> None:
    done = copilot(*arguments, "--json")
    assert done.status == status and set(done.json) == {"error"}
    assert done.json["error"].startswith(said)
    assert done.err.strip().splitlines()[-1] == done.json["error"] and "Traceback" not in done.err


def test_without_json_standard_output_stays_empty_when_a_command_fails(copilot: Copilot) -> None:
    done = copilot("session", "show", "nowhere")
    assert (done.status, done.out, done.err) == (1, "", "There is no session 'nowhere'.\n")


@pytest.mark.parametrize(
    ("setting", "value", "said"),
    [
        ("AZIMUTH_STORE", "mysql://x", "The session store's address is not one of"),
        ("AZIMUTH_STORE", "postgresql://ann:s3cret@127.0.0.1:1/x", "The session store at postgresql"),
        ("AZIMUTH_HOME", "/proc/nowhere", "The home folder /proc/nowhere cannot be made"),
    ],
)
def test_a_wrong_setting_is_told_in_one_sentence(
    copilot: Copilot, setting: str, value: str, said: str
) -> None:
    done = copilot("session", "list", "--json", **{setting: value})
    assert done.status == 1 and done.json["error"].startswith(said)
    assert "s3cret" not in done.out + done.err


def test_text_of_any_script_is_printed_also_where_the_terminal_knows_only_ascii(copilot: Copilot) -> None:
    named = copilot(
        "call", "save_session", "name=Порт 海 é", "--json", PYTHONIOENCODING="ascii", PYTHONUTF8="0"
    )
    assert named.status == 0 and named.json["data"] == {"name": "Порт 海 é"}


def test_a_reader_that_goes_away_gets_no_traceback(copilot: Copilot) -> None:
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m copilot tools --json | true"],
        cwd=ROOT,
        env=copilot.environment(),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stderr == ""


def test_a_process_of_its_own_says_the_same_and_exits_with_it(copilot: Copilot) -> None:
    done = copilot.process("session", "show", "nowhere", "--json")
    assert (done.status, done.json) == (1, {"error": "There is no session 'nowhere'."})
    assert done.err == "There is no session 'nowhere'.\n"
    assert copilot.process("nope", "--json").status == 2
