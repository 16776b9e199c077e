"""What can go wrong between a model and its client: refused requests, broken connections, unusable content."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from fakeserver.echo import echo_by_hash
from fakeserver.errors import Body, error_body, overflow_body
from fakeserver.exchange import Request
from fakeserver.spoilt import Saying, spoilt

Way = Literal["whole", "instead", "drop", "hang", "cut", "end_early", "stall", "trickle", "stream_error"]
SERVER_ERROR = error_body(500)
STREAM_ERROR = '{"error": {"message": "The server had an error", "type": "server_error", "param": null, "code": null}}'


@dataclass(frozen=True)
class Fault:
    """One fault; made by the class methods below.

    `way`: what happens to the answer. `of`: the answer it happens to. `after`: content chunks of a stream that arrive
    first (a plain body is two chunks). `pause`: seconds between the pieces of a slow answer. `instead`: the body sent
    in place of an answer, with status `http` and `headers`.
    """

    way: Way = "whole"
    of: Saying = echo_by_hash
    after: int = 0
    pause: float = 0.0
    http: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    instead: Callable[[Request], Body] = SERVER_ERROR
    event: str = STREAM_ERROR

    # requests refused

    @classmethod
    def status(cls, http: int, retry_after: float | str | None = None, **error: str | None) -> "Fault":
        """An HTTP status with OpenAI's error body for it; `error`: type, code, message, param."""
        headers = {} if retry_after is None else {"retry-after": str(retry_after)}
        return cls("instead", http=http, headers=headers, instead=error_body(http, **error))

    @classmethod
    def unsupported(cls, param: str, value: object = None) -> "Fault":
        """400: the model does not take this parameter, or (with `value`) not this value of it."""
        if value is None:
            message = f"Unsupported parameter: '{param}' is not supported with this model."
            return cls.status(400, code="unsupported_parameter", param=param, message=message)
        message = f"Unsupported value: '{param}' does not support {value} with this model."
        return cls.status(400, code="unsupported_value", param=param, message=message)

    @classmethod
    def overflow(cls, wording: str = "openai", limit: int | None = None) -> "Fault":
        """400: context too long, worded by one of OVERFLOWS ("openai", "vllm", "llama.cpp", "ollama" …)."""
        return cls("instead", http=400, instead=overflow_body(wording, limit))

    @classmethod
    def policy(cls) -> "Fault":
        """400: the prompt met the provider's content filter."""
        message = "The response was filtered due to the prompt triggering the content management policy."
        return cls.status(400, code="content_filter", param="prompt", message=message)

    @classmethod
    def quota(cls) -> "Fault":
        """429 that no waiting cures."""
        message = "You exceeded your current quota, please check your plan and billing details."
        return cls.status(429, type="insufficient_quota", code="insufficient_quota", message=message)

    @classmethod
    def raw(cls, body: Body, http: int = 200) -> "Fault":
        """This very body, in place of a completion."""
        return cls("instead", http=http, instead=lambda _: body)

    @classmethod
    def not_json(cls) -> "Fault":
        return cls.raw('{"id": "chatcmpl-1", "choices": [{"mess')

    # connections broken

    @classmethod
    def drop(cls) -> "Fault":
        """The connection closes before a byte of the answer."""
        return cls("drop")

    @classmethod
    def cut_body(cls, of: Saying = echo_by_hash) -> "Fault":
        """The connection closes in the middle of the body."""
        return cls("cut", of, after=1)

    @classmethod
    def cut_stream(cls, after: int = 3, of: Saying = echo_by_hash) -> "Fault":
        """The connection closes after so many content chunks; a plain answer is cut in its middle."""
        return cls("cut", of, after)

    @classmethod
    def end_early(cls, after: int = 3, of: Saying = echo_by_hash) -> "Fault":
        """The stream ends in good order after so many chunks, but without finish_reason, usage and [DONE]."""
        return cls("end_early", of, after)

    @classmethod
    def stream_error(cls, after: int = 3, event: str = STREAM_ERROR) -> "Fault":
        """After so many chunks the stream carries an error (or any other text as `event`) and ends."""
        return cls("stream_error", after=after, event=event)

    @classmethod
    def hang(cls, of: Saying = echo_by_hash) -> "Fault":
        """Nothing is answered until `server.release()`."""
        return cls("hang", of)

    @classmethod
    def stall(cls, after: int = 1, of: Saying = echo_by_hash) -> "Fault":
        """The answer begins, and goes on only at `server.release()`."""
        return cls("stall", of, after)

    @classmethod
    def trickle(cls, pause: float = 0.01, of: Saying = echo_by_hash) -> "Fault":
        """The answer comes 64 bytes at a time with a pause (seconds) before each."""
        return cls("trickle", of, pause=pause)

    # content spoilt

    @classmethod
    def content(cls, shape: str, of: Saying = echo_by_hash) -> "Fault":
        """The answer arrives, spoilt: "empty", "blank", "truncated", "prose", "fenced", "wrong_enum", "extra_keys",
        "refusal", "content_filter" or "length" (cut off by the token cap)."""
        return cls("whole", spoilt(shape, of))
