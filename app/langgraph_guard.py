"""Guard of LangGraph's server: it rejects requests from other pages and under foreign host names.

CORS prevents another page from reading answers, but not from sending requests. A plain-text POST would start a run
without permission. A page can also point its own host name to this machine. The browser then treats the server as the
page's own origin. `langgraph.json` names `app` as `http.app`. Its `http.cors` lists the allowed origins, and
`MOOT_ALLOW_HOSTS` the host names of the server.
"""

import os
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
    """Middleware that rejects requests under a foreign host name or from a forbidden origin.

    A request without an origin is allowed, because it comes from a program or from an address typed into a browser.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_own_call = str(scope.get("root_path", "")).startswith("/noauth")  # of the server to itself, by no socket
        if scope["type"] not in ("http", "websocket") or is_own_call:
            return await self.app(scope, receive, send)
        headers, detail, status = Headers(scope=scope), "", 403
        origin, host = headers.get("origin"), headers.get("host", "")
        if not is_own_host(host):
            remedy = "this server does not have this name; ask its operator to add it to MOOT_ALLOW_HOSTS"
            detail, status = f"host = {host[:200]!r}: {remedy}", 421
        elif not (origin is None or is_same_origin(origin, host) or is_allowed_origin(origin)):
            remedy = (
                "this server does not answer pages of this origin; ask its operator to add it to "
                "http.cors.allow_origins"
            )
            detail = f"origin = {origin[:200]!r}: {remedy} in langgraph.json"
        if not detail:
            return await self.app(scope, receive, send)
        if scope["type"] == "websocket":
            return await send({"type": "websocket.close", "code": 1008, "reason": detail[:100]})
        await JSONResponse({"detail": detail}, status)(scope, receive, send)


def is_own_host(host: str) -> bool:
    """Return whether a host header names this server.

    It does if it is `localhost`, an IP address, or a name in `MOOT_ALLOW_HOSTS`. A web page cannot point `localhost` or
    an IP address elsewhere.
    """
    allowed_names = [name.strip().casefold() for name in os.environ.get("MOOT_ALLOW_HOSTS", "").split(",")]
    try:
        name = urlsplit(f"//{host}").hostname or ""
        return name in ("localhost", *filter(None, allowed_names)) or bool(ip_address(name))
    except ValueError:
        return False


def is_same_origin(origin: str, host: str) -> bool:
    """Return whether a page comes from this server, whose host header is `host`."""
    try:
        return urlsplit(origin).netloc == host
    except ValueError:
        return False


def is_allowed_origin(origin: str) -> bool:
    """Return whether `http.cors` allows an origin. Without that setting, no origin is allowed."""
    cors = config.CORS_CONFIG or {}
    allowed_origins, pattern = cors.get("allow_origins") or [], cors.get("allow_origin_regex")
    return "*" in allowed_origins or origin in allowed_origins or bool(pattern and re.fullmatch(pattern, origin))


app = Starlette(middleware=[Middleware(OriginGuard)])
