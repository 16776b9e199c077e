"""Node that closes the blind round, computes the answer so far, and names the authors."""

import re

from langgraph.types import Send

from ...models import choose_spec, parse_spec
from ...prompts import load_phrases
from ...state import (
    FloorState,
    Incident,
    PositionRecordState,
    RecordState,
    Statement,
    TaskState,
    Update,
    compute_answer,
    get_participant_by_name,
    is_budget_spent,
    list_names,
    stop_on_outage,
)
from ...state.council import Concordance, CouncilSettings, CouncilUpdate, list_answers_to_rank
from ...storage import get_timestamp


class MemberAnswersState(TaskState, FloorState, RecordState):
    """Channels that are needed to read the members' answers."""


class GatherState(MemberAnswersState, PositionRecordState):
    """Channels of the members' answers and positions."""


async def gather(state: GatherState) -> Update:
    """Close the round, record each answer that names its author, and compute the group's answer.

    Reads the task, floor, turn, history, positions; writes floor, turn, incidents, answer, concordance.
    """
    answer = compute_answer({"settings": state["settings"], "positions": state["positions"]})
    update: Update = CouncilUpdate(concordance=Concordance())
    update |= Update(floor=[], turn=state["turn"] + len(state["floor"]), answer=answer)
    if incidents := [
        incident for statement in state["history"] for incident in _list_author_incidents(statement, state)
    ]:
        update["incidents"] = incidents
    return update


def _list_author_incidents(statement: Statement, state: TaskState) -> list[Incident]:
    """Return an incident if an answer names its author or the author's model, as a list.

    The answer stays unchanged.
    """
    author = get_participant_by_name(state["participants"], statement.speaker)
    spec = choose_spec(state["settings"], author.name, author.model)
    author_names = [author.name, "" if spec.startswith("object:") else parse_spec(spec).name]
    if not any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", statement.content) for name in author_names if name):
        return []
    translate, language = load_phrases("council").translate_phrase, state["settings"].language
    incident = Incident(
        where="gather",
        who=statement.speaker,
        what=translate(language, "noted.names_author", turn=statement.turn),
        kind="note",
        consequence="kept",
        attempts=0,
        turn=statement.turn,
        round=statement.round,
        at=get_timestamp(),
        category="logic",
    )
    return [incident]


def route_to_rankers(state: MemberAnswersState, settings: CouncilSettings) -> str | list[Send]:
    """Route to every member that has at least two answers to rank.

    Without such a member, or after an outage or a spent budget, route past the ranking.
    """
    if stop_on_outage(state, state["turn"]) or is_budget_spent(settings, state["calls"]):
        return "nothing to rank"
    rankers = list_names(state["participants"])
    eligible_names = [
        name for name in rankers if len(list_answers_to_rank(name, state["history"], settings.rank_own_answer)) > 1
    ]
    return [Send("review", {"who": name}) for name in eligible_names] or "nothing to rank"
