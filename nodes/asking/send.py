"""One request to a model: streaming metadata, settings the endpoint accepts, and how its answer ended."""

from typing import TYPE_CHECKING, Any, TypeGuard

from langchain_core.callbacks import BaseCallbackManager
from langchain_core.messages import AIMessage
from langchain_core.runnables import Runnable, RunnableConfig

from ...state.fence import storable
from ...state.incident import Call
from ..models.chat import REHEARSAL, chat, manners, parse
from ..models.failures import Fault
from ..models.wire import LONGEST, too_long
from ..pregel import is_followed
from .brief import Brief
from .question import Asking
from .silence import TokenListener
from .structure import Structure

if TYPE_CHECKING:
    from langchain_core.callbacks import BaseCallbackHandler
    from langchain_core.language_models import BaseChatModel

MESSAGE, BYTES = 8, 6
"""Tokens that a message takes beside its text; bytes of an answer's token that later prompts show, as a rule."""


def streams(asking: Asking, structure: Structure | None) -> bool:
    """Whether an answer is asked for token by token: where somebody follows the words, since reading it so costs more.

    Another provider's always is: its own library reads it, and only as it streams can it be broken off. What an object
    or a rehearsal does is its own affair.
    """
    if _is_own(asking.spec) or parse(asking.spec).bridged:
        return False
    return parse(asking.spec).provider != "openai" or (not (asking.hidden or structure) and is_followed())


def _is_own(spec: str) -> bool:
    return spec == REHEARSAL or spec.startswith("object:")


async def send(
    brief: Brief, asking: Asking, structure: Structure | None, listener: TokenListener | None = None, number: int = 1
) -> AIMessage:
    """Make one call. Its tokens stream under the speaker's name, unless it is hidden or bound to a schema.

    `listener` is told of every token; `number`: which try it is.
    """
    model = chat(asking.spec, asking.rules, asking.who)
    hidden = asking.hidden or structure is not None
    asked = {"speaker": asking.who, "purpose": asking.purpose, "language": brief.language}
    config: RunnableConfig = {
        "run_name": f"{asking.purpose}: {asking.who}",
        "metadata": {**asked, "turn": asking.turn, "round": asking.round, "try": number},
        "tags": ["nostream"] if hidden else [],
    }
    settings, messages = _settings(model, asking), brief.messages()
    if asking.spec == REHEARSAL:
        settings["asked"] = asked
    if structure and (form := _form(asking.spec, structure)):
        settings |= form
    elif structure:
        messages[-1].content = f"{messages[-1].content}{structure.in_words(brief.language, asking.rules.templates)}"
    streamed = streams(asking, structure)
    if streamed and _is_langchains(model):
        model = model.model_copy(update={"streaming": True})
    elif (hidden or parse(asking.spec).bridged) and _is_langchains(model):
        settings["stream"] = False
    if "stream_options" in manners(asking.spec).refused and _is_langchains(model):
        model = model.model_copy(update={"stream_usage": False})
    if listener and (streamed or (_is_own(asking.spec) and not hidden)) and _is_langchains(model):
        model = model.model_copy(update={"callbacks": [*_callbacks(model), listener]})
    return await model.ainvoke(messages, config, **settings)


def _callbacks(model: "BaseChatModel") -> list["BaseCallbackHandler"]:
    """The handlers a model has of its own; what the run adds to them is not among them."""
    own = model.callbacks
    return list(own.handlers if isinstance(own, BaseCallbackManager) else own or [])


def _is_langchains(model: object) -> "TypeGuard[BaseChatModel]":
    from langchain_core.language_models import BaseChatModel  # takes long to load: with the first call, not before

    return isinstance(model, BaseChatModel)


def _settings(model: Runnable[Any, AIMessage], asking: Asking) -> dict[str, Any]:
    """Temperature and length, where the endpoint takes them; an object the caller made keeps its own."""
    if asking.spec.startswith("object:"):
        return {}
    known = manners(asking.spec)
    settings: dict[str, Any] = {"temperature": asking.temperature, "max_tokens": most_written(model, asking)}
    if known.refused & {"max_tokens", "max_completion_tokens"}:
        del settings["max_tokens"]
    if "temperature" in known.refused:
        del settings["temperature"]
    if asking.seed is not None and "seed" not in known.refused and _takes_seed(asking.spec):
        settings["seed"] = asking.seed
    return settings


def _takes_seed(spec: str) -> bool:
    return parse(spec).provider in ("openai", REHEARSAL)


def most_written(model: Runnable[Any, AIMessage], asking: Asking) -> int:
    """Tokens an answer may take, those of hidden reasoning included."""
    profile = getattr(model, "profile", None) or {}
    reasons = manners(asking.spec).reasons or profile.get("reasoning_output")
    return asking.max_tokens + (asking.rules.reasoning_allowance if reasons else 0)


def ahead_of(brief: Brief, asking: Asking, structure: Structure | None) -> Call:
    """The record of a call before it is made, with the most its prompt and its answer can be.

    A prompt is taken for a token a byte and `MESSAGE` for each message, which no tokenizer passes.
    """
    model = chat(asking.spec, asking.rules, asking.who)
    told = len(structure.in_words(brief.language, asking.rules.templates).encode()) if structure else 0
    return Call(
        purpose=asking.purpose,
        who=asking.who,
        model=asking.spec,
        turn=asking.turn,
        round=asking.round,
        input_tokens=brief.bytes + MESSAGE * len(brief.messages()) + told,
        output_tokens=most_written(model, asking),
    )


def closing_after(ahead: Call, asking: Asking) -> Call | None:
    """The most the closing text is taken to cost after this call; none where nothing is kept for it."""
    kept = asking.rules.reserve if asking.reserve is None else asking.reserve
    if not kept:
        return None
    read = ahead.input_tokens + BYTES * ahead.output_tokens
    written = asking.rules.max_tokens_synthesis + ahead.output_tokens - asking.max_tokens
    return Call(purpose="ahead", input_tokens=read, output_tokens=written)


def _form(spec: str, structure: Structure) -> dict[str, Any]:
    """The schema as a setting of the request, where the endpoint takes one; else it has to be told in words.

    To OpenAI-compatible endpoints it goes as part of the body, past the client library's own reading of the answer,
    which would raise at a cut-off one and lose what it cost.
    """
    if spec.startswith("object:") or parse(spec).bridged or "response_format" in manners(spec).refused:
        return {}
    form: dict[str, Any] = {"response_format": structure.as_response_format()}
    forms: dict[str, dict[str, Any]] = {REHEARSAL: form, "openai": {"extra_body": form}}
    return forms.get(parse(spec).provider, {})


def flaw_in(message: AIMessage, asking: Asking) -> Fault | None:
    """Why an answer is none: it went on for too long, or has no end, which OpenAI-compatible endpoints tell."""
    if len(message.text) > LONGEST:
        return too_long()
    if asking.spec.startswith("object:") or parse(asking.spec).provider != "openai":
        return None
    ended = message.response_metadata.get("finish_reason") or message.response_metadata.get("status")
    return None if ended else Fault("connection", own="not_whole")


def refusal_in(message: AIMessage) -> str:
    """The refusal an endpoint reported in its own field or finish reason; never guessed from words."""
    if refused := message.additional_kwargs.get("refusal"):
        return storable(str(refused))[:300]
    reason = message.response_metadata.get("finish_reason")
    return "stopped by the content filter" if reason == "content_filter" else ""


def was_cut_off(message: AIMessage) -> bool:
    """Whether the model ran into its length limit."""
    return message.response_metadata.get("finish_reason") in ("length", "max_tokens")
