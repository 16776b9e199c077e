"""How a justice experiment shows itself: payoffs and rankings in its own spelling."""

from ..face import Face
from .document import closing_lines, justice_keys
from .private import with_memories
from .request import experiment_rules

FACE = Face(
    keys=lambda saved, _: justice_keys(saved.state),
    closing=closing_lines,
    private=with_memories,
    rules=experiment_rules,
)
