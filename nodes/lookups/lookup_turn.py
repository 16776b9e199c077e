"""Questions with look-ups: an inner graph asks the participant and runs its tools, until it answers.

The inner graph has its own checkpoints under those of the step, so a killed run continues inside the turn. The prompt,
the options and the check are not stored.
"""

from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Annotated, Any
from uuid import uuid4

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.runnables.config import merge_configs
from langgraph.config import get_config
from typing_extensions import TypedDict

from ...models import RunStoppedError
from ...state import (
    Call,
    Incident,
    Lookup,
    PlannedLookup,
    Settings,
    bind_variable,
    build_adapter,
    gather_calls,
    gather_incidents,
    make_append_reducer,
    make_delta_channel,
)
from ...state.lookups.record import list_cited_lookup_ids
from ...storage import DURABILITY_KEY, LOOKUP_MARK, find_saver, run_nested, with_stored_types
from ..ask.attempt import AttemptLoop
from ..ask.call_options import Answer, CallOptions, Check
from ..ask.prompt import Prompt
from ..ask.step_spending import StepSpending, get_step_spending

SHARED_LENGTH = 1200


class LookupLoopState(TypedDict):
    """Channels of the inner graph, which answers one question with look-ups."""

    exchange: Annotated[list[AIMessage], make_delta_channel(make_append_reducer(AIMessage))]
    """Messages of the participant: requests for look-ups, and last its answer."""
    planned_lookups: list[PlannedLookup]
    """Look-ups of the latest request that may run."""
    loop_nonce: str
    """Nonce of the invocation of the step that began the planned look-ups."""
    lookups: Annotated[list[Lookup], make_delta_channel(make_append_reducer(Lookup))]
    calls: Annotated[list[Call], make_delta_channel(gather_calls)]
    incidents: Annotated[list[Incident], make_delta_channel(gather_incidents)]


class LookupLoopUpdate(TypedDict, total=False):
    """Channel values that a node of the inner graph writes."""

    exchange: list[AIMessage]
    planned_lookups: list[PlannedLookup]
    loop_nonce: str
    lookups: list[Lookup]
    calls: list[Call]
    incidents: list[Incident]


@dataclass
class LookupTurn:
    """One question that is asked with look-ups. It holds what the inner graph needs but does not store.

    `nonce`: id of this invocation. `reserved`: number of look-ups that this invocation counted against the budget.
    """

    prompt: Prompt
    call: CallOptions
    check: Check | None
    spending: StepSpending
    nonce: str = field(default_factory=lambda: uuid4().hex)
    reserved: int = 0
    answer: Answer | None = None


_current_turn: ContextVar[LookupTurn] = ContextVar("moot_lookup_turn")
_current_graph: ContextVar[Any] = ContextVar("moot_lookup_graph", default=None)


def get_lookup_turn() -> LookupTurn:
    """Return the question that the inner graph is answering."""
    return _current_turn.get()


def use_lookup_graph(graph: Any) -> AbstractContextManager[None]:
    """Run questions with tools within the `with` block in `graph`.

    `graph`: `None` for a step without look-ups.
    """
    return bind_variable(_current_graph, graph)


async def ask_with_lookups(prompt: Prompt, call: CallOptions, check: Check | None) -> Answer:
    """Ask until an answer passes `check`. The participant may use its tools before it answers.

    Raises the errors of `ask`, and `RunStoppedError` if tools that change something may not run here. An interrupt
    waits for the owner's approval of a look-up.
    """
    if fault := find_durability_fault(call.settings):
        raise RunStoppedError(f"tools: {fault}")
    graph, turn = _current_graph.get(), LookupTurn(prompt, call, check, get_step_spending())
    options: dict[str, Any] = {"durability": "sync"} if find_saver(get_config()) else {}
    with bind_variable(_current_turn, turn):
        config = with_stored_types(merge_configs(get_config(), {"metadata": {LOOKUP_MARK: True}}), graph)
        values = await run_nested(graph, {"loop_nonce": "", "planned_lookups": []}, config, **options)
    state: LookupLoopState = build_adapter(LookupLoopState).validate_python(values)
    answer = turn.answer or AttemptLoop(prompt, replace(call, allowed_tools=()), None).parse_answer(
        state["exchange"][-1]
    )
    answer = replace(answer, calls=state["calls"], incidents=state["incidents"], lookups=state["lookups"])
    return share_lookups(answer, call.settings.lookups.shared)


def share_lookups(answer: Answer, policy: str) -> Answer:
    """Return the answer with `shared_lookups` filled: the successful look-ups that everyone sees.

    `policy`: `all` shares all of them, `cited` those that the answer cites, any other value none.
    """
    shared_ids = list_cited_lookup_ids(answer.text) if policy == "cited" else []
    lookups = [
        lookup.model_copy(update={"shared": lookup.status == "ok" and (policy == "all" or lookup.id in shared_ids)})
        for lookup in sorted(answer.lookups, key=lambda lookup: int(lookup.id.rpartition(".")[2]))
    ]
    quoted_lookups = [lookup.quote(SHARED_LENGTH) for lookup in lookups if lookup.shared]
    return replace(answer, lookups=lookups, shared_lookups=quoted_lookups)


def find_durability_fault(settings: Settings) -> str:
    """Return why tools that change something may not run here, or an empty text if they may.

    Such tools need a run that saves each step before the next. Otherwise, a crash would leave unknown which actions
    were done.
    """
    acting_tools = [tool.name for tool in settings.tool_definitions if not tool.reads_only]
    is_synchronous = get_config().get("configurable", {}).get(DURABILITY_KEY) == "sync"
    if not acting_tools or settings.replay or (find_saver(get_config()) and is_synchronous):
        return ""
    return (
        f"{', '.join(acting_tools)} may change something, so each step must be saved before the next; compile the "
        "graph (of moot.agent: a graph with it as a node) with a checkpointer, and invoke that with "
        "durability='sync'; or mark a tool that only reads: metadata={'reads_only': True}"
    )


def list_tool_requests(message: AIMessage) -> list[tuple[str, str, dict[str, Any] | None]]:
    """Return the look-ups that a message requests, each with its call id, tool and arguments.

    The arguments are `None` if they are no JSON object.
    """
    requests = [(call["id"] or "", call["name"], call["args"]) for call in message.tool_calls]
    return [*requests, *((call["id"] or "", call["name"] or "", None) for call in message.invalid_tool_calls)]


def build_exchange(state: LookupLoopState, prefix: str) -> list[BaseMessage]:
    """Build the messages after the prompt: each request, and the results of its look-ups.

    `prefix`: beginning of the look-ups' ids.
    """
    results, messages, number = {lookup.id: lookup for lookup in state["lookups"]}, list[BaseMessage](), 0
    for message in state["exchange"]:
        messages.append(message)
        for call_id, name, _ in list_tool_requests(message):
            number += 1
            messages.append(ToolMessage(results[f"{prefix}{number}"].fenced_text, tool_call_id=call_id, name=name))
    return messages
