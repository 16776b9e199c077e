"""Hard caps: how much a run may still spend. A reserve is kept for the closing text."""

from collections.abc import Sequence

from .incident import Call, total_tokens
from .rules import Rules


def is_spent(rules: Rules, calls: Sequence[Call], reserve: int | None = None, asked: int = 1) -> bool:
    """Whether `asked` more calls, with `reserve` kept for the end (none: what the rules keep), could pass a cap.

    A call to come is taken to cost what the dearest one did and one statement more, since prompts grow; the closing
    text, for which the reserve is kept, its own length on top.
    """
    budget, made = rules.budget, list(calls)
    reserve = rules.reserve if reserve is None else reserve
    ahead = reserve + asked
    if budget.calls is not None and len(made) + ahead > budget.calls:
        return True
    growth, closing = ahead * rules.max_tokens_per_turn, reserve * rules.max_tokens_synthesis
    if budget.tokens is not None:
        dearest = max((call.tokens for call in made), default=0)
        if total_tokens(made) + ahead * dearest + growth + closing > budget.tokens:
            return True
    if budget.cost is not None and rules.prices is not None:
        prices = rules.prices
        dearest_cost = max((prices.cost([call]) for call in made), default=0.0)
        longer = prices.cost([Call(purpose="ahead", input_tokens=growth, output_tokens=closing)])
        return prices.cost(made) + ahead * dearest_cost + longer > budget.cost
    return False
