"""Errors in OpenAI's format, with a status and a message that names key, value and remedy."""

from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse

from ....models import RunStoppedError
from ....state import InputError
from ...run.failure import RunInterruptedError, explain_failure


class EndpointError(Exception):
    """Error response of the endpoint.

    `code`: error code for programs. `param`: key of the unusable value in the request.
    """

    def __init__(self, status: int, message: str, code: str, param: str | None = None) -> None:
        super().__init__(message)
        self.status, self.code, self.param = status, code, param

    @property
    def body(self) -> dict[str, Any]:
        """Return the error in OpenAI's format."""
        kind = {429: "rate_limit_error"}.get(self.status, "invalid_request_error" if self.status < 500 else "api_error")
        return {"error": {"message": str(self), "type": kind, "param": self.param, "code": self.code}}

    def make_response(self) -> JSONResponse:
        """Return the error as an HTTP response.

        With status 429, the headers ask the client to wait a minute. With any other status, they prevent automatic
        repetitions.
        """
        headers = {"retry-after": "60"} if self.status == 429 else {"x-should-retry": "false"}
        if self.status == 401:
            headers["www-authenticate"] = "Bearer"
        return JSONResponse(self.body, self.status, headers)


def convert_error(error: Exception) -> EndpointError:
    """Return the `EndpointError` for an exception. Raise the exception again if it is a defect in Moot."""
    if isinstance(error, EndpointError):
        return error
    if isinstance(error, HTTPException):
        return EndpointError(
            error.status_code,
            f"{error.detail}: use /v1/models, /v1/chat/completions or /v1/responses",
            "not_found",
        )
    line = explain_failure(error).line
    if isinstance(error, InputError):
        if error.key in ("runs", "watchers", "rate"):
            return EndpointError(429, line, "rate_limit_exceeded", error.key)
        return EndpointError(400, line, "invalid_value", error.key)
    is_stopped = isinstance(error, RunStoppedError | RunInterruptedError | OSError)
    return EndpointError(503, line, "stopped") if is_stopped else EndpointError(400, line, "invalid_value")


async def respond_to_error(request: Request, error: Exception) -> JSONResponse:
    """Return the error response to a request that raised `error`."""
    return convert_error(error).make_response()
