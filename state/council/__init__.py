"""Council: the members' reviews, how well their rankings agree, and the settings."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
