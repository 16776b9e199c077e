"""Caps on calls, tokens and cost of a run, with a reserve for the synthesis."""

from collections.abc import Iterator, Sequence
from math import ceil

from .errors import InputError
from .records import EMBEDDING_PURPOSE, Call, sum_tokens
from .settings import Settings

UNCOUNTED_NOTES = {"calls": "", "tokens": ", without prompts", "cost": ", without prompts"}
"""Notes on the costs that a minimum budget leaves out, because they are unknown before the first call."""


def is_budget_spent(settings: Settings, calls: Sequence[Call], reserve: int | None = None, new_calls: int = 1) -> bool:
    """Return whether the next `new_calls` calls and the reserved ones could exceed a cap.

    `reserve`: number of calls kept for the end; `None` takes the number in the settings. Each future call counts as
    much as the most expensive call so far, plus one statement, because prompts grow. The most expensive call is never
    an embedding call or a lost call. A lost call counts against the caps on tokens and cost, and not against the one on
    calls. A reserved call counts the length of a synthesis in addition.
    """
    reserve_calls = settings.reserve if reserve is None else reserve
    return any(projection > cap for _, cap, projection in _project_spending(settings, calls, reserve_calls, new_calls))


def check_budget(
    settings: Settings, parallel_calls: int = 0, position_calls: int = 0, reserve: int | None = None
) -> None:
    """Check before any call that the budget can pay for one statement and the reserve.

    `parallel_calls`: participants that answer at the same time at the start; 0 if a single participant speaks first.
    `position_calls`: position calls before the first statement. `reserve`: calls kept for the end; `None` takes the
    number in the settings. Raises `InputError`, which names a sufficient budget.
    """
    reserve_calls, new_calls = settings.reserve if reserve is None else reserve, parallel_calls or 1 + position_calls
    items = ["everyone's position"] * bool(position_calls) + [
        "a call to each participant" if parallel_calls else "a statement"
    ]
    items += ["the synthesis"] * bool(reserve_calls)
    affordable_text = " and ".join(filter(None, [", ".join(items[:-1]), items[-1]]))
    for name, cap, minimum in _project_spending(settings, (), reserve_calls, new_calls):
        if minimum > cap:
            amount = f"{ceil(minimum * 1e6) / 1e6:,.6f}" if name == "cost" else f"{minimum:,}"
            raise InputError(
                f"budget.{name}",
                cap,
                (f"give at least {amount}, enough for {affordable_text}{UNCOUNTED_NOTES[name]}; write none for no cap"),
            )


def _project_spending(
    settings: Settings, calls: Sequence[Call], reserve: int, new_calls: int
) -> Iterator[tuple[str, float, float]]:
    budget, future_calls = settings.budget, reserve + new_calls
    if budget.calls is not None:
        yield "calls", budget.calls, sum(not call.is_lost for call in calls) + future_calls
    if budget.tokens is None and budget.cost is None:
        return
    calls = [call.call_at_maximum_usage for call in calls]
    text_calls = [call for call in calls if call.purpose != EMBEDDING_PURPOSE and not call.is_lost]
    growth, synthesis = future_calls * settings.max_tokens_per_turn, reserve * settings.max_tokens_synthesis
    if budget.tokens is not None:
        highest_tokens = max((call.tokens for call in text_calls), default=0)
        yield "tokens", budget.tokens, sum_tokens(calls) + future_calls * highest_tokens + growth + synthesis
    if budget.cost is not None and settings.prices is not None:
        prices, future_call = settings.prices, Call(purpose="ahead", input_tokens=growth, output_tokens=synthesis)
        added_cost = prices.compute_max_cost(future_call)
        highest_cost = max((prices.compute_max_cost(call) for call in text_calls), default=0.0)
        yield "cost", budget.cost, prices.compute_capped_cost(calls) + future_calls * highest_cost + added_cost
