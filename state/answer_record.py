"""Record of an answer: the participant, the question, and the replies that contained the answer."""

from pydantic import Field

from .answer_form import ReadAs
from .frozen import FrozenModel


class AnswerRecord(FrozenModel):
    """Answer to a question of a vote. Subclasses add the value of the answer."""

    voter: str = Field(description="Who was asked: a name, or in the justice experiment an id.")
    question: str = Field(description="What was asked, such as consent or ballot.")
    attempt: int = Field(default=1, ge=1, description="Attempt that gave the answer, from 1; without one the last.")
    read_as: ReadAs | None = Field(
        default=None, description="Form in which the answer was read: schema, line or bare; none: none was read."
    )
    replies: list[str] = Field(default_factory=list, description="Every reply as it came.")
