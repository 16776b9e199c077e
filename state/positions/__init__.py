"""Positions that participants declare before, during and after the deliberation, and the run's answer."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
