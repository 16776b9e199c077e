"""Node that runs one look-up: check the arguments, call the tool, and record the result."""

import asyncio
import json
import time
from collections.abc import Mapping
from typing import Any

from langchain_core.tools import ToolException
from langgraph.errors import GraphBubbleUp
from pydantic import BaseModel, ValidationError
from typing_extensions import TypedDict

from ...models import REHEARSAL, extract_message, parse_spec, record_reply, replay_reply
from ...prompts import get_term
from ...state import LIBRARY, BranchInput, Call, Lookup, LookupStatus, PlannedLookup, clip_middle, repair_surrogates
from ...storage import count_milliseconds_since
from .lookup_record import hash_text, make_lookup
from .lookup_turn import LookupLoopUpdate, LookupTurn, get_lookup_turn
from .tools import LibrarySearch, load_tool

JSON_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
}


class LookupBranchState(TypedDict):
    """Channels of the branch that runs one look-up."""

    planned_lookup: BranchInput[PlannedLookup]
    loop_nonce: BranchInput[str]


async def use(state: LookupBranchState) -> LookupLoopUpdate:
    """Run one look-up.

    Reads planned_lookup and loop_nonce; writes lookups, calls of an embedding model.
    """
    turn = get_lookup_turn()
    lookup, calls = await run_lookup(turn, state["planned_lookup"], is_repeated=state["loop_nonce"] != turn.nonce)
    turn.spending.calls += calls
    return LookupLoopUpdate(lookups=[lookup], calls=calls)


async def run_lookup(
    turn: LookupTurn, planned_lookup: PlannedLookup, *, is_repeated: bool
) -> tuple[Lookup, list[Call]]:
    """Run a look-up and return its record, with the calls of an embedding model.

    `is_repeated`: whether another invocation began the look-up. A tool that may change something is then not called.
    Raises `RunStoppedError` if the tool is missing.
    """
    call, start = turn.call, time.perf_counter()
    settings = call.settings
    definition = next(tool for tool in settings.tool_definitions if tool.name == planned_lookup.tool)
    request = {
        "purpose": "lookup",
        "who": call.who,
        "turn": call.turn,
        "round": call.round,
        "attempt": int(planned_lookup.id.rpartition(".")[2]),
        "tool": planned_lookup.tool,
        "arguments": planned_lookup.arguments,
    } | ({"draw": call.draw} if call.draw else {})
    calls: list[Call] = []
    reply: Any = await replay_reply(settings, request)
    if reply is None:
        is_rehearsed = not call.spec.startswith("object:") and parse_spec(call.spec).provider == REHEARSAL
        if is_repeated and not definition.reads_only:
            status, text = "unknown", get_term(turn.prompt.language, "lookups", "unknown")
        elif is_rehearsed and definition.source != LIBRARY:
            status, text = "rehearsed", get_term(turn.prompt.language, "lookups", "rehearsed", tool=planned_lookup.tool)
        else:
            status, text, calls = await call_tool(turn, planned_lookup)
        reply = {
            "status": status,
            "text": clip_middle(text, planned_lookup.limit),
            "chars": len(text),
            "sha256": hash_text(text),
            "calls": [embedding_call.model_dump(mode="json") for embedding_call in calls],
        }
        await record_reply(settings, request, reply)
    calls = [Call.model_validate(values | {"replayed": bool(settings.replay)}) for values in reply["calls"]]
    lookup = make_lookup(call, planned_lookup, reply["status"], reply["text"])
    changes = {"chars": reply["chars"], "result_sha256": reply["sha256"], "ms": count_milliseconds_since(start)}
    return lookup.model_copy(update=changes), calls


async def call_tool(turn: LookupTurn, planned_lookup: PlannedLookup) -> tuple[LookupStatus, str, list[Call]]:
    """Call a tool. Return the status, the unclipped result, and the calls of an embedding model.

    Raises `RunStoppedError` if the tool is missing.
    """
    settings, language = turn.call.settings, turn.prompt.language
    tool = await load_tool(planned_lookup.tool, settings)
    arguments = planned_lookup.arguments
    schema = tool.args_schema
    if isinstance(schema, type) and issubclass(schema, BaseModel):
        try:
            schema.model_validate(arguments)
        except ValidationError as error:
            fault = error.errors(include_url=False, include_input=False)[0]
            location = ".".join(map(str, fault["loc"]))
            return (
                "bad_arguments",
                get_term(language, "lookups", "bad_arguments", fault=f"{location}: {fault['msg']}"),
                [],
            )
    task = asyncio.ensure_future(tool.ainvoke(arguments))
    try:
        await asyncio.wait([task], timeout=settings.lookups.timeout)
    finally:
        if not task.done():
            task.cancel()
    calls = tool.calls if isinstance(tool, LibrarySearch) else []
    if not task.done() or task.cancelled():
        return "timeout", get_term(language, "lookups", "timeout", seconds=f"{settings.lookups.timeout:g}"), calls
    failure = task.exception()
    if failure is None:
        return "ok", format_result(task.result()), calls
    if isinstance(failure, GraphBubbleUp) or not isinstance(failure, Exception):
        raise failure
    class_name = "" if isinstance(failure, ToolException) else f"{type(failure).__name__}: "
    return "error", get_term(language, "lookups", "error", fault=class_name + extract_message(failure)), calls


def format_result(result: object) -> str:
    """Return the result of a tool as text.

    Texts are joined, other content becomes `[image/png, 12 kB]`, and data becomes JSON.
    """
    if isinstance(result, str):
        return repair_surrogates(result)
    blocks = result if isinstance(result, list) else []
    if blocks and all(isinstance(block, str) or (isinstance(block, Mapping) and "type" in block) for block in blocks):
        return repair_surrogates("\n".join(map(format_block, blocks)))
    return repair_surrogates(json.dumps(result, ensure_ascii=False, default=str))


def format_block(block: str | Mapping[str, Any]) -> str:
    """Return one content block of a tool's result as text."""
    if isinstance(block, str):
        return block
    if isinstance(block.get("text"), str):
        return str(block["text"])
    kind = block.get("mime_type") or block.get("mimeType") or block["type"]
    size = max(len(str(block.get(key) or "")) for key in ("data", "base64", "url", "image_url")) * 3 // 4
    return f"[{kind}, {max(1, size // 1000)} kB]"


def find_argument_fault(parameters: Mapping[str, Any], arguments: dict[str, Any] | None, language: str) -> str:
    """Return what is wrong with a tool's arguments by its JSON schema; empty for valid arguments.

    `parameters`: the schema. Only required arguments, names and simple types are checked. The tool checks everything
    else.
    """
    if arguments is None:
        return get_term(language, "lookups", "bad_arguments", fault="JSON")
    properties = parameters.get("properties", {})
    faults = [f"{key}: ?" for key in parameters.get("required", []) if key not in arguments]
    for key, value in arguments.items():
        kinds = JSON_TYPES.get(str(properties.get(key, {}).get("type")))
        if properties and key not in properties and parameters.get("additionalProperties") is not True:
            faults.append(f"{key}: –")
        elif kinds and (not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds)):
            faults.append(f"{key}: {properties[key]['type']}")
    return get_term(language, "lookups", "bad_arguments", fault=", ".join(faults)) if faults else ""
