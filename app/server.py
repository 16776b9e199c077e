"""What LangGraph's server puts before its routes: a request that a web page of another origin sends is refused.

CORS keeps such a page from reading answers, not from asking: a POST of plain text needs no leave and starts a run.
`langgraph.json` names `app` as `http.app`; the origins allowed are those of its `http.cors`.
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

REMEDY = "this server answers no page of that origin; its operator adds it to http.cors.allow_origins in langgraph.json"


class OwnOrigins:
    """Refuse, whatever the method and the path, what is sent from a page of an origin that is not allowed.

    What names no origin is sent by no page, and passes: programs, and addresses typed into a browser.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it with 403."""
        headers = Headers(scope=scope) if scope["type"] in ("http", "websocket") else Headers()
        origin = headers.get("origin")
        if origin is None or is_own(origin, headers.get("host", "")) or is_allowed(origin):
            await self.app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": "origin"})
        else:
            refused = JSONResponse({"detail": f"origin = {origin[:200]!r}: {REMEDY}"}, 403)
            await refused(scope, receive, send)


def is_own(origin: str, host: str) -> bool:
    """Whether a page comes from this server itself, called by its number or `localhost`.

    Any other name may be somebody else's that was made to lead here; it has to be allowed.
    """
    try:
        parts = urlsplit(origin)
        name = parts.hostname or ""
        return parts.netloc == host and (name == "localhost" or bool(ip_address(name)))
    except ValueError:
        return False


def is_allowed(origin: str) -> bool:
    """Whether `http.cors` allows an origin; without it, none is."""
    cors = config.CORS_CONFIG or {}
    listed, pattern = cors.get("allow_origins") or [], cors.get("allow_origin_regex")
    return "*" in listed or origin in listed or bool(pattern and re.fullmatch(pattern, origin))


app = Starlette(middleware=[Middleware(OwnOrigins)])
