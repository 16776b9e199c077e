"""Generated item: its question, its private texts, its truth, and the data for its scores."""

from dataclasses import dataclass
from typing import Any, cast

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
    """Fact of a hidden profile.

    `number`: three digits that occur once in the item. `phrase`: key phrase that occurs in no other fact of the item.
    `holder`: only seat that receives the fact, from 0; `None` for a shared fact. `text`: text on a sheet.
    """

    number: int
    phrase: str
    option: str
    is_positive: bool
    holder: int | None
    text: str


@dataclass(frozen=True)
class PrivateSignal:
    """Private estimate in the form that its member receives.

    `sigma`: standard deviation of its natural logarithm.
    """

    value: float
    sigma: float


@dataclass(frozen=True)
class GeneratorSource:
    """Entry of a generator of reasoning-gym."""

    dataset: str
    seed: int


@dataclass(frozen=True)
class TaskItem:
    """One question with all data for a run, its arms and its scores.

    `truth`: right option or number. `options`: possible answers; empty for a number. `order`: true order of the things
    to rank, from first to last. `tolerance`: share by which two numbers may differ and be the same answer. `private`:
    private text of each seat, from the first; empty without private texts. `informed`: all private texts together, for
    the arm of one participant who has them. `scripted`: lines of the confederates, who take the first seats; the last
    seat is observed. `wrong_option`: option that the confederates name.
    """

    id: str
    task: str
    language: str
    topic: str
    truth: str | float
    options: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    unit: str = ""
    tolerance: float = 0.01
    private: tuple[str, ...] = ()
    material: str = ""
    informed: str = ""
    facts: tuple[Fact, ...] = ()
    signals: tuple[PrivateSignal, ...] = ()
    scripted: tuple[str, ...] = ()
    wrong_option: str = ""
    source: GeneratorSource | None = None

    def dump_for_plan(self) -> dict[str, Any]:
        """Return the item in the form of a plan."""
        return {
            "id": self.id,
            "topic": self.topic,
            "options": list(self.options),
            "truth": self.truth,
            "private": list(self.private),
            "material": self.material,
            "scripted": list(self.scripted),
            "unit": self.unit if isinstance(self.truth, float) else None,
            "tolerance": self.tolerance,
            "informed": self.informed,
        }


def load_wordings(language: str, section: str, key: str) -> list[str]:
    """Return a list of the tasks' wordings in a language."""
    return cast(list[str], load_table("tasks", language)[section][key])
