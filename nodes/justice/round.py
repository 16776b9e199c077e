"""A round of the group: it meets, an order is drawn, everyone speaks, everyone remembers."""

from collections.abc import Callable
from typing import Any

from ...prompts import listed
from ...state.draw import Draw
from ...state.floor import check_floor
from ...state.incident import PASSED_OVER
from ...state.justice import speaking_order
from ...state.justice.channels import Round
from ...state.justice.writes import JusticeUpdate
from ...state.requirements import reading
from ...state.statement import names
from ...state.text import clipped
from .addressee import Hearer, by_id, settled_rules
from .briefing import hearer_in, others_of
from .record import moderated, noted, teller


async def meet(state: Round) -> JusticeUpdate:
    """Bring the group together once everyone has been through Phase 1.

    Reads rules, alone, memory; writes memory.
    """
    news = {}
    for one in settled_rules(state["rules"]).participants:
        hearer = hearer_in(state, one.name)
        lines = [hearer.say("memory.met", others=others_of(hearer))]
        if imposed := hearer.rules.voting.imposed:
            lines.append(hearer.say("group.imposed_line", rule=hearer.rule(imposed)))
        news[one.name] = lines
    return JusticeUpdate(memory=noted(state, news))


SpeakingOrder = Callable[[Any], tuple[list[str], list[Draw]]]
"""A pure function of the state: the speakers of the round to come, first one first, and the draws that led to it."""


def by_speaking_order(state: Round) -> tuple[list[str], list[Draw]]:
    """The order that the run's settings give."""
    rules = settled_rules(state["rules"])
    ids, draws = speaking_order(rules, state["round"] + 1, state["orders"])
    return [by_id(rules, id).name for id in ids], draws


def order(fill: SpeakingOrder) -> Callable[[Round], object]:
    """The step that opens a round whose speakers are given by `fill`."""

    async def order(state: Round) -> JusticeUpdate:
        """Open the next round with a speaking order.

        Reads participants, rules, round, orders, and what the order depends on; writes floor, round, orders, draws.
        """
        floor, draws = fill(state)
        check_floor(floor, names(state["participants"]))
        ids = {one.name: one.id for one in settled_rules(state["rules"]).participants}
        return JusticeUpdate(floor=floor, round=state["round"] + 1, orders=[[ids[name] for name in floor]], draws=draws)

    return reading(order, fill)


async def remember(state: Round) -> JusticeUpdate:
    """Write the complete round into every memory, and say when two rounds remain.

    Reads rules, round, turn, history, incidents, reasonings, orders, memory, alone; writes memory, history.
    """
    rules = settled_rules(state["rules"])
    news = {one.name: round_lines(state, hearer_in(state, one.name)) for one in rules.participants}
    written = JusticeUpdate(memory=noted(state, news))
    if rules.discussion.countdown_due(state["round"]):
        written["history"] = [moderated(state, teller(state).say("group.countdown_line"))]
    return written


def round_lines(state: Round, hearer: Hearer) -> list[str]:
    """What one participant remembers of the round: a header, a line per statement, and its own thoughts if so set."""
    settings, round = hearer.rules.memory, state["round"]
    style, language = settings.guidance_style, hearer.language
    order = [by_id(hearer.rules, id).name for id in state["orders"][-1]]
    outcome = hearer.say("memory.no_vote_yet")
    lines = [hearer.say(f"memory.round_{style}", round=round, order=listed(language, order), outcome=outcome)]
    said = {one.speaker: one.content for one in state["history"] if one.round == round}
    missed = missing_in(state)
    for name in order:
        if name in said and name not in missed:
            text = _kept(hearer, said[name], settings.statement_max_length)
            lines.append(hearer.say(f"memory.statement_{style}", round=round, speaker=name, statement=text))
        else:
            lines.append(hearer.say(f"memory.unavailable_{style}", round=round, speaker=name))
    return [*lines, *_thoughts(state, hearer)]


def _thoughts(state: Round, hearer: Hearer) -> list[str]:
    settings = hearer.rules.memory
    if not settings.include_internal_reasoning:
        return []
    own = [one.text for one in state["reasonings"] if one.round == state["round"] and one.participant == hearer.one.id]
    key = f"memory.reasoning_{settings.guidance_style}"
    return [
        hearer.say(key, round=state["round"], statement=_kept(hearer, text, settings.reasoning_max_length))
        for text in own
        if text
    ]


def _kept(hearer: Hearer, text: str, limit: int) -> str:
    line = " ".join(text.split())
    return clipped(line, limit) if hearer.rules.memory.enable_truncation else line


def missing_in(state: Round) -> set[str]:
    """Names of those whose turn in this round was passed over."""
    return {one.who for one in state["incidents"] if one.round == state["round"] and one.consequence == PASSED_OVER}
