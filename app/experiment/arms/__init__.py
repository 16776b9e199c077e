"""Arms: other ways to answer the question of a deliberation (a talk), for comparison with it.

Arms are, for example, single answers, votes without a deliberation, and independent samples.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
