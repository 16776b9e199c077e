"""What is measured of every run, whatever else its experiment is about: one figure a run, with its bounds."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...state.justice import PRINCIPLES
from .answer import credit
from .data import Outcome
from .measures import kendall_w

Document = Mapping[str, Any]


@dataclass(frozen=True)
class Measure:
    """One figure of a run. `unit`: its unit; `share`: whether it is 0 or 1, so that means are shares.

    `graded`: whether a failed run counts as wrong, since there is right and wrong.
    """

    name: str
    meaning: str
    of: Callable[[Outcome], float | None]
    unit: str = ""
    share: bool = False
    graded: bool = False


def measures(found: Sequence[Outcome]) -> list[Measure]:
    """The measures these runs have something for."""
    told = [one for one in found if one.done and one.document is not None]
    return [one for one in _all(told) if any(one.of(each) is not None for each in told)]


def _all(told: Sequence[Outcome]) -> Iterator[Measure]:
    yield Measure("right", "the answer is the right one", _right, share=True, graded=True)
    reasons = sorted({str(_document(one)["terminationReason"]) for one in told})
    for reason in reasons if len(reasons) > 1 else []:
        yield Measure(f"ended: {reason}", "how the run ended", _is_reason(reason), share=True)
    yield Measure("rule adopted", "the group adopted a rule by vote", _adopted, share=True)
    for number in range(1, 5):
        yield Measure(f"principle {number}", "the rule that was adopted", _principle(number), share=True)
    yield Measure("payoff", "mean payoff of the group's draw", _payoff, "cents")
    yield Measure("agreement", "agreement after the last weighed round, 0 to 1", _agreement)
    yield Measure("Kendall's W, first", "how far the first rankings of the principles agree, 0 to 1", _agreed_first)
    yield Measure("Kendall's W, last", "how far the rankings after the talk agree, 0 to 1", _agreed_last)
    yield Measure("Kendall's W, answers", "how far the members' rankings of the answers agree, 0 to 1", _agreed_members)
    yield Measure("statements", "statements made", lambda one: float(len(_document(one)["turns"])))
    yield Measure("calls", "model calls", lambda one: float(_document(one)["totalCalls"]))
    yield Measure("tokens", "tokens of all calls", lambda one: float(_document(one)["totalTokens"]))
    yield Measure("money", "price of all calls", lambda one: _document(one)["totalCost"], "currency of the prices")
    yield Measure("seconds", "wall time", lambda one: _document(one)["totalTimeMs"] / 1000, "s")


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
    paid = [each["payoff_cents"] for each in (group or {}).get("payoffs", {}).values()]
    return sum(paid) / len(paid) if paid else None


def _agreement(one: Outcome) -> float | None:
    weighed = _document(one).get("weighings")
    scores = list(weighed[-1]["scores"].values()) if weighed else []
    return sum(scores) / len(scores) if scores else None
