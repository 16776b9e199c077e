"""The hooks of the panel: its conclusion is shown first, then the discussion and the papers."""

from ...state.panel import PanelRules
from ...state.rules import Rules
from ..hooks import Hooks
from .answer import answer
from .result import panel_keys


def turns(rules: Rules, seats: int) -> int | None:
    """One turn for each expert and round; none where the question is answered without a discussion."""
    if not isinstance(rules, PanelRules):
        return None
    return 0 if rules.discuss is False else seats * rules.max_rounds


HOOKS = Hooks(
    keys=lambda saved, envelope: panel_keys(saved.state, envelope, (saved.run.started, saved.at)),
    answer=lambda document, whole: answer(document, whole=whole),
    turns=turns,
)
