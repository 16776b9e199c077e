"""Measures of a justice experiment: one figure for each run."""

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import product
from typing import Any

from ....state.justice import PRINCIPLES
from ..hooks import DocumentMeasure, RunDocument


def list_justice_measures() -> Iterator[DocumentMeasure]:
    """Yield the measures of the adopted rule, of its payoffs and of the rankings."""
    yield DocumentMeasure("rule adopted", partial(_measure_flag, "consensus_reached"), is_share=True)
    for number, principle in enumerate(PRINCIPLES, 1):
        yield DocumentMeasure(f"principle {number}", partial(_measure_principle, principle), is_share=True)
    for number in (3, 4):
        yield DocumentMeasure(f"amount of principle {number}", partial(_measure_amount, PRINCIPLES[number - 1]))
    for key in ("constraint_satisfied", "binding", "decisive"):
        yield DocumentMeasure(f"amount {key.removeprefix('constraint_')}", partial(_measure_flag, key), is_share=True)
    yield DocumentMeasure("payoff", lambda document: _compute_mean(_get_group(document).get("payoffs"), "payoff_cents"))
    yield DocumentMeasure("payoff alone", lambda document: _compute_mean(document.get("phase1"), "total_earnings"))
    for (number, principle), (index, when) in product(enumerate(PRINCIPLES, 1), ((0, "before"), (3, "after"))):
        measure_rank = partial(_measure_rank, principle, index)
        yield DocumentMeasure(f"rank of principle {number}, {when}", measure_rank, bounds=(1, 4))
    yield DocumentMeasure("rankings moved", _measure_ranking_changes, bounds=(0, 6))


def _get_group(document: RunDocument) -> Mapping[str, Any]:
    """Return the group phase; empty before it began."""
    return document.get("phase2") or {}


def _measure_flag(key: str, document: RunDocument) -> float | None:
    flag = _get_group(document).get(key)
    return None if flag is None else float(flag)


def _measure_principle(principle: str, document: RunDocument) -> float | None:
    group = _get_group(document)
    return None if group.get("consensus_reached") is None else float(principle == group["agreed_principle"])


def _measure_amount(principle: str, document: RunDocument) -> float | None:
    amount = _get_group(document).get("constraint_amount")
    return float(amount) if amount is not None and _get_group(document)["agreed_principle"] == principle else None


def _compute_mean(entries: Mapping[str, Any] | None, key: str) -> float | None:
    values = [entry[key] for entry in (entries or {}).values()]
    return sum(values) / len(values) if values else None


def _measure_rank(principle: str, index: int, document: RunDocument) -> float | None:
    standings = (document.get("measures") or {}).get("standings", [])
    rank = standings[index]["mean_rank"].get(principle) if index < len(standings) else None
    return None if rank is None else float(rank)


def _measure_ranking_changes(document: RunDocument) -> float | None:
    for change in (document.get("measures") or {}).get("changes", []):
        if (change["first"], change["second"]) == (1, 4):
            return None if change["kendall_mean"] is None else float(change["kendall_mean"])
    return None
