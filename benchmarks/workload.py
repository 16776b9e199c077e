"""Workload that all loops share (topic, participants, prompts), and a meter of their runs."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Self

from measurements import get_peak_memory
from moot.graphs.discussion import TEMPLATES
from moot.nodes.ask.prompt import estimate_words
from moot.prompts import get_language_name, join_words
from moot.state.statement import Participant, Statement

TOPIC = "Should the city close its centre to private cars within five years?"
LANGUAGE = "en"
MODEL = "fake-model"
TEMPERATURE, LENGTH = 0.7, 400
SEATS = ("Ada", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gita", "Hugo")


def build_participants(seats: int) -> list[Participant]:
    """Build `seats` participants, each with a persona of about 200 characters."""
    template = (
        "You have lived here for {years} years, you weigh {first} against {second}, and you say what would change "
    )
    template += "your mind. You answer what was said last before you add anything of your own, {name}."
    concerns = ["trade", "air", "noise", "buses", "access", "rents", "trees", "time"]
    return [
        Participant(
            name=name, persona=template.format(name=name, years=5 + i, first=concerns[i], second=concerns[i - 1])
        )
        for i, name in enumerate(SEATS[:seats])
    ]


@dataclass
class RunMeter:
    """Meter of a run: its CPU seconds and the time after each turn.

    `memory`: maximum resident MB up to the end of the first turn. `critical_calls`: calls that had to wait for one
    another, by the number of calls sent in parallel. `seconds`: duration of the run.
    """

    cpu: list[float] = field(default_factory=lambda: [time.process_time()])
    clock: list[float] = field(default_factory=lambda: [time.perf_counter()])
    memory: float = 0.0
    critical_calls: dict[int, int] = field(default_factory=dict)
    seconds: float = 0.0

    def record_turn(self) -> None:
        """Record CPU seconds and time at the end of a turn."""
        self.cpu.append(time.process_time())
        self.clock.append(time.perf_counter())
        self.memory = self.memory or get_peak_memory()

    def finish(self) -> Self:
        """Record the duration at the end of the run, after votes and the synthesis. Return the meter."""
        self.seconds = time.perf_counter() - self.clock[0]
        return self

    def compute_cpu_per_turn(self) -> dict[str, float]:
        """Compute the CPU per turn in ms: of all turns, of the first tenth and of the last, without the start."""
        readings, tenth = self.cpu[1:], max(1, (len(self.cpu) - 1) // 10)
        return {
            "cpu": compute_step_ms(readings),
            "first": compute_step_ms(readings[: tenth + 1]),
            "last": compute_step_ms(readings[-tenth - 1 :]),
        }


def compute_step_ms(readings: list[float]) -> float:
    """Return the mean difference of successive readings, which are in seconds, in milliseconds."""
    return (readings[-1] - readings[0]) / (len(readings) - 1) * 1000


def make_prompt_builder(seats: int) -> Callable[[int, list[str]], tuple[str, str]]:
    """Make the function that builds the texts of a turn's prompt.

    It takes the turn's number and the statements, and returns the system and the human text. The texts are exactly
    those of a discussion: the statements, then the speaker's task.
    """
    participants, language_name = build_participants(seats), get_language_name(LANGUAGE)
    names = "\n".join(speaker.name for speaker in participants)
    limits = {"words": estimate_words(LENGTH, LANGUAGE), "language": language_name}
    instructions = TEMPLATES.fill_template(LANGUAGE, "system", {"topic": TOPIC, "participants": names} | limits)
    shared_values = {"side": "", "opponent": ""} | limits

    def build_prompt(turn: int, statements: list[str]) -> tuple[str, str]:
        speaker = participants[(turn - 1) % seats]
        other_names = join_words(LANGUAGE, [other.name for other in participants if other is not speaker])
        speaker_values = {
            "name": speaker.name,
            "persona": speaker.persona,
            "others": other_names,
            "turn": turn,
            "round": 1,
        }
        task = TEMPLATES.fill_template(LANGUAGE, "speak" if statements else "open", shared_values | speaker_values)
        return instructions, "\n".join([*statements, "", f"<task>\n{task}\n</task>"])

    return build_prompt


def format_statement(turn: int, speaker: str, text: str) -> str:
    """Return a statement between the tags with which every prompt shows it."""
    return Statement(turn=turn, round=1, speaker=speaker, content=text).fenced_text
