"""The form of a group's synthesis: its fields, the check that keeps every dissent, and how it reads."""

from functools import cache
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model

from ..prompts import listed, term
from ..state.outline import set_under
from .ask import Answer, Check

RANK = 2
"""The rank of the headings of a synthesis."""


class Dissent(BaseModel):
    """One dissent and who holds it."""

    model_config = ConfigDict(extra="forbid")

    holder: str = Field(max_length=80, description="Name of the participant who holds it.")
    reason: str = Field(min_length=1, max_length=3000, description="What it objects to, and why.")


class CommonGround(BaseModel):
    """The synthesis of a group's dialogue."""

    model_config = ConfigDict(extra="forbid")

    common_ground: str = Field(min_length=1, max_length=8000, description="What all can share.")
    dissent: list[Dissent] = Field(max_length=1000, description="Every dissent that is left.")
    open_questions: list[str] = Field(max_length=100, description="What was not settled.")
    movement: str = Field(max_length=4000, description="How far positions moved, when, and after whose statement.")


@cache
def common_ground_of(*seats: str) -> type[CommonGround]:
    """The synthesis of a dialogue among `seats`: nobody else can hold a dissent."""
    holder: Any = Literal.__getitem__(seats)
    one: Any = create_model("Dissent", __base__=Dissent, holder=(holder, ...))
    return create_model("CommonGround", __base__=CommonGround, dissent=(list[one], Field(max_length=1000)))


def holders(value: CommonGround) -> list[str]:
    """Whose dissent a synthesis names."""
    return [one.holder.strip() for one in value.dissent]


def keeps_dissent(held: dict[str, str], language: str) -> Check:
    """The check of a group's synthesis: every dissent of the last round is in it; an omission is refused once."""
    refused: list[str] = []

    def check(answer: Answer) -> str | None:
        named = holders(answer.value) if isinstance(answer.value, CommonGround) else []
        missing = [holder for holder in held if holder not in named]
        if not missing or refused:
            return None
        refused.extend(missing)
        return term(language, "again", "no_dissent", holders=listed(language, missing))

    return check


def both(first: Check, second: Check) -> Check:
    """The first fault that either check finds."""

    def check(answer: Answer) -> str | None:
        return first(answer) or second(answer)

    return check


def rendered(value: CommonGround, missing: dict[str, str], language: str) -> str:
    """The synthesis as Markdown, with localized headings; those of its texts stay below them."""
    held = [(one.holder, one.reason) for one in value.dissent]
    held += [(holder, f"{reason} *") for holder, reason in missing.items()]
    dissent = [term(language, "record", "dissent", holder=holder, reason=reason) for holder, reason in held]
    sections = {
        "common_ground": value.common_ground,
        "dissent": "\n".join(_item(one) for one in dissent),
        "open_questions": "\n".join(_item(f"- {question}") for question in value.open_questions),
        "movement": value.movement,
    }
    heads, nothing = {key: term(language, "synthesis", key) for key in sections}, term(language, "record", "none")
    return "\n\n".join(
        f"{'#' * RANK} {heads[key]}\n\n{set_under(text.strip(), RANK) or nothing}" for key, text in sections.items()
    )


def _item(text: str) -> str:
    """An item of a list, all of its lines in it."""
    return text.strip().replace("\n", "\n  ")
