"""Result of a justice experiment as one document, built from the state."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import Field

from ..frozen_models import FrozenModel
from ..random_streams import Draw
from ..records import Incident
from ..statement import MODERATOR, Statement
from .channels import JusticeOutput
from .measures import Measures, RankingsById, compute_measures
from .phase_results import GroupStatement, Phase1Result, Phase2Result, TemplateHashes, list_stage_rankings
from .principle import Ranking
from .settings import JusticeSettings
from .speaking_order import count_finishes
from .vote import VotingRecord


class JusticeResult(FrozenModel):
    """Result of a justice experiment. Money is in whole cents.

    Data fields identify participants by id, texts by name.
    """

    experiment_id: str = Field(description="Name of the experiment, from the caller or drawn.")
    timestamp: str = Field(description="Start of the run, ISO 8601, UTC.")
    status: Literal["completed", "partial", "failed", "unfinished"] = Field(
        description=(
            "`completed`, `partial` (ended early), `failed` (most answers missing) or `unfinished` "
            "(stopped). Failed and unfinished runs can be resumed."
        )
    )
    headline: str = Field(description="Adopted rule and failures on one line, for people.")
    config: JusticeSettings = Field(description="Settings of the run, with defaults.")
    words: TemplateHashes = Field(default=TemplateHashes(), description="Hashes of the texts in the prompts.")
    seed: int = Field(ge=0, le=2**31 - 1, description="Seed of all random draws.")
    phase1: dict[str, Phase1Result] = Field(description="Results of Phase 1, by participant id.")
    phase2: Phase2Result = Field(description="Results of the group.")
    draws: list[Draw] = Field(description="Every random draw, with the name of its random stream.")
    incidents: list[Incident] = Field(description="Incidents of the run, in order.")
    measures: Measures = Field(description="Measures of the rankings.")


def parse_justice_result(document: Mapping[str, Any]) -> JusticeResult:
    """Parse the saved document of an experiment's result."""
    return JusticeResult.model_validate({key: document[key] for key in JusticeResult.model_fields})


def build_justice_result(state: JusticeOutput) -> JusticeResult:
    """Build the result of an experiment from the state of its run, finished or not."""
    settings, outcome, settlement = state["settings"], state["outcome"], state["settlement"]
    assert isinstance(settings, JusticeSettings)
    return JusticeResult(
        experiment_id=state["experiment_id"],
        timestamp=state["began_at"],
        status=outcome.status if outcome else "unfinished",
        headline=outcome.headline if outcome else "",
        config=settings,
        words=state["words"],
        seed=settings.run_seed,
        phase1=state["alone"],
        phase2=build_phase2_result(state, settings),
        draws=[*state["draws"], *settlement.draws],
        incidents=state["incidents"],
        measures=state["measures"] or measure_run(settings, state["alone"], state["last_rankings"]),
    )


def build_phase2_result(state: JusticeOutput, settings: JusticeSettings) -> Phase2Result:
    """Build the result of the group phase from the state of the run."""
    settlement, adopted_rule = state["settlement"], state["adopted"]
    values = settlement.model_dump()
    payoffs = {id: payoff.payoff_cents for id, payoff in settlement.payoffs.items()}
    return Phase2Result.model_validate(
        values
        | {
            "consensus_reached": is_consensus_reached(settings, state["votes"], bool(settlement.payoffs)),
            "agreed_principle": adopted_rule.principle if adopted_rule else None,
            "constraint_amount": adopted_rule.constraint_amount if adopted_rule else None,
            "rounds_completed": len(state["orders"]) if settlement.payoffs else max(0, len(state["orders"]) - 1),
            "discussion_history": list_group_statements(settings, state["history"]),
            "speaking_orders": state["orders"],
            "finisher_counts": count_finishes(state["orders"]),
            "voting_records": state["votes"],
            "final_rankings": state["last_rankings"],
            "final_earnings": {id: result.total_earnings + payoffs.get(id, 0) for id, result in state["alone"].items()},
            "private_reasonings": state["reasonings"],
            "final_memories": {
                participant.id: "\n".join(state["memory"][participant.name])
                for participant in settings.participants
                if participant.name in state["memory"]
            },
        }
    )


def is_consensus_reached(settings: JusticeSettings, votes: Sequence[VotingRecord], is_paid: bool) -> bool | None:
    """Return whether the group adopted a rule.

    Return `None` for an imposed rule, or if the run stopped before the group's outcome. `is_paid`: whether the group
    has been paid.
    """
    if settings.voting.decision_rule == "imposed":
        return None
    if any(vote.consensus is not None for vote in votes):
        return True
    return False if is_paid else None


def measure_run(
    settings: JusticeSettings, results: Mapping[str, Phase1Result], last_rankings: Mapping[str, Ranking]
) -> Measures:
    """Compute the measures of all four rankings in one run."""
    return compute_measures(collect_rankings(results, last_rankings), settings.ceiling_warning_share)


def collect_rankings(results: Mapping[str, Phase1Result], last_rankings: Mapping[str, Ranking]) -> RankingsById:
    """Return every participant's rankings 1 to 4, by id."""
    return {id: list_stage_rankings(result, last_rankings.get(id)) for id, result in results.items()}


def list_group_statements(settings: JusticeSettings, history: Sequence[Statement]) -> list[GroupStatement]:
    """Return the public statements in the record format that all protocols share.

    The moderator's id is its name.
    """
    ids_by_name = {participant.name: participant.id for participant in settings.participants}
    return [
        GroupStatement(
            round=statement.round,
            turn=statement.turn,
            agent_id=ids_by_name.get(statement.speaker, MODERATOR),
            name=statement.speaker,
            statement=statement.content,
            timestamp=statement.at,
            tokens=statement.tokens,
        )
        for statement in history
    ]
