"""The hooks of a jury: the course of its ballots stands in its report."""

from ..hooks import Hooks
from .course import course

HOOKS = Hooks(sections={"course": [course]})
