"""Node that asks a judge model how much each participant agrees with the group."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any, Literal

from pydantic import Field, create_model

from ...models import NoAnswerError
from ...prompts import Templates, get_term, join_words
from ...state import StrictModel, Update, list_names
from ...state.consensus import NOT_MEASURED, GroupState, GroupUpdate, make_agreement_score
from ..ask import Answer, Check, ask, build_prompt, build_role_call, record_calls, with_turn


class ParticipantScore(StrictModel):
    """Agreement of one participant with the group, scored by a judge model."""

    name: str = Field(max_length=80)
    agreement: float = Field(ge=0, le=1, description="agreement")
    objection: str = Field(max_length=2000, description="objection")


class ParticipantScores(StrictModel):
    """Reply of a judge model: the agreement of each participant with the group."""

    standings: list[ParticipantScore]


@cache
def build_scores_schema(*seats: str) -> type[ParticipantScores]:
    """Build the schema for the scores of exactly these participants.

    Endpoints may ignore the required number of entries, so `make_coverage_check` looks for missing participants.
    """
    name: Any = Literal.__getitem__(seats)
    entry_schema: Any = create_model("Standing", __base__=ParticipantScore, name=(name, ...))
    entries = Field(json_schema_extra={"minItems": len(seats), "maxItems": len(seats)})
    return create_model("Standings", __base__=ParticipantScores, standings=(list[entry_schema], entries))


def make_coverage_check(seats: list[str], language: str) -> Check:
    """Make the check that a judge scores every participant once.

    The check describes faults in `language`.
    """

    def find_answer_fault(answer: Answer) -> str | None:
        counts = (
            Counter(entry.name for entry in answer.value.standings)
            if isinstance(answer.value, ParticipantScores)
            else Counter()
        )
        faults = {
            "no_standing": [seat for seat in seats if not counts[seat]],
            "two_standings": [seat for seat in seats if counts[seat] > 1],
        }
        messages = [
            get_term(language, "again", key, names=join_words(language, members))
            for key, members in faults.items()
            if members
        ]
        return " ".join(messages) or None

    return find_answer_fault


def judge_agreement(templates: Templates) -> Callable[[GroupState], object]:
    """Build the node in which a judge model scores the agreement after a complete round."""

    async def judge_agreement(state: GroupState) -> Update:
        """Ask the judge for one score per participant.

        Reads the task, round, record, view_limits; writes agreements, calls, incidents, view_limits.
        """
        seats = list_names(state["participants"])
        call = replace(
            with_turn(build_role_call(state, "judge", "agreement"), 0, state["round"]),
            schema=build_scores_schema(*seats),
        )
        prompt = replace(build_prompt(state, templates, "judge", {}), history=state["history"])
        prompt = prompt.with_limit(state["view_limits"].get("judge"))
        try:
            answer = await ask(prompt, call, make_coverage_check(seats, prompt.language))
        except NoAnswerError as failure:
            lost: Update = GroupUpdate(agreements=[make_agreement_score("judge", state["round"], {}, {}, seats)])
            return lost | record_calls("judge", failure.with_consequence(NOT_MEASURED))
        entries = answer.value.standings if isinstance(answer.value, ParticipantScores) else []
        scores = {entry.name: entry.agreement for entry in entries}
        objections = {entry.name: entry.objection for entry in entries}
        score = make_agreement_score("judge", state["round"], scores, objections, seats)
        return GroupUpdate(agreements=[score]) | record_calls("judge", answer)

    return judge_agreement
