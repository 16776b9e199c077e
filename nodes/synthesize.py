"""Write the closing text, and put the ending on record with its evidence."""

import re
from collections.abc import Callable
from dataclasses import replace

from ..prompts import Catalogue
from ..prompts import term as phrase
from ..state.deliberation import Stage, Update
from ..state.ending import Ending
from ..state.ends import EndingRule
from ..state.incident import Call, Incident
from ..state.outcome import Outcome
from ..state.reply import cited_turns
from .ask import Answer, Check, ask
from .asking import asking_role
from .brief import Brief, brief, length_in_words
from .clock import stamp
from .faults import Unavailable
from .headline import ended_by, headline
from .models import REHEARSAL

FIELDS = "ending pro con turns words language others"
"""What a synthesis template may ask for."""


def synthesize(words: Catalogue, ending: EndingRule) -> Callable[[Stage], object]:
    """The last step: a neutral model sums up; the ending that led here is recorded."""

    async def synthesize(state: Stage) -> Update:
        """Write the synthesis and the outcome.

        Reads topic, cast, rules, history, incidents, calls; writes outcome, synthesis, calls, incidents.
        """
        found = ending(state) or Ending(reason="closed", strategy="caller")
        told = told_to_sum_up(state, words, found)
        try:
            text, calls, incidents = await _summed_up(state, told)
        except Unavailable as lost:
            note = [one.model_copy(update={"consequence": "no synthesis"}) for one in lost.incidents]
            text, calls, incidents = "", lost.calls, note
        outcome = concluded(state, found, [*state["calls"], *calls], [*state["incidents"], *incidents], bool(text))
        return Update(outcome=outcome, synthesis=text, calls=calls, incidents=incidents)

    return synthesize


def told_to_sum_up(state: Stage, words: Catalogue, found: Ending) -> Brief:
    """What the synthesizer is told: the whole record and how it ended."""
    rules, cast = state["rules"], state["participants"]
    values = {
        "ending": ended_by(found, state),
        "pro": cast[0].name,
        "con": cast[-1].name,
        "others": ", ".join(one.name for one in cast),
        "turns": spans([statement.turn for statement in state["history"]]),
        "words": length_in_words(rules.max_tokens_synthesis),
    }
    return replace(brief(state, words, "synthesize", values), history=state["history"])


async def _summed_up(state: Stage, told: Brief) -> tuple[str, list[Call], list[Incident]]:
    """The text, asked again once if it cites turns that do not exist, and then marked."""
    turns = [statement.turn for statement in state["history"]]
    asking = asking_role(state, "synthesizer", "synthesis")
    answer = await ask(told, asking, cites_the_record(turns, told.language))
    text, notes = marked(answer.text.strip(), turns)
    return text, answer.calls, [*answer.incidents, *notes]


def cites_the_record(turns: list[int], language: str) -> Check:
    """The check of a synthesis: not empty, and every turn it cites exists; invented turns are refused once."""
    refused: list[int] = []

    def check(answer: Answer) -> str | None:
        if len(answer.text.strip()) < 3:
            return phrase(language, "again", "empty")
        invented = [turn for turn in cited_turns(answer.text) if turn not in turns]
        if not invented or refused:
            return None
        refused.extend(invented)
        return phrase(language, "again", "no_such_turn", cited=_brackets(invented), turns=spans(turns))

    return check


def marked(text: str, turns: list[int]) -> tuple[str, list[Incident]]:
    """The text with citations of turns that do not exist marked `[99?]`, and what to put on record about it."""
    cited = cited_turns(text)
    invented = [turn for turn in cited if turn not in turns]
    for turn in invented:
        text = re.sub(rf"(?<=[\[［【,，、; ]){turn}(?=[\]］】,，、; ])", f"{turn}?", text)
    what = f"it cites turns that do not exist: {_brackets(invented)}" if invented else "it cites no turn"
    if cited and not invented:
        return text, []
    kind, followed = ("citation", "marked") if invented else ("no_citation", "kept")
    note = Incident(where="synthesis", who="synthesizer", what=what, kind=kind, consequence=followed, at=stamp())
    return text, [note.model_copy(update={"category": "validation"})]


def concluded(state: Stage, found: Ending, calls: list[Call], incidents: list[Incident], whole: bool) -> Outcome:
    """The outcome, with a headline that says whatever was degraded."""
    rehearsal = bool(calls) and all(call.model == REHEARSAL for call in calls)
    partial = not whole or found.reason == "participants_unavailable"
    outcome = Outcome(
        reason=found.reason,
        strategy=found.strategy,
        evidence=found.evidence,
        status="partial" if partial else "completed",
        rehearsal=rehearsal,
    )
    said = headline(outcome, state, incidents, whole)
    return outcome.model_copy(update={"headline": said})


def _brackets(turns: list[int]) -> str:
    return ", ".join(f"[{turn}]" for turn in turns)


def spans(turns: list[int]) -> str:
    """Turn numbers as "1–12", or with gaps "1–4, 6–9"."""
    found: list[list[int]] = []
    for turn in sorted(turns):
        if found and turn == found[-1][1] + 1:
            found[-1][1] = turn
        else:
            found.append([turn, turn])
    return ", ".join(f"{first}" if first == last else f"{first}–{last}" for first, last in found)
