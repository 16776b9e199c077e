"""Requests that play the recorded examples."""

from ...models import EXAMPLE, list_examples, load_example
from ..protocols.protocol import get_protocol
from .request import RunRequest, build_client_request


def build_example_request(name: str) -> RunRequest:
    """Build the request that plays an example. Raises `InputError` for an unknown name."""
    example = load_example(name)
    values = {**example["settings"], **example["input"], "model": f"{EXAMPLE}:{name}"}
    return build_client_request(get_protocol(example["protocol"]), values)


def find_example_request(request: RunRequest) -> RunRequest | None:
    """Find the example for a request that sets only a topic; `None` without such an example."""
    topic_key = request.protocol.topic_key
    if not topic_key or request != build_client_request(request.protocol, {topic_key: request.topic}):
        return None
    for name in list_examples():
        example = load_example(name)
        if example["protocol"] == request.protocol.name and request.topic in example["input"].values():
            return build_example_request(name)
    return None
