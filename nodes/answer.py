"""A usable answer to a question, and the record of getting it."""

from collections.abc import Callable
from dataclasses import dataclass, field

from pydantic import BaseModel

from ..state.incident import Call, Incident
from .faults import Narrowed


@dataclass(frozen=True)
class Answer:
    """A usable answer and the record of getting it."""

    text: str
    value: BaseModel | None = None
    cut_off: bool = False
    calls: list[Call] = field(default_factory=list)
    incidents: list[Incident] = field(default_factory=list)
    narrowed: Narrowed = field(default_factory=Narrowed)

    @property
    def tokens(self) -> int:
        """Tokens of all tries."""
        return sum(call.tokens for call in self.calls)


Check = Callable[[Answer], str | None]
"""What is wrong with an answer, in words for the one who gave it; `None`: nothing."""
