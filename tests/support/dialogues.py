"""Labelled dialogues of two speakers: the files of tests/data/dialogues, and debates held by them."""

import json
from dataclasses import dataclass
from functools import cache
from typing import Any

import yaml
from chats.scripted import ScriptedReply
from deliberations.debate import Debaters, SentPrompt
from moot.graphs import debate
from moot.prompts import get_term
from places import DATA

LANGUAGES = ("en", "es", "zh")


@dataclass(frozen=True)
class Dialogue:
    """A transcript, and how it should end after its last turn (`none`: it goes on)."""

    name: str
    language: str
    topic: str
    label: str
    turns: list[tuple[str, str]]


@cache
def read_dialogues(language: str) -> tuple[Dialogue, ...]:
    """Return the dialogues of a language."""
    text = (DATA / "dialogues" / f"debate_held_{language}.yaml").read_text(encoding="utf-8")
    return tuple(_make_dialogue(entry, language) for entry in yaml.safe_load(text))


def _make_dialogue(entry: dict[str, str], language: str) -> Dialogue:
    turns = [(speaker, text) for speaker, _, text in (line.partition(": ") for line in entry["turns"].splitlines())]
    return Dialogue(entry["id"], language, entry["topic"], entry["label"], turns)


def hold_dialogue(dialogue: Dialogue, manner: str = "", **context: Any) -> dict[str, Any]:
    """Hold a dialogue as a debate, with a model that answers truthfully, and return its last state.

    `manner`: `act`, a speaker who gives in also ends with the line that says so; `phrase`, each statement also grants a
    point in a set phrase, unless the dialogue is a stalemate.
    """
    names, concedes = list(dict.fromkeys(name for name, _ in dialogue.turns)), dialogue.label == "concession_detected"
    last_turn, act = len(dialogue.turns), get_term(dialogue.language, "sides", "concede")

    def answer(prompt: SentPrompt) -> ScriptedReply:
        if prompt.purpose == "concession":
            is_conceding = concedes and prompt.who == dialogue.turns[-1][0] and dialogue.turns[-1][1] in prompt.human
            return json.dumps({"concede": "yes" if is_conceding else "no"})
        if prompt.purpose != "statement":
            return "It ended [1]."
        turn = prompt.human.count("\n<statement turn=") + prompt.human.startswith("<statement") + 1
        text = dialogue.turns[turn - 1][1]
        if manner == "phrase" and not dialogue.label.startswith("stalemate"):
            return f"Fair point. {text}"
        return f"{text}\n\n{act}" if concedes and manner == "act" and turn == last_turn else text

    settings = {
        "model": Debaters(script=answer),
        "max_turns": last_turn,
        "retry_delays": [0],
        "language": dialogue.language,
    }
    settings |= {"statement_min_length": 1, "statement_min_length_cjk": 1}
    state: dict[str, Any] = debate.graph.invoke(
        {"topic": dialogue.topic, "participants": names}, context=settings | context
    )
    return state
