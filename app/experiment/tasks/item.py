"""An item made by rule: what is asked, what each is told alone, what is right, and what its scores are read from."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from pydantic import BaseModel, ConfigDict, Field

from ....prompts import table


class Settings(BaseModel):
    """What every task takes."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    n: int = Field(default=20, ge=1, le=10_000, description="Items.")
    seed: int = Field(default=1, ge=0, le=2**63 - 1, description="Seed; item k is the same in any number of items.")


class Members(Settings):
    """What tasks take whose members know different things."""

    members: int = Field(default=4, ge=3, le=6, description="Participants.")


@dataclass(frozen=True)
class Fact:
    """A note of a hidden profile."""

    number: int
    """Three digits, in no other place of the item."""
    phrase: str
    """Key phrase, in no other fact of the item."""
    option: str
    favours: bool
    holder: int | None
    """The seat that alone holds it, from 0; None: everybody does."""
    text: str
    """As it stands on a sheet."""


@dataclass(frozen=True)
class Signal:
    """A private estimate, as told."""

    value: float
    sigma: float
    """Standard deviation of its natural logarithm."""


@dataclass(frozen=True)
class Source:
    """The entry of a generator of reasoning-gym."""

    dataset: str
    seed: int


@dataclass(frozen=True)
class Item:
    """One question with everything that a run, its arms and its scores need."""

    id: str
    task: str
    language: str
    topic: str
    truth: str | float
    """An option, or a number."""
    options: tuple[str, ...] = ()
    """What can be answered; empty for a number."""
    order: tuple[str, ...] = ()
    """What was to be put in order, as it is, from first to last."""
    unit: str = ""
    tolerance: float = 0.01
    """Share by which two numbers may differ and be the same answer."""
    private: tuple[str, ...] = ()
    """What each seat is told alone, from the first; empty where nothing is private."""
    material: str = ""
    informed: str = ""
    """All that anybody is told alone, for the arm of one participant who has it."""
    facts: tuple[Fact, ...] = ()
    signals: tuple[Signal, ...] = ()
    scripted: tuple[str, ...] = ()
    """What the confederates say, who take the first seats; the last seat is the one who is observed."""
    wrong: str = ""
    """The option the confederates name."""
    source: Source | None = None

    def given(self) -> dict[str, object]:
        """The item as a plan gives one."""
        told = {"private": list(self.private), "material": self.material, "scripted": list(self.scripted)}
        return {"id": self.id, "topic": self.topic, "options": list(self.options), "truth": self.truth, **told}


def pool(language: str, section: str, key: str) -> list[str]:
    """A list of wordings of the tasks."""
    return cast(list[str], table("tasks", language)[section][key])


def lines(texts: Sequence[str]) -> str:
    """Texts below each other."""
    return "\n".join(texts)
