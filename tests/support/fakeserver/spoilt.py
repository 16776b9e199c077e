"""Answers a program cannot use as they are: each shape spoils what would have been said."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from fakeserver.echo import echo_by_hash, paragraph
from fakeserver.exchange import FakeFailure, Reply, Request
from fakeserver.schema import Filler, without_enums

Said = str | Mapping[str, Any] | Reply
Saying = Said | Callable[[Request], Said]


def make_reply(of: Saying, request: Request) -> Reply:
    """What is said to this request: text as it stands, a mapping as JSON, a function asked."""
    text = of(request) if callable(of) else of
    if isinstance(text, Mapping):
        text = json.dumps(text, ensure_ascii=False)
    return Reply(text) if isinstance(text, str) else text


def wrong_enum(request: Request, reply: Reply) -> Reply:
    """A reply to the same schema with every closed choice outside its list."""
    open_schema = without_enums(request.schema or {})
    if open_schema == request.schema:
        raise FakeFailure("fault_misplaced", "wrong_enum: the request asks for no schema with an enum")
    filler = Filler(open_schema, request.seed, lambda n: paragraph(n.to_bytes(8), 12))
    return replace(reply, text=json.dumps(filler.fill(open_schema)))


def extra_keys(request: Request, reply: Reply) -> Reply:
    return replace(reply, text=json.dumps({**json.loads(reply.text), "confidence": "rather high", "note": "as asked"}))


SHAPES: dict[str, Callable[[Request, Reply], Reply]] = {
    "empty": lambda _, reply: replace(reply, text=""),
    "blank": lambda _, reply: replace(reply, text=" \n\t\u00a0\n "),
    "truncated": lambda _, reply: replace(reply, text=reply.text[: len(reply.text) // 2]),
    "prose": lambda _, reply: replace(reply, text=f"Gladly! Here it is:\n\n{reply.text}\n\nI hope this helps."),
    "fenced": lambda _, reply: replace(reply, text=f"```json\n{reply.text}\n```"),
    "wrong_enum": wrong_enum,
    "extra_keys": extra_keys,
    "refusal": lambda _, reply: replace(reply, text="", refusal="I'm sorry, I can't help with that."),
    "content_filter": lambda _, reply: replace(reply, text="", finish="content_filter"),
    "length": lambda _, reply: replace(reply, text=reply.text[: len(reply.text) // 2], finish="length"),
}


def spoilt(shape: str, of: Saying = echo_by_hash) -> Callable[[Request], Reply]:
    """A reply function that spoils `of` into one of SHAPES."""
    spoil = SHAPES[shape]
    return lambda request: spoil(request, make_reply(of, request))
