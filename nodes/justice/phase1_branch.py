"""The branch of one participant in Phase 1: it runs the phase as a graph of its own and hands in the result."""

import re
from typing import Any, Protocol

from langchain_core.runnables import RunnableConfig

from ...state.deliberation import Given, Record
from ...state.justice import JusticeRules, Phase1Result, Presentation, presentation
from ...state.justice.channels import Lone
from ...state.justice.writes import JusticeUpdate
from ...state.memory import Replaced, within
from ...state.requirements import Sent
from ...state.writes import Update
from ..step import Step, validated, whole
from .addressee import by_id, settled_rules


class Runs(Protocol):
    """A compiled graph."""

    def invoke(self, input: Any, /) -> Any:
        """Run it to its end."""

    async def ainvoke(self, input: Any, /) -> Any:
        """Run it to its end."""


class PhaseBranch(Given, Record):
    """What a branch reads, and whose it is."""

    who: Sent[str]


class PhaseAlone(Step):
    """The step in which one participant goes through a phase of its own, unseen by the others.

    A graph within a graph is run the way the outer one is, since some savers know one way only.
    """

    def __init__(self, phase: Runs) -> None:
        async def alone(state: PhaseBranch) -> JusticeUpdate:
            """Run Phase 1 for one participant.

            Reads rules and who it is; writes alone, memory, draws, calls, incidents.
            """
            return handed_in(state, await phase.ainvoke(begun(state)))

        super().__init__(alone)
        self.phase = phase

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Update:
        state = validated(self.reads, whole(self.reads, input, config))
        return handed_in(state, self.phase.invoke(begun(state)))


def handed_in(state: PhaseBranch, done: Lone) -> JusticeUpdate:
    """What one participant's Phase 1 brings to the record."""
    rules = settled_rules(state["rules"])
    one, (shown, draws) = by_id(rules, state["who"]), presentation(rules, state["who"])
    lines = within(carried(done["lines"]), one.memory_max_chars)
    return JusticeUpdate(
        alone={one.id: phase1_result(one.name, done, lines, shown)},
        memory={one.name: Replaced(replace=lines)},
        draws=[*draws, *(draw for result in done["applications"] for draw in result.draws)],
        calls=done["calls"],
        incidents=done["incidents"],
    )


def begun(state: PhaseBranch) -> Lone:
    """The state a participant begins with."""
    return Lone(
        who=state["who"],
        rules=sharing(settled_rules(state["rules"])),
        lines=[],
        rankings={},
        comment="",
        comprehension=[],
        applications=[],
        incidents=[],
        calls=[],
    )


def sharing(rules: JusticeRules) -> JusticeRules:
    """The rules of one branch: the caps are shared equally, since branches do not see each other's calls."""
    budget, among = rules.budget, len(rules.participants)
    shares = {
        "calls": max(1, budget.calls // among) if budget.calls else None,
        "tokens": max(1, budget.tokens // among) if budget.tokens else None,
        "cost": budget.cost / among if budget.cost else None,
    }
    return rules if budget == type(budget)() else rules.settled(budget=shares)


def phase1_result(name: str, done: Lone, memory: list[str], shown: Presentation) -> Phase1Result:
    """A participant's Phase 1 as it is stored, with the memory it goes on with."""
    rankings = done["rankings"]
    return Phase1Result(
        participant_name=name,
        presentation=shown,
        comprehension=done["comprehension"],
        initial_ranking=rankings.get("initial_ranking"),
        principle_explanation=done["comment"],
        post_explanation_ranking=rankings.get("post_explanation_ranking"),
        application_results=done["applications"],
        final_ranking=rankings.get("final_ranking"),
        total_earnings=sum(one.payoff_cents for one in done["applications"]),
        final_memory_state="\n".join(memory),
    )


CONTROLS = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f]")
"""Unicode's control characters (category Cc), tabs apart."""


def carried(lines: list[str]) -> list[str]:
    """A memory as it goes on into the group: without control characters, tabs apart."""
    return [CONTROLS.sub("", line) for line in lines]
