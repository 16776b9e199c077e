"""Comparison of a talk with its arms: other ways to answer the same question.

Arms are, for example, single answers, votes without a talk, and independent samples.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
