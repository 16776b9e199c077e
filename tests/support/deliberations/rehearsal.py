"""Deliberations rehearsed without a graph: briefs as every step hands them, replies from the rehearsal."""

from dataclasses import replace
from functools import cache
from typing import Any

from moot.models.brief import Brief
from moot.models.rehearsal import RehearsalModel
from moot.prompts import get_term
from moot.state.statement import Statement
from moot.state.stopping.concession import has_concession_line
from moot.state.stopping.rules import list_speaker_texts
from moot.state.stopping.stalemate import find_stalemate

TOPICS = {
    "en": "Should cities ban cars from downtown areas?",
    "es": "¿Debe la escuela prohibir los móviles?",
    "zh": "小区要不要加装电梯",
}
ROLES = {"en": ("optimist", "skeptic"), "es": ("optimista", "escéptico"), "zh": ("乐观者", "怀疑者")}


def ask(seed: int, brief: Brief, who: str = "", purpose: str = "", **settings: object) -> str:
    """The rehearsal's reply to a brief, whatever the prompt says. `who`, `purpose`: in place of the brief's own."""
    brief = replace(brief, speaker=who or brief.speaker, purpose=purpose or brief.purpose)
    return RehearsalModel(seed=seed).invoke("Nobody reads this.", brief=brief, **settings).text


def with_sides(topic: str, language: str = "en", **fields: Any) -> Brief:
    """A brief of a debate between PRO and CON."""
    return Brief(topic=topic, language=language, roles=sides(language), sides={"PRO": "pro", "CON": "con"}, **fields)


def sides(language: str) -> dict[str, str]:
    """PRO and CON with their public roles."""
    first, second = ROLES[language]
    return {
        "PRO": f"{get_term(language, 'debate', 'pro_public')} ({first})",
        "CON": f"{get_term(language, 'debate', 'con_public')} ({second})",
    }


def make_brief(topic: str, language: str, turn: int, history: list[Statement], words: int = 240) -> Brief:
    """What the speaker of a debate's turn is told."""
    name = ("PRO", "CON")[(turn - 1) % 2]
    return with_sides(topic, language, speaker=name, turn=turn, statements=list(history), values={"words": words})


@cache
def debate(seed: int, language: str = "en", turns: int = 10, stops: bool = True) -> tuple[list[Statement], str]:
    """A debate's statements and how it ended (`cap` where nothing else ended it)."""
    topic, history = TOPICS[language], list[Statement]()
    for turn in range(1, turns + 1):
        name = ("PRO", "CON")[(turn - 1) % 2]
        said = ask(seed, make_brief(topic, language, turn, history), name, "statement")
        act = "concede" if has_concession_line(said, [get_term(language, "sides", "concede")]) else ""
        history.append(Statement(turn=turn, round=(turn + 1) // 2, speaker=name, content=said, act=act))
        if stops and act and turn >= 4:
            return history, "concession_detected"
        if stops and turn >= 4 and (ending := find_stalemate(list_speaker_texts(history), topic)):
            return history, ending.reason
    return history, "cap"


@cache
def group(seed: int, rounds: int = 4, language: str = "en") -> list[Statement]:
    """A discussion among three."""
    cast, history = {"Ann": "analyst", "Ben": "creative", "Cleo": "critic"}, list[Statement]()
    for turn in range(1, 3 * rounds + 1):
        name = list(cast)[(turn - 1) % 3]
        brief = Brief(name, language=language, topic=TOPICS[language], roles=cast, turn=turn, statements=list(history))
        said = ask(seed, replace(brief, values={"words": 240}))
        history.append(Statement(turn=turn, round=(turn + 2) // 3, speaker=name, content=said))
    return history
