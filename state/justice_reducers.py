"""How the justice experiment's channels fold what steps write; a client's plain dicts become the models."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from .adoption import VotingRecord
from .application import ApplicationResult
from .deliberation import appending
from .draw import Draw
from .justice_box import VoteAnswer
from .justice_result import Phase1Result
from .principle import Ranking
from .settlement import Settlement

T = TypeVar("T")


class Reasoning(BaseModel):
    """What one participant thought before it spoke; only its owner is ever shown it."""

    model_config = ConfigDict(frozen=True)

    round: int = Field(ge=1, le=100, description="Round it belongs to.")
    participant: str = Field(description="Id of who thought it.")
    text: str = Field(default="", description="The text; empty where none came.")


def merging(kind: type[T]) -> Callable[[dict[str, T], Sequence[dict[str, T]]], dict[str, T]]:
    """A reducer that merges by id, the last write of each, turning a client's plain dicts into `kind`."""
    adapter = TypeAdapter(dict[str, kind])  # type: ignore[valid-type]

    def merge(current: dict[str, T], writes: Sequence[dict[str, T]]) -> dict[str, T]:
        merged = dict(current)
        for write in writes:
            merged.update(adapter.validate_python(write))
        return merged

    return merge


def latest_settlement(current: Settlement, writes: Sequence[object]) -> Settlement:
    """The last write, validated."""
    return Settlement.model_validate(writes[-1]) if writes else current


merge_alone = merging(Phase1Result)
merge_rankings = merging(Ranking)
merge_lines = merging(list[str])
gather_draws = appending(Draw)
gather_reasonings = appending(Reasoning)
gather_answers = appending(VoteAnswer)
gather_votes = appending(VotingRecord)
gather_applications = appending(ApplicationResult)
gather_orders = appending(list)
gather_lines = appending(str)
