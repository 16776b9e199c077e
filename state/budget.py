"""Hard caps: how much a run may still spend. A reserve is kept for the closing text."""

from collections.abc import Sequence

from .incident import Call, total_tokens
from .rules import Rules

RESERVE = 1
"""Calls kept back for the synthesis."""


def calls_left(rules: Rules, calls: Sequence[Call]) -> int | None:
    """Calls the cap still allows, none kept back; `None`: no cap."""
    cap = rules.budget.calls
    return None if cap is None else max(0, cap - len(calls))


def is_spent(rules: Rules, calls: Sequence[Call], reserve: int = RESERVE, asked: int = 1) -> bool:
    """Whether `asked` more calls, with `reserve` kept for the end, would pass a cap.

    Tokens and money of a call to come are taken to be those of the dearest call so far.
    """
    budget, made = rules.budget, list(calls)
    ahead = reserve + asked
    if budget.calls is not None and len(made) + ahead > budget.calls:
        return True
    if budget.tokens is not None:
        dearest = max((call.tokens for call in made), default=0)
        if total_tokens(made) + ahead * dearest > budget.tokens:
            return True
    if budget.cost is not None and rules.prices is not None:
        prices = rules.prices
        dearest_cost = max((prices.cost([call]) for call in made), default=0.0)
        return prices.cost(made) + ahead * dearest_cost > budget.cost
    return False


def tries_left(rules: Rules, calls: Sequence[Call], reserve: int = RESERVE) -> int:
    """Tries one question may use: its own bound, or what the cap on calls leaves."""
    left = calls_left(rules, calls)
    return rules.statement_tries if left is None else max(0, min(rules.statement_tries, left - reserve))
