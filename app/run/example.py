"""Requests that play the recorded examples."""

from ...models.example import EXAMPLE_FOLDER, list_examples, load_example
from ...models.spec import EXAMPLE
from ..protocols.protocol import get_protocol
from .request import RunRequest, build_client_request


def build_example_request(name: str) -> RunRequest:
    """Build the request that plays an example. Raises `InputError` for an unknown name."""
    example = load_example(name)
    values = {**example["settings"], **example["input"], "model": f"{EXAMPLE}:{name}"}
    if sources := values.get("sources"):
        values["sources"] = [str(EXAMPLE_FOLDER / source) for source in sources]
    return build_client_request(get_protocol(example["protocol"]), values)


def find_example_request(request: RunRequest) -> RunRequest | None:
    """Find the example with the topic of a request that sets nothing else, or `None`."""
    if request != build_client_request(request.protocol, {request.protocol.topic_key: request.topic}):
        return None
    examples = map(build_example_request, list_examples())
    return next(
        (example for example in examples if (example.protocol, example.topic) == (request.protocol, request.topic)),
        None,
    )
