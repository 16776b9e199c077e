"""Error bodies as providers word them. Each maker takes the request, because real servers quote from it."""

from collections.abc import Callable
from typing import NamedTuple

from fakeserver.exchange import Json, Request
from fakeserver.usage import tokens

Body = Json | str  # a string is sent as it stands


class Wording(NamedTuple):
    """OpenAI's `type`, `code` and `message`; `{key}` and `{model}` are quoted from the request."""

    type: str
    code: str | None
    message: str


WORDINGS = {
    400: Wording("invalid_request_error", None, "The request could not be understood."),
    401: Wording("invalid_request_error", "invalid_api_key", "Incorrect API key provided: {key}."),
    403: Wording("request_forbidden", "unsupported_country_region_territory", "Country or region not supported"),
    404: Wording("invalid_request_error", "model_not_found", "The model `{model}` does not exist."),
    429: Wording("requests", "rate_limit_exceeded", "Rate limit reached for {model} on requests per min."),
    500: Wording("server_error", None, "The server had an error while processing your request."),
    503: Wording("server_error", None, "The engine is currently overloaded, please try again later."),
}
GATEWAY = "<html>\n<head><title>{0}</title></head>\n<body><center><h1>{0}</h1></center></body>\n</html>\n"
PAGES = {502: GATEWAY.format("502 Bad Gateway"), 504: GATEWAY.format("504 Gateway Time-out")}


def error_body(http: int, **given: str | None) -> Callable[[Request], Body]:
    """OpenAI's error body for a status; `given` replaces its parts. 502, 504: a proxy's page."""

    def body(request: Request) -> Body:
        if http in PAGES and not given:
            return PAGES[http]
        error = {**WORDINGS.get(http, WORDINGS[500 if http >= 500 else 400])._asdict(), "param": None, **given}
        key = request.headers.get("authorization", "").removeprefix("Bearer ")
        message = str(error["message"]).replace("{key}", key).replace("{model}", str(request.body.get("model")))
        return {"error": {**error, "message": message}}

    return body


def _openai(n: int, limit: int) -> Json:
    message = (
        f"This model's maximum context length is {limit} tokens. However, your messages resulted in {n} tokens. "
        "Please reduce the length of the messages."
    )
    code = "context_length_exceeded"
    return {"error": {"message": message, "type": "invalid_request_error", "param": "messages", "code": code}}


def _vllm(n: int, limit: int) -> Json:
    message = (
        f"You passed {n} input tokens and requested 1 output tokens. However, the model's context length is only "
        f"{limit} tokens, resulting in a maximum input length of {limit - 1} tokens. Please reduce the length of the "
        f"input prompt. (parameter=input_tokens, value={n})"
    )
    return {"error": {"message": message, "type": "BadRequestError", "param": "input_tokens", "code": 400}}


def _vllm_flat(n: int, limit: int) -> Json:
    """Before 0.10: no `error` object around it."""
    message = (
        f"This model's maximum context length is {limit} tokens. However, you requested {n + 1} tokens ({n} in the "
        "messages, 1 in the completion). Please reduce the length of the messages or completion."
    )
    return {"object": "error", "message": message, "type": "BadRequestError", "param": None, "code": 400}


def _llama_cpp(n: int, limit: int) -> Json:
    message = f"request ({n} tokens) exceeds the available context size ({limit} tokens), try increasing it"
    kind = "exceed_context_size_error"
    return {"error": {"code": 400, "message": message, "type": kind, "n_prompt_tokens": n, "n_ctx": limit}}


def _ollama(n: int, limit: int) -> Json:
    message = f"prompt too long; exceeded max context length by {n - limit} tokens"
    return {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": None}}


OVERFLOWS = {
    "openai": _openai,
    "vllm": _vllm,
    "vllm-flat": _vllm_flat,
    "llama.cpp": _llama_cpp,
    "ollama": _ollama,
}


def overflow_body(wording: str, limit: int | None = None) -> Callable[[Request], Body]:
    """The context is too long, in a server's words. `limit`: tokens; None for half of the prompt."""
    worded = OVERFLOWS[wording]

    def body(request: Request) -> Body:
        n = tokens(request.text)
        return worded(n, n // 2 if limit is None else limit)

    return body
