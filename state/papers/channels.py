"""The channels of a deliberation on a question and papers."""

from typing import Annotated, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from ..deliberation import Given, Stage, Turn, delta
from ..positions.channels import PositionsResult
from ..reducers import latest, latest_of
from ..statement import Participant
from ..writes import ALONE, Update
from .found import Found
from .paper import Paper


class Asked(TypedDict):
    """A question, and the papers that came with it or were found for it."""

    query: Annotated[str, delta(latest)]
    """The question, as given."""
    papers: Annotated[list[Paper], delta(latest_of(list[Paper]))]
    """Papers given with the question; empty: they are retrieved."""


class PapersFound(TypedDict):
    """What the library gave."""

    found: Found | None
    """The papers found, by title and relevance; none where papers were given."""


class Seeking(Given, Asked):
    """What the search for papers reads."""

    found: NotRequired[Found | None]


class PanelTurn(Turn, Asked):
    """What a turn of an expert reads."""


class PanelStage(Stage, Asked, PapersFound):
    """What a panel's steps read."""


EXPERTS = "Experts, by name or described; left out: all there are."


class PanelInput(TypedDict):
    """What a panel is opened with."""

    query: Annotated[str, Field(description="The question.", min_length=1, max_length=4000)]
    papers: NotRequired[Annotated[list[Paper], Field(description="Papers to read; none: from the library.")]]
    found: NotRequired[Annotated[Found | None, Field(description="The search that gave `papers`, if one did.")]]
    material: NotRequired[Annotated[str, Field(description="Background everyone sees, marked as material.")]]
    participants: NotRequired[Annotated[list[Participant], Field(min_length=1, description=EXPERTS)]]
    personas: NotRequired[Annotated[dict[str, str], Field(description="Custom personas, by expert's name.")]]
    private: NotRequired[Annotated[dict[str, str], Field(description=ALONE)]]


class PanelResult(PositionsResult):
    """What a panel gives back."""

    query: str
    papers: list[Paper]
    found: Found | None


class LibraryUpdate(Update, total=False):
    """What the search for papers writes beside what all steps write."""

    papers: list[Paper]
    found: Found | None
