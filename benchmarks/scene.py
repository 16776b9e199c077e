"""The work all loops are given: the same topic, cast and words, so that only the loop differs; and its course."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Self

from measure import peak
from moot.graphs.discussion import TEMPLATES
from moot.nodes.ask.prompt import estimate_words
from moot.prompts import get_language_name, join_words
from moot.state.statement import Participant, Statement

TOPIC = "Should the city close its centre to private cars within five years?"
LANGUAGE = "en"
MODEL = "fake-model"
TEMPERATURE, LENGTH = 0.7, 400
SEATS = ("Ada", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gita", "Hugo")


def cast(seats: int) -> list[Participant]:
    """So many participants, each with a persona of about 200 characters."""
    about = "You have lived here for {years} years, you weigh {first} against {second}, and you say what would change "
    about += "your mind. You answer what was said last before you add anything of your own, {name}."
    tastes = ["trade", "air", "noise", "buses", "access", "rents", "trees", "time"]
    return [
        Participant(name=name, persona=about.format(name=name, years=5 + i, first=tastes[i], second=tastes[i - 1]))
        for i, name in enumerate(SEATS[:seats])
    ]


@dataclass
class Course:
    """How a run went: own CPU seconds and the clock after each turn.

    `memory`: the most MB resident by the end of the first turn. `critical`: how many calls had to wait for one
    another, by how many were asked side by side. `seconds`: of the whole run.
    """

    cpu: list[float] = field(default_factory=lambda: [time.process_time()])
    clock: list[float] = field(default_factory=lambda: [time.perf_counter()])
    memory: float = 0.0
    critical: dict[int, int] = field(default_factory=dict)
    seconds: float = 0.0

    def turn(self) -> None:
        """A turn is done."""
        self.cpu.append(time.process_time())
        self.clock.append(time.perf_counter())
        self.memory = self.memory or peak()

    def ended(self) -> Self:
        """The run is over, votes and conclusions included."""
        self.seconds = time.perf_counter() - self.clock[0]
        return self

    def tenths(self) -> dict[str, float]:
        """Milliseconds of own CPU per turn: all turns, the first tenth, the last; what starts up is left out."""
        marks, tenth = self.cpu[1:], max(1, (len(self.cpu) - 1) // 10)
        return {
            "cpu": per_turn(marks),
            "first": per_turn(marks[: tenth + 1]),
            "last": per_turn(marks[-tenth - 1 :]),
        }


def per_turn(marks: list[float]) -> float:
    """Mean step between successive readings in seconds, as milliseconds."""
    return (marks[-1] - marks[0]) / (len(marks) - 1) * 1000


def prompts(seats: int) -> Callable[[int, list[str]], tuple[str, str]]:
    """The text of a turn's prompt, from its number and the statements so far as they are shown: (system, human).

    It is what the discussion sends, word for word: each loop joins the transcript and puts the speaker's task after it.
    """
    people, language_name = cast(seats), get_language_name(LANGUAGE)
    everyone = "\n".join(person.name for person in people)
    form = {"words": estimate_words(LENGTH, LANGUAGE), "language": language_name}
    head = TEMPLATES.fill_template(LANGUAGE, "system", {"topic": TOPIC, "participants": everyone} | form)
    shared = {"side": "", "opponent": ""} | form

    def told(turn: int, shown: list[str]) -> tuple[str, str]:
        person = people[(turn - 1) % seats]
        others = join_words(LANGUAGE, [other.name for other in people if other is not person])
        own = {"name": person.name, "persona": person.persona, "others": others, "turn": turn, "round": 1}
        task = TEMPLATES.fill_template(LANGUAGE, "speak" if shown else "open", shared | own)
        return head, "\n".join([*shown, "", f"<task>\n{task}\n</task>"])

    return told


def shown(turn: int, speaker: str, text: str) -> str:
    """A statement as every prompt shows it."""
    return Statement(turn=turn, round=1, speaker=speaker, content=text).fenced
