"""Saved runs: their database, and the functions that read it.

A name is imported at first use, because the checkpoints need LangGraph, which is slow to load.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
