"""The hooks of the discussion: who is expected, who is out of the rotation, and the log."""

from ..hooks import Hooks
from .news import session_keys, standing

HOOKS = Hooks(keys=lambda saved, _: session_keys(saved.state), stands=standing)
