"""Replies for tests: a script in order, and a model with a short window."""

from collections.abc import Callable, Iterable

from fakeserver.exchange import FakeFailure, Request
from fakeserver.faults import Fault
from fakeserver.spoilt import Said
from fakeserver.usage import tokens

Answer = Said | Fault
Replying = Callable[[Request], Answer]


def script(answers: Iterable[Answer]) -> Replying:
    """Answers in the order the requests come. One request too many is HTTP 500, code script_exhausted."""
    lines = list(answers)
    text_lines = iter(lines)

    def reply(request: Request) -> Answer:
        for line in text_lines:
            return line
        raise FakeFailure("script_exhausted", f"{len(lines)} answers written, one more asked: …{request.text[-200:]}")

    return reply


def short_window(reply: Replying, limit: int, wording: str = "openai") -> Replying:
    """`reply`, but prompts of more than `limit` tokens are refused as too long."""
    overflow = Fault.overflow(wording, limit)
    return lambda request: overflow if tokens(request.text) > limit else reply(request)
