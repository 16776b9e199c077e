"""Result of a deliberation, with typed fields."""

from collections.abc import Mapping
from typing import Any, Generic

from langchain_core.messages.ai import InputTokenDetails, OutputTokenDetails, UsageMetadata
from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypeVar

from ...state import Call, Incident, Lookup, Outcome, Statement, sum_tokens
from ...state.positions.position import Position

T = TypeVar("T", default=Any)


class Result(BaseModel, Generic[T]):
    """Result of a deliberation that has ended."""

    model_config = ConfigDict(frozen=True)

    text: str = Field(
        description="Synthesis; without a synthesis, the headline. In a rehearsal the headline comes first."
    )
    answer: T | None = Field(
        default=None, description="Answer in the requested form; `None` without a form, or if the form failed."
    )
    status: str = Field(description="`completed`, `partial` or `failed`.")
    reason: str = Field(description="Name of the ending.")
    headline: str = Field(description="Ending and failures on one line.")
    degraded: bool = Field(description="Whether any part is missing or of lower quality.")
    rehearsal: bool = Field(description="Whether no model took part.")
    history: list[Statement]
    positions: list[Position]
    lookups: list[Lookup] = Field(description="Look-ups of the participants, in order.")
    incidents: list[Incident]
    calls: list[Call]
    usage: UsageMetadata = Field(description="Tokens of all calls, including failed attempts.")
    run: str = Field(default="", description="Thread of the deliberation; empty: not saved.")


def build_result(state: Mapping[str, Any], run: str = "", answer: object = None) -> Result[Any]:
    """Build the result of a deliberation from the final state of its protocol.

    `run`: name of the saved run, or empty. `answer`: the filled form, or `None`.
    """
    outcome: Outcome = state["outcome"]
    calls: list[Call] = state["calls"]
    incidents: list[Incident] = state["incidents"]
    return Result(
        text=format_conclusion(outcome, state["synthesis"]),
        answer=answer,
        status=outcome.status,
        reason=outcome.reason,
        headline=outcome.headline,
        degraded=outcome.status != "completed" or any(incident.severity == "degraded" for incident in incidents),
        rehearsal=outcome.rehearsal,
        history=state["history"],
        positions=state.get("positions") or [],
        lookups=state.get("lookups") or [],
        incidents=incidents,
        calls=calls,
        usage=UsageMetadata(
            input_tokens=sum(call.input_tokens for call in calls),
            output_tokens=sum(call.output_tokens for call in calls),
            total_tokens=sum_tokens(calls),
            input_token_details=InputTokenDetails(cache_read=sum(call.cached_tokens for call in calls)),
            output_token_details=OutputTokenDetails(reasoning=sum(call.reasoning_tokens for call in calls)),
        ),
        run=run,
    )


def format_conclusion(outcome: Outcome, synthesis: str) -> str:
    """Return the synthesis or, without one, the headline.

    For a rehearsal, return both: the headline says that this is a rehearsal, and the synthesis follows.
    """
    return f"{outcome.headline}\n\n{synthesis}".strip() if outcome.rehearsal else synthesis or outcome.headline
