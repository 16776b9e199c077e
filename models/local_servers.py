"""Model servers on this machine, at the default ports of Ollama, LM Studio, llama.cpp and vLLM."""

import json
import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from http.client import HTTPConnection, HTTPException

LOCAL_SERVERS = {"Ollama": 11434, "LM Studio": 1234, "llama.cpp": 8080, "vLLM": 8000}
ANSWER_SECONDS = 1.0
MODEL_NAME = re.compile(r"(?!.*embed)[\w.:/+-]{1,200}", re.IGNORECASE)


def find_local_models() -> dict[str, str]:
    """Map the spec of each chat model on a local server to the name of the server.

    Requests go only to the loopback address, without a key.
    """
    with ThreadPoolExecutor() as executor:
        listings = executor.map(_list_models, LOCAL_SERVERS.values())
    return {
        f"openai:{name}@http://localhost:{port}/v1": server
        for (server, port), names in zip(LOCAL_SERVERS.items(), listings, strict=True)
        for name in names
    }


def _list_models(port: int) -> list[str]:
    with (
        suppress(OSError, HTTPException, ValueError, RecursionError),
        closing(HTTPConnection("127.0.0.1", port, timeout=ANSWER_SECONDS)) as connection,
    ):
        connection.request("GET", "/v1/models")
        response = connection.getresponse()
        listing = json.loads(response.read(1_000_000)) if response.status == 200 else None
        entries = listing["data"] if isinstance(listing, dict) and isinstance(listing.get("data"), list) else []
        names = [str(entry.get("id")) for entry in entries if isinstance(entry, dict) and entry.get("id")]
        return [name for name in names if MODEL_NAME.fullmatch(name)]
    return []
