"""Capabilities of each endpoint, as observed in this process."""

from dataclasses import dataclass, field


@dataclass
class Capabilities:
    """Observed capabilities of an endpoint, updated while the process runs."""

    refused_settings: set[str] = field(default_factory=set)
    sends_reasoning: bool = False


_capabilities: dict[str, Capabilities] = {}


def get_capabilities(spec: str) -> Capabilities:
    """Return the capabilities of the endpoint of the model `spec`."""
    return _capabilities.setdefault(spec, Capabilities())
