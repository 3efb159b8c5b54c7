"""Which requests are taken for a language that is not read: none in English, whatever names are in it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from copilot.messages.identifying import foreign, in_their_words
from copilot.session import Session

BANK = Path(__file__).resolve().parents[3] / "copilot" / "language" / "bank" / "examples"
MOST_IN_10000 = 5
"""Of the bank's requests; half of what is left are whole sentences in Spanish or French."""


@pytest.mark.parametrize(
    "request_",
    [
        "São Paulo", "ships near Málaga", "zoom to Côte d'Ivoire", "images of Île-de-France", "Las Vegas",
        "Saint-Pierre et Miquelon", "Santiago de Compostela", "Provence-Alpes-Côte d'Azur", "Baie de Seine",
        "ports of Le Havre and Marseille", "Puerto de la Cruz and Las Palmas de Gran Canaria",
        "Quito", "undo",
        "call the layer bouées de Hollande", "name it “mes images de la baie”",
        "vessels off Saint-Jean-de-Luz",
        "Show me ships near 北京", "北京", "東京タワーの近くの船を見せて", "zoom to القاهرة", "الرياض",
        "NDVI", "2019?", "",
        "zoom to 新疆维吾尔自治区", "Isla de la Juventud", "plot vehicles in Ciudad del Este",
        "Estrecho de Magallanes",
    ],
)  # fmt: skip
def test_an_english_request_stays_one_whatever_names_it_has(request_: str):
    assert foreign(request_) is None


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        ("muéstrame los barcos cerca de Málaga", "es"),
        ("¿Cuántas imágenes hay de 2019?", "es"),
        ("dibuja un círculo de 50 km alrededor de Sevilla", "es"),
        ("borra todas las capas", "es"),
        ("¿Qué puedes hacer?", "es"),
        ("montre-moi les bateaux près de Marseille", "fr"),
        ("quels pays ont le plus d'aéroports ?", "fr"),
        ("supprime toutes les couches", "fr"),
        ("affiche les images de mai 2018 avec des véhicules près de Pittsburgh", "fr"),
        ("اعرض السفن قرب الإسكندرية", "ar"),
        ("احسب NDVI لهذه الصورة", "ar"),
        ("ماذا تستطيع أن تفعل؟", "ar"),
        ("显示上海附近的船只", "zh"),
        ("2019年有多少张图像？", "zh"),
        ("计算这幅图像的NDVI", "zh"),
    ],
)
def test_a_request_in_one_of_the_four_languages_is_known_for_it(request_: str, code: str):
    assert foreign(request_) == code


@pytest.mark.slow
def test_of_the_banks_requests_hardly_one_is_taken_for_another_language():
    said = [
        turn["say"]
        for path in sorted(BANK.rglob("*.jsonl"))
        for line in path.read_text(encoding="utf-8").splitlines()
        for turn in json.loads(line)["turns"]
    ]
    taken = [each for each in said if foreign(each)]
    assert len(said) > 28_000
    assert len(taken) * 10_000 < MOST_IN_10000 * len(said), taken


def test_it_is_answered_in_its_language_with_what_can_be_done_and_changes_nothing(session: Session):
    before = session.state
    answer = session.ask("muéstrame los barcos cerca de Málaga")
    assert (answer.outcome, answer.reply, list(answer.calls)) == ("rejected", in_their_words("es"), [])
    assert answer.reply.startswith("Por ahora las solicitudes se leen en inglés.")
    assert session.state == before


def test_what_it_names_as_an_example_works(session: Session):
    for request in ("Where is Pittsburgh?", "Draw a circle of 50 km around Rotterdam"):
        assert f"“{request}”" in in_their_words("zh")
        assert session.ask(request).outcome == "done"
