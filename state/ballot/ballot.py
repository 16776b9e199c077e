"""Ballots: what one voter said, schema-bound.

A ballot holds exactly one of a choice, a ranking, a set of approvals or scores, or it is an abstention, or it is
invalid: then it keeps the text and why. Whether a readable ballot can be counted is a matter of the options:
`what_spoils`.
"""

from collections.abc import Iterable, Sequence
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, model_validator

from ..fence import printable

BallotKind = Literal["choice", "ranking", "approvals", "scores"]
"""The four ways to say what one wants."""

KINDS: list[BallotKind] = ["choice", "ranking", "approvals", "scores"]

POINTS = 10
"""Points a voter has to give away under cumulative voting."""

RAW_LENGTH, WHY_LENGTH, REASON_LENGTH = 2_000, 500, 4_000


Name = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=1_000), AfterValidator(printable)
]
"""A voter or an option: one line of text, blanks at its ends dropped."""

Score = Annotated[float, Field(ge=-1_000_000, le=1_000_000, allow_inf_nan=False)]


class Ballot(BaseModel):
    """One voter's ballot. Raises `ValidationError` unless it says exactly one thing."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    voter: Name = Field(description="Who cast it; one ballot each.")
    choice: Name | None = Field(default=None, description="The one option voted for.")
    ranking: list[Name] | None = Field(
        default=None, min_length=1, max_length=1_000, description="Options, best first; may stop early."
    )
    approvals: list[Name] | None = Field(
        default=None, max_length=1_000, description="Every option approved of; empty: none."
    )
    scores: dict[Name, Score] | None = Field(
        default=None, min_length=1, max_length=1_000, description="Points per option; an option left out has 0."
    )
    abstain: bool = Field(default=False, description="Present, but without a vote.")
    invalid: str = Field(default="", max_length=WHY_LENGTH, description="Why the answer was no ballot; empty: it was.")
    raw: str = Field(default="", max_length=RAW_LENGTH, description="The unreadable answer, as it was given.")
    amount: int | None = Field(
        default=None, ge=0, le=10**12, description="Amount that belongs to the choice, in the question's unit."
    )
    weight: int | None = Field(default=None, ge=1, le=5, description="The voter's certainty, 1 (low) to 5 (high).")
    reason: str = Field(default="", max_length=REASON_LENGTH, description="Why, in the voter's words; never counted.")

    @model_validator(mode="after")
    def _says_one_thing(self) -> Self:
        said: list[str] = [kind for kind in KINDS if getattr(self, kind) is not None]
        said += ["abstain"] * self.abstain + ["invalid"] * bool(self.invalid)
        if len(said) != 1:
            got = ", ".join(said) or "none"
            raise ValueError(f"give exactly one of choice, ranking, approvals, scores, abstain, invalid; got {got}")
        if self.amount is not None and self.choice is None:
            raise ValueError("an amount belongs to a choice; drop it or give a choice")
        if self.raw and not self.invalid:
            raise ValueError("only an invalid ballot keeps the raw answer")
        return self

    @classmethod
    def spoiled(cls, voter: str, raw: str, why: str) -> Self:
        """An invalid ballot: the unreadable answer and why it is one, both cut to their bounds."""
        return cls(voter=voter, raw=raw[:RAW_LENGTH], invalid=why[:WHY_LENGTH] or "unreadable")

    @property
    def kind(self) -> BallotKind | None:
        """How it votes; none for an abstention or an invalid ballot."""
        return next((kind for kind in KINDS if getattr(self, kind) is not None), None)

    @property
    def named(self) -> list[str]:
        """The options it names, in its own order."""
        if self.choice is not None:
            return [self.choice]
        return list(self.ranking or self.approvals or self.scores or [])


def repeated(names: Iterable[str]) -> str:
    """The first name that comes twice; empty if none does."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return ""


def what_spoils(ballot: Ballot, options: Sequence[str] | None = None) -> str:
    """Why `ballot` cannot be counted; empty if it can.

    It is at fault if it is invalid, if a ranking or an approval repeats a name, or if it names none of the `options`
    (none given: every name is one).
    """
    if ballot.invalid:
        return ballot.invalid
    if twice := repeated(ballot.named):
        return f"{ballot.kind} names {twice!r} twice"
    unknown = [name for name in ballot.named if options is not None and name not in options]
    return f"{ballot.kind} names the unknown option {unknown[0]!r}" if unknown else ""
