"""Hooks of the panel: it shows its conclusion first, then the discussion and the papers."""

from ....state.panel import PanelSettings
from ....state.settings import Settings
from ..hooks import Hooks
from .answer import render_answer
from .result import build_panel_keys


def count_turns(settings: Settings, seats: int) -> int | None:
    """Return one turn for each expert and round, or `None` if the settings are no panel's.

    Return 0 if the panel answers without a discussion.
    """
    if not isinstance(settings, PanelSettings):
        return None
    return 0 if settings.discuss is False else seats * settings.max_rounds


HOOKS = Hooks(
    keys=lambda saved, envelope: build_panel_keys(saved.state, envelope, (saved.run.started, saved.at)),
    answer=lambda document, whole: render_answer(document, in_full=whole),
    turn_cap=count_turns,
)
