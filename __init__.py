"""Moot: deliberation protocols for language models and people, as LangGraph state graphs.

The graphs stand in `moot.graphs`. What is here is imported when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .app.council import acouncil, council
    from .app.load_run import load_run
    from .app.panel.chat import achat_with_papers, chat_with_papers
    from .app.session.open_session import aopen_session, open_session
    from .nodes.models.failures import Stopped, Unavailable
    from .prompts import profiles
    from .state.refused import Refused

__version__ = "0.1.0"

_FACE = {
    "Refused": ".state.refused",
    "Stopped": ".nodes.models.failures",
    "Unavailable": ".nodes.models.failures",
    "achat_with_papers": ".app.panel.chat",
    "acouncil": ".app.council",
    "aopen_session": ".app.session.open_session",
    "chat_with_papers": ".app.panel.chat",
    "council": ".app.council",
    "load_run": ".app.load_run",
    "open_session": ".app.session.open_session",
    "profiles": ".prompts",
}

__all__ = [
    "Refused",
    "Stopped",
    "Unavailable",
    "__version__",
    "achat_with_papers",
    "acouncil",
    "aopen_session",
    "chat_with_papers",
    "council",
    "load_run",
    "open_session",
    "profiles",
]


def __getattr__(name: str) -> object:
    if name not in _FACE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_FACE[name], __name__), name)


def __dir__() -> list[str]:
    return sorted(__all__)
