"""What a judge of convergence answers: how far each participant agrees."""

from collections import Counter
from functools import cache
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model

from ..prompts import listed, term
from .answer import Answer, Check


class Standing(BaseModel):
    """How far one participant agrees, as a judge sees it."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(max_length=80, description="The participant.")
    agreement: float = Field(ge=0, le=1, description="0: not at all; 1: wholly with where the group stands.")
    objection: str = Field(max_length=2000, description="What the participant still objects to; empty if nothing.")


class Standings(BaseModel):
    """How far each participant agrees."""

    model_config = ConfigDict(extra="forbid")

    standings: list[Standing] = Field(description="One entry for each participant.")


@cache
def standings_of(*seats: str) -> type[Standings]:
    """The standings of these participants and no others; how many is only advised, `covers` says who is missing."""
    name: Any = Literal.__getitem__(seats)
    one: Any = create_model("Standing", __base__=Standing, name=(name, ...))
    entries = Field(json_schema_extra={"minItems": len(seats), "maxItems": len(seats)})
    return create_model("Standings", __base__=Standings, standings=(list[one], entries))


def covers(seats: list[str], language: str) -> Check:
    """The check of a judge's standings: every participant once. What is wrong is told in the run's language."""

    def check(answer: Answer) -> str | None:
        said = Counter(one.name for one in answer.value.standings) if isinstance(answer.value, Standings) else Counter()
        told = {
            "no_standing": [seat for seat in seats if not said[seat]],
            "two_standings": [seat for seat in seats if said[seat] > 1],
        }
        wrong = [term(language, "again", key, names=listed(language, who)) for key, who in told.items() if who]
        return " ".join(wrong) or None

    return check
