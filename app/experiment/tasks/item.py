"""Item of a generated task: question, private texts, right answer, and data for its scores."""

from dataclasses import dataclass
from typing import Any, cast

from pydantic import BaseModel, ConfigDict, Field

from ....prompts import load_table


class TaskSettings(BaseModel):
    """Settings of every generated task: the number of items, and their seed."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    n: int = Field(default=20, ge=1, le=10_000, description="Number of items.")
    seed: int = Field(
        default=1,
        ge=0,
        le=2**63 - 1,
        description="Seed of all random draws. Item k is the same for any number of items.",
    )


class MembersSettings(TaskSettings):
    """Settings of tasks in which members have different information, with the number of members."""

    members: int = Field(default=4, ge=3, le=6, description="Number of participants.")


@dataclass(frozen=True)
class Fact:
    """Fact about an option in the hidden profile task.

    `number`: three digits, unique within the item. `phrase`: key phrase, unique within the item. `holder`: the seat
    that receives the fact, from 0; `None` for a shared fact. `text`: text for the participants.
    """

    number: int
    phrase: str
    option: str
    is_positive: bool
    holder: int | None
    text: str


@dataclass(frozen=True)
class PrivateSignal:
    """Private estimate that a member receives.

    `sigma`: standard deviation of the estimate's natural logarithm.
    """

    value: float
    sigma: float


@dataclass(frozen=True)
class TaskItem:
    """Question of a generated task, with all data for a run, its arms and its scores.

    `truth`: right option or number. `options`: possible answers; empty for a number. `order`: true order of the things
    to rank, first to last. `tolerance`: share by which two numbers may differ and still count as equal. `private`:
    private text of each seat; may be empty. `informed`: all private texts together, for the arm in which one
    participant has them. `scripted`: lines of the confederates, who have the first seats; the last seat is observed.
    `wrong_option`: option whose choice is yielding. `is_control`: whether the only seat is asked twice without a
    deliberation. `lure`: option that looks best to each member alone, or empty. `source`: generator of reasoning-gym
    and its seed.
    """

    id: str
    language: str
    topic: str
    truth: str | float
    options: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    unit: str = ""
    tolerance: float = 0.01
    private: tuple[str, ...] = ()
    informed: str = ""
    facts: tuple[Fact, ...] = ()
    signals: tuple[PrivateSignal, ...] = ()
    scripted: tuple[str, ...] = ()
    wrong_option: str = ""
    is_control: bool = False
    lure: str = ""
    source: tuple[str, int] | None = None

    def dump_for_plan(self) -> dict[str, Any]:
        """Return the item as plain data, in the form that a plan has."""
        return {
            "id": self.id,
            "topic": self.topic,
            "options": list(self.options),
            "truth": self.truth,
            "private": list(self.private),
            "scripted": list(self.scripted),
            "control": self.is_control,
            "unit": self.unit if isinstance(self.truth, float) else None,
            "tolerance": self.tolerance,
            "informed": self.informed,
        }


def load_wordings(language: str, section: str, key: str) -> list[str]:
    """Load the texts under `key` in a section of the tasks' table, in a language."""
    return cast(list[str], load_table("tasks", language)[section][key])


def fold_text(text: str) -> str:
    """Return a text in a form for comparison: case-folded, with single spaces."""
    return " ".join(text.casefold().split())
