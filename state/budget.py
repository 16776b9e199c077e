"""Hard caps: how much a run may still spend. A reserve is kept for the closing text."""

from collections.abc import Iterator, Sequence
from math import ceil

from .incident import EMBEDDING, Call, total_tokens
from .refused import Refused
from .rules import Rules

UNCOUNTED = {"calls": "", "tokens": ", prompts not counted", "cost": ", prompts not counted"}
"""What the least of a cap leaves out, since it is not known before the first call."""


def is_spent(rules: Rules, calls: Sequence[Call], reserve: int | None = None, asked: int = 1) -> bool:
    """Whether `asked` more calls, with `reserve` kept for the end (none: what the rules keep), could pass a cap.

    A call to come is taken to cost what the dearest one did, requests for vectors apart, and one statement more, since
    prompts grow; the closing text, for which the reserve is kept, its own length on top.
    """
    kept = rules.reserve if reserve is None else reserve
    return any(spent > cap for _, cap, spent in _reckoned(rules, calls, kept, asked))


def check_budget(rules: Rules, alone: int = 0, before: int = 0, reserve: int | None = None) -> None:
    """Refuse, before any call, a budget that buys no statement beside what is kept for the end, and say what would.

    `alone`: how many are asked first, at the same time and each alone; 0: somebody speaks first. `before`: how many are
    asked for their position before anybody speaks. `reserve`: calls kept for the end; none: what the rules keep.
    """
    kept, asked = rules.reserve if reserve is None else reserve, alone or 1 + before
    each = ["everyone's position"] * bool(before) + ["a call to each participant" if alone else "a statement"]
    each += ["the closing text"] * bool(kept)
    bought = " and ".join(filter(None, [", ".join(each[:-1]), each[-1]]))
    for name, cap, least in _reckoned(rules, (), kept, asked):
        if least > cap:
            shown = f"{ceil(least * 1e6) / 1e6:,.6f}" if name == "cost" else f"{least:,}"
            remedy = f"give at least {shown}, enough for {bought}{UNCOUNTED[name]}; or none for no cap"
            raise Refused(f"budget.{name}", cap, remedy)


def _reckoned(rules: Rules, calls: Sequence[Call], reserve: int, asked: int) -> Iterator[tuple[str, float, float]]:
    """Each cap there is: its name, the cap, and where `asked` more calls and the reserve could bring the run."""
    budget, ahead = rules.budget, reserve + asked
    if budget.calls is not None:
        yield "calls", budget.calls, len(calls) + ahead
    if budget.tokens is None and budget.cost is None:
        return
    calls = [call.for_caps for call in calls]
    asking = [call for call in calls if call.purpose != EMBEDDING]
    growth, closing = ahead * rules.max_tokens_per_turn, reserve * rules.max_tokens_synthesis
    if budget.tokens is not None:
        dearest = max((call.tokens for call in asking), default=0)
        yield "tokens", budget.tokens, total_tokens(calls) + ahead * dearest + growth + closing
    if budget.cost is not None and rules.prices is not None:
        prices = rules.prices
        dearest_cost = max((prices.most(call) for call in asking), default=0.0)
        longer = prices.most(Call(purpose="ahead", input_tokens=growth, output_tokens=closing))
        yield "cost", budget.cost, prices.spent(calls) + ahead * dearest_cost + longer
