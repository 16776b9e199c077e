"""What goes wrong, in OpenAI's shape: a status, and a message with key, value and remedy."""

from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse

from ....nodes.models.failures import Stopped
from ....state.refused import Refused
from ...failure import Interrupted, failure

BUSY = ("runs", "watchers", "rate")
"""Keys of what is refused only for now."""

WAIT = "60"
"""Seconds after which one that is refused for now may come again."""


class Fault(Exception):
    """An answer that is none. `code`: for programs; `param`: the key that cannot be used."""

    def __init__(self, status: int, message: str, code: str, param: str | None = None) -> None:
        super().__init__(message)
        self.status, self.code, self.param = status, code, param

    @property
    def body(self) -> dict[str, Any]:
        """The fault as OpenAI tells one."""
        kind = {429: "rate_limit_error"}.get(self.status, "invalid_request_error" if self.status < 500 else "api_error")
        return {"error": {"message": str(self), "type": kind, "param": self.param, "code": self.code}}

    def response(self) -> JSONResponse:
        """The answer. A client's own program must not ask again what would be paid again."""
        headers = {"retry-after": WAIT} if self.status == 429 else {"x-should-retry": "false"}
        if self.status == 401:
            headers["www-authenticate"] = "Bearer"
        return JSONResponse(self.body, self.status, headers)


def fault_of(error: Exception) -> Fault:
    """The fault that an exception stands for; raises the exception again if it is a defect."""
    if isinstance(error, Fault):
        return error
    if isinstance(error, HTTPException):
        return Fault(error.status_code, f"{error.detail}: there are /v1/models and /v1/chat/completions", "not_found")
    line = failure(error).line
    if isinstance(error, Refused):
        if error.key in BUSY:
            return Fault(429, line, "rate_limit_exceeded", error.key)
        return Fault(400, line, "invalid_value", error.key)
    if isinstance(error, Stopped | Interrupted | OSError):
        return Fault(503, line, "stopped")
    return Fault(400, line, "invalid_value")


async def told(request: Request, error: Exception) -> JSONResponse:
    """The answer to a request that went wrong."""
    return fault_of(error).response()
