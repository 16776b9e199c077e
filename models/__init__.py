"""Sources of answers: chat models, agents and embeddings, their servers, keys, prices and failures.

A name is imported at first use, because the clients of models are slow to load.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
