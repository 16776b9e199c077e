"""Nodes of the inner graph that answers a question with look-ups.

The participant requests look-ups, and the owner approves them. Then they run in parallel, and the participant
continues. A look-up that may change something runs at most once. Before it begins, the nonce of the invocation is
saved, so that another invocation does not repeat it after a crash.
"""

from dataclasses import replace

from langgraph.types import Send

from ...models import NoAnswerError
from ...prompts import get_term
from ...state.lookups import Lookup
from ..ask.ask_with_retries import ask_model
from ..ask.call_options import Answer, CallOptions
from ..ask.reply_schema import END_KEYS
from ..ask.step_spending import use_journal, use_spending
from .lookup_turn import (
    LookupLoopState,
    LookupLoopUpdate,
    LookupTurn,
    build_exchange,
    get_lookup_turn,
    list_tool_requests,
)


async def think(state: LookupLoopState) -> LookupLoopUpdate:
    """Ask the participant, who answers or requests look-ups.

    Raises `NoAnswerError`, with all calls and look-ups of the question, if no attempt gives an answer.

    Reads exchange, lookups, calls, incidents; writes exchange, calls, incidents.
    """
    turn = get_lookup_turn()
    call = build_call(turn, state)
    prompt = replace(turn.prompt, exchange=build_exchange(state, call.lookup_prefix))
    if state["exchange"] and not call.allowed_tools:
        prompt = replace(prompt, retry_reason=get_term(prompt.language, "lookups", "no_more"))

    def find_fault(answer: Answer) -> str | None:
        return turn.check(replace(answer, lookups=state["lookups"])) if turn.check else None

    try:
        async with use_journal(call.settings.prices):
            with use_spending(turn.spending):
                answer = await ask_model(prompt, call, find_fault)
    except NoAnswerError as failure:
        raise NoAnswerError(
            failure.kind,
            [*state["calls"], *failure.calls],
            [*state["incidents"], *failure.incidents],
            failure.prompt_limits,
            failure.replies,
            state["lookups"],
        ) from None
    assert answer.message is not None
    turn.answer = None if answer.wants_tools else answer
    finish = {key: answer.message.response_metadata[key] for key in END_KEYS if key in answer.message.response_metadata}
    message = answer.message.model_copy(update={"response_metadata": finish, "usage_metadata": None})
    return LookupLoopUpdate(exchange=[message], calls=answer.calls, incidents=answer.incidents)


def build_call(turn: LookupTurn, state: LookupLoopState) -> CallOptions:
    """Build the options of the next call, with as many attempts as remain.

    If no look-ups are left, the participant may call no tool.
    """
    call, settings = turn.call, turn.call.settings
    uncounted_calls = [past_call for past_call in state["calls"] if past_call not in turn.spending.calls]
    retries = sum(incident.consequence == "asked again" for incident in state["incidents"])
    called = sum(lookup.status != "too_many" for lookup in state["lookups"])
    call = replace(
        call,
        past_calls=[*call.past_calls, *uncounted_calls],
        max_attempts=max(1, call.max_attempts - retries),
        has_answered=call.has_answered or bool(state["exchange"]),
    )
    has_rounds = len(state["exchange"]) < settings.lookups.rounds
    if has_rounds and called < settings.lookups.per_turn and count_affordable(turn, state["lookups"]) > 0:
        return call
    return replace(call, allowed_tools=())


def count_affordable(turn: LookupTurn, lookups: list[Lookup]) -> int:
    """Return how many more look-ups the budget allows; without a cap, how many the turn allows.

    `lookups`: look-ups of this question so far.
    """
    cap = turn.call.settings.budget.lookups
    if cap is None:
        return turn.call.settings.lookups.per_turn
    uncounted = max(0, len(lookups) - turn.reserved)  # those that an earlier invocation of this step ran
    return cap - len(turn.call.past_lookups) - turn.spending.lookups - uncounted


def route_after_thought(state: LookupLoopState) -> str:
    """Route to the approval of the requested look-ups, or to the end if the participant answered."""
    return "look up" if list_tool_requests(state["exchange"][-1]) else "answered"


async def begin(state: LookupLoopState) -> LookupLoopUpdate:
    """Save the nonce of the invocation that begins the look-ups.

    Reads nothing; writes loop_nonce.
    """
    return LookupLoopUpdate(loop_nonce=get_lookup_turn().nonce)


def send_to_tools(state: LookupLoopState) -> list[Send]:
    """Return a `Send` to a branch for each planned look-up."""
    return [
        Send("use", {"planned_lookup": planned_lookup, "loop_nonce": state["loop_nonce"]})
        for planned_lookup in state["planned_lookups"]
    ]
