"""A complex memory event: a participant works what happened into its memory, with a model's help.

The answer replaces the old memory. If none comes, the event is appended as it is, on the record, and offered again with
the next complex event, so that nothing is lost. An answer over the bound is asked again with the characters to cut.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from ..state.incident import Call, Incident
from ..state.memory import MemoryWrite, Replaced, size, within
from .asking import Asking, Brief
from .asking.ask import Answer, ask
from .models.failures import Narrowed, Unavailable


@dataclass(frozen=True)
class Happening:
    """What one participant is to work into its memory.

    `event`: told whole, never clipped; `pending`: earlier events that were only appended; `bound`: characters of the
    memory at most; `tries`: of a rewrite that is too long, in all; `too_long`: in words, from (length, bound).
    """

    owner: str
    event: str
    bound: int
    tries: int
    empty: str
    too_long: Callable[[int, int], str]
    pending: Sequence[str] = ()

    @property
    def offered(self) -> str:
        """Everything that is offered, oldest first."""
        return "\n\n".join([*self.pending, self.event])


@dataclass(frozen=True)
class Integrated:
    """The memory's write, what is still to be offered, and what was learnt about the owner's endpoint."""

    memory: MemoryWrite
    pending: list[str]
    calls: list[Call]
    incidents: list[Incident]
    narrowed: Narrowed = field(default_factory=Narrowed)


async def integrated(told: Brief, asking: Asking, happening: Happening) -> Integrated:
    """Ask for the integrated memory; never raises `Unavailable`. Whoever is outside remembers unaided."""
    if asking.outside:
        return Integrated(_appended(happening, told, Narrowed()), [], [], [])
    asking = replace(asking, tries=min(asking.tries, max(happening.tries, 1)))
    try:
        answer = await ask(told, asking, _fits(happening))
    except Unavailable as lost:
        pending = [*happening.pending, happening.event]
        incidents = lost.followed_by("appended only", category="memory").incidents
        return Integrated(_appended(happening, told, lost.narrowed), pending, lost.calls, incidents, lost.narrowed)
    memory = {happening.owner: Replaced(replace=answer.text.strip().splitlines())}
    return Integrated(memory, [], answer.calls, answer.incidents, answer.narrowed)


def _appended(happening: Happening, told: Brief, found: Narrowed) -> MemoryWrite:
    """The event after what is there, as far as the bound allows; where that was too long for the owner's endpoint,
    after what is left of it."""
    event, there = happening.event.splitlines(), found.memory or told.memory.splitlines()
    if size([*there, *event]) > happening.bound:
        return {happening.owner: Replaced(replace=within([*there, *event], happening.bound))}
    return {happening.owner: Replaced(replace=[*found.memory, *event]) if found.memory else event}


def _fits(happening: Happening) -> Callable[[Answer], str | None]:
    def check(answer: Answer) -> str | None:
        length = len(answer.text.strip())
        if not length:
            return happening.empty
        return happening.too_long(length, happening.bound) if length > happening.bound else None

    return check
