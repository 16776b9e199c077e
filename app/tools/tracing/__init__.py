"""Traces of runs for OpenTelemetry. Tracing modules are imported only if traces are enabled."""

import os
from importlib.util import find_spec
from typing import Any

from ....state import InputError

TRACING_VARIABLE, TRACING_ON, TRACING_OFF = "MOOT_TRACING", "on", ("", "off")


def with_tracing(graph: Any) -> Any:
    """Return the compiled graph, with tracing if `MOOT_TRACING` is `on`.

    Raises `InputError` for an unknown value.
    """
    value = os.environ.get(TRACING_VARIABLE, "").strip()
    if value in TRACING_OFF:
        return graph
    if value != TRACING_ON:
        raise InputError(TRACING_VARIABLE, value, "write on or off")
    if find_spec("opentelemetry") is None:
        raise InputError(
            TRACING_VARIABLE, value, 'tracing needs the package opentelemetry-api: pip install "moot[otel]"'
        )
    from .spans import Tracing

    return graph.with_config(callbacks=[Tracing()])
