"""The bodies of the OpenAI API: completions, their streams, embeddings. Ids count and nothing tells the time."""

import base64
import re
import struct
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from fakeserver.exchange import Json, Reply, Request
from fakeserver.http import CHUNK_END, dumped, head, plain, sse
from fakeserver.usage import tokens, vector


def prompt_bytes(request: Request) -> bytes:
    """What a prefix cache compares: each message's role and text, in order."""
    return "".join(
        f"<{message['role']}>{text}" for message, text in zip(request.messages, request.texts, strict=True)
    ).encode()


def usage(prompt: int, cached: int, reply: Reply) -> Json:
    """Token counts; `prompt` and `cached` in tokens."""
    answer = tokens(reply.text or reply.refusal or "") + reply.reasoning
    return {
        "prompt_tokens": prompt,
        "completion_tokens": answer,
        "total_tokens": prompt + answer,
        "prompt_tokens_details": {"cached_tokens": cached},
        "completion_tokens_details": {"reasoning_tokens": reply.reasoning},
    }


def capped(reply: Reply, cap: int) -> Reply:
    """The reply cut to `cap` tokens, hidden ones counted, with finish_reason "length" if that cut anything."""
    hidden = min(reply.reasoning, cap)
    room = 4 * (cap - hidden)
    if len(reply.text.encode()) <= room:
        return reply
    return replace(reply, text=reply.text.encode()[:room].decode(errors="ignore"), reasoning=hidden, finish="length")


def completion(request: Request, reply: Reply, counted: Json) -> bytes:
    """A plain answer."""
    tool = _called(request, reply)
    said: Json = {"role": "assistant", "content": reply.text, "refusal": reply.refusal}
    if tool:
        said |= {"content": None, "tool_calls": [_tool_call(request, tool, reply.text)]}
    elif reply.refusal is not None:
        said["content"] = None
    said |= reply.odd
    finish = "tool_calls" if tool and reply.finish == "stop" else reply.finish
    body = _frame(request, "chat.completion") | {
        "choices": [{"index": 0, "message": said, "logprobs": None, "finish_reason": finish}]
    }
    return plain(body | {"usage": _said(counted, reply)} if reply.usage else body)


def stream(request: Request, reply: Reply, counted: Json) -> list[bytes]:
    """A streamed answer: the head with the first event, a piece for each content chunk, and the end as one piece."""
    tool = _called(request, reply)
    first: Json = {"role": "assistant", "content": None if tool else ""}
    if tool:
        first["tool_calls"] = [{"index": 0, **_tool_call(request, tool, "")}]
    first |= reply.odd
    finish = "tool_calls" if tool and reply.finish == "stop" else reply.finish
    parts = re.findall(r"\s*\S{1,24}|\s+", reply.text if reply.refusal is None else reply.refusal)
    end = [_event(request, {}, finish), sse(b"[DONE]"), CHUNK_END]
    if reply.usage and (request.body.get("stream_options") or {}).get("include_usage"):
        end.insert(1, _sent(_frame(request, "chat.completion.chunk") | {"choices": [], "usage": _said(counted, reply)}))
    deltas = [_event(request, _delta(part, bool(tool), reply), None) for part in parts]
    return [head(200, "text/event-stream", None, {}) + _event(request, first, None), *deltas, b"".join(end)]


def _said(counted: Json, reply: Reply) -> Json:
    return counted | dict(reply.usage) if isinstance(reply.usage, Mapping) else counted


def _called(request: Request, reply: Reply) -> str | None:
    """The function this reply calls: one is offered, and the text begins like its arguments."""
    return request.tool["name"] if request.tool and reply.text.lstrip().startswith("{") else None


def _tool_call(request: Request, name: str, arguments: str) -> Json:
    return {"id": f"call_{request.at}", "type": "function", "function": {"name": name, "arguments": arguments}}


def _delta(part: str, tool: bool, reply: Reply) -> Json:
    if tool:
        return {"tool_calls": [{"index": 0, "function": {"arguments": part}}]}
    return {"content": part} if reply.refusal is None else {"refusal": part}


def _frame(request: Request, kind: str) -> Json:
    known = {"model": request.body.get("model", ""), "system_fingerprint": "fp_fake"}
    return {"id": f"chatcmpl-{request.at}", "object": kind, "created": 0, **known}


def _event(request: Request, delta: Json, finish: str | None) -> bytes:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
    return _sent(_frame(request, "chat.completion.chunk") | {"choices": [choice]})


def _sent(event: Json) -> bytes:
    return sse(dumped(event))


def embeddings(request: Request) -> bytes:
    """A vector for each input; `encoding_format` float or base64 (little-endian float32), `dimensions` default 256."""
    given: Any = request.body["input"]
    alone = isinstance(given, str) or (given and isinstance(given[0], int))
    texts = [one if isinstance(one, str) else " ".join(map(str, one)) for one in ([given] if alone else given)]
    size = request.body.get("dimensions") or 256
    coded = request.body.get("encoding_format") == "base64"
    data = [
        {"object": "embedding", "index": i, "embedding": _coded(vector(text, size)) if coded else vector(text, size)}
        for i, text in enumerate(texts)
    ]
    count = sum(map(tokens, texts))
    used = {"prompt_tokens": count, "total_tokens": count}
    return plain({"object": "list", "data": data, "model": request.body.get("model", ""), "usage": used})


def _coded(numbers: list[float]) -> str:
    return base64.b64encode(struct.pack(f"<{len(numbers)}f", *numbers)).decode()
