"""An OpenAI-compatible model server for tests and benchmarks, on this machine only.

    with FakeServer(reply=script(["Yes.", Fault.status(429, retry_after=0.1)])) as server:
        ChatOpenAI(base_url=server.url, api_key="none", model="any").invoke("Well?")

Its replies follow from the prompt alone unless told otherwise. `python -m fakeserver --port 0 --latency 0.05`, called
in `tests/support`, runs it as a process of its own and prints the base URL; there GET /stats and POST /reset (beside
/v1) count and forget.
"""

from fakeserver.echo import echo_by_hash, echoing
from fakeserver.exchange import FakeFailure, Reply, Request
from fakeserver.faults import Fault
from fakeserver.script import Answer, Replying, script, short_window
from fakeserver.server import FakeServer, apart
from fakeserver.usage import tokens

__all__ = [
    "Answer",
    "FakeFailure",
    "FakeServer",
    "Fault",
    "Reply",
    "Replying",
    "Request",
    "apart",
    "echo_by_hash",
    "echoing",
    "script",
    "short_window",
    "tokens",
]
