"""The channels of positions."""

from typing import Annotated

from typing_extensions import TypedDict

from ..deliberation import Given, Stage, Turn, delta
from ..reducers import appending
from ..requirements import Sent
from ..writes import Result
from .answer import RunAnswer
from .calibrated import StopInForce
from .position import Position

gather_positions = appending(Position)


class Positions(TypedDict):
    """Where participants stand."""

    positions: Annotated[list[Position], delta(gather_positions)]
    """What each participant declared, kept from every prompt."""
    answer: RunAnswer | None
    """The run's answer so far; none: nothing on record gives one."""
    stop: StopInForce | None
    """The calibrated stop in force, as its file was read when the run began; none: it is not stopped by one."""


class Asking(Turn):
    """A branch for one participant."""

    who: Sent[str]
    when: Sent[str]


class Naming(Turn):
    """The branch of the synthesizer."""


class Stock(Given, Positions):
    """What the run's answer is made from."""


class Declared(Stage, Positions):
    """What decides whether positions have come to rest."""


class PositionsResult(Result):
    """What protocols with positions give back beside what all do."""

    positions: list[Position]
    answer: RunAnswer | None
