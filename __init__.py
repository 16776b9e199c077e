"""Moot: deliberation protocols for language models and people, as LangGraph state graphs.

The graphs stand in `moot.graphs`. The names of this module are imported at first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .app.agent.deliberation import Deliberation, agent
    from .app.agent.result import Result
    from .app.council_api import acouncil, council
    from .app.load_run import load_run
    from .app.protocols.panel.chat_api import achat_with_papers, chat_with_papers
    from .app.session.opening import aopen_session, open_session
    from .models import NoAnswerError, RunStoppedError
    from .prompts import load_profiles
    from .state import InputError

__version__ = "0.1.0"

_PUBLIC_NAMES = {
    "Deliberation": ".app.agent.deliberation",
    "InputError": ".state.errors",
    "NoAnswerError": ".models.failures",
    "Result": ".app.agent.result",
    "RunStoppedError": ".models.failures",
    "achat_with_papers": ".app.protocols.panel.chat_api",
    "acouncil": ".app.council_api",
    "agent": ".app.agent.deliberation",
    "aopen_session": ".app.session.opening",
    "chat_with_papers": ".app.protocols.panel.chat_api",
    "council": ".app.council_api",
    "load_profiles": ".prompts",
    "load_run": ".app.load_run",
    "open_session": ".app.session.opening",
}

__all__ = [
    "Deliberation",
    "InputError",
    "NoAnswerError",
    "Result",
    "RunStoppedError",
    "__version__",
    "achat_with_papers",
    "acouncil",
    "agent",
    "aopen_session",
    "chat_with_papers",
    "council",
    "load_profiles",
    "load_run",
    "open_session",
]


def __getattr__(name: str) -> object:
    if name not in _PUBLIC_NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_PUBLIC_NAMES[name], __name__), name)


def __dir__() -> list[str]:
    return sorted(__all__)
