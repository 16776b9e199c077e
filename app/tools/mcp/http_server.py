"""MCP server over streamable HTTP. Every request must carry the token."""

import hmac
import os
import secrets

import uvicorn
from mcp.server.transport_security import RequestBodyLimitMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from ....models import close_models
from ....state import InputError
from ...web import MAX_REQUEST_BYTES, admit_connection, is_loopback, make_server_config, open_listener
from .runs import ServerRuns
from .server import build_server

TOKEN_VARIABLE, MIN_TOKEN_LENGTH = "MOOT_MCP_TOKEN", 16


class TokenGuard:
    """Middleware that rejects requests without the server's token."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self.app, self._token = app, token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            scheme, _, token = Request(scope).headers.get("authorization", "").partition(" ")
            if scheme.casefold() != "bearer" or not hmac.compare_digest(token.strip().encode(), self._token.encode()):
                refusal = PlainTextResponse(
                    "Send `Authorization: Bearer TOKEN` with the server's token.", 401, {"www-authenticate": "Bearer"}
                )
                return await refusal(scope, receive, send)
            admit_connection(scope)
        await self.app(scope, receive, send)


async def serve_http(db: str, model: str, host: str, port: int) -> None:
    """Serve tools over HTTP until the process is interrupted, then finish the current steps.

    The token is `MOOT_MCP_TOKEN` or, without it, a new token, which is printed. Raises `InputError` if the server
    cannot listen at the address, or if other machines can reach it and no token is configured.
    """
    token, is_exposed = os.environ.get(TOKEN_VARIABLE, "").strip(), not is_loopback(host)
    if (token or is_exposed) and len(token) < MIN_TOKEN_LENGTH:
        raise InputError(TOKEN_VARIABLE, "…", f"set it to a secret of at least {MIN_TOKEN_LENGTH} characters")
    listener = open_listener(host, port)
    runs = ServerRuns(db, model, ([model] if model else []) if is_exposed else None)
    app = RequestBodyLimitMiddleware(build_server(runs).streamable_http_app(host=host), MAX_REQUEST_BYTES)
    if not token:
        token = secrets.token_urlsafe(24)
        print(f"Token, shown once: {token}", flush=True)
    shown_host = f"[{host}]" if ":" in host else host
    print(f"http://{shown_host}:{listener.getsockname()[1]}/mcp", flush=True)
    try:
        await uvicorn.Server(make_server_config(TokenGuard(app, token))).serve([listener])
    finally:
        await runs.close()
        await close_models()
