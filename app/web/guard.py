"""Guard of every page, which rejects unknown hosts, other sites, visitors without a token, and floods."""

from collections.abc import Iterable
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .connection import MAX_REQUEST_BYTES, admit_connection
from .login import COOKIE, Login
from .rate_limit import RateLimit

SECURITY_HEADERS = {
    "content-security-policy": (
        "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


class RoomGuard:
    """Middleware that passes on allowed requests and rejects all others.

    `names`: host names of this room, in addition to the names of this machine.
    """

    def __init__(self, app: ASGIApp, login: Login, names: Iterable[str] = ()) -> None:
        self.app, self.login = app, login
        self.writes, self.drafts = RateLimit(60, 60.0), RateLimit(300, 60.0)  # seats save drafts
        self.names = {"localhost", "127.0.0.1", "::1", *(name.casefold() for name in names)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            return await self.app(scope, receive, send)
        if scope["type"] != "http":
            return await send({"type": "websocket.close", "code": 1008})
        refusal = self._find_refusal(HTTPConnection(scope), str(scope["method"]))
        await (refusal or self.app)(scope, receive, add_security_headers(send))

    def _find_refusal(self, connection: HTTPConnection, method: str) -> Response | None:
        host = connection.headers.get("host", "")
        if parse_host(f"//{host}") not in self.names:
            return PlainTextResponse(
                "The room does not know this host name. Open the address that moot serve printed.", 421
            )
        path, headers = connection.url.path, connection.headers
        if path.startswith("/v1/"):
            return None
        if path.startswith("/a2a/"):
            size = headers.get("content-length", "0" if method in ("GET", "HEAD", "OPTIONS") else "")
            is_small = size.isdigit() and int(size) <= MAX_REQUEST_BYTES
            return (
                None
                if is_small
                else PlainTextResponse("Refused: the request is too long, or does not say its length.", 413)
            )
        if method not in ("GET", "HEAD"):
            if not is_same_site(host, headers.get("origin"), headers.get("sec-fetch-site")):
                return PlainTextResponse("Refused: the request came from another site.", 403)
            size, is_seat_write = headers.get("content-length", ""), path.startswith("/seat/")
            if not size.isdigit():
                return PlainTextResponse("Refused: the request must say its length.", 411)
            # A form with a text file, a form of a seat, and any other form.
            if int(size) > (12_000_000 if path == "/new" else 1_000_000 if is_seat_write else 200_000):
                return PlainTextResponse("Refused: the request is too long.", 413)
            caller = connection.client.host if connection.client else ""
            if not (self.drafts if is_seat_write else self.writes).try_acquire(caller):
                return PlainTextResponse("Refused: too many requests at once. Wait a minute.", 429)
        if self.login.is_valid_cookie(connection.cookies.get(COOKIE, "")):
            admit_connection(connection.scope)
        elif not path.startswith(("/enter", "/assets/", "/seat/")):
            return (
                Response(status_code=303, headers={"location": "/enter"})
                if method == "GET"
                else PlainTextResponse("Sign in first: open the address that moot serve printed.", 401)
            )
        return None


def is_same_site(host: str, origin: str | None, fetch_site: str | None) -> bool:
    """Return whether a page of this room sent the request.

    `host`, `origin`, `fetch_site`: values of the request's headers.
    """
    if origin is None and fetch_site is None:
        return False
    return (origin is None or origin in (f"http://{host}", f"https://{host}")) and fetch_site in (None, "same-origin")


def parse_host(address: str) -> str:
    """Return the host name of an address in lower case, or an empty text."""
    try:
        return (urlsplit(address).hostname or "").casefold()
    except ValueError:
        return ""


def is_loopback(host: str) -> bool:
    """Return whether a host name or address is this machine's own, so that no other machine can reach it."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def add_security_headers(send: Send) -> Send:
    """Return a `send` that adds the security headers to each answer."""

    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in SECURITY_HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return send_with_headers
