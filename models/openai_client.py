"""Chat model for the OpenAI API that keeps every answer, even one with wrong token counts."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from json import JSONDecodeError
from types import SimpleNamespace
from typing import Any

import httpx
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_openai import ChatOpenAI
from openai import APIError, AsyncOpenAI, AsyncStream, RequestOptions
from openai.types.chat import ChatCompletionChunk

from .message_shape import MALFORMED, clean_first_choice
from .token_usage import clean_usage

REQUEST_OPTIONS = {
    "extra_headers": "headers",
    "extra_query": "params",
    "extra_body": "extra_json",
    "timeout": "timeout",
}
"""Request options outside the body, each with the client's name for it."""
COMPLETIONS_PATH = "/chat/completions"
JOIN_SECONDS = 0.05
"""Seconds during which pieces of an answer are joined, because each piece takes a part of a millisecond to process."""


class Completions:
    """Replacement for the client's `completions`, which sends and returns plain data.

    The client's own parser checks each field against all possible types. Such a check takes longer than the rest of a
    turn, and the parser warns about unusual answers.
    """

    def __init__(self, client: AsyncOpenAI) -> None:
        self._client = client
        self.with_raw_response = SimpleNamespace(create=self.create_complete)

    async def create(self, **payload: Any) -> Any:
        """Request a streamed answer. Return its pieces as an asynchronous context manager."""
        body, options = _split_payload(payload)
        return _open_chunks(
            await self._client.post(
                COMPLETIONS_PATH,
                body=body,
                options=options,
                cast_to=object,
                stream=True,
                stream_cls=AsyncStream[object],
            )
        )

    async def create_complete(self, **payload: Any) -> "RawAnswer":
        """Request an answer that arrives as a whole, and return its HTTP response."""
        body, options = _split_payload(payload)
        return RawAnswer(await self._client.post(COMPLETIONS_PATH, body=body, options=options, cast_to=httpx.Response))


@dataclass(frozen=True)
class RawAnswer:
    """HTTP response with a whole answer, with the `parse` method that the client library calls."""

    http_response: Any

    def parse(self) -> Any:
        """Return the answer as plain data, or as text if its content type is not JSON.

        Raises `APIError` for an error in place of an answer, and `ValueError` or `RecursionError` for unusable JSON.
        """
        try:
            answer = self.http_response.json()
        except (ValueError, RecursionError):
            if "json" in self.http_response.headers.get("content-type", ""):
                raise
            return self.http_response.text
        match answer:
            case {"error": error} if error:
                raise APIError(str(error), self.http_response.request, body=error)
        return answer


def _split_payload(payload: dict[str, Any]) -> tuple[dict[str, Any], RequestOptions]:
    body = {key: value for key, value in payload.items() if key not in REQUEST_OPTIONS}
    options: Any = {REQUEST_OPTIONS[key]: payload[key] for key in REQUEST_OPTIONS if payload.get(key) is not None}
    options["security"] = {"bearer_auth": True}  # only the key of the spec, never that of the account's administrator
    return body, options


@asynccontextmanager
async def _open_chunks(answer: Any) -> AsyncIterator[AsyncIterator[dict[str, Any]]]:
    async with answer as chunks:
        yield (complete_chunk(chunk) async for chunk in join_chunks(select_answer(chunks)))


def complete_chunk(chunk: Any) -> dict[str, Any]:
    """Return a piece of a streamed answer, with all fields that the client expects.

    Raises `JSONDecodeError` for other data.
    """
    if not isinstance(chunk, dict):
        raise JSONDecodeError("a piece is no object", str(chunk)[:100], 0)
    return ChatCompletionChunk.model_construct(**chunk).model_dump(warnings=False)


async def select_answer(chunks: AsyncIterator[Any]) -> AsyncIterator[Any]:
    """Yield the pieces of the first of several answers, then a piece with the last token counts.

    Some servers send the counts so far with every piece, and the client adds up all counts. The client would also join
    several answers to one request, and everything after the end of an answer. Raises `RemoteProtocolError` if the
    answer starts over: its role is repeated after text without a role, or its id changes after two texts with one id.
    """
    usage_chunk: Any = None
    first_index: Any = None
    has_bare_text = is_finished = False
    text_ids = list[Any]()
    async for chunk in chunks:
        if isinstance(chunk, dict) and chunk.get("usage"):
            usage_chunk, chunk = chunk | {"choices": []}, chunk | {"usage": None}
        match chunk:
            case {"choices": [{"index": index}, *_]}:
                first_index = index if first_index is None else first_index
                if index != first_index or is_finished:
                    continue
        match chunk:
            case {"choices": [{"finish_reason": str(reason)}, *_]} if reason:
                is_finished = True
            case {"choices": [{"delta": {**delta}}, *_]}:
                text, role = delta.get("content"), delta.get("role")
                text_ids = [*text_ids[-2:], chunk.get("id")] if text else text_ids
                if (role and has_bare_text) or (len(text_ids) == 3 and text_ids[0] == text_ids[1] != text_ids[2]):
                    raise httpx.RemoteProtocolError("the answer began again midway")
                has_bare_text = has_bare_text or bool(text and not role)
        yield chunk
    if usage_chunk:
        yield usage_chunk


async def join_chunks(chunks: AsyncIterator[Any]) -> AsyncIterator[Any]:
    """Yield the pieces of a streamed answer. Join text pieces that arrive in quick succession."""
    clock, last_time = asyncio.get_running_loop().time, -JOIN_SECONDS
    pending_chunk: Any = None
    async for chunk in chunks:
        text = extract_bare_text(chunk)
        if text and pending_chunk:
            pending_chunk["choices"][0]["delta"]["content"] += text
        elif text:
            pending_chunk = chunk
        elif pending_chunk:
            yield pending_chunk
            pending_chunk = None
        if not text:
            yield chunk
        elif clock() - last_time >= JOIN_SECONDS:
            yield pending_chunk
            pending_chunk, last_time = None, clock()
    if pending_chunk:
        yield pending_chunk


def extract_bare_text(chunk: object) -> str:
    """Return the text of a piece that contains only text, otherwise an empty text."""
    match chunk:
        case {"choices": [{"index": 0, "delta": {"content": str(text), **more}, **about}], **rest}:
            values = [value for key, value in (more | about).items() if key != "role"]
            return "" if any(values) or rest.get("usage") else text
        case _:
            return ""


class CountedChatOpenAI(ChatOpenAI):
    """Chat model that keeps an answer with malformed content or impossible token counts.

    The client library would raise an error and lose the answer with its cost. The message's `additional_kwargs`
    describe malformed content.
    """

    def _create_chat_result(self, response: Any, generation_info: dict[str, Any] | None = None) -> ChatResult:
        fault = ""
        if isinstance(response, dict):
            response = response | {"usage": clean_usage(response.get("usage"))}
            if response["usage"] or response.get("choices"):
                response["choices"], fault = clean_first_choice(response.get("choices"), "message")
        result = super()._create_chat_result(response, generation_info)
        if fault:
            result.generations[0].message.additional_kwargs[MALFORMED] = fault
        match response:
            case {"choices": [{"message": {"refusal": str(refusal_text)}}, *_]}:
                result.generations[0].message.additional_kwargs["refusal"] = refusal_text
        return result

    def _convert_chunk_to_generation_chunk(
        self, chunk: dict[str, Any], default_chunk_class: type, base_generation_info: dict[str, Any] | None
    ) -> ChatGenerationChunk | None:
        clean_chunk, fault = chunk | {"usage": clean_usage(chunk.get("usage"))}, ""
        if chunk.get("choices"):
            clean_chunk["choices"], fault = clean_first_choice(chunk["choices"], "delta")
        generation_chunk = super()._convert_chunk_to_generation_chunk(
            clean_chunk, default_chunk_class, base_generation_info
        )
        if generation_chunk and fault:
            generation_chunk.message.additional_kwargs[MALFORMED] = fault
        return generation_chunk
