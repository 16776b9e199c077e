"""State of a deliberation: its records, its settings, and pure functions that count votes and decide.

A name is imported at first use, because pydantic and LangGraph are slow to load. Import a subpackage by its own path.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
