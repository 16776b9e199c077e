"""Guard of every page against unknown hosts, writes from other sites, strangers and floods."""

from collections import deque
from collections.abc import Iterable
from ipaddress import ip_address
from time import monotonic
from urllib.parse import urlsplit

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .login import COOKIE, Login

OPEN_PATHS = ("/enter", "/assets/", "/seat/")
"""Path prefixes that need no cookie. The address of a seat holds a separate token."""

KEY_PATH = "/v1/"
"""Path prefix of the endpoint. It takes a key instead of a cookie and has a separate guard."""

MAX_FORM_BYTES, MAX_BODY_BYTES, MAX_SEAT_BYTES = 12_000_000, 200_000, 1_000_000
"""Largest bodies in bytes: a form with a text file, any other form, and a form of a seat."""

WRITE_LIMIT, DRAFT_LIMIT, MINUTE = 60, 300, 60.0
"""Writes a minute of one address; writes a minute at seats, which save drafts; seconds of a minute."""

SECURITY_POLICY = "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"

SECURITY_HEADERS = {
    "content-security-policy": SECURITY_POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


class RateLimit:
    """Limit of each caller's actions in a period of `seconds`."""

    def __init__(self, limit: int, seconds: float) -> None:
        self.limit, self.seconds = limit, seconds
        self._times: dict[str, deque[float]] = {}

    def try_acquire(self, caller: str) -> bool:
        """Return whether the caller may act now. If so, count the action."""
        now = monotonic()
        self._times = {
            known_caller: times for known_caller, times in self._times.items() if times[-1] > now - self.seconds
        }
        times = self._times.setdefault(caller, deque(maxlen=self.limit))
        if len(times) == self.limit and times[0] > now - self.seconds:
            return False
        times.append(now)
        return True


class Guard:
    """Middleware that passes on allowed requests and refuses all others.

    `names`: host names of this room, in addition to the names of this machine.
    """

    def __init__(self, app: ASGIApp, login: Login, names: Iterable[str] = ()) -> None:
        self.app, self.login = app, login
        self.writes, self.drafts = RateLimit(WRITE_LIMIT, MINUTE), RateLimit(DRAFT_LIMIT, MINUTE)
        self.names = {"localhost", "127.0.0.1", "::1", *(name.casefold() for name in names)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it with a refusal."""
        if scope["type"] == "lifespan":
            return await self.app(scope, receive, send)
        if scope["type"] != "http":
            return await send({"type": "websocket.close", "code": 1008})
        refusal = self._find_refusal(HTTPConnection(scope), str(scope["method"]))
        await (refusal or self.app)(scope, receive, with_headers(send))

    def _find_refusal(self, connection: HTTPConnection, method: str) -> Response | None:
        host = connection.headers.get("host", "")
        if parse_host(f"//{host}") not in self.names:
            return PlainTextResponse("This room is not called so; open the address that was printed.", 421)
        if connection.url.path.startswith(KEY_PATH):
            return None
        if method not in ("GET", "HEAD") and (refusal := self._find_write_refusal(connection, host)):
            return refusal
        path = connection.url.path
        if not path.startswith(OPEN_PATHS) and not self.login.is_valid_cookie(connection.cookies.get(COOKIE, "")):
            return Response(status_code=303, headers={"location": "/enter"}) if method == "GET" else refuse_stranger()
        return None

    def _find_write_refusal(self, connection: HTTPConnection, host: str) -> Response | None:
        headers = connection.headers
        if not is_same_site(host, headers.get("origin"), headers.get("sec-fetch-site")):
            return PlainTextResponse("Refused: this was sent from another site.", 403)
        size = headers.get("content-length", "")
        if not size.isdigit():
            return PlainTextResponse("Refused: say how long it is.", 411)
        is_seat_write = connection.url.path.startswith("/seat/")
        if int(size) > (
            MAX_FORM_BYTES if connection.url.path == "/new" else MAX_SEAT_BYTES if is_seat_write else MAX_BODY_BYTES
        ):
            return PlainTextResponse("Refused: it is too long.", 413)
        if not (self.drafts if is_seat_write else self.writes).try_acquire(
            connection.client.host if connection.client else ""
        ):
            return PlainTextResponse("Refused: too much at once; wait a minute.", 429)
        return None


def refuse_stranger() -> Response:
    """Return the answer to a write from a browser that is not signed in."""
    return PlainTextResponse("Come in first: open the address that was printed.", 401)


def is_same_site(host: str, origin: str | None, fetch_site: str | None) -> bool:
    """Return whether a write was sent by a page of this room."""
    if origin is None and fetch_site is None:
        return False
    has_own_origin = origin is None or origin in (f"http://{host}", f"https://{host}")
    return has_own_origin and fetch_site in (None, "same-origin")


def parse_host(address: str) -> str:
    """Return the host name of an address in lower case, or an empty text."""
    try:
        return (urlsplit(address).hostname or "").casefold()
    except ValueError:
        return ""


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach an address."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def with_headers(send: Send) -> Send:
    """Return a `send` that adds the security headers to each answer."""

    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in SECURITY_HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return send_with_headers
