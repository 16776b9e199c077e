"""Values of context variables within a block."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")


@contextmanager
def bind_variable(variable: ContextVar[T], value: T) -> Iterator[None]:
    """Within the block, give `variable` the value `value`."""
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)
