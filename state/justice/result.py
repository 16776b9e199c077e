"""The result of a justice experiment: one document, made from what the state holds. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from ..draw import Draw
from ..incident import Incident
from ..memory import Lines
from ..statement import MODERATOR, Statement
from .measures import Measures, Rankings, measure
from .payment import Payment
from .phases import HistoryEntry, Phase1Result, Phase2Result, WordsInForce, stage_rankings
from .principle import Ranking
from .rules import JusticeRules
from .speaking_order import finisher_counts
from .vote import VotingRecord
from .writes import JusticeOutput


class JusticeResult(BaseModel):
    """What an experiment leaves behind. Money is in whole cents; ids in data, names in text."""

    model_config = ConfigDict(frozen=True)

    experiment_id: str = Field(description="The caller's name for it, or a drawn one.")
    timestamp: str = Field(description="When it began, ISO 8601, UTC.")
    status: Literal["completed", "partial", "failed", "unfinished"] = Field(
        description="partial: it ended before its last step; failed: most of it was not answered; unfinished: it was "
        "stopped, and can be gone on with, as can one that failed."
    )
    headline: str = Field(description="One line for people: the agreed rule or none, and every degradation counted.")
    config: JusticeRules = Field(description="The settings in force, defaults filled in.")
    words: WordsInForce = Field(
        default=WordsInForce(), description="What participants were told from, by hash of each text."
    )
    seed: int = Field(ge=0, le=2**31 - 1, description="Seed of every draw.")
    phase1: dict[str, Phase1Result] = Field(description="Everyone alone, by id.")
    phase2: Phase2Result = Field(description="The group.")
    draws: list[Draw] = Field(description="Every draw, with its stream.")
    incidents: list[Incident] = Field(description="Everything that did not go as planned.")
    measures: Measures = Field(description="What is reported of the rankings.")


def result_in(document: Mapping[str, Any]) -> JusticeResult:
    """The experiment's result in its document."""
    return JusticeResult.model_validate({key: document[key] for key in JusticeResult.model_fields})


def justice_result(state: JusticeOutput) -> JusticeResult:
    """The document of an experiment, finished or not."""
    rules, outcome, settlement = state["rules"], state["outcome"], state["settlement"]
    assert isinstance(rules, JusticeRules)
    return JusticeResult(
        experiment_id=state["experiment_id"],
        timestamp=state["began_at"],
        status=outcome.status if outcome else "unfinished",
        headline=outcome.headline if outcome else "",
        config=rules,
        words=state["words"],
        seed=rules.run_seed,
        phase1=state["alone"],
        phase2=phase2_result(state, rules),
        draws=[*state["draws"], *settlement.draws],
        incidents=state["incidents"],
        measures=state["measures"] or measures_of(rules, state["alone"], state["last_rankings"]),
    )


def phase2_result(state: JusticeOutput, rules: JusticeRules) -> Phase2Result:
    """The group's part."""
    settlement, adopted = state["settlement"], state["adopted"]
    given = settlement.model_dump()
    return Phase2Result.model_validate(
        given
        | {
            "consensus_reached": consensus(rules, state["votes"], bool(settlement.payoffs)),
            "agreed_principle": adopted.principle if adopted else None,
            "constraint_amount": adopted.constraint_amount if adopted else None,
            "rounds_completed": len(state["orders"]) if settlement.payoffs else max(0, len(state["orders"]) - 1),
            "discussion_history": entries(rules, state["history"]),
            "speaking_orders": state["orders"],
            "finisher_counts": finisher_counts(state["orders"]),
            "voting_records": state["votes"],
            "final_rankings": state["last_rankings"],
            "final_banks": final_banks(state["alone"], settlement),
            "private_reasonings": state["reasonings"],
            "final_memories": final_memories(rules, state["memory"]),
        }
    )


def consensus(rules: JusticeRules, votes: Sequence[VotingRecord], settled: bool) -> bool | None:
    """Whether a rule was adopted; None where one was imposed, or the run was broken off before it could be known."""
    if rules.voting.decision_rule == "imposed":
        return None
    if any(vote.consensus is not None for vote in votes):
        return True
    return False if settled else None


def final_banks(alone: Mapping[str, Phase1Result], settlement: Payment) -> dict[str, int]:
    """Payoffs of both phases by id, in cents."""
    paid = {id: one.payoff_cents for id, one in settlement.payoffs.items()}
    return {id: one.total_earnings + paid.get(id, 0) for id, one in alone.items()}


def final_memories(rules: JusticeRules, memory: Lines) -> dict[str, str]:
    """What each remembers, by id."""
    return {one.id: "\n".join(memory[one.name]) for one in rules.participants if one.name in memory}


def measures_of(rules: JusticeRules, alone: Mapping[str, Phase1Result], last: Mapping[str, Ranking]) -> Measures:
    """The measures of the four rankings."""
    return measure(rankings_of(alone, last), rules.ceiling_warning_share)


def rankings_of(alone: Mapping[str, Phase1Result], last: Mapping[str, Ranking]) -> Rankings:
    """Everyone's rankings 1 to 4, by id."""
    return {id: stage_rankings(one, last.get(id)) for id, one in alone.items()}


def entries(rules: JusticeRules, history: Sequence[Statement]) -> list[HistoryEntry]:
    """The public history in the one shape of all protocols' records; `moderator` is its own id."""
    ids = {one.name: one.id for one in rules.participants}
    return [
        HistoryEntry(
            round=one.round,
            turn=one.turn,
            agent_id=ids.get(one.speaker, MODERATOR),
            name=one.speaker,
            statement=one.content,
            timestamp=one.at,
            tokens=one.tokens,
        )
        for one in history
    ]
