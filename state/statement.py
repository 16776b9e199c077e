"""Participants of a run, their statements, and the notices between the statements."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Annotated, Any, Final, Literal, Self

from pydantic import AfterValidator, Field, field_validator, model_validator

from .errors import OPTIONAL_TAG_PATTERN
from .fence import check_printable, fence_text, fold_to_letters
from .frozen_models import ClosedModel, FrozenModel
from .lookups.record import QuotedLookup

MODERATOR: Final = "moderator"
"""Speaker of a protocol's own lines in the public history; a reserved name."""
OWNER: Final = "owner"
"""Owner of a run, who approves look-ups; a reserved name."""
ROLES = ("synthesizer", "judge", "summarizer")
"""Roles that Moot asks in addition to the participants."""
RESERVED_NAMES = {
    *(MODERATOR, OWNER, *ROLES, "system", "developer", "assistant", "user", "tool", "all", "everyone", "everybody"),
    *("pass", "none", "nobody"),
    *("moderador", "moderadora", "sistema", "todos", "todas", "ninguna", "ninguno", "nadie"),
    *("主持人", "系统", "所有人", "大家", "无"),
}
"""Words that cannot be names, folded: roles, speakers of a chat, and words for everyone."""
MAX_PARTICIPANTS: Final = 1_000
"""Maximum number of participants of one deliberation: each prompt lists all of them."""


def find_name_fault(candidates: Sequence[str]) -> tuple[str, str] | None:
    """Return the first unusable name and the remedy, or `None` if all names are usable.

    Two names must differ in their letters or digits.
    """
    used_names: set[str] = set()
    for name in candidates:
        folded_name = fold_to_letters(name)
        if "=" in name:
            return (
                name,
                "a name must not contain =; give the model by its own key, as in {name: Ada, model: openai:gpt-5-mini}",
            )
        if not folded_name:
            return name, "a name must not be blank; give it a letter or a digit"
        if folded_name in RESERVED_NAMES:
            return name, "Moot uses this word itself; choose another name"
        if folded_name in used_names:
            return (
                name,
                "must differ from the other names by more than case, punctuation or alphabet; choose another name",
            )
        used_names.add(folded_name)
    return None


class Participant(ClosedModel):
    """Participant of a run: a model, a person or a program."""

    name: Annotated[str, AfterValidator(check_printable)] = Field(
        min_length=1, max_length=80, description="Unique name."
    )
    side: str = Field(default="", max_length=40, description="Seat in a debate: `pro` or `con`; empty elsewhere.")
    role: str = Field(default="", max_length=400, description="Public description of the participant.")
    persona: str = Field(
        default="", max_length=20_000, description="Private description of the participant, which only it sees."
    )
    private: str = Field(
        default="", max_length=2_000_000, description="Facts that only this participant sees, in each of its prompts."
    )
    model: str = Field(default="", max_length=300, description="Model; empty: the run's model.")
    kind: Literal["model", "person", "program"] = Field(
        default="model", description="Writer of the statements: a model, a person or a program."
    )
    required: bool = Field(default=True, description="Whether a session opens only with this participant.")
    order: int | None = Field(
        default=None, ge=0, le=10_000, description="Seat number; the creator of the session has 0."
    )
    language: str = Field(
        default="",
        pattern=OPTIONAL_TAG_PATTERN,
        max_length=35,
        description="Language, BCP-47 tag; empty: the run's language.",
    )
    temperature: float | None = Field(default=None, ge=0, le=2, description="Sampling temperature; empty: the run's.")
    tools: list[Annotated[str, Field(max_length=300)]] | None = Field(
        default=None,
        max_length=64,
        description="Tools of the participant; none: the tools of the run; empty: no tools.",
    )

    @field_validator("model", mode="before")
    @classmethod
    def _check_model_spec(cls, value: object) -> object:
        if callable(getattr(value, "ainvoke", None)):
            raise ValueError("name a spec; a chat model object goes into the context, as models={name: object}")
        return value

    @model_validator(mode="before")
    @classmethod
    def _expand_name(cls, value: object) -> object:
        return {"name": value} if isinstance(value, str) else value


class Exhibit(FrozenModel):
    """Document that all participants receive. Prompts fence its text, which may contain instructions."""

    id: str = Field(description="Id for citations, as in `[@id]`.")
    title: str = Field(default="", description="Title of the document.")
    text: str = Field(description="Text of the document in prompts.")

    @cached_property
    def fenced_text(self) -> str:
        """Return the text of the document between the tags that a prompt needs."""
        return fence_text("paper", self.text, id=self.id, title=self.title)


class Statement(FrozenModel):
    """Statement of the public record, written once and never edited."""

    turn: int = Field(ge=1, description="Number of the turn; a missed turn leaves a gap.")
    round: int = Field(ge=1, description="Round of the statement.")
    speaker: str = Field(description="Name of the participant, or `moderator` for a line of the protocol.")
    content: str = Field(description="Text of the statement.")
    at: str = Field(default="", description="Time of the record, ISO 8601, UTC.")
    tokens: int = Field(
        default=0, ge=0, description="Prompt and completion tokens of the turn, including failed attempts."
    )
    cut_off: bool = Field(default=False, description="Whether the model reached its length limit.")
    named_next: str = Field(default="", description="Participant that the speaker proposes as the next one.")
    silenced: bool = Field(
        default=False,
        description="Whether a fork hides the statement from all participants. A hidden turn still counts.",
    )
    act: Literal["", "concede"] = Field(
        default="", description="Formal act in the last line; `concede`: the speaker gives up its side."
    )
    lookups: list[QuotedLookup] = Field(
        default_factory=list, description="Results of look-ups that everyone sees after the statement."
    )
    message_id: str = Field(
        default="", description="Client's id of the message, so that a repeated message counts once."
    )

    @cached_property
    def fenced_text(self) -> str:
        """Return the text of the statement between the tags that a prompt needs, then its public look-ups."""
        statement = fence_text("statement", self.content, turn=self.turn, speaker=self.speaker)
        return "\n".join([statement, *(lookup.fenced_text for lookup in self.lookups)])

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Return a copy with some fields changed, and with its fenced text computed again."""
        copy = super().model_copy(update=update, deep=deep)
        copy.__dict__.pop("fenced_text", None)
        return copy


class Notice(FrozenModel):
    """Announcement by the protocol between two statements, such as a vote result."""

    turn: int = Field(ge=0, description="Turn before the notice; 0: before the first turn.")
    text: str = Field(description="Text of the notice.")
    quotes: dict[str, str] = Field(default_factory=dict, description="Words of participants below the notice, by name.")

    def list_lines(self) -> list[str]:
        """Return the lines of the announcement: its text, then one line for each quoted participant."""
        return [self.text, *(f"- {name}: “{words}”" for name, words in self.quotes.items())]


def get_participant_by_name(participants: Sequence[Participant], name: str) -> Participant:
    """Return the participant with this name. Raises `StopIteration` if there is none."""
    return next(participant for participant in participants if participant.name == name)


def list_names(participants: Sequence[Participant]) -> list[str]:
    """Return the names of the participants in seat order."""
    return [participant.name for participant in participants]
