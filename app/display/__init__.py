"""Display of runs in a terminal, a pipe or a page: lines, tables and phrases.

A name is imported at first use, because some modules are slow to load.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
