"""Capabilities of each endpoint, observed while this process runs."""

from dataclasses import dataclass, field


@dataclass
class Capabilities:
    """Capabilities of an endpoint: settings that it refused, and whether it sends reasoning."""

    refused_settings: set[str] = field(default_factory=set)
    sends_reasoning: bool = False


_capabilities: dict[str, Capabilities] = {}


def get_capabilities(spec: str) -> Capabilities:
    """Return the capabilities observed at the endpoint of the model `spec`."""
    return _capabilities.setdefault(spec, Capabilities())
