"""Moot: deliberation protocols for language models and people, as LangGraph state graphs.

The graphs stand in `moot.graphs`. The names of this module are imported at first use.
"""

import lazy_loader

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
