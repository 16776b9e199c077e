"""Traces of runs for OpenTelemetry, where they are asked for; without that nothing of it is imported."""

import os
from importlib.util import find_spec
from typing import Any

from ...state.refused import Refused

VARIABLE, ON, OFF = "MOOT_TRACING", "on", ("", "off")


def traced(graph: Any) -> Any:
    """A compiled graph, whose runs are traced if `MOOT_TRACING` is `on`. Raises `Refused` for another word."""
    said = os.environ.get(VARIABLE, "").strip()
    if said in OFF:
        return graph
    if said != ON:
        raise Refused(VARIABLE, said, "say on or off")
    if find_spec("opentelemetry") is None:
        raise Refused(VARIABLE, said, 'traces need the package opentelemetry-api: pip install "moot[otel]"')
    from .spans import Tracing

    return graph.with_config(callbacks=[Tracing()])
