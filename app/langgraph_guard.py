"""Guard before the routes of LangGraph's server: it refuses requests from web pages of other origins.

CORS keeps such a page from reading answers, but it can still send: a plain-text POST starts a run without permission.
`langgraph.json` names `app` as `http.app`. The allowed origins are those of its `http.cors`.
"""

import re
from ipaddress import ip_address
from urllib.parse import urlsplit

from langgraph_api import config  # type: ignore[import-untyped, unused-ignore]
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

ORIGIN_REMEDY = (
    "this server answers no page of that origin; its operator adds it to http.cors.allow_origins in langgraph.json"
)


class OriginGuard:
    """Middleware that refuses every request from a page of an origin that is not allowed.

    A request without an origin passes: it comes from a program or from an address typed into a browser.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it with 403."""
        headers = Headers(scope=scope) if scope["type"] in ("http", "websocket") else Headers()
        origin = headers.get("origin")
        if origin is None or is_same_origin(origin, headers.get("host", "")) or is_allowed_origin(origin):
            await self.app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": "origin"})
        else:
            refusal = JSONResponse({"detail": f"origin = {origin[:200]!r}: {ORIGIN_REMEDY}"}, 403)
            await refusal(scope, receive, send)


def is_same_origin(origin: str, host: str) -> bool:
    """Return whether a page comes from this server itself, addressed by its number or as `localhost`.

    Any other name could be redirected here by someone else, so it must be allowed explicitly.
    """
    try:
        parts = urlsplit(origin)
        name = parts.hostname or ""
        return parts.netloc == host and (name == "localhost" or bool(ip_address(name)))
    except ValueError:
        return False


def is_allowed_origin(origin: str) -> bool:
    """Return whether `http.cors` allows an origin. Without that setting, no origin is allowed."""
    cors = config.CORS_CONFIG or {}
    allowed, pattern = cors.get("allow_origins") or [], cors.get("allow_origin_regex")
    return "*" in allowed or origin in allowed or bool(pattern and re.fullmatch(pattern, origin))


app = Starlette(middleware=[Middleware(OriginGuard)])
