"""How a discussion session shows itself: who is expected, who is out of the rotation, and its log."""

from ..face import Face
from .news import session_keys, standing

FACE = Face(keys=lambda saved, _: session_keys(saved.state), stands=standing)
