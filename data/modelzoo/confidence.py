"""How sure a value of a record is, by how many parties that do not depend on each other state it.

REMSA lets a language model read and weighs its certainty; here no model reads, so only agreement counts. The
makers of a model (their paper, repository and card) are one party, every table and every list is another. A
value is wrong only where all who state it are wrong: confidence = 1 − Π (1 − trust of a party), at most 0.97,
times the share of the parties that agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from data.modelzoo.schema import Source, SourceKind

TRUST: Mapping[SourceKind, float] = {
    "paper": 0.8,
    "repository": 0.8,
    "card": 0.8,
    "table": 0.75,
    "list": 0.7,
}
"""How often a party of the kind is right about one value, as this project assumes: makers copy themselves
rightly, a table is loaded by code that would fail on a wrong one, a list is kept by hand."""
HIGHEST = 0.97
"""No agreement of public pages makes a value surer."""
_MAKERS = frozenset({"paper", "repository", "card"})


def confidence(stating: Iterable[Source], against: Iterable[Source] = ()) -> float:
    """The confidence of a value that `stating` state and `against` state otherwise, 0 to 1, two decimals."""
    agreeing, other = _parties(stating), _parties(against)
    if not agreeing:
        return 0.0
    wrong = 1.0
    for trust in agreeing.values():
        wrong *= 1 - trust
    share = len(agreeing) / (len(agreeing) + len(other))
    return round(min(1 - wrong, HIGHEST) * share, 2)


def _parties(sources: Iterable[Source]) -> dict[str, float]:
    """Who states it, with how far each is trusted: the makers once, however many of their pages say it."""
    parties: dict[str, float] = {}
    for source in sources:
        party = "makers" if source.kind in _MAKERS else source.url
        parties[party] = max(parties.get(party, 0.0), TRUST[source.kind])
    return parties
