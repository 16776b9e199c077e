"""Records of a run's calls to models, and of its incidents: events that were not planned."""

from collections.abc import Sequence

from pydantic import Field

from .frozen_models import FrozenModel

EMBEDDING_PURPOSE = "embedding"
"""Purpose of a call that asks a model for vectors instead of words."""
LOST = "lost"
"""Outcome of a request whose process died before it saved the answer.

The request counts once, with its maximum cost.
"""
UNCERTAIN_OUTCOMES = (LOST, "timeout", "connection", "server", "malformed")
"""Outcomes of requests that the server may or may not have counted."""

AGENT_PURPOSE = "agent"
"""Purpose of a model call that an agent in a seat made."""
QUESTION_KEY = "question"
"""Key in the metadata of an agent's run for the id of its question and attempt, which stays the same after a crash."""


class Call(FrozenModel):
    """One request to a model, successful or not."""

    purpose: str = Field(
        description="Purpose of the call: `statement`, `declaration` (an answer), `position` (agreement), `synthesis` …"
    )
    who: str = Field(default="", description="Participant or role that was asked.")
    model: str = Field(default="", description="Model spec.")
    turn: int = Field(default=0, ge=0, description="Turn of the call, or number of the sample; 0: outside turns.")
    round: int = Field(default=0, ge=0, description="Round of the call; 0: outside rounds.")
    attempt: int = Field(default=1, ge=1, description="Number of the attempt at the question, from 1.")
    temperature_sent: float | None = Field(
        default=None, description="Sampling temperature that was sent; empty: the model takes none."
    )
    outcome: str = Field(default="ok", description="`ok`, the class of the failure, or `lost` if the process stopped.")
    fingerprint: str = Field(default="", description="The `system_fingerprint` from the provider; empty: not reported.")
    input_tokens: int = Field(default=0, ge=0, description="Prompt tokens as reported by the provider.")
    output_tokens: int = Field(default=0, ge=0, description="Completion tokens as reported by the provider.")
    cached_tokens: int = Field(default=0, ge=0, description="Prompt tokens the provider served from its cache.")
    reasoning_tokens: int = Field(default=0, ge=0, description="Completion tokens spent on hidden reasoning.")
    ms: int = Field(default=0, ge=0, description="Wall time of the call in milliseconds.")
    assumed_input: int = Field(
        default=0,
        ge=0,
        description="Prompt tokens that count for limits if the provider reported no usable count: one per byte.",
    )
    assumed_output: int = Field(
        default=0,
        ge=0,
        description="Completion tokens that count for limits if the provider reported no usable count: one per byte.",
    )
    replayed: bool = Field(default=False, description="Whether the answer came from a recording and cost nothing.")
    reply: str = Field(default="", description="Raw reply, if the recorded text leaves out a copied frame.")

    @property
    def lacks_usage(self) -> bool:
        """Return whether the provider reported no usable token counts for this call."""
        return bool(self.assumed_input or self.assumed_output)

    @property
    def question(self) -> tuple[str, str, int, int]:
        """Return what identifies the question of the call: purpose, participant, turn and round."""
        return self.purpose, self.who, self.turn, self.round

    @property
    def is_lost(self) -> bool:
        """Return whether the answer was lost with the process that sent the request."""
        return self.outcome == LOST

    @property
    def is_uncertain(self) -> bool:
        """Return whether the server may have counted tokens that are not recorded."""
        return self.outcome in UNCERTAIN_OUTCOMES

    @property
    def call_at_maximum_usage(self) -> "Call":
        """Return the call with maximum token counts in place of unknown ones, for comparison with caps."""
        if not self.lacks_usage:
            return self
        return self.model_copy(update={"input_tokens": self.assumed_input, "output_tokens": self.assumed_output})

    @property
    def tokens(self) -> int:
        """Return the sum of prompt and completion tokens."""
        return self.input_tokens + self.output_tokens


def sum_tokens(calls: Sequence[Call]) -> int:
    """Sum the tokens of all calls, including failed attempts, judges and synthesis."""
    return sum(call.tokens for call in calls)


class Incident(FrozenModel):
    """Unplanned event in a run: where it happened, to whom, the number of attempts and the consequence."""

    where: str = Field(description="Step, such as `statement` or `synthesis`.")
    who: str = Field(default="", description="Participant or role.")
    what: str = Field(description="Description of the event, without keys or prompts.")
    kind: str = Field(default="", description="Short class such as `timeout`, `rejected`, `no_citation`, `cut_off`.")
    consequence: str = Field(default="", description="Consequence, such as `missed`, `asked again`.")
    attempts: int = Field(default=1, ge=0, description="Number of calls made; 0: no call.")
    turn: int = Field(default=0, ge=0, description="Turn of the incident; 0: outside turns.")
    round: int = Field(default=0, ge=0, description="Round of the incident; 0: outside rounds.")
    at: str = Field(default="", description="Time of the record, ISO 8601, UTC.")
    category: str = Field(
        default="communication", description="Category: communication, validation, memory, system or logic."
    )
    severity: str = Field(default="recoverable", description="Severity: recoverable or degraded.")
