"""Single request to a model: its metadata, its parameters, and how its answer ended."""

import json
from typing import TYPE_CHECKING, Any, TypeGuard

from langchain_core.callbacks import BaseCallbackManager
from langchain_core.messages import AIMessage
from langchain_core.runnables import Runnable, RunnableConfig

from ...models import (
    MALFORMED,
    MAX_ANSWER_BYTES,
    PLANTED,
    REHEARSAL,
    Brief,
    CallFailure,
    TokenListener,
    bind_tools,
    build_tool_parameters,
    can_restrict_tools,
    get_agent,
    get_capabilities,
    get_chat_model,
    is_agent_spec,
    is_offline,
    make_length_failure,
    mask_keys,
    parse_spec,
)
from ...state import Call, repair_surrogates
from ...storage import has_token_reader
from .call_options import CallOptions
from .prompt import Prompt
from .reply_schema import ReplySchema, build_json_schema, is_stopped_for_content

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

MESSAGE_TOKENS, TOKEN_BYTES = 8, 6
"""Tokens that a message adds to its text, and usual number of bytes per token of an answer."""


def needs_streaming(call: CallOptions, reply_schema: ReplySchema | None) -> bool:
    """Return whether to request an answer token by token.

    Reading a stream takes more computing time. So OpenAI-compatible endpoints stream only if a caller follows the
    tokens. Other providers always stream, because only a stream can be stopped early. Model objects and the rehearsal
    decide for themselves.
    """
    if _is_in_process(call.spec) or parse_spec(call.spec).is_bridged:
        return False
    return parse_spec(call.spec).provider != "openai" or (not (call.is_hidden or reply_schema) and has_token_reader())


def _is_in_process(spec: str) -> bool:
    return is_offline(spec) or spec.startswith("object:")


async def send_request(
    prompt: Prompt,
    call: CallOptions,
    reply_schema: ReplySchema | None,
    listener: TokenListener | None = None,
    attempt: int = 1,
) -> AIMessage:
    """Send one request to a model, and return the message of its answer.

    Its tokens are streamed under the speaker's name, unless the call is hidden or has a schema. `listener` receives
    every token.
    """
    model = get_chat_model(call.spec, call.settings, call.who)
    is_hidden = call.is_hidden or reply_schema is not None
    metadata = {"speaker": call.who, "purpose": call.purpose, "language": prompt.language, "model_spec": call.spec}
    config: RunnableConfig = {
        "run_name": f"{call.purpose}: {call.who}",
        "metadata": {**metadata, "turn": call.turn, "round": call.round, "attempt": attempt},
        "tags": ["nostream"] if is_hidden else [],
    }
    parameters, messages = _build_parameters(model, call), prompt.build_messages()
    if is_offline(call.spec):
        parameters["brief"] = _build_brief(prompt, call)
    is_schema_sent = reply_schema is not None and not call.asks_in_text
    response_format = _build_response_format(call.spec, reply_schema) if reply_schema and is_schema_sent else {}
    if reply_schema and not response_format:
        form_text = reply_schema.format_for_prompt(prompt.language, call.settings.templates)
        messages[1].content = f"{messages[1].content}{form_text}"
    elif not prompt.unread_reply:  # a repeated question asks for lines of text
        parameters |= response_format
    is_streamed = needs_streaming(call, reply_schema)
    if is_streamed and _is_langchain_model(model):
        model = model.model_copy(update={"streaming": True})
    elif (is_hidden or parse_spec(call.spec).is_bridged) and _is_langchain_model(model):
        parameters["stream"] = False
    if "stream_options" in get_capabilities(call.spec).refused_settings and _is_langchain_model(model):
        model = model.model_copy(update={"stream_usage": False})
    if listener and (is_streamed or (_is_in_process(call.spec) and not is_hidden)) and _is_langchain_model(model):
        callbacks = model.callbacks  # of the model itself, without those of the run
        handlers = callbacks.handlers if isinstance(callbacks, BaseCallbackManager) else callbacks or []
        model = model.model_copy(update={"callbacks": [*handlers, listener]})
    tools, bound_model = build_tool_parameters_of_call(prompt, call), model
    if tools and can_restrict_tools(call.spec):
        parameters |= tools
    elif tools:
        bound_model = bind_tools(model, tools, f"{call.who} ({call.spec})")
    message = await bound_model.ainvoke(messages, config, **parameters)
    if isinstance(message, AIMessage):
        return message
    text = repair_surrogates(str(getattr(message, "content", message)))[:MAX_ANSWER_BYTES]
    return AIMessage(text, additional_kwargs={MALFORMED: f"an answer of type {type(message).__name__}"})


def build_tool_parameters_of_call(prompt: Prompt, call: CallOptions) -> dict[str, Any]:
    """Return the request parameters that offer the run's tools; empty if the request sends none."""
    definitions = call.settings.tool_definitions if call.sends_tools else []
    tools = build_tool_parameters(call.spec, definitions, call.allowed_tools, has_exchange=bool(prompt.exchange))
    if call.forces_tool and "tool_choice" not in get_capabilities(call.spec).refused_settings:
        tools["tool_choice"] = "required"
    return tools


def _build_brief(prompt: Prompt, call: CallOptions) -> Brief:
    material, exhibits = prompt.halve_documents()
    return Brief(
        speaker=call.who,
        purpose=call.purpose,
        language=prompt.language,
        topic=prompt.topic,
        roles={participant.name: participant.role for participant in prompt.participants},
        sides={participant.name: participant.side for participant in prompt.participants},
        statements=prompt.view.statements,
        exhibits=exhibits,
        material=material,
        private=prompt.private,
        memory=prompt.memory,
        summary=prompt.summary,
        correction=prompt.retry_reason,
        turn=call.turn,
        round=call.round,
        values={"choices": getattr(call.settings, "options", {}), **prompt.values},
    )


def _is_langchain_model(model: object) -> "TypeGuard[BaseChatModel]":
    from langchain_core.language_models import BaseChatModel  # slow to load: imported with the first call

    return isinstance(model, BaseChatModel)


def _build_parameters(model: Runnable[Any, AIMessage], call: CallOptions) -> dict[str, Any]:
    """Return the parameters for temperature, length and seed that the endpoint supports.

    A model object of the caller keeps its own parameters.
    """
    if call.spec.startswith("object:"):
        return {}
    capabilities = get_capabilities(call.spec)
    parameters: dict[str, Any] = {"temperature": call.temperature, "max_tokens": compute_max_output(model, call)}
    if capabilities.refused_settings & {"max_tokens", "max_completion_tokens"}:
        del parameters["max_tokens"]
    if "temperature" in capabilities.refused_settings:
        del parameters["temperature"]
    provider = parse_spec(call.spec).provider
    takes_seed = provider in ("openai", REHEARSAL, PLANTED) and "seed" not in capabilities.refused_settings
    is_rehearsed = provider == REHEARSAL and not call.draw  # its people stay who they are
    if call.seed is not None and takes_seed and not is_rehearsed:
        parameters["seed"] = call.seed
    return parameters


def compute_max_output(model: Runnable[Any, AIMessage], call: CallOptions) -> int:
    """Compute the maximum number of tokens in an answer, including hidden reasoning."""
    profile = getattr(model, "profile", None) or {}
    has_reasoning = get_capabilities(call.spec).sends_reasoning or profile.get("reasoning_output")
    return call.max_tokens + (call.settings.reasoning_tokens if has_reasoning else 0)


def estimate_call(prompt: Prompt, options: CallOptions, reply_schema: ReplySchema | None, attempt: int = 1) -> Call:
    """Estimate the maximum size of a call, as a call record made in advance.

    The prompt counts as one token per byte plus `MESSAGE_TOKENS` per message. No tokenizer uses more.
    """
    is_agent, schema_bytes = is_agent_spec(options.spec), 0
    if reply_schema:  # the endpoint takes the schema itself, or the prompt states what to answer
        schema_text = json.dumps(build_json_schema(reply_schema.schema, prompt.language), ensure_ascii=False)
        texts = [schema_text, reply_schema.format_for_prompt(prompt.language, options.settings.templates)]
        schema_bytes = max(len(text.encode()) for text in texts)
    # an agent's output has no known maximum; each of its calls counts like a plain one
    factor = options.settings.agent_calls if is_agent else 1
    if is_agent:
        get_agent(options.spec, options.who)
    model = None if is_agent else get_chat_model(options.spec, options.settings, options.who)
    max_output = compute_max_output(model, options) if model else options.max_tokens
    message_count = 2 + len(prompt.exchange) + 2 * bool(prompt.unread_reply)
    tool_bytes = len(json.dumps(build_tool_parameters_of_call(prompt, options), ensure_ascii=False).encode())
    return Call(
        purpose=options.purpose,
        who=options.who,
        model=options.spec,
        turn=options.turn,
        round=options.round,
        attempt=attempt,
        input_tokens=(prompt.digest[0] + MESSAGE_TOKENS * message_count + schema_bytes + tool_bytes) * factor,
        output_tokens=max_output * factor,
    )


def estimate_synthesis(estimate: Call, options: CallOptions) -> Call | None:
    """Estimate the maximum size of a reserved synthesis after the call `estimate`; `None` without one."""
    reserve = options.settings.reserve if options.reserve is None else options.reserve
    if not reserve:
        return None
    input_tokens = estimate.input_tokens + TOKEN_BYTES * estimate.output_tokens
    output_tokens = options.settings.max_tokens_synthesis + estimate.output_tokens - options.max_tokens
    return Call(purpose="ahead", input_tokens=input_tokens, output_tokens=output_tokens)


def _build_response_format(spec: str, reply_schema: ReplySchema) -> dict[str, Any]:
    """Return the request parameter that asks for JSON of this schema.

    If the endpoint does not support schemas, the parameter is empty, and the prompt describes the schema. For
    OpenAI-compatible endpoints, the schema goes directly into the request body. This bypasses the client's parser,
    which would raise an error for a cut-off answer and lose its cost.
    """
    if (
        spec.startswith("object:")
        or parse_spec(spec).is_bridged
        or "response_format" in get_capabilities(spec).refused_settings
    ):
        return {}
    response_format: dict[str, Any] = {"response_format": reply_schema.build_response_format()}
    parameters: dict[str, dict[str, Any]] = {"openai": {"extra_body": response_format}}
    parameters |= dict.fromkeys((REHEARSAL, PLANTED), response_format)
    return parameters.get(parse_spec(spec).provider, {})


def find_reply_fault(message: AIMessage, call: CallOptions) -> CallFailure | None:
    """Return the fault if an answer is too long, malformed or cut off, otherwise `None`.

    OpenAI-compatible endpoints say why an answer ended. If they do not, the answer was cut off.
    """
    if len(message.text) > MAX_ANSWER_BYTES:
        return make_length_failure()
    fault = str(message.additional_kwargs.get(MALFORMED, ""))
    has_tools = call.sends_tools and bool(call.settings.tool_definitions)
    is_bound = call.spec.startswith("object:")  # the caller bound tools to the object, which only the caller can change
    if (message.tool_calls or message.invalid_tool_calls) and not has_tools and not is_bound:
        fault = "a tool call that was not offered"
    if fault:
        return CallFailure("malformed", fault[:300], phrase_key="senseless")
    if call.spec.startswith("object:") or parse_spec(call.spec).provider != "openai":
        return None
    finish_reason = message.response_metadata.get("finish_reason") or message.response_metadata.get("status")
    return None if finish_reason else CallFailure("connection", phrase_key="not_whole")


def get_refusal(message: AIMessage) -> str:
    """Return the refusal that an endpoint reports apart from the answer's text; empty without one.

    Endpoints report it in a field, a part of the message, or the finish reason. Moot never infers a refusal from the
    text of an answer.
    """
    if refusal := message.additional_kwargs.get("refusal"):
        return mask_keys(repair_surrogates(str(refusal)))[:300]
    return "stopped by the content filter" if is_stopped_for_content(message) else ""
