"""What the model server does with a request: count it, have it answered, deliver the answer or its fault."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import orjson

from fakeserver.bodies import capped, completion, embeddings, prompt_bytes, stream, usage
from fakeserver.connection import Call, Connection
from fakeserver.echo import echo_by_hash
from fakeserver.exchange import Json, Reply, Request
from fakeserver.faults import Fault
from fakeserver.gate import Gate
from fakeserver.http import halves, plain
from fakeserver.record import CHAT, EMBED, Record
from fakeserver.script import Replying
from fakeserver.spoilt import make_reply
from fakeserver.usage import PrefixTree, tokens

WHOLE = Fault()


@dataclass(eq=False)
class Routes(Record):
    """The knobs of a model server, and its answers.

    `reply`: request → answer. `faults`, `embed_faults`: by number of the request among its kind, from 1; they go before
    `reply`. `gate`: how many chat requests (of those `gated`) must stand at once before any is answered; 0 for no gate.
    `deadline`: seconds the gate waits. `latency`: seconds before each answer. `models`: what GET /models lists.
    `obey_caps`: whether max_tokens and max_completion_tokens cut answers. `keep`: whether requests are kept.
    `keep_alive`: whether connections are used again; off, so that clients leave none open. `port`: 0 for any free one.
    """

    reply: Replying = echo_by_hash
    faults: Mapping[int, Fault] = field(default_factory=dict)
    embed_faults: Mapping[int, Fault] = field(default_factory=dict)
    gate: int = 0
    gated: Callable[[Request], bool] = lambda _: True
    deadline: float = 10.0
    latency: float = 0.0
    models: list[str] = field(default_factory=lambda: ["fake-model"])
    obey_caps: bool = False
    keep: bool = True
    keep_alive: bool = False
    port: int = 0

    def __post_init__(self) -> None:
        super().__init__(self.keep)
        self.connections: set[Connection] = set()
        self._gate = Gate(self.gate, self.deadline)
        self._open = asyncio.Event()
        self._open.set()
        self._released = asyncio.Event()
        self._prompts = PrefixTree()

    async def answer(self, call: Call, wire: Connection) -> None:
        """Answer one HTTP request on its connection."""
        match call.method, call.path:
            case "POST", path if path in (CHAT, EMBED):
                await self._asked(call, wire)
            case "GET", "/v1/models":
                data = [{"id": model, "object": "model", "created": 0, "owned_by": "nobody"} for model in self.models]
                wire.write(plain({"object": "list", "data": data}))
            case "GET", "/stats":
                wire.write(plain(self.stats()))
            case "POST", "/reset":
                self.reset()
                wire.write(plain({}))
            case _:
                message = f"Unknown request URL: {call.method} {call.path}"
                wire.write(plain({"error": {"message": message, "code": "unknown_url"}}, 404))

    def failed(self, problem: BaseException) -> Json:
        """Keep what went wrong with the test itself, and word it for the client."""
        self.errors.append(f"{type(problem).__name__}: {problem}")
        code = getattr(problem, "code", "reply_failed")
        return {"error": {"message": str(problem), "type": "server_error", "param": None, "code": code}}

    def reset(self) -> None:
        super().reset()
        self._prompts = PrefixTree()

    async def _asked(self, call: Call, wire: Connection) -> None:
        request = self.arrive(call, orjson.loads(call.body))
        released = self._released  # taken now, so that a release never comes too early for this request
        try:
            fault, reply = self._decided(request)
            pieces = self._pieces(request, fault, reply)
            if call.path == CHAT and self.gated(request):
                await self._gate.passed()
            await self._open.wait()
            if fault.way == "hang":
                await released.wait()
            if delay := self.latency if reply.latency is None else reply.latency:
                await asyncio.sleep(delay)
            await wire.deliver(pieces, fault, released)
        finally:
            self.leave()

    def _decided(self, request: Request) -> tuple[Fault, Reply]:
        wrong = complaint(request)
        if request.path == EMBED:
            return wrong or self.embed_faults.get(request.n) or WHOLE, Reply()
        answer = wrong or self.faults.get(request.n) or self.reply(request)
        if not isinstance(answer, Fault):
            return WHOLE, make_reply(answer, request)
        return answer, Reply() if answer.way in ("instead", "drop") else make_reply(answer.of, request)

    def _pieces(self, request: Request, fault: Fault, reply: Reply) -> list[bytes]:
        if fault.way == "drop":
            return []
        if fault.way == "instead":
            return [plain(fault.instead(request), fault.http, fault.headers)]
        if request.path == EMBED:
            return halves(embeddings(request))
        if self.obey_caps and request.cap is not None:
            reply = capped(reply, request.cap)
        counted = self._counted(request, reply)
        return stream(request, reply, counted) if request.stream else halves(completion(request, reply, counted))

    def _counted(self, request: Request, reply: Reply) -> Json:
        prompt = prompt_bytes(request)
        counted = usage(tokens(prompt), self._prompts.add(prompt) // 4, reply)
        self.spent["prompt"] += counted["prompt_tokens"]
        self.spent["cached"] += counted["prompt_tokens_details"]["cached_tokens"]
        self.spent["completion"] += counted["completion_tokens"]
        return counted


def complaint(request: Request) -> Fault | None:
    """What OpenAI would answer 400 to: no input, no messages, JSON mode without the word in the prompt."""
    if request.path == EMBED:
        return None if request.body.get("input") else Fault.status(400, param="input", message="'input' is missing.")
    if not request.messages:
        return Fault.status(400, param="messages", message="'messages' is missing or empty.")
    if request.form.get("type") == "json_object" and "json" not in request.text.lower():
        message = "'messages' must contain the word 'json' to use 'response_format' of type 'json_object'."
        return Fault.status(400, param="messages", message=message)
    return None
