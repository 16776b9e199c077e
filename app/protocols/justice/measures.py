"""Measures of a justice experiment: one figure for each run."""

from collections.abc import Iterator
from functools import partial
from itertools import product

from ....state.justice import PRINCIPLES
from ..hooks import DocumentMeasure, RunDocument


def list_justice_measures() -> Iterator[DocumentMeasure]:
    """Yield the measures of the adopted rule, of its payoffs and of the rankings."""
    yield DocumentMeasure("rule adopted", partial(_measure_group, "consensus_reached"), is_share=True)
    for number, principle in enumerate(PRINCIPLES, 1):
        yield DocumentMeasure(f"principle {number}", partial(_measure_principle, principle), is_share=True)
    for number in (3, 4):
        yield DocumentMeasure(
            f"amount of principle {number}",
            partial(_measure_group, "constraint_amount", principle=PRINCIPLES[number - 1]),
        )
    for key in ("constraint_satisfied", "binding", "decisive"):
        yield DocumentMeasure(f"amount {key.removeprefix('constraint_')}", partial(_measure_group, key), is_share=True)
    yield DocumentMeasure("payoff", partial(_compute_mean, "phase2", "payoff_cents"))
    yield DocumentMeasure("payoff alone", partial(_compute_mean, "phase1", "total_earnings"))
    for (number, principle), (index, when) in product(enumerate(PRINCIPLES, 1), ((0, "before"), (3, "after"))):
        yield DocumentMeasure(
            f"rank of principle {number}, {when}", partial(_measure_rank, principle, index), bounds=(1, 4)
        )
    yield DocumentMeasure("rankings moved", _measure_ranking_changes, bounds=(0, 6))


def _measure_group(key: str, document: RunDocument, principle: str = "") -> float | None:
    """Return a figure of the group; `None` if unknown, or if it adopted another principle."""
    group = document.get("phase2") or {}
    value = group.get(key)
    return None if value is None or principle not in ("", group["agreed_principle"]) else float(value)


def _measure_principle(principle: str, document: RunDocument) -> float | None:
    group = document.get("phase2") or {}
    return None if group.get("consensus_reached") is None else float(principle == group["agreed_principle"])


def _compute_mean(phase: str, key: str, document: RunDocument) -> float | None:
    entries = document.get(phase) or {}
    values = [entry[key] for entry in (entries.get("payoffs") or {} if phase == "phase2" else entries).values()]
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
