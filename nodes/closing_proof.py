"""What a closing text has to show for what it says: turns that exist.

A proof finds faults in a text, in words for its writer, and marks what is still wrong when it was asked again once.
"""

from collections.abc import Callable
from dataclasses import dataclass

from ..prompts import term
from ..state.incident import Incident
from ..state.reply import cited_turns, marked_turns
from .asking import Answer, Asking, Brief, Check
from .asking.ask import ask
from .clock import stamp
from .closing import Closing, kept_after_all
from .models.failures import Unavailable


@dataclass(frozen=True)
class Proof:
    """`faults` are told to the writer, empty when there are none; `marked` is the text as it is kept, with notes."""

    faults: Callable[[str], str]
    marked: Callable[[str], tuple[str, list[Incident]]]


def asked_once_more(proof: Proof, language: str, refused: list[str] | None = None) -> Check:
    """The check of a closing text: it is not empty, and it proves what it says; a fault is refused once.

    What was refused is put into `refused`, so that it can be kept where asking again brings nothing.
    """
    refused = [] if refused is None else refused

    def check(answer: Answer) -> str | None:
        if len(answer.text.strip()) < 3:
            return term(language, "again", "empty")
        fault = proof.faults(answer.text)
        if not fault or refused:
            return None
        refused.append(answer.text)
        return fault

    return check


async def summed_up(told: Brief, asking: Asking, proof: Proof) -> Closing:
    """The closing text, asked again once if it does not prove what it says, and then marked.

    Raises `Unavailable` where there is none.
    """
    refused = list[str]()
    try:
        answer = await ask(told, asking, asked_once_more(proof, told.language, refused))
        text, calls, incidents = answer.text, answer.calls, answer.incidents
    except Unavailable as lost:
        if not refused:
            raise
        text, calls, incidents = refused[0], lost.calls, kept_after_all(lost)
    text, notes = proof.marked(text.strip())
    return text, calls, [*incidents, *notes]


def by_turns(turns: list[int], language: str) -> Proof:
    """Citations such as [3] name turns that exist."""

    def faults(text: str) -> str:
        invented = [turn for turn in cited_turns(text) if turn not in turns]
        listed = ", ".join(f"[{turn}]" for turn in invented)
        return term(language, "again", "no_such_turn", cited=listed, turns=spans(turns)) if invented else ""

    def marked(text: str) -> tuple[str, list[Incident]]:
        cited = cited_turns(text)
        invented = [turn for turn in cited if turn not in turns]
        listed = ", ".join(f"[{turn}]" for turn in invented)
        if invented:
            told = term(language, "noted", "unknown_turns", cited=listed)
            return marked_turns(text, invented), [note(told, "citation", "marked")]
        uncited = [note(term(language, "noted", "no_turn_cited"), "no_citation", "kept")]
        return text, [] if cited else uncited

    return Proof(faults, marked)


def note(what: str, kind: str, followed: str) -> Incident:
    """What the record says of a closing text, and what `followed`: it was marked or added to, or `kept` as it is."""
    noted = Incident(where="synthesis", who="synthesizer", what=what, kind=kind, consequence=followed, at=stamp())
    severity = "recoverable" if followed == "kept" else "degraded"
    return noted.model_copy(update={"category": "validation", "severity": severity})


def spans(turns: list[int]) -> str:
    """Turn numbers as "1–12", or with gaps "1–4, 6–9"."""
    found: list[list[int]] = []
    for turn in sorted(turns):
        if found and turn == found[-1][1] + 1:
            found[-1][1] = turn
        else:
            found.append([turn, turn])
    return ", ".join(f"{first}" if first == last else f"{first}–{last}" for first, last in found)
