"""Branch of one participant in Phase 1: it runs the phase as a separate graph and returns the result."""

import re
from typing import Any, Protocol

from langchain_core.runnables import RunnableConfig

from ...state.channel_requirements import BranchInput
from ...state.deliberation import RecordState, TaskState
from ...state.justice import JusticeSettings, Phase1Result, Presentation, draw_presentation
from ...state.justice.channels import Phase1State
from ...state.justice.input_output import JusticeUpdate
from ...state.memory import MemoryReplacement, fit_memory
from ...state.schemas import Update
from ..step import NodeRunnable, complete_input, validate_state
from .addressee import get_justice_settings, get_participant


class CompiledGraph(Protocol):
    """Compiled graph."""

    def invoke(self, input: Any, /) -> Any:
        """Run the graph to its end."""

    async def ainvoke(self, input: Any, /) -> Any:
        """Run the graph to its end."""


class Phase1BranchState(TaskState, RecordState):
    """Channels that a branch reads, with its participant."""

    who: BranchInput[str]


class Phase1Runnable(NodeRunnable):
    """Step in which one participant passes through Phase 1, unseen by the others.

    The inner graph runs in the same mode as the outer one, since some savers know only one mode.
    """

    def __init__(self, phase: CompiledGraph) -> None:
        async def run_phase1(state: Phase1BranchState) -> JusticeUpdate:
            """Run Phase 1 for one participant.

            Reads settings and who is asked; writes alone, memory, draws, calls, incidents.
            """
            return collect_phase1(state, await phase.ainvoke(make_initial_state(state)))

        super().__init__(run_phase1)
        self.phase = phase

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Update:
        state = validate_state(self.group, complete_input(self.group, input, config))
        return collect_phase1(state, self.phase.invoke(make_initial_state(state)))


def collect_phase1(state: Phase1BranchState, final_state: Phase1State) -> JusticeUpdate:
    """Return the updates that one participant's Phase 1 makes to the record."""
    settings = get_justice_settings(state["settings"])
    participant, (presentation, draws) = (
        get_participant(settings, state["who"]),
        draw_presentation(settings, state["who"]),
    )
    lines = fit_memory(strip_controls(final_state["lines"]), participant.memory_max_chars)
    return JusticeUpdate(
        alone={participant.id: make_phase1_result(participant.name, final_state, lines, presentation)},
        memory={participant.name: MemoryReplacement(replace=lines)},
        draws=[*draws, *(draw for result in final_state["applications"] for draw in result.draws)],
        calls=final_state["calls"],
        incidents=final_state["incidents"],
    )


def make_initial_state(state: Phase1BranchState) -> Phase1State:
    """Return the initial state of a participant."""
    return Phase1State(
        who=state["who"],
        settings=with_budget_share(get_justice_settings(state["settings"])),
        lines=[],
        rankings={},
        comment="",
        comprehension=[],
        applications=[],
        incidents=[],
        calls=[],
    )


def with_budget_share(settings: JusticeSettings) -> JusticeSettings:
    """Return the settings of one branch with an equal share of the caps.

    A branch sees only its own calls.
    """
    budget, count = settings.budget, len(settings.participants)
    caps = {
        "calls": max(1, budget.calls // count) if budget.calls else None,
        "tokens": max(1, budget.tokens // count) if budget.tokens else None,
        "cost": budget.cost / count if budget.cost else None,
    }
    return settings if budget == type(budget)() else settings.with_choices(budget=caps)


def make_phase1_result(
    name: str, final_state: Phase1State, memory: list[str], presentation: Presentation
) -> Phase1Result:
    """Return a participant's Phase 1 as it is stored, with the memory for the group phase."""
    rankings = final_state["rankings"]
    return Phase1Result(
        participant_name=name,
        presentation=presentation,
        comprehension=final_state["comprehension"],
        initial_ranking=rankings.get("initial_ranking"),
        principle_explanation=final_state["comment"],
        post_explanation_ranking=rankings.get("post_explanation_ranking"),
        application_results=final_state["applications"],
        final_ranking=rankings.get("final_ranking"),
        total_earnings=sum(application.payoff_cents for application in final_state["applications"]),
        final_memory_state="\n".join(memory),
    )


CONTROL_CHARACTERS = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f]")
"""Unicode's control characters (category Cc), tabs excepted."""


def strip_controls(lines: list[str]) -> list[str]:
    """Return a memory without control characters, tabs excepted."""
    return [CONTROL_CHARACTERS.sub("", line) for line in lines]
