"""How the justice experiment's channels fold what steps write; a client's plain dicts become the models."""

from pydantic import BaseModel, ConfigDict, Field

from .adoption import VotingRecord
from .application import ApplicationResult
from .draw import Draw
from .justice_box import VoteAnswer
from .justice_result import Phase1Result
from .principle import Ranking
from .reducers import appending, latest_of, merging
from .settlement import Settlement


class Reasoning(BaseModel):
    """What one participant thought before it spoke; only its owner is ever shown it."""

    model_config = ConfigDict(frozen=True)

    round: int = Field(ge=1, le=100, description="Round it belongs to.")
    participant: str = Field(description="Id of who thought it.")
    text: str = Field(default="", description="The text; empty where none came.")


latest_settlement = latest_of(Settlement)
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
