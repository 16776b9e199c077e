"""Options of a call (participant, purpose, model, attempts, delays), and the record of the call."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from langchain_core.messages import AIMessage
from pydantic import BaseModel

from ...models import (
    CallFailure,
    PromptLimits,
    TokenUsage,
    choose_spec,
    extract_usage,
    get_capabilities,
    is_agent_spec,
    mask_keys,
)
from ...state import (
    Call,
    Incident,
    Lookup,
    Participant,
    QuotedLookup,
    Settings,
    derive_stream_seed,
    is_unavailable,
    repair_surrogates,
)
from ...state.answers.labelled_lines import AnswerForm, ReadAs
from ...storage import count_milliseconds_since, get_timestamp
from .prompt import Prompt, PromptState


@dataclass(frozen=True)
class Answer:
    """Usable answer, with its calls and incidents.

    `read_as`: form of the reply: JSON, labelled lines or bare text. `replies`: text of every reply, the accepted one
    last. `prompt_limits`: limits on prompt length that the endpoint revealed. `message`: the model's message; `None`
    for people. `lookups`: the participant's look-ups before the answer. `shared_lookups`: results that everyone sees.
    `concedes`: whether a person chose to concede with this statement.
    """

    text: str
    value: BaseModel | None = None
    read_as: ReadAs | None = None
    replies: list[str] = field(default_factory=list)
    cut_off: bool = False
    calls: list[Call] = field(default_factory=list)
    incidents: list[Incident] = field(default_factory=list)
    prompt_limits: PromptLimits = field(default_factory=PromptLimits)
    message: AIMessage | None = None
    lookups: list[Lookup] = field(default_factory=list)
    shared_lookups: list[QuotedLookup] = field(default_factory=list)
    concedes: bool = False

    @property
    def wants_tools(self) -> bool:
        """Return whether the reply requests tools instead of answering."""
        return self.message is not None and bool(self.message.tool_calls or self.message.invalid_tool_calls)

    @property
    def tokens(self) -> int:
        """Return the total number of tokens of all attempts."""
        return sum(call.tokens for call in self.calls)


Check = Callable[[Answer], str | None]
"""Function that describes the fault of an answer to its writer, or returns `None`."""


def make_check(fault: str, is_faulty: Callable[[Any], bool]) -> Check:
    """Make a check that returns the text `fault` if `is_faulty` is true for the values of an answer."""
    return lambda answer: fault if answer.value is not None and is_faulty(answer.value) else None


@dataclass(frozen=True)
class CallOptions:
    """Options of the calls for one question.

    `max_attempts`: maximum number of calls, for network faults and unusable answers together. `has_answered`: whether
    the run's server has answered before. `is_hidden`: whether to keep the tokens off the stream. `answer_form`: text
    form of the answer, with the keys of `schema`; `None` accepts only JSON. `timeouts`: seconds for each complete
    attempt; `None` uses the settings' limits on silence. `retry_delays`: in seconds; `None` uses the settings.
    `past_calls`: the run's calls before this node. `reserve`: calls kept for the end; `None` uses the settings. `seed`:
    sent if the endpoint supports seeds. `draw`: number of this answer, from 1, if the same question is answered several
    times; 0 for a single answer. `is_external`: whether a person or a program answers. `is_optional`: whether the run
    continues if the server rejects the request. `asks_in_text`: whether to ask for the text form even if the endpoint
    supports schemas. `explains_unread`: whether a repeated question explains why Moot could not read the answer.
    `max_rejections`: extra attempts if an answer has the right form but a fault; `None` takes them from `max_attempts`.
    `sends_tools`: whether the request contains the run's tools. All requests to participants do, so that providers can
    cache them. `allowed_tools`: names of the tools that may be called. `forces_tool`: whether the model must call one.
    `lookup_prefix`: beginning of the ids of the look-ups. `past_lookups`: look-ups of the run before this node.
    """

    who: str
    purpose: str
    spec: str
    settings: Settings
    turn: int = 0
    round: int = 0
    temperature: float = 0.7
    max_tokens: int = 400
    max_attempts: int = 3
    has_answered: bool = False
    is_hidden: bool = False
    schema: type[BaseModel] | None = None
    answer_form: AnswerForm | None = None
    timeouts: list[float] | None = None
    retry_delays: list[float] | None = None
    past_calls: Sequence[Call] = ()
    reserve: int | None = None
    seed: int | None = None
    draw: int = 0
    is_external: bool = False
    is_optional: bool = False
    asks_in_text: bool = False
    explains_unread: bool = False
    max_rejections: int | None = None
    sends_tools: bool = False
    allowed_tools: Sequence[str] = ()
    forces_tool: bool = False
    lookup_prefix: str = ""
    past_lookups: Sequence[Lookup] = ()


def build_participant_call(state: PromptState, participant: Participant, purpose: str = "statement") -> CallOptions:
    """Build the options of a question to a participant. An unavailable participant gets a single attempt."""
    settings = state["settings"]
    return CallOptions(
        who=participant.name,
        purpose=purpose,
        spec=choose_spec(settings, participant.name, participant.model),
        settings=settings,
        temperature=settings.temperature if participant.temperature is None else participant.temperature,
        max_tokens=settings.max_tokens_per_turn,
        max_attempts=1 if is_unavailable(state, participant.name) else settings.max_attempts,
        has_answered=_has_answered(state),
        past_calls=state["calls"],
        is_external=participant.kind != "model",
        sends_tools=True,
    )


def with_answer_draw(call: CallOptions, *parts: str | int) -> CallOptions:
    """Return the options for an answer that is counted or compared: with a temperature and its own seed.

    The temperature is the setting `answer_temperature` or, without one, that of `call`. `parts`: values from which the
    seed is derived; default: the call's participant, purpose, turn and round.
    """
    settings = call.settings
    temperature = getattr(settings, "answer_temperature", None)
    seed = derive_stream_seed(settings.seed or 0, "call", *(parts or (call.who, call.purpose, call.turn, call.round)))
    return replace(call, temperature=call.temperature if temperature is None else temperature, seed=seed % 2**31)


def build_role_call(state: PromptState, role: str, purpose: str) -> CallOptions:
    """Build the options of a question to a model's role, such as `synthesizer` or `judge`."""
    settings, is_synthesizer = state["settings"], role == "synthesizer"
    return CallOptions(
        who=role,
        purpose=purpose,
        spec=choose_spec(settings, role),
        settings=settings,
        temperature=0.3 if is_synthesizer else 0.0,
        max_tokens=settings.max_tokens_synthesis,
        max_attempts=settings.max_attempts,
        has_answered=_has_answered(state),
        is_hidden=not is_synthesizer,
        past_calls=state["calls"],
        reserve=0 if is_synthesizer else None,
    )


def with_turn(call: CallOptions, turn: int, round: int) -> CallOptions:
    """Return a copy of `call` for this turn and round."""
    return replace(call, turn=turn, round=round)


def with_lookups(
    call: CallOptions, participant: Participant, lookups: Sequence[Lookup], seat_letter: str = ""
) -> CallOptions:
    """Return a copy of `call` that lets the participant use its tools before it answers.

    `lookups`: look-ups of the run so far. `seat_letter`: letter in the ids of new look-ups, for participants who answer
    in the same turn.
    """
    settings = call.settings
    can_call = settings.lookups.per_turn and not is_agent_spec(call.spec)  # an agent has tools of its own
    names = [tool.name for tool in settings.tool_definitions] if can_call else []
    allowed_tools = [name for name in names if participant.tools is None or name in participant.tools]
    prefix = f"L{call.turn}{seat_letter}."
    return replace(call, allowed_tools=tuple(allowed_tools), lookup_prefix=prefix, past_lookups=lookups)


def _has_answered(state: PromptState) -> bool:
    return any(call.outcome == "ok" for call in reversed(state["calls"]))


def make_call_record(
    options: CallOptions,
    message: AIMessage | None,
    start_time: float,
    outcome: str = "ok",
    prompt: Prompt | None = None,
    attempt: int = 1,
) -> Call:
    """Make the record of one request, successful or not. `start_time` is a `time.perf_counter()` reading.

    `prompt`: the prompt that was sent. Without token counts from the server, caps count one token per byte.
    """
    usage = extract_usage(message) if message else TokenUsage(0, 0)
    if usage and usage.reasoning_tokens:
        get_capabilities(options.spec).sends_reasoning = True
    is_uncounted = message is not None and usage is None
    is_unsent = (
        options.is_external
        or is_agent_spec(options.spec)
        or options.spec.startswith("object:")
        or "temperature" in get_capabilities(options.spec).refused_settings
    )
    input_tokens, output_tokens, cached_tokens, reasoning_tokens = usage or TokenUsage(0, 0)
    return Call(
        purpose=options.purpose,
        who=options.who,
        model=options.spec,
        turn=options.turn,
        round=options.round,
        attempt=attempt,
        temperature_sent=None if is_unsent else options.temperature,
        outcome=outcome,
        fingerprint=get_fingerprint(message) if message else "",
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        cached_tokens=cached_tokens,
        reasoning_tokens=reasoning_tokens,
        ms=count_milliseconds_since(start_time),
        replayed=bool(options.settings.replay),
        assumed_input=prompt.digest[0] if is_uncounted and prompt else 0,
        assumed_output=len(repair_surrogates(message.text).encode()) + 1 if message and is_uncounted else 0,
    )


def get_fingerprint(message: AIMessage) -> str:
    """Return the server's fingerprint of its model and configuration; empty if the server sends none."""
    fingerprint = message.response_metadata.get("system_fingerprint")
    return mask_keys(repair_surrogates(fingerprint))[:200] if isinstance(fingerprint, str) else ""


def make_incident(
    call: CallOptions, fault: CallFailure, attempts: int, consequence: str, severity: str = "recoverable"
) -> Incident:
    """Make the record of a fault in a question, with its consequence for the run."""
    return Incident(
        where=call.purpose,
        who=call.who,
        what=fault.translate_message(call.settings.language),
        kind=fault.kind,
        consequence=consequence,
        attempts=attempts,
        turn=call.turn,
        round=call.round,
        at=get_timestamp(),
        category="validation" if fault.is_content_fault else "communication",
        severity=severity,
    )


def get_attempt_value(values: list[float], attempt: int) -> float:
    """Return the value for this attempt, from 1. Attempts beyond the list use the last value."""
    return values[min(attempt, len(values)) - 1]
