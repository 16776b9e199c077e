"""Schema of a voter's structured answer, and the ballot made from it."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import AfterValidator, Field, create_model, model_validator
from pydantic_core import PydanticCustomError

from ..errors import InputError
from ..frozen import StrictModel
from .record import CUMULATIVE_POINTS, MAX_REASON_LENGTH, Ballot, find_duplicate

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
        defaults = {"reason": "", "abstain": False} | ({cls.kind: None, "weight": 1} if is_abstention else {})
        return {key: default for key, default in defaults.items() if key in cls.model_fields} | value

    @model_validator(mode="after")
    def _check_abstention(self) -> Self:
        if (getattr(self, self.kind) is None) != getattr(self, "abstain", False):
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
        fields["weight"] = (Annotated[int, Field(ge=1, le=5)], ...)
    schema = create_model(f"{kind.capitalize()}Ballot", __base__=BallotAnswer, **fields)
    schema.kind = kind
    return schema


def make_ballot_schema(
    kind: BallotFormat, options: Sequence[str], *, is_weighted: bool = False, may_abstain: bool = False
) -> type[BallotAnswer]:
    """Make the schema of a ballot of this kind over these options, for structured output.

    Required keys: the kind itself (`choice`, `ranking`, `approvals`, `scores` or `points`). `reason` is optional. With
    `is_weighted`, the schema has `weight` (1 to 5). With `may_abstain`, it has `abstain`; an abstention sets the key
    of the kind to null and has no weight. Scores and points are lists of `{option, score}`, 0 to 10. Other keys are
    not allowed. A ballot may name each of `options` once. Raises `InputError` if `options` is empty or has duplicates.
    """
    if not options or find_duplicate(options):
        raise InputError("options", list(options), "name at least one option, each once")
    return _build_schema(kind, tuple(options), is_weighted, may_abstain)
