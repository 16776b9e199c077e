"""Ballots: the checked answer of one voter.

A valid ballot holds a choice, a ranking, a set of approvals, scores, or an abstention. An invalid ballot keeps the text
and the reason. `find_ballot_fault` compares a valid ballot with the options.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from ..errors import describe_fault
from ..fence import check_printable

BallotKind = Literal["choice", "ranking", "approvals", "scores"]

BALLOT_KINDS: list[BallotKind] = ["choice", "ranking", "approvals", "scores"]

CUMULATIVE_POINTS = 10
"""Points that each voter gives away under cumulative voting."""

MAX_RAW_LENGTH, MAX_FAULT_LENGTH, MAX_REASON_LENGTH = 2_000, 500, 4_000


BallotName = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=1_000), AfterValidator(check_printable)
]
"""Voter or option: one line of text, without blanks at its ends."""

BallotScore = Annotated[float, Field(ge=-1_000_000, le=1_000_000, allow_inf_nan=False)]


class Ballot(BaseModel):
    """Ballot of one voter. Raises `ValidationError` unless it has exactly one kind of content."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    voter: BallotName = Field(description="Voter; each has one ballot.")
    choice: BallotName | None = Field(default=None, description="Chosen option.")
    ranking: list[BallotName] | None = Field(
        default=None, min_length=1, max_length=1_000, description="Options, best first; may stop early."
    )
    approvals: list[BallotName] | None = Field(
        default=None, max_length=1_000, description="Every approved option; empty: no option."
    )
    scores: dict[BallotName, BallotScore] | None = Field(
        default=None, min_length=1, max_length=1_000, description="Points per option; missing options have 0."
    )
    abstain: bool = Field(default=False, description="Whether the voter abstains, which counts for the quorum.")
    invalid: str = Field(
        default="", max_length=MAX_FAULT_LENGTH, description="Reason why the answer is invalid; empty: valid."
    )
    raw: str = Field(default="", max_length=MAX_RAW_LENGTH, description="Unreadable answer, unchanged.")
    amount: int | None = Field(
        default=None, ge=0, le=10**12, description="Amount that belongs to the choice, in the question's unit."
    )
    weight: int | None = Field(default=None, ge=1, le=5, description="The voter's certainty, 1 (low) to 5 (high).")
    reason: str = Field(
        default="",
        max_length=MAX_REASON_LENGTH,
        description="Reason in the voter's words, which has no effect on the count.",
    )

    @model_validator(mode="after")
    def _check_content(self) -> Self:
        contents: list[str] = [kind for kind in BALLOT_KINDS if getattr(self, kind) is not None]
        contents += ["abstain"] * self.abstain + ["invalid"] * bool(self.invalid)
        if len(contents) != 1:
            content_list = ", ".join(contents) or "none"
            raise ValueError(
                f"give exactly one of choice, ranking, approvals, scores, abstain, invalid; got {content_list}"
            )
        if self.amount is not None and self.choice is None:
            raise ValueError("an amount belongs to a choice; drop it or give a choice")
        if self.raw and not self.invalid:
            raise ValueError("only an invalid ballot keeps the raw answer")
        return self

    @classmethod
    def make_invalid(cls, voter: str, raw: str, fault: str) -> Self:
        """Make an invalid ballot from an unreadable answer and the reason. Clip both to their maximum length."""
        return cls(voter=voter, raw=raw[:MAX_RAW_LENGTH], invalid=fault[:MAX_FAULT_LENGTH] or "unreadable")

    @property
    def kind(self) -> BallotKind | None:
        """Kind of the vote; `None` for an abstention or an invalid ballot."""
        return next((kind for kind in BALLOT_KINDS if getattr(self, kind) is not None), None)

    @property
    def named_options(self) -> list[str]:
        """Options that the ballot names, in the order of the ballot."""
        if self.choice is not None:
            return [self.choice]
        return list(self.ranking or self.approvals or self.scores or [])

    def rename_options(self, names: Mapping[str, str]) -> Self:
        """Return the ballot with its options renamed. Options without a new name are left out."""
        if self.scores is not None:
            scores = {names[option]: score for option, score in self.scores.items() if option in names}
            return self.model_copy(update={"scores": scores})
        kind = "ranking" if self.ranking is not None else "approvals"
        return self.model_copy(update={kind: [names[option] for option in self.named_options if option in names]})


def find_duplicate(names: Iterable[str]) -> str:
    """Return the first repeated name; empty if all differ."""
    used_names: set[str] = set()
    for name in names:
        if name in used_names:
            return name
        used_names.add(name)
    return ""


def find_ballot_fault(ballot: Ballot, options: Sequence[str] | None = None) -> str:
    """Return the reason why `ballot` cannot be counted; empty for a ballot that can be counted."""
    if ballot.invalid:
        return ballot.invalid
    if duplicate := find_duplicate(ballot.named_options):
        return f"{ballot.kind} names {duplicate!r} twice"
    unknown_options = [name for name in ballot.named_options if options is not None and name not in options]
    return f"{ballot.kind} names the unknown option {unknown_options[0]!r}" if unknown_options else ""


def describe_first_fault(error: ValidationError) -> str:
    """Describe the first fault of an invalid ballot, with the field that contains it."""
    fault = error.errors()[0]
    location = ".".join(str(part) for part in fault["loc"])
    description = describe_fault(fault["msg"])
    return f"{location}: {description}" if location else description
