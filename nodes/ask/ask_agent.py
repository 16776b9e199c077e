"""Call of an agent that sits in a participant's seat.

The agent runs as a graph inside the current step, so a resumed run continues inside the agent. Each of its messages is
recorded as a separate call, and each result of its tools as a look-up.
"""

import asyncio
from dataclasses import replace
from typing import Any
from uuid import NAMESPACE_URL, uuid4, uuid5

from httpx import HTTPError
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, convert_to_messages
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import merge_configs
from langgraph.config import get_config
from langgraph.errors import GraphBubbleUp, GraphInterrupt
from langgraph.pregel.remote import RemoteGraph
from langgraph.types import Interrupt

from ...models import (
    AgentCallCap,
    CallFailure,
    FailedAttemptError,
    build_agent_context,
    extract_message,
    find_call_failure,
    get_agent,
    takes_messages_key,
)
from ...state import QUESTION_KEY, unwrap_agent
from ...storage import LOOKUP_MARK, run_nested, suspend_journal, with_stored_types
from ..lookups.lookup_record import list_agent_lookups
from .call_options import CallOptions
from .prompt import Prompt
from .reply_schema import ReplySchema

APPROVAL_KIND = "approval"
AGENT_MESSAGES, AGENT_LOOKUPS = "agent_messages", "agent_lookups"
"""Keys in a reply's metadata for the token counts of the agent's other calls, and for its look-ups."""


async def ask_agent(
    prompt: Prompt, call: CallOptions, reply_schema: ReplySchema | None, attempt: int, cap: AgentCallCap
) -> AIMessage | CallFailure:
    """Ask an agent once, within its time limit. Return its last message without tool calls.

    Return a `CallFailure` if the agent fails, is late or gives no such message.
    """
    agent = get_agent(call.spec, call.who)
    texts = [message.text for message in replace(prompt, unread_reply="").build_messages()]
    form = reply_schema.format_for_prompt(prompt.language, call.settings.templates) if reply_schema else ""
    message = HumanMessage("\n\n".join(texts) + form)  # the only one, since agents have their own system message
    limit = call.settings.timeouts.scale_for_attempt(attempt).agent
    try:
        async with asyncio.timeout(limit):
            with suspend_journal():
                outputs: tuple[Any, ...] = await asyncio.gather(
                    run_agent(agent, message, call, attempt, cap), return_exceptions=True
                )
    except TimeoutError:
        cap.cap = 0  # an agent in a thread cannot be cancelled, but makes no further call
        return CallFailure("timeout", phrase_key="late")
    output = outputs[0]
    if isinstance(output, GraphInterrupt):
        raise GraphInterrupt([_mark_approval(interrupt, call) for interrupt in output.args[0]])
    if isinstance(output, GraphBubbleUp) or (isinstance(output, BaseException) and not isinstance(output, Exception)):
        raise output
    if isinstance(output, FailedAttemptError):
        return output.failure
    if isinstance(output, Exception):  # foreign code may raise anything
        is_remote = isinstance(unwrap_agent(agent), RemoteGraph) and isinstance(output, HTTPError)
        failure = find_call_failure(output, call.has_answered) if is_remote else None
        return failure or CallFailure(
            "agent_failed", f"{type(output).__name__}: {extract_message(output)}", phrase_key="agent_failed"
        )
    return extract_agent_reply(output, message, call, cap)


async def run_agent(agent: Any, message: HumanMessage, call: CallOptions, attempt: int, cap: AgentCallCap) -> Any:
    """Run an agent inside the current step with `message` as its input, and return its output."""
    step_config, core = get_config(), unwrap_agent(agent)
    run = str(step_config["configurable"].get("thread_id", ""))
    facts = {"run": run, "seat": call.who, "turn": call.turn, "round": call.round, "language": call.settings.language}
    agent_input: Any = {"messages": [message]} if takes_messages_key(agent) else [message]
    context = build_agent_context(agent, call.settings, call.who, facts)
    options: dict[str, Any] = {"context": context} if takes_messages_key(agent) else {}
    location = f"{call.who}/{call.purpose}/{call.turn}/{call.round}/{attempt}"
    if isinstance(core, RemoteGraph):
        remote_config: RunnableConfig = {
            "configurable": {"thread_id": str(uuid5(NAMESPACE_URL, f"moot:{run or uuid4().hex}/{location}"))},
            "recursion_limit": call.settings.agent_steps,
        }
        return await agent.ainvoke(agent_input, remote_config, **options)
    step = step_config["configurable"].get("checkpoint_ns", "")  # differs in a fork, but not after a crash
    question = str(uuid5(NAMESPACE_URL, f"moot:{run}/{step}/{location}"))
    config = merge_configs(
        step_config,
        {
            "callbacks": [cap],
            "recursion_limit": call.settings.agent_steps,
            "metadata": {"speaker": call.who, "purpose": call.purpose, LOOKUP_MARK: True, QUESTION_KEY: question},
            "tags": ["nostream"],
        },
    )
    return await run_nested(agent, agent_input, with_stored_types(config, core), **options)


def extract_agent_reply(
    output: Any, question: HumanMessage, call: CallOptions, cap: AgentCallCap
) -> AIMessage | CallFailure:
    """Return an agent's last message without tool calls, or a `CallFailure` without a usable message.

    The metadata of the message contains the agent's look-ups, and the token counts of its other calls.
    """
    content: Any = output.get("messages") if isinstance(output, dict) else output
    try:
        content = [AIMessage(content)] if isinstance(content, str) else content
        messages = convert_to_messages([content] if isinstance(content, BaseMessage) else content)
    except (TypeError, ValueError, NotImplementedError):
        fault = f"TypeError: the agent returned {type(output).__name__}; it must return messages or a text"
        return CallFailure("agent_failed", fault, phrase_key="agent_failed")
    question_indexes = [
        index for index, message in enumerate(messages) if message.type == "human" and message.text == question.text
    ]
    new_messages = messages[question_indexes[-1] + 1 :] if question_indexes else messages
    replies = [message for message in new_messages if isinstance(message, AIMessage)]
    answers = [message for message in replies if not message.tool_calls]
    if not answers or not answers[-1].text.strip():
        return CallFailure("empty", phrase_key="empty")
    other_usages = [message.usage_metadata for message in replies if message is not answers[-1]]
    *other_usages, usage = cap.list_usages([*other_usages, answers[-1].usage_metadata])
    lookups = [lookup.model_dump(mode="json") for lookup in list_agent_lookups(new_messages, call)]
    metadata = {**answers[-1].response_metadata, AGENT_MESSAGES: other_usages, AGENT_LOOKUPS: lookups}
    return answers[-1].model_copy(update={"response_metadata": metadata, "usage_metadata": usage, "name": None})


def _mark_approval(interrupt: Interrupt, call: CallOptions) -> Interrupt:
    location = {"who": call.who, "purpose": call.purpose, "turn": call.turn, "round": call.round}
    return Interrupt({"kind": APPROVAL_KIND, **location, "source": "agent", "value": interrupt.value}, interrupt.id)
