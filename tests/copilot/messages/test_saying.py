"""Texts in the language of who reads them: which that is, its forms for counts, its numbers and dates."""

from __future__ import annotations

import threading

import pytest

from copilot.messages import day, language, number, preferred, speaking, t, tn, words


@pytest.mark.parametrize(
    ("header", "chosen", "code"),
    [
        (None, None, "en"),
        ("es-MX,es;q=0.9,en;q=0.8", None, "es"),
        ("de-DE,fr;q=0.5,en;q=0.4", None, "fr"),
        ("zh-Hans-CN", None, "zh"),
        ("pt-BR,de", None, "en"),
        ("es;q=0,ar;q=0.1", None, "ar"),
        ("es;q=much,fr", None, "fr"),
        ("es", "ar", "ar"),
        ("es", "tlh", "es"),
    ],
)
def test_the_language_is_the_chosen_one_or_the_best_that_the_browser_asks_for(header, chosen, code):
    assert preferred(header, chosen) == code


def test_a_text_is_said_in_the_language_of_the_block_and_in_english_after_it_and_in_other_threads():
    heard = []
    with speaking("es"):
        assert (language(), t("Undo"), t("Delete {name}", name="Lyon")) == ("es", "Deshacer", "Borrar Lyon")
        other = threading.Thread(target=lambda: heard.append(t("Undo")))
        other.start()
        other.join()
    assert (heard, t("Undo")) == (["Undo"], "Undo")


def test_what_no_catalogue_has_is_said_in_english():
    with speaking("fr"):
        assert t("Nobody says this {name}.", name="yet") == "Nobody says this yet."


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("en", ["0 tasks", "1 task", "2 tasks", "5 tasks", "11 tasks", "100 tasks"]),
        ("fr", ["0 tâche", "1 tâche", "2 tâches", "5 tâches", "11 tâches", "100 tâches"]),
        ("ar", ["لا مهام", "مهمة واحدة", "مهمتان", "5 مهام", "11 مهمة", "100 مهمة"]),
        ("zh", ["0 个任务", "1 个任务", "2 个任务", "5 个任务", "11 个任务", "100 个任务"]),
    ],
)
def test_a_count_takes_the_form_that_its_language_has_for_it(code, said):
    with speaking(code):
        assert [tn("{n} task", "{n} tasks", n) for n in (0, 1, 2, 5, 11, 100)] == said


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("en", ("1,149,612", "1,234.50", "37%", "2026-11-28")),
        ("es", ("1.149.612", "1.234,50", "37\u00a0%", "28 nov 2026")),
        ("fr", ("1\u202f149\u202f612", "1\u202f234,50", "37\u00a0%", "28 nov. 2026")),
        ("zh", ("1,149,612", "1,234.50", "37%", "2026年11月28日")),
    ],
)
def test_numbers_and_dates_are_written_in_the_languages_manner(code, said):
    with speaking(code):
        assert (number(1149612), number(1234.5, ",.2f"), number(0.37, ".0%"), day("2026-11-28 10:00")) == said


def test_the_scripts_get_their_own_messages_alone_and_none_in_english():
    assert words() == {"language": "en", "one": {}, "several": {}}
    with speaking("ar"):
        found = words()
    assert found["language"] == "ar" and found["one"]["Explain this"] == "اشرح هذا"
    assert "Delete {name}" not in found["one"]
    assert len(found["several"]["{n} image: zoom in"]) == 6
