"""Record of an answer: the participant, the question, and the replies that contained the answer."""

from pydantic import Field

from ..frozen_models import FrozenModel
from .labelled_lines import ReadAs


class AnswerRecord(FrozenModel):
    """Answer to a question of a vote. Subclasses add the value of the answer."""

    voter: str = Field(description="Name of the participant that was asked; in the justice experiment its id.")
    question: str = Field(description="Kind of question, such as consent or ballot.")
    attempt: int = Field(
        default=1, ge=1, description="Number of the attempt that gave the answer, from 1; the last attempt if none did."
    )
    read_as: ReadAs | None = Field(
        default=None, description="Form of the answer: schema, line or bare; none: unreadable."
    )
    replies: list[str] = Field(default_factory=list, description="Every reply, unchanged.")
