"""Stopping rules before the first round of a panel: it has no papers, or answers without a discussion."""

from ..channel_requirements import mark_reads
from ..ending import Ending, Evidence
from ..panel import PanelSettings
from ..stopping.rules import ROUNDS_NOTE
from .channels import PanelStageState

NO_PAPERS = ("no_papers_found",)


def stop_without_papers(state: PanelStageState) -> Ending | None:
    """Stop if no paper is relevant enough, or if the library is empty."""
    result = state["found"]
    if state["papers"] or result is None:
        return None
    evidence = Evidence(
        figure=result.best, threshold=result.threshold if result.searched else None, searched=result.searched
    )
    return Ending(reason="no_papers_found", strategy=result.ranking, evidence=evidence)


@mark_reads
def stop_on_direct_answer(state: PanelStageState, settings: PanelSettings) -> Ending | None:
    """Stop if the settings disable the discussion. The synthesis is then the full answer."""
    if settings.hold_discussion is not False:
        return None
    return Ending(reason="answered_directly", strategy="protocol", evidence=Evidence(figure=0, note=ROUNDS_NOTE))
