"""Ballots: the answer of one voter, checked, and the schema of a structured answer.

A valid ballot holds a choice, a ranking, a set of approvals, scores, or an abstention. An invalid ballot keeps the text
and the reason. `find_ballot_fault` compares a valid ballot with the options.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    create_model,
    model_validator,
)
from pydantic_core import PydanticCustomError

from .errors import InputError, describe_fault
from .fence import check_printable
from .frozen_models import StrictModel

BallotKind = Literal["choice", "ranking", "approvals", "scores"]

BALLOT_KINDS: list[BallotKind] = ["choice", "ranking", "approvals", "scores"]

CUMULATIVE_POINTS = 10
"""Points that each voter gives away under cumulative voting."""

MAX_RAW_LENGTH, MAX_FAULT_LENGTH, MAX_REASON_LENGTH = 2_000, 500, 4_000


BallotName = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=1_000), AfterValidator(check_printable)
]
"""Voter or option: one line of text, without blanks at its ends."""


def _check_unique_keys(scores: object) -> object:
    """Return the scores unchanged. Raises `PydanticCustomError` for names that differ in blanks."""
    check_unique([str(name).strip() for name in scores] if isinstance(scores, dict) else [])
    return scores


BallotScore = Annotated[float, Field(ge=-1_000_000, le=1_000_000, allow_inf_nan=False)]


class Ballot(BaseModel):
    """Ballot of one voter. Raises `ValidationError` unless it has exactly one kind of content."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    voter: BallotName = Field(description="Voter; each has one ballot.")
    choice: BallotName | None = Field(default=None, description="Chosen option.")
    ranking: list[BallotName] | None = Field(
        default=None, min_length=1, max_length=1_000, description="Options, best first; may leave out the last places."
    )
    approvals: list[BallotName] | None = Field(
        default=None, max_length=1_000, description="Every approved option; empty: no option."
    )
    scores: Annotated[dict[BallotName, BallotScore] | None, BeforeValidator(_check_unique_keys)] = Field(
        default=None, min_length=1, max_length=1_000, description="Points per option; missing options have 0."
    )
    abstain: bool = Field(default=False, description="Whether the voter abstains. An abstention counts for the quorum.")
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
        description="Reason in the voter's words, without effect on the count.",
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
            raise ValueError("an amount needs a choice; give the choice too, or leave the amount out")
        if self.raw and not self.invalid:
            raise ValueError("raw is only for an invalid ballot; leave it out")
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
        """Return a ballot of a ranking, approvals or scores with its options renamed.

        `names`: new names by old name. Options without a new name are left out.
        """
        if self.scores is not None:
            scores = {names[option]: score for option, score in self.scores.items() if option in names}
            return self.model_copy(update={"scores": scores})
        kind = "ranking" if self.ranking is not None else "approvals"
        return self.model_copy(update={kind: [names[option] for option in self.named_options if option in names]})


def find_duplicate(names: Iterable[str]) -> str:
    """Return the first repeated name; empty if all differ."""
    return next((name for name, count in Counter(names).items() if count > 1), "")


def build_unique_mapping(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
    """Build the mapping of a JSON object. Raises `ValueError` for a repeated key."""
    if key := find_duplicate([key for key, _ in pairs]):
        raise ValueError(f"the key {key} comes twice")
    return dict(pairs)


def find_ballot_fault(ballot: Ballot, options: Sequence[str] | None = None) -> str:
    """Return the reason why `ballot` cannot be counted; empty for a ballot that can be counted.

    `options`: the possible options; `None` accepts any option.
    """
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


BallotFormat = Literal["choice", "ranking", "approvals", "scores", "points"]
"""Answer formats for a voter. The `points` of a ballot are scores of at least 0 that add up to 10."""


class BallotAnswer(StrictModel):
    """Base class of the schemas that `make_ballot_schema` makes."""

    kind: ClassVar[BallotFormat]

    reason: str

    @model_validator(mode="before")
    @classmethod
    def _fill_defaults(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        is_abstention = value.get("abstain") is True
        defaults = {"reason": "", "abstain": False} | ({cls.kind: None, "weight": None} if is_abstention else {})
        return {key: default for key, default in defaults.items() if key in cls.model_fields} | value

    @model_validator(mode="after")
    def _check_abstention(self) -> Self:
        is_abstention, weight = getattr(self, "abstain", False), getattr(self, "weight", 1)
        if (getattr(self, self.kind) is None) != is_abstention or (weight is None and not is_abstention):
            raise PydanticCustomError(
                "vote_or_abstain", "either vote, or set abstain to true and {field} to null", {"field": self.kind}
            )
        return self

    def make_ballot(self, voter: str) -> Ballot:
        """Make the ballot of `voter` from this answer. Clip a reason that is too long."""
        vote = getattr(self, self.kind)
        field = "scores" if self.kind == "points" else self.kind
        if vote is not None and field == "scores":
            vote = {mark.option: float(mark.score) for mark in vote}
        content: dict[str, Any] = {"abstain": True} if vote is None else {field: vote}
        weight = None if vote is None else getattr(self, "weight", None)
        return Ballot(voter=voter, weight=weight, reason=self.reason[:MAX_REASON_LENGTH], **content)


def check_unique(names: list[str]) -> list[str]:
    """Return the names unchanged. Raises `PydanticCustomError` for a repeated name."""
    if duplicate := find_duplicate(names):
        raise PydanticCustomError("named_twice", "{given} is named twice", {"given": repr(duplicate)})
    return names


def _check_unique_options(marks: list[Any]) -> list[Any]:
    check_unique([mark.option for mark in marks])
    return marks


def _check_points(marks: list[Any]) -> list[Any]:
    total = sum(mark.score for mark in marks)
    if total != CUMULATIVE_POINTS:
        raise PydanticCustomError(
            "points_total",
            "the points add up to {total}; give away exactly {points}",
            {"total": total, "points": CUMULATIVE_POINTS},
        )
    return marks


def _build_content_type(kind: BallotFormat, options: tuple[str, ...]) -> Any:
    option_type: Any = Literal.__getitem__(options)
    if kind == "choice":
        return option_type
    if kind == "approvals":
        return Annotated[list[option_type], AfterValidator(check_unique)]
    if kind == "ranking":
        return Annotated[list[option_type], Field(min_length=1), AfterValidator(check_unique)]
    number_type = int if kind == "points" else float
    score_field: Any = (Annotated[number_type, Field(ge=0, le=CUMULATIVE_POINTS)], ...)
    mark_model = create_model(
        "Mark", __config__=BallotAnswer.model_config, option=(option_type, ...), score=score_field
    )
    marks_type = Annotated[list[mark_model], Field(min_length=1), AfterValidator(_check_unique_options)]  # type: ignore[valid-type]
    return Annotated[marks_type, AfterValidator(_check_points)] if kind == "points" else marks_type


@lru_cache(maxsize=256)
def _build_schema(
    kind: BallotFormat, options: tuple[str, ...], is_weighted: bool, may_abstain: bool
) -> type[BallotAnswer]:
    content_type = _build_content_type(kind, options)
    fields: dict[str, Any] = {kind: (content_type | None if may_abstain else content_type, ...)}
    if may_abstain:
        fields["abstain"] = (bool, ...)
    if is_weighted:
        weight_type = Annotated[int, Field(ge=1, le=5)]
        fields["weight"] = (weight_type | None if may_abstain else weight_type, ...)
    schema = create_model(f"{kind.capitalize()}Ballot", __base__=BallotAnswer, **fields)
    schema.kind = kind
    return schema


def make_ballot_schema(
    kind: BallotFormat, options: Sequence[str], *, is_weighted: bool = False, may_abstain: bool = False
) -> type[BallotAnswer]:
    """Make the schema of a ballot of this kind over these options, for structured output.

    Required keys: the kind itself (`choice`, `ranking`, `approvals`, `scores` or `points`). `reason` is optional. With
    `is_weighted`, the schema has `weight` (1 to 5). With `may_abstain`, it has `abstain`; an abstention sets the key
    of the kind to null and needs no weight. Scores and points are lists of `{option, score}`, 0 to 10. Other keys are
    not allowed. A ballot may name each of `options` once. Raises `InputError` if `options` is empty or has duplicates.
    """
    if not options or find_duplicate(options):
        raise InputError("options", list(options), "name at least one option, each once")
    return _build_schema(kind, tuple(options), is_weighted, may_abstain)
