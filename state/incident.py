"""Incidents and model calls: the record behind the figures of a result."""

from collections.abc import Iterable, Sequence

from pydantic import BaseModel, ConfigDict, Field

MISSED_TURN = "passed over"
"""Consequence of an incident that cost a participant its turn."""

EMBEDDING_PURPOSE = "embedding"
"""Purpose of a call that asks a model for vectors instead of words."""


class Incident(BaseModel):
    """One degradation: time, step, participant, event, number of attempts and consequence."""

    model_config = ConfigDict(frozen=True)

    where: str = Field(description="The step, such as `speak` or `synthesize`.")
    who: str = Field(default="", description="Participant or role concerned.")
    what: str = Field(description="What happened, without keys or prompts.")
    kind: str = Field(default="", description="Short class such as `timeout`, `empty`, `overflow`, `cut_off`.")
    consequence: str = Field(default="", description="What followed, such as `passed over`, `asked again`.")
    tries: int = Field(default=1, ge=0, description="Calls made for it, counted from 1; 0: none was needed.")
    turn: int = Field(default=0, ge=0, description="Turn it happened in; 0: outside turns.")
    round: int = Field(default=0, ge=0, description="Round it happened in; 0: outside rounds.")
    at: str = Field(default="", description="When it was recorded, ISO 8601, UTC.")
    category: str = Field(default="communication", description="communication, validation, memory, system or logic.")
    severity: str = Field(default="recoverable", description="recoverable or degraded.")


class Call(BaseModel):
    """One request to a model, successful or not."""

    model_config = ConfigDict(frozen=True)

    purpose: str = Field(description="What it was for: `statement`, `synthesis`, `judgement`, `ballot` …")
    who: str = Field(default="", description="Participant or role that was asked.")
    model: str = Field(default="", description="Model spec.")
    turn: int = Field(default=0, ge=0, description="Turn it belongs to; 0: outside turns.")
    round: int = Field(default=0, ge=0, description="Round it belongs to; 0: outside rounds.")
    try_number: int = Field(default=1, ge=1, description="Which try of its question, from 1.")
    outcome: str = Field(default="ok", description="`ok`, or the class of the failure.")
    fingerprint: str = Field(default="", description="The `system_fingerprint` of what answered; empty: none is told.")
    input_tokens: int = Field(default=0, ge=0, description="Prompt tokens as reported by the provider.")
    output_tokens: int = Field(default=0, ge=0, description="Completion tokens as reported by the provider.")
    cached_tokens: int = Field(default=0, ge=0, description="Prompt tokens the provider served from its cache.")
    reasoning_tokens: int = Field(default=0, ge=0, description="Completion tokens spent on hidden reasoning.")
    ms: int = Field(default=0, ge=0, description="Wall time of the call in milliseconds.")
    assumed_input: int = Field(
        default=0, ge=0, description="Where no usable figure came: prompt tokens caps take it for, a token a byte."
    )
    assumed_output: int = Field(default=0, ge=0, description="The same for completion tokens.")
    replayed: bool = Field(default=False, description="Whether it was answered from a recording, and nothing spent.")
    reply: str = Field(default="", description="The raw reply, where the record's text leaves a copied frame out.")

    @property
    def lacks_usage(self) -> bool:
        """Flag for a call without usable token counts from the provider."""
        return bool(self.assumed_input or self.assumed_output)

    @property
    def capped_call(self) -> "Call":
        """Call as caps count it, with unknown token counts at their maximum."""
        if not self.lacks_usage:
            return self
        return self.model_copy(update={"input_tokens": self.assumed_input, "output_tokens": self.assumed_output})

    @property
    def tokens(self) -> int:
        """Prompt and completion tokens together."""
        return self.input_tokens + self.output_tokens


def sum_tokens(calls: Sequence[Call]) -> int:
    """Sum the tokens of all calls, including failed attempts, judges and synthesis."""
    return sum(call.tokens for call in calls)


def list_missed_turns(incidents: Sequence[Incident]) -> list[Incident]:
    """Return the incidents that cost a participant its turn, in order."""
    return [incident for incident in incidents if incident.consequence == MISSED_TURN]


def count_missed_in_row(name: str, turns_taken: Iterable[int], incidents: Sequence[Incident]) -> int:
    """Count the latest turns in a row that a participant missed.

    `turns_taken` are the numbers of its turns with a statement. They are read only if there is a missed turn.
    """
    missed = [incident.turn for incident in list_missed_turns(incidents) if incident.who == name]
    last = max(turns_taken, default=0) if missed else 0
    return sum(turn > last for turn in missed)
