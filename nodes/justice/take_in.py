"""What the adopted rule and the results mean to a participant: its memory is written anew; and how it ranks now."""

from dataclasses import replace

from ...state.justice.channels import Integrating
from ...state.justice.writes import JusticeUpdate
from ...state.requirements import Sent
from ..asking import Asking, at, length_in_words
from ..integrate import Happening, integrated
from .addressee import Hearer
from .briefing import hearer_in, told_in_group
from .question import Within, heard, question, spent
from .readings import ranked, ranking_in
from .results import after_results, results_text


class TakingIn(Integrating):
    """A branch for one participant."""

    who: Sent[str]


async def take_in_adoption(state: TakingIn) -> JusticeUpdate:
    """Let one participant work the group's agreement into its memory.

    Reads rules, round, history, calls, memory, alone, adopted, unintegrated, view_limits, and who it is; writes memory,
    unintegrated, calls, incidents, view_limits.
    """
    hearer = hearer_in(state, state["who"])
    assert state["adopted"] is not None
    event = hearer.say("memory.consensus", round=state["round"], rule=hearer.rule(state["adopted"]))
    return await _taken_in(state, hearer, event)


async def take_in_results(state: TakingIn) -> JusticeUpdate:
    """Tell one participant its results, and let it work them into its memory.

    Reads rules, round, history, calls, memory, alone, settlement, adopted, unintegrated, view_limits, and who it is;
    writes memory, unintegrated, calls, incidents, view_limits.
    """
    hearer = hearer_in(state, state["who"])
    return await _taken_in(state, after_results(state, hearer), results_text(state, hearer))


async def rank_last(state: TakingIn) -> JusticeUpdate:
    """Ask for the last ranking, once the results are known.

    Reads rules, round, history, calls, memory, alone, settlement, view_limits, and who it is; writes last_rankings,
    calls, incidents, view_limits, memory.
    """
    hearer = after_results(state, hearer_in(state, state["who"]))
    told = told_in_group(state, hearer, "rank", {"occasion": hearer.say("occasions.last_ranking")})
    got = await heard(told, _asking(state, hearer, "ranking"), hearer, ranking_in(hearer))
    return spent(hearer, got) | JusticeUpdate(last_rankings={hearer.one.id: ranked(got)})


async def _taken_in(state: TakingIn, hearer: Hearer, event: str) -> JusticeUpdate:
    happening = Happening(
        owner=hearer.one.name,
        event=event,
        bound=hearer.one.memory_max_chars,
        tries=hearer.rules.memory.max_memory_retries,
        empty=hearer.say("faults.empty"),
        too_long=lambda length, bound: _too_long(hearer, length, bound),
        pending=state["unintegrated"].get(hearer.one.name, []),
    )
    enough = length_in_words(hearer.rules.max_tokens_synthesis, hearer.language) // 2
    values = {"event": happening.offered, "bound": f"{happening.bound:,}", "words": enough}
    told = told_in_group(state, hearer, "integrate", values)
    done = await integrated(told, _asking(state, hearer, "memory"), happening)
    return spent(hearer, done) | JusticeUpdate(memory=done.memory, unintegrated={hearer.one.name: done.pending})


def _too_long(hearer: Hearer, length: int, bound: int) -> str:
    return hearer.say("faults.memory_too_long", length=length, bound=bound, cut=length - bound)


def _asking(state: TakingIn, hearer: Hearer, purpose: str) -> Asking:
    talk = hearer.rules.discussion
    tries = hearer.rules.memory.max_memory_retries if purpose == "memory" else 1 + talk.max_participant_retries
    within = Within(tries, [talk.statement_timeout])
    asking = at(question(hearer, purpose, state["calls"], within), 0, state["round"])
    return replace(asking, max_tokens=hearer.rules.max_tokens_synthesis) if purpose == "memory" else asking


async def reconvene(state: Integrating) -> JusticeUpdate:
    """Wait until everyone has taken in its results.

    Reads and writes nothing.
    """
    return JusticeUpdate()
