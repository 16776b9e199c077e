"""Branch of one participant in Phase 1. It runs as a separate graph."""

import re
from typing import Any

from langchain_core.runnables import Runnable, RunnableConfig

from ...state import BranchInput, MemoryReplacement, RecordState, TaskState, Update, fit_memory
from ...state.justice import JusticeUpdate, Phase1Result, Phase1State, draw_presentation
from ..node_runnables import NodeRunnable, complete_input, validate_state
from .addressee import get_justice_settings, get_participant


class Phase1BranchState(TaskState, RecordState):
    """Channels of a participant's branch in Phase 1, including the participant's id."""

    who: BranchInput[str]


class Phase1Runnable(NodeRunnable):
    """Node that runs one participant through Phase 1, hidden from the others.

    The inner graph runs in the same mode as the outer one (sync or async), because some savers support only one.
    """

    def __init__(self, phase: Runnable[Any, Any]) -> None:
        async def run_phase1(state: Phase1BranchState) -> JusticeUpdate:
            """Run Phase 1 for one participant.

            Reads settings and who; writes alone, memory, draws, calls, incidents.
            """
            return collect_phase1(state, await phase.ainvoke(make_initial_state(state)))

        super().__init__(run_phase1)
        self.phase = phase

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Update:
        state = validate_state(self.group, complete_input(self.group, input, config))
        return collect_phase1(state, self.phase.invoke(make_initial_state(state)))


def collect_phase1(state: Phase1BranchState, final_state: Phase1State) -> JusticeUpdate:
    """Return the channel updates for the outer graph from the final state of one participant's Phase 1."""
    settings = get_justice_settings(state["settings"])
    participant = get_participant(settings, state["who"])
    presentation, draws = draw_presentation(settings, state["who"])
    lines = fit_memory(
        [CONTROL_CHARACTERS.sub("", line) for line in final_state["memory_lines"]], participant.memory_max_chars
    )
    rankings = final_state["rankings"]
    return JusticeUpdate(
        alone={
            participant.id: Phase1Result(
                participant_name=participant.name,
                presentation=presentation,
                comprehension=final_state["comprehension"],
                initial_ranking=rankings.get("initial_ranking"),
                principle_explanation=final_state["comment"],
                post_explanation_ranking=rankings.get("post_explanation_ranking"),
                application_results=final_state["applications"],
                final_ranking=rankings.get("final_ranking"),
                total_earnings=sum(application.payoff_cents for application in final_state["applications"]),
                final_memory_state="\n".join(lines),
            )
        },
        memory={participant.name: MemoryReplacement(replace=lines)},
        draws=[*draws, *(draw for result in final_state["applications"] for draw in result.draws)],
        calls=final_state["calls"],
        incidents=final_state["incidents"],
    )


def make_initial_state(state: Phase1BranchState) -> Phase1State:
    """Return the initial state of one participant's Phase 1, with an equal share of the run's caps."""
    # a branch sees only its own calls: it gets an equal share of the caps
    settings = get_justice_settings(state["settings"])
    budget, count = settings.budget, len(settings.participants)
    caps = {
        "calls": max(1, budget.calls // count) if budget.calls else None,
        "tokens": max(1, budget.tokens // count) if budget.tokens else None,
        "cost": budget.cost / count if budget.cost else None,
    }
    return Phase1State(
        who=state["who"],
        settings=settings if budget == type(budget)() else settings.with_choices(budget=caps),
        memory_lines=[],
        rankings={},
        comment="",
        comprehension=[],
        applications=[],
        incidents=[],
        calls=[],
    )


CONTROL_CHARACTERS = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f]")
"""Unicode's control characters (category Cc) except tabs."""
