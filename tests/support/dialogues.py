"""Labelled dialogues: reading the files of tests/data/dialogues, and scoring stopping rules against their labels."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from statistics import fmean

import yaml
from moot.state.ending import find_ending, measure_convergence
from places import DATA

FOLDER = DATA / "dialogues"
LANGUAGES = ("en", "es", "zh")
GO_ON = "none"


@dataclass(frozen=True)
class Dialogue:
    """A transcript and how it should end after its last turn."""

    name: str
    language: str
    topic: str
    label: str
    turns: list[tuple[str, str]]

    @property
    def speakers(self) -> list[str]:
        return list(dict.fromkeys(speaker for speaker, _ in self.turns))


@cache
def dialogues(kind: str, part: str) -> tuple[Dialogue, ...]:
    """The `debate` or `group` dialogues of the `dev` or the `held` part, in all languages."""
    return tuple(each for language in LANGUAGES for each in _read(f"{kind}_{part}_{language}.yaml", language))


def _read(file: str, language: str) -> Iterable[Dialogue]:
    for entry in yaml.safe_load((FOLDER / file).read_text(encoding="utf-8")):
        turns = [(speaker, text) for speaker, _, text in (line.partition(": ") for line in entry["turns"].splitlines())]
        yield Dialogue(entry["id"], language, entry["topic"], entry["label"], turns)


@cache
def last_words(file: str = "last_words") -> tuple[tuple[str, str, str], ...]:
    """(language, label, text) for every line of a file of single statements or pairs of statements."""
    found = yaml.safe_load((FOLDER / f"{file}.yaml").read_text(encoding="utf-8"))
    by_label = [(language, label, text) for language, labels in found.items() for label, text in labels.items()]
    return tuple((language, label, line) for language, label, text in by_label for line in text.splitlines())


@dataclass(frozen=True)
class Conceding:
    """What a rule finds in last statements: of so many concessions so many; and its stops, right or not."""

    concessions: int
    found: int
    stops: int


def conceding(file: str, language: str, rule: str = "dialogue") -> Conceding:
    """How a rule reads the single statements of a file in one language."""
    read = [
        (label, find_ending([("A", "…"), ("B", "…"), ("A", "…"), ("B", text)], rule))
        for spoken, label, text in last_words(file)
        if spoken == language
    ]
    stopped = [label for label, found in read if found and found.reason == "concession_detected"]
    meant = sum(label == "concession" for label, _ in read)
    return Conceding(meant, stopped.count("concession"), len(stopped))


def verdict(dialogue: Dialogue, rule: str = "dialogue") -> str:
    """What the rule says after the last turn; in groups, consensus if every participant agrees."""
    if len(dialogue.speakers) > 2 and rule == "dialogue":
        found = measure_convergence(dialogue.turns, speakers=dialogue.speakers, topic=dialogue.topic)
        if all(each.score >= 0.8 and not each.objection for each in found.agreements):
            return "consensus"
    ending = find_ending(dialogue.turns, rule, topic=dialogue.topic)
    return ending.reason if ending else GO_ON


def recalls(found: Iterable[Dialogue], rule: str = "dialogue") -> dict[str, float]:
    """For each label, the share of its dialogues that the rule gives this label."""
    right: dict[str, list[bool]] = {}
    for dialogue in found:
        right.setdefault(dialogue.label, []).append(verdict(dialogue, rule) == dialogue.label)
    return {label: fmean(hits) for label, hits in right.items()}


def macro(found: Iterable[Dialogue], rule: str = "dialogue") -> float:
    """Mean recall over the labels."""
    return fmean(recalls(found, rule).values())
