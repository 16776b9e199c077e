"""Facts of a deliberation: its statements, calls, decisions and settings, and rules over them.

A name is imported at first use, because pydantic and LangGraph are slow to load. The rooms within are imported by their
own names.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
