"""What stands before every page: foreign hosts, writes from other sites, strangers and floods are refused."""

from collections import deque
from collections.abc import Iterable
from ipaddress import ip_address
from time import monotonic
from urllib.parse import urlsplit

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .door import COOKIE, Door

OPEN = ("/enter", "/assets/", "/seat/")
"""Where one comes without a cookie; a seat's address holds a token of its own."""

KEYED = "/v1/"
"""Where a key opens, and no cookie: what stands there has a guard of its own."""

LARGE, SMALL, ANSWER = 12_000_000, 200_000, 1_000_000
"""Bytes of a body: of a form with a text file, of any other, and of what is written at a seat."""

WRITES, DRAFTS, MINUTE = 60, 300, 60.0
"""Writes of one address in a minute, and those at seats, where drafts are kept as they are written."""

POLICY = "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"

HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


class Rate:
    """At most so many in so many seconds, of each who asks."""

    def __init__(self, most: int, seconds: float) -> None:
        self.most, self.seconds = most, seconds
        self._times: dict[str, deque[float]] = {}

    def allows(self, who: str) -> bool:
        """Whether one more is allowed, which is then counted."""
        moment = monotonic()
        self._times = {one: times for one, times in self._times.items() if times[-1] > moment - self.seconds}
        times = self._times.setdefault(who, deque(maxlen=self.most))
        if len(times) == self.most and times[0] > moment - self.seconds:
            return False
        times.append(moment)
        return True


class Guard:
    """Passes on what may pass. `names`: the host names this room is called by, beside those of this machine."""

    def __init__(self, app: ASGIApp, door: Door, names: Iterable[str] = ()) -> None:
        self.app, self.door = app, door
        self.writes, self.drafts = Rate(WRITES, MINUTE), Rate(DRAFTS, MINUTE)
        self.names = {"localhost", "127.0.0.1", "::1", *(name.casefold() for name in names)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it with what is wrong with it."""
        if scope["type"] == "lifespan":
            return await self.app(scope, receive, send)
        if scope["type"] != "http":
            return await send({"type": "websocket.close", "code": 1008})
        refused = self._refused(HTTPConnection(scope), str(scope["method"]))
        await (refused or self.app)(scope, receive, with_headers(send))

    def _refused(self, asked: HTTPConnection, method: str) -> Response | None:
        host = asked.headers.get("host", "")
        if host_of(f"//{host}") not in self.names:
            return PlainTextResponse("This room is not called so; open the address that was printed.", 421)
        if asked.url.path.startswith(KEYED):
            return None
        if method not in ("GET", "HEAD") and (fault := self._fault_of_write(asked, host)):
            return fault
        path = asked.url.path
        if not path.startswith(OPEN) and not self.door.knows(asked.cookies.get(COOKIE, "")):
            return Response(status_code=303, headers={"location": "/enter"}) if method == "GET" else no_cookie()
        return None

    def _fault_of_write(self, asked: HTTPConnection, host: str) -> Response | None:
        headers = asked.headers
        if not comes_from(host, headers.get("origin"), headers.get("sec-fetch-site")):
            return PlainTextResponse("Refused: this was sent from another site.", 403)
        size = headers.get("content-length", "")
        if not size.isdigit():
            return PlainTextResponse("Refused: say how long it is.", 411)
        at_seat = asked.url.path.startswith("/seat/")
        if int(size) > (LARGE if asked.url.path == "/new" else ANSWER if at_seat else SMALL):
            return PlainTextResponse("Refused: it is too long.", 413)
        if not (self.drafts if at_seat else self.writes).allows(asked.client.host if asked.client else ""):
            return PlainTextResponse("Refused: too much at once; wait a minute.", 429)
        return None


def no_cookie() -> Response:
    """The answer to a write of someone who has not come in."""
    return PlainTextResponse("Come in first: open the address that was printed.", 401)


def comes_from(host: str, origin: str | None, site: str | None) -> bool:
    """Whether a write was sent by a page of this very room."""
    if origin is None and site is None:
        return False
    own = origin is None or origin in (f"http://{host}", f"https://{host}")
    return own and site in (None, "same-origin")


def host_of(address: str) -> str:
    """The host name of an address in lower case; empty where it has none."""
    try:
        return (urlsplit(address).hostname or "").casefold()
    except ValueError:
        return ""


def is_loopback(host: str) -> bool:
    """Whether an address to listen at is this machine's own alone."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def with_headers(send: Send) -> Send:
    """Answers carry what keeps a browser from running, framing and keeping what it should not."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return sending
