"""What is measured of every run, whatever else its experiment is about: one figure a run, with its bounds."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from ...state.justice import PRINCIPLES
from .answer import credit
from .data import Outcome
from .measures import kendall_w

Document = Mapping[str, Any]
PLACES = range(1, 5)
"""The principles of justice, by number."""
AMOUNTS = ("constraint_satisfied", "binding", "decisive")
"""What is known of the amount of an adopted rule: yes or no."""


@dataclass(frozen=True)
class Measure:
    """One figure of a run, whose words are among the phrases. `share`: whether it is 0 or 1, so that means are shares.

    `graded`: whether a failed run counts as wrong, since there is right and wrong. `bounds`: the least and the greatest
    it can be; none: 0 and what the runs bring.
    """

    name: str
    of: Callable[[Outcome], float | None]
    share: bool = False
    graded: bool = False
    bounds: tuple[float, float] | None = None


def measures(found: Sequence[Outcome]) -> list[Measure]:
    """The measures these runs have something for."""
    told = [one for one in found if one.done and one.document is not None]
    return [one for one in _all(told) if any(one.of(each) is not None for each in told)]


def _all(told: Sequence[Outcome]) -> Iterator[Measure]:
    yield Measure("right", _right, share=True, graded=True)
    reasons = sorted({str(_document(one)["terminationReason"]) for one in told})
    for reason in reasons if len(reasons) > 1 else []:
        yield Measure(f"ended: {reason}", _is_reason(reason), share=True)
    yield from _of_justice()
    yield Measure("agreement", _agreement, bounds=(0, 1))
    yield Measure("Kendall's W, first", _agreed_first, bounds=(0, 1))
    yield Measure("Kendall's W, last", _agreed_last, bounds=(0, 1))
    yield Measure("Kendall's W, answers", _agreed_members, bounds=(0, 1))
    yield Measure("statements", lambda one: float(len(_document(one)["turns"])))
    yield Measure("calls", lambda one: float(_document(one)["totalCalls"]))
    yield Measure("tokens", lambda one: float(_document(one)["totalTokens"]))
    yield Measure("money", lambda one: _document(one)["totalCost"])
    yield Measure("seconds", lambda one: _document(one)["totalTimeMs"] / 1000)


def _of_justice() -> Iterator[Measure]:
    yield Measure("rule adopted", _adopted, share=True)
    for number in PLACES:
        yield Measure(f"principle {number}", _principle(number), share=True)
    for number in (3, 4):
        yield Measure(f"amount of principle {number}", _amount(number))
    for key in AMOUNTS:
        yield Measure(f"amount {key.removeprefix('constraint_')}", _flag(key), share=True)
    yield Measure("payoff", _payoff)
    yield Measure("payoff alone", _alone)
    for number, (place, when) in product(PLACES, ((0, "before"), (3, "after"))):
        yield Measure(f"rank of principle {number}, {when}", _rank(number, place), bounds=(1, 4))
    yield Measure("rankings moved", _moved, bounds=(0, 6))


def _document(one: Outcome) -> Document:
    assert one.document is not None
    return one.document


def _right(one: Outcome) -> float | None:
    truth = one.trial.item.truth
    return None if truth is None else credit(_document(one), truth)


def _is_reason(reason: str) -> Callable[[Outcome], float | None]:
    return lambda one: float(_document(one)["terminationReason"] == reason)


def _group(one: Outcome) -> Document | None:
    found: Document | None = _document(one).get("phase2")
    return found


def _adopted(one: Outcome) -> float | None:
    group = _group(one)
    return None if group is None or group["consensus_reached"] is None else float(group["consensus_reached"])


def _principle(number: int) -> Callable[[Outcome], float | None]:
    def of(one: Outcome) -> float | None:
        group = _group(one)
        if group is None or group["consensus_reached"] is None:
            return None
        return float(PRINCIPLES[number - 1] == group["agreed_principle"])

    return of


def _amount(number: int) -> Callable[[Outcome], float | None]:
    def of(one: Outcome) -> float | None:
        group = _group(one) or {}
        is_it = group.get("agreed_principle") == PRINCIPLES[number - 1]
        return float(group["constraint_amount"]) if is_it and group["constraint_amount"] is not None else None

    return of


def _flag(key: str) -> Callable[[Outcome], float | None]:
    def of(one: Outcome) -> float | None:
        found = (_group(one) or {}).get(key)
        return None if found is None else float(found)

    return of


def _agreed_first(one: Outcome) -> float | None:
    alone = _document(one).get("phase1") or {}
    return _concordance([_order(each["initial_ranking"]) for each in alone.values()])


def _agreed_last(one: Outcome) -> float | None:
    return _concordance([_order(each) for each in (_group(one) or {}).get("final_rankings", {}).values()])


def _agreed_members(one: Outcome) -> float | None:
    return _concordance([each["ranking"] for each in _document(one).get("reviews") or []])


def _order(ranking: Mapping[str, Any] | None) -> list[Any]:
    """The order of a ranking; empty where none was given."""
    return [] if ranking is None or ranking["defaulted"] else list(ranking["order"])


def _concordance(orders: Sequence[Sequence[Any]]) -> float | None:
    """Kendall's W of those who ranked; none where they did not all rank the same things."""
    given = [one for one in orders if one]
    if len({frozenset(one) for one in given}) != 1:
        return None
    return kendall_w([[float(one.index(thing)) for thing in sorted(given[0])] for one in given])


def _payoff(one: Outcome) -> float | None:
    group = _group(one)
    return _mean([each["payoff_cents"] for each in (group or {}).get("payoffs", {}).values()])


def _alone(one: Outcome) -> float | None:
    return _mean([each["total_earnings"] for each in (_document(one).get("phase1") or {}).values()])


def _rank(number: int, place: int) -> Callable[[Outcome], float | None]:
    """The mean rank of a principle in the first, second, third or last rankings, by `place` from 0."""

    def of(one: Outcome) -> float | None:
        standings = (_document(one).get("measures") or {}).get("standings", [])
        ranks = standings[place]["mean_rank"] if place < len(standings) else {}
        return None if PRINCIPLES[number - 1] not in ranks else float(ranks[PRINCIPLES[number - 1]])

    return of


def _moved(one: Outcome) -> float | None:
    changes = (_document(one).get("measures") or {}).get("changes", [])
    found = next((each["kendall_mean"] for each in changes if (each["first"], each["second"]) == (1, 4)), None)
    return None if found is None else float(found)


def _agreement(one: Outcome) -> float | None:
    weighed = _document(one).get("weighings")
    scores = list(weighed[-1]["scores"].values()) if weighed else []
    return _mean(scores)


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
