"""Channels of protocols in which participants read papers."""

from typing import Annotated, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from ..deliberation import DecisionState, ProgressState, TaskState, TurnState, make_delta_channel
from ..positions.channels import PositionsResult
from ..reducers import keep_latest, make_latest_reducer
from ..schemas import PRIVATE_DESCRIPTION, Update
from ..statement import Participant
from .paper import Paper
from .search_result import SearchResult


class QueryState(TypedDict):
    """Channels of the question, and of the papers given with it or found for it."""

    query: Annotated[str, make_delta_channel(keep_latest)]
    """The question, as given."""
    papers: Annotated[list[Paper], make_delta_channel(make_latest_reducer(list[Paper]))]
    """Papers given with the question. If empty, Moot retrieves papers from the library."""


class SearchState(TypedDict):
    """Channel of the search result from the paper library."""

    found: SearchResult | None
    """Search result with titles and relevance; `None` if papers were given with the question."""


class PaperSearchState(TaskState, QueryState):
    """Channels that the step of the search for papers reads."""

    found: NotRequired[SearchResult | None]


class PanelTurnState(TurnState, QueryState):
    """Channels that a turn of an expert reads."""


class PanelStageState(ProgressState, QueryState, SearchState):
    """Channels that a panel's steps read."""


class PanelClosingState(PanelStageState, DecisionState):
    """Channels that the last step of a panel without papers reads."""


EXPERTS_DESCRIPTION = "Experts, by name or description; left out: all available ones."


class PanelInput(TypedDict):
    """Input of a panel: a question and, optionally, papers, background and experts."""

    query: Annotated[str, Field(description="Question.", min_length=1, max_length=4000)]
    papers: NotRequired[
        Annotated[list[Paper], Field(description="Papers to read, instead of papers from the library.")]
    ]
    found: NotRequired[Annotated[SearchResult | None, Field(description="Search result with these papers, if any.")]]
    material: NotRequired[Annotated[str, Field(description="Background for all participants, marked as material.")]]
    participants: NotRequired[Annotated[list[Participant], Field(min_length=1, description=EXPERTS_DESCRIPTION)]]
    personas: NotRequired[Annotated[dict[str, str], Field(description="Custom personas, by expert's name.")]]
    private: NotRequired[Annotated[dict[str, str], Field(description=PRIVATE_DESCRIPTION)]]


class PanelResult(PositionsResult, QueryState, SearchState):
    """Output of a panel: the shared result, the question, and the papers that were found."""


class LibraryUpdate(Update, total=False):
    """Channel values that the search for papers may write, in addition to those of all steps."""

    papers: list[Paper]
    found: SearchResult | None
