"""Deliberations rehearsed without a graph: prompts built as every step builds them, replies from the rehearsal."""

from functools import cache

from moot.models.rehearsal import Rehearsal
from moot.nodes.ask.prompt import Prompt
from moot.prompts import get_term
from moot.state.ending import find_ending
from moot.state.statement import Statement

TOPICS = {
    "en": "Should cities ban cars from downtown areas?",
    "es": "¿Debe la escuela prohibir los móviles?",
    "zh": "小区要不要加装电梯",
}
ROLES = {"en": ("optimist", "skeptic"), "es": ("optimista", "escéptico"), "zh": ("乐观者", "怀疑者")}
TASK = {
    "en": "It is turn {turn}. About {words} words.",
    "es": "Es el turno {turn}. Unas {words} palabras.",
    "zh": "现在是第{turn}轮，约{words}字。",
}


def head(topic: str, cast: dict[str, str]) -> str:
    """A system message: the topic and the cast."""
    return f"Motion: {topic}\n\n" + "\n".join(f"- {name}: {role}" for name, role in cast.items())


def ask(seed: int, brief: Prompt, who: str, purpose: str, **settings: object) -> str:
    """The rehearsal's reply to a brief, asked as every step asks."""
    metadata = {"speaker": who, "purpose": purpose, "language": brief.language}
    return Rehearsal(seed=seed).invoke(brief.build_messages(), {"metadata": metadata}, **settings).text


def sides(language: str) -> dict[str, str]:
    """PRO and CON with their public roles."""
    first, second = ROLES[language]
    return {
        "PRO": f"{get_term(language, 'debate', 'pro_public')} ({first})",
        "CON": f"{get_term(language, 'debate', 'con_public')} ({second})",
    }


def told(topic: str, language: str, turn: int, history: list[Statement], words: int = 240) -> Prompt:
    """What the speaker of a debate's turn is told."""
    name, side = (("PRO", "pro"), ("CON", "con"))[(turn - 1) % 2]
    task = f"{name}, {get_term(language, 'debate', side)}.\n\n" + TASK[language].format(turn=turn, words=words)
    return Prompt(head(topic, sides(language)), task, language, history=list(history))


@cache
def debate(seed: int, language: str = "en", turns: int = 10, stops: bool = True) -> tuple[list[Statement], str]:
    """A debate's statements and how it ended (`cap` where nothing else ended it)."""
    topic, history = TOPICS[language], list[Statement]()
    for turn in range(1, turns + 1):
        name = ("PRO", "CON")[(turn - 1) % 2]
        said = ask(seed, told(topic, language, turn, history), name, "statement")
        history.append(Statement(turn=turn, round=(turn + 1) // 2, speaker=name, content=said))
        if stops and (ending := find_ending(history, "dialogue")):
            return history, ending.reason
    return history, "cap"


@cache
def group(seed: int, rounds: int = 4, language: str = "en") -> list[Statement]:
    """A discussion among three."""
    cast, history = {"Ann": "analyst", "Ben": "creative", "Cleo": "critic"}, list[Statement]()
    for turn in range(1, 3 * rounds + 1):
        name = list(cast)[(turn - 1) % 3]
        task = f"{name}.\n\n" + TASK[language].format(turn=turn, words=240)
        said = ask(seed, Prompt(head(TOPICS[language], cast), task, language, history=list(history)), name, "statement")
        history.append(Statement(turn=turn, round=(turn + 2) // 3, speaker=name, content=said))
    return history
