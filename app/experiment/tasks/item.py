"""Generated item: its question, its private texts, its truth, and the data for its scores."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from pydantic import BaseModel, ConfigDict, Field

from ....prompts import load_table


class TaskSettings(BaseModel):
    """Settings of every task."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    n: int = Field(default=20, ge=1, le=10_000, description="Items.")
    seed: int = Field(default=1, ge=0, le=2**63 - 1, description="Seed; item k is the same in any number of items.")


class MembersSettings(TaskSettings):
    """Settings of tasks whose members know different things."""

    members: int = Field(default=4, ge=3, le=6, description="Participants.")


@dataclass(frozen=True)
class Fact:
    """Fact of a hidden profile."""

    number: int
    """Three digits that occur once in the item."""
    phrase: str
    """Key phrase that occurs in no other fact of the item."""
    option: str
    is_positive: bool
    holder: int | None
    """Only seat that receives the fact, from 0; `None` for a shared fact."""
    text: str
    """Text on a sheet."""


@dataclass(frozen=True)
class PrivateSignal:
    """Private estimate in the form that its member receives."""

    value: float
    sigma: float
    """Standard deviation of its natural logarithm."""


@dataclass(frozen=True)
class GeneratorSource:
    """Entry of a generator of reasoning-gym."""

    dataset: str
    seed: int


@dataclass(frozen=True)
class TaskItem:
    """One question with all data for a run, its arms and its scores."""

    id: str
    task: str
    language: str
    topic: str
    truth: str | float
    """Right option or number."""
    options: tuple[str, ...] = ()
    """Possible answers; empty for a number."""
    order: tuple[str, ...] = ()
    """True order of the things to rank, from first to last."""
    unit: str = ""
    tolerance: float = 0.01
    """Share by which two numbers may differ and be the same answer."""
    private: tuple[str, ...] = ()
    """Private text of each seat, from the first; empty without private texts."""
    material: str = ""
    informed: str = ""
    """All private texts together, for the arm of one participant who has them."""
    facts: tuple[Fact, ...] = ()
    signals: tuple[PrivateSignal, ...] = ()
    scripted: tuple[str, ...] = ()
    """Lines of the confederates, who take the first seats; the last seat is observed."""
    wrong_option: str = ""
    """Option that the confederates name."""
    source: GeneratorSource | None = None

    def dump_for_plan(self) -> dict[str, object]:
        """Return the item in the form of a plan."""
        texts = {"private": list(self.private), "material": self.material, "scripted": list(self.scripted)}
        return {"id": self.id, "topic": self.topic, "options": list(self.options), "truth": self.truth, **texts}


def load_wordings(language: str, section: str, key: str) -> list[str]:
    """Return a list of the tasks' wordings in a language."""
    return cast(list[str], load_table("tasks", language)[section][key])


def join_lines(texts: Sequence[str]) -> str:
    """Join texts with line breaks."""
    return "\n".join(texts)
