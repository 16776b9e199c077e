"""How the group's steps write: memories that stay within their bounds, and lines of the protocol itself."""

from collections.abc import Sequence

from ...state.justice import Phase1Result
from ...state.justice.channels import Round
from ...state.memory import MemoryWrite, Replaced, compressed
from ...state.statement import MODERATOR, Statement
from ..clock import stamp
from .addressee import Hearer, settled_rules


def noted(state: Round, news: dict[str, list[str]]) -> MemoryWrite:
    """The write that gives each its news, and compresses a memory that passes its threshold.

    Phase 1 results and what is new stay whatever happens.
    """
    write: dict[str, Sequence[str] | Replaced] = dict(news)
    for one in settled_rules(state["rules"]).participants:
        settings = settled_rules(state["rules"]).memory.model_copy(update={"memory_max_chars": one.memory_max_chars})
        lines = [*state["memory"].get(one.name, []), *news.get(one.name, [])]
        shorter = compressed(lines, settings, [*results_of(state["alone"].get(one.id)), *news.get(one.name, [])])
        if shorter is not None:
            write[one.name] = Replaced(replace=shorter)
    return write


def results_of(alone: Phase1Result | None) -> list[str]:
    """The memory lines that hold a participant's Phase 1 results."""
    return alone.final_memory_state.splitlines() if alone else []


def moderated(state: Round, text: str) -> Statement:
    """A line of the protocol in the public history."""
    turn, round = max(1, state["turn"]), max(1, state["round"])
    return Statement(turn=turn, round=round, speaker=MODERATOR, content=text, at=stamp())


def teller(state: Round) -> Hearer:
    """Whoever speaks for the protocol: in the run's language."""
    rules = settled_rules(state["rules"])
    return Hearer(rules, rules.participants[0].model_copy(update={"language": rules.language}))
