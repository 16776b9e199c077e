"""What a member made of the answers it was shown: nameless, and in an order of its own."""

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, Field

from ..ballot import Ballot
from ..draw import stream
from ..statement import Statement


class Critique(BaseModel):
    """What was said of one answer."""

    model_config = ConfigDict(frozen=True)

    turn: int = Field(ge=1, description="Turn of the answer.")
    text: str = Field(description="The critique as it was given.")


class Review(BaseModel):
    """One member's ranking of the answers, with a critique of each."""

    model_config = ConfigDict(frozen=True)

    ranker: str = Field(description="The member.")
    shown: list[int] = Field(description="Turns of the answers in the order in which they were shown, as A, B, C …")
    ranking: list[int] = Field(default_factory=list, description="Turns, best first; empty: no usable ranking.")
    critiques: list[Critique] = Field(default_factory=list, description="A critique for each that was given one.")
    ballot: Ballot = Field(description="What is counted, by the answers' authors; invalid, with why, where unusable.")


def answers_for(ranker: str, history: Sequence[Statement], rank_own: bool) -> list[Statement]:
    """The answers that a member ranks; fewer than two cannot be ranked."""
    return [one for one in history if rank_own or one.speaker != ranker]


def order_shown(answers: Sequence[Statement], ranker: str, seed: int) -> list[Statement]:
    """The answers in the order in which this member sees them, drawn from the stream `council, shown, ranker`."""
    drawn = list(answers)
    stream(seed, "council", "shown", ranker).shuffle(drawn)
    return drawn
