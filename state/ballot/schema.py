"""The schema a voter's structured answer is bound to, and the ballot it becomes."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, create_model, model_validator
from pydantic_core import PydanticCustomError

from ..refused import Refused
from .ballot import POINTS, REASON_LENGTH, Ballot, repeated

AskedKind = Literal["choice", "ranking", "approvals", "scores", "points"]
"""What a voter can be asked for; `points` are scores of 0 or more that add up to 10."""


class BallotAnswer(BaseModel):
    """What the schemas made by `ballot_schema` have in common."""

    model_config = ConfigDict(extra="forbid", strict=True)

    kind: ClassVar[AskedKind]

    reason: str

    @model_validator(mode="before")
    @classmethod
    def _complete(cls, value: Any) -> Any:
        """A vote without a reason is one, so is one that does not say it is no abstention, and one that only is."""
        if not isinstance(value, dict):
            return value
        abstains = value.get("abstain") is True
        filled = {"reason": "", "abstain": False} | ({cls.kind: None} if abstains else {})
        return {key: one for key, one in filled.items() if key in cls.model_fields} | value

    @model_validator(mode="after")
    def _votes_or_abstains(self) -> Self:
        if (getattr(self, self.kind) is None) != getattr(self, "abstain", False):
            told = "either vote, or set abstain to true and {field} to null"
            raise PydanticCustomError("vote_or_abstain", told, {"field": self.kind})
        return self

    def ballot(self, voter: str) -> Ballot:
        """The answer as `voter`'s ballot; a reason longer than its bound is cut."""
        said = getattr(self, self.kind)
        field = "scores" if self.kind == "points" else self.kind
        if said is not None and field == "scores":
            said = {mark.option: float(mark.score) for mark in said}
        content: dict[str, Any] = {"abstain": True} if said is None else {field: said}
        weight = getattr(self, "weight", None)
        return Ballot(voter=voter, weight=weight, reason=self.reason[:REASON_LENGTH], **content)


def once_each(names: list[str]) -> list[str]:
    """The names as they are; raises `PydanticCustomError` where one comes twice."""
    if twice := repeated(names):
        raise PydanticCustomError("named_twice", "{given} is named twice", {"given": repr(twice)})
    return names


def _marked_once(marks: list[Any]) -> list[Any]:
    once_each([mark.option for mark in marks])
    return marks


def _spent(marks: list[Any]) -> list[Any]:
    total = sum(mark.score for mark in marks)
    if total != POINTS:
        told = "the points add up to {total}; give away exactly {points}"
        raise PydanticCustomError("points_total", told, {"total": total, "points": POINTS})
    return marks


def _content(kind: AskedKind, options: tuple[str, ...]) -> Any:
    option: Any = Literal.__getitem__(options)
    if kind == "choice":
        return option
    if kind == "approvals":
        return Annotated[list[option], AfterValidator(once_each)]
    if kind == "ranking":
        return Annotated[list[option], Field(min_length=1), AfterValidator(once_each)]
    number = int if kind == "points" else float
    score: Any = (Annotated[number, Field(ge=0, le=POINTS)], ...)
    mark = create_model("Mark", __config__=BallotAnswer.model_config, option=(option, ...), score=score)
    marks = Annotated[list[mark], Field(min_length=1), AfterValidator(_marked_once)]  # type: ignore[valid-type]
    return Annotated[marks, AfterValidator(_spent)] if kind == "points" else marks


@lru_cache(maxsize=256)
def _schema(kind: AskedKind, options: tuple[str, ...], weighted: bool, may_abstain: bool) -> type[BallotAnswer]:
    content = _content(kind, options)
    fields: dict[str, Any] = {kind: (content | None if may_abstain else content, ...)}
    if may_abstain:
        fields["abstain"] = (bool, ...)
    if weighted:
        fields["weight"] = (Annotated[int, Field(ge=1, le=5)], ...)
    schema = create_model(f"{kind.capitalize()}Ballot", __base__=BallotAnswer, **fields)
    schema.kind = kind
    return schema


def ballot_schema(
    kind: AskedKind, options: Sequence[str], *, weighted: bool = False, may_abstain: bool = False
) -> type[BallotAnswer]:
    """The schema of a ballot of this kind over these options, for structured output; `answer.ballot(voter)` casts it.

    Keys: the kind's own (`choice`, `ranking`, `approvals`, `scores`, `points`; scores and points are lists of
    `{option, score}`, 0 to 10), `reason`, with `weighted` also `weight` (1 to 5), with `may_abstain` also `abstain`
    (then the kind's own key is null). All are asked for; an answer without `reason` or `abstain` is complete. No other
    key is allowed, and no option can be named that is not one of `options` or named twice. Raises `Refused` if there
    are no options or two are the same.
    """
    if not options or repeated(options):
        raise Refused("options", list(options), "name at least one option, each once")
    return _schema(kind, tuple(options), weighted, may_abstain)
