"""Context variables that are set within a `with` block."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")


@contextmanager
def bind_variable(variable: ContextVar[T], value: T) -> Iterator[None]:
    """Set `variable` to `value` within the `with` block."""
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)
