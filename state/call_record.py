"""Record of one request to a model, with its tokens, cost and time."""

from collections.abc import Sequence

from pydantic import Field

from .frozen import FrozenModel

EMBEDDING_PURPOSE = "embedding"
"""Purpose of a call that asks a model for vectors instead of words."""


class Call(FrozenModel):
    """One request to a model, successful or not."""

    purpose: str = Field(description="What it was for: `statement`, `synthesis`, `judgement`, `ballot` …")
    who: str = Field(default="", description="Participant or role that was asked.")
    model: str = Field(default="", description="Model spec.")
    turn: int = Field(default=0, ge=0, description="Turn it belongs to; 0: outside turns.")
    round: int = Field(default=0, ge=0, description="Round it belongs to; 0: outside rounds.")
    attempt: int = Field(default=1, ge=1, description="Which try of its question, from 1.")
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
        """Whether the provider reported no usable token counts for this call."""
        return bool(self.assumed_input or self.assumed_output)

    @property
    def capped_call(self) -> "Call":
        """Call with its maximum token counts in place of unknown ones, as caps count it."""
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
