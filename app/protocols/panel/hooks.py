"""Hooks of the panel, which shows its conclusion first, then the discussion and the papers."""

from ....state import Settings
from ....state.panel import PanelSettings
from ..hooks import Hooks
from .answer_blocks import build_answer_blocks
from .experts import parse_expert_options
from .papers import list_paper_entries
from .result import build_panel_keys


def compute_panel_turns(settings: Settings, seat_count: int) -> int | None:
    """Return the number of turns of a panel: one for each expert and round.

    The number is 0 if the panel answers without a discussion, and `None` for another protocol's settings.
    """
    if not isinstance(settings, PanelSettings):
        return None
    return 0 if settings.hold_discussion is False else seat_count * settings.max_rounds


HOOKS = Hooks(
    keys=lambda saved_run, envelope: build_panel_keys(saved_run.state, envelope, (saved_run.run.started, saved_run.at)),
    answer=build_answer_blocks,
    turn_cap=compute_panel_turns,
    papers=list_paper_entries,
    seat_reader=parse_expert_options,
)
