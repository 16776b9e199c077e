"""Guard of LangGraph's server, which rejects requests from other web pages.

CORS keeps another page from reading answers, but the page can still send. A plain-text POST would start a run without
permission. `langgraph.json` names `app` as `http.app`. Its `http.cors` lists the allowed origins.
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


class OriginGuard:
    """Middleware that rejects every request from a page of a forbidden origin.

    A request without an origin is allowed: it comes from a program, or from an address typed into a browser.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope) if scope["type"] in ("http", "websocket") else Headers()
        origin = headers.get("origin")
        if origin is None or is_same_origin(origin, headers.get("host", "")) or is_allowed_origin(origin):
            await self.app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": "origin"})
        else:
            remedy = "this server answers no page of that origin; its operator adds it to http.cors.allow_origins"
            detail = f"origin = {origin[:200]!r}: {remedy} in langgraph.json"
            response = JSONResponse({"detail": detail}, 403)
            await response(scope, receive, send)


def is_same_origin(origin: str, host: str) -> bool:
    """Return whether a page comes from this server, addressed by IP address or as `localhost`.

    Anyone can point another name to this server, so other names need permission in `http.cors`.
    """
    try:
        address = urlsplit(origin)
        name = address.hostname or ""
        return address.netloc == host and (name == "localhost" or bool(ip_address(name)))
    except ValueError:
        return False


def is_allowed_origin(origin: str) -> bool:
    """Return whether `http.cors` allows an origin. Without that setting, no origin is allowed."""
    cors = config.CORS_CONFIG or {}
    allowed_origins, pattern = cors.get("allow_origins") or [], cors.get("allow_origin_regex")
    return "*" in allowed_origins or origin in allowed_origins or bool(pattern and re.fullmatch(pattern, origin))


app = Starlette(middleware=[Middleware(OriginGuard)])
