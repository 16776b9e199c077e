"""Records of look-ups, made with a tool of the run or with an agent's own tool."""

import hashlib
import json
from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from ...state import Lookup, LookupStatus, PlannedLookup, clip_middle, clip_text, repair_surrogates
from ...storage import get_timestamp
from ..ask.call_options import CallOptions

MAX_ARGUMENT_LENGTH = 4000


def make_lookup(call: CallOptions, planned_lookup: PlannedLookup, status: LookupStatus, text: str) -> Lookup:
    """Make the record of a look-up. `text`: the result to show to the participant."""
    definition = next((tool for tool in call.settings.tool_definitions if tool.name == planned_lookup.tool), None)
    arguments = json.dumps(planned_lookup.arguments, ensure_ascii=False, sort_keys=True, default=str)
    return Lookup(
        id=planned_lookup.id,
        tool=planned_lookup.tool,
        text=text,
        turn=call.turn,
        round=call.round,
        who=call.who,
        purpose=call.purpose,
        source=definition.source if definition else "",
        arguments=planned_lookup.arguments
        if len(arguments) <= MAX_ARGUMENT_LENGTH
        else {"clipped": clip_text(arguments, MAX_ARGUMENT_LENGTH)},
        arguments_sha256=hash_text(arguments),
        chars=len(text),
        result_sha256=hash_text(text),
        status=status,
        at=get_timestamp(),
        approved_by=planned_lookup.approved_by,
        replayed=bool(call.settings.replay),
    )


def hash_text(text: str) -> str:
    """Return the SHA-256 of a text, as hexadecimal digits."""
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()


def list_agent_lookups(messages: Sequence[BaseMessage], call: CallOptions) -> list[Lookup]:
    """Return the results of an agent's tool calls as records without an id, clipped to the limit."""
    requests = {
        request["id"]: request
        for message in messages
        if isinstance(message, AIMessage)
        for request in message.tool_calls
    }
    lookups = list[Lookup]()
    for message in messages:
        if isinstance(message, ToolMessage) and (request := requests.get(message.tool_call_id)):
            planned_lookup = PlannedLookup(id="", tool=request["name"], arguments=request["args"], limit=0)
            status: LookupStatus = "error" if message.status == "error" else "ok"
            lookup = make_lookup(call, planned_lookup, status, repair_surrogates(message.text))
            text = clip_middle(lookup.text, call.settings.lookups.chars)
            lookups.append(lookup.model_copy(update={"source": "agent", "text": text}))
    return lookups
