"""No request holds a room: forms, changes and chats are bounded, and what is long is read beside its own loop."""

import asyncio
import gc
import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest
from moot.app.protocols.registry import get_protocol
from moot.app.run.request import build_client_request
from moot.app.run.start import run_and_save
from moot.app.saved import open_database
from moot.app.web.a2a_endpoint import build_a2a_endpoint
from moot.app.web.application import build_application
from moot.app.web.login import COOKIE, Login
from moot.app.web.openai.chat_request import ModelDefaults
from moot.app.web.openai.client_runs import ClientRuns
from moot.app.web.openai.endpoint import ClientSettings, build_endpoint
from moot.app.web.openai.keys import ApiKeys
from moot.app.web.room import Room
from moot.app.web.run_driver import RunDriver
from starlette.routing import Mount

KEY = "key-of-a-test-0123456789"
NEW = {"topic": "Tea?", "model": "rehearsal", "do": "cost"}
DENSE, DIGITS = f"[{'1,' * 31_000}]", "9" * 5000
REQUESTS: dict[str, tuple[str, Any, str]] = {
    "a dense list": ("/new?protocol=debate", NEW | {"retry_delays": DENSE}, "retry_delays"),
    "many keys": ("/new?protocol=debate", NEW | {"models": "".join(f"k{n}: x\n" for n in range(5000))}, "models"),
    "a long form": ("/new?protocol=debate", NEW | {"models": "x" * 70_000}, "give at most 64,000"),
    "a long number": ("/new?protocol=debate", NEW | {"seed": DIGITS}, "at most 40 characters"),
    "deep lists": ("/new?protocol=debate", NEW | {"retry_delays": "[" * 60_000}, "at most 20 levels"),
    "many seats": ("/new?protocol=debate", NEW | {f"seat.{n}.name": f"A{n}" for n in range(1, 999)}, "participants"),
    "many fields": ("/new?protocol=debate", NEW | {f"x{n}": "1" for n in range(1400)}, ""),
    "many changes": ("/runs/tea/fork", {"turn": "1", "rules": "max_turns=3\n" * 9_000}, "at most 100 lines"),
    "a hundred changes": ("/runs/tea/fork", {"turn": "1", "rules": "max_turns=3\n" * 99 + "seed=[1"}, "not plain YAML"),
    "a deep key": ("/runs/tea/fork", {"turn": "1", "rules": f"{'a.' * 30_000}a=1"}, "at most 20 levels"),
    "a dense change": ("/runs/tea/fork", {"turn": "1", "rules": f"retry_delays={DENSE}"}, "retry_delays"),
    "a long turn": ("/runs/tea/fork", {"turn": DIGITS}, "must be one of"),
    "a deep chat": ("/v1/chat/completions", "[" * 900_000, "send JSON"),
    "a chat of numbers": ("/v1/chat/completions", f"[{'1,' * 450_000}1]", ""),
    "a chat with a wide form": (
        "/v1/chat/completions",
        json.dumps(
            {
                "model": "moot/debate",
                "messages": [{"role": "user", "content": "Tea?"}],
                "response_format": {
                    "type": "json_schema",
                    "json_schema": {"schema": {"type": "object", "properties": {f"p{n}": {} for n in range(10_000)}}},
                },
            }
        ),
        "at most 1000 parts",
    ),
    "a long chat": ("/v1/chat/completions", f"[{'[1,2],' * 280_000}1]", ""),
    "a long number in a chat": ("/v1/chat/completions", f'{{"seed": {DIGITS}}}', "send JSON"),
    "a chat of megabytes": ("/v1/chat/completions", "x" * 2_000_001, "send at most 2,000,000"),
    "a response of megabytes": ("/v1/responses", "x" * 2_000_001, "send at most 2,000,000"),
    "a message of megabytes": ("/a2a/debate", "x" * 2_000_001, "the request is too long"),
    "a deep message": ("/a2a/debate", "[" * 900_000, "error"),
    "a message of numbers": ("/a2a/debate", f"[{'1,' * 450_000}1]", "error"),
    "a long number in a message": ("/a2a/debate", f'{{"jsonrpc": "2.0", "id": {DIGITS}}}', "error"),
}


async def measure_longest_hold(stop: asyncio.Event) -> float:
    """The longest processor time that the loop's own thread spent on one of its rounds, s."""
    longest, before = 0.0, time.thread_time()
    while not stop.is_set():
        await asyncio.sleep(0)
        longest, before = max(longest, (now := time.thread_time()) - before), now
    return longest


@pytest.mark.long
@pytest.mark.parametrize(("path", "content", "said"), REQUESTS.values(), ids=REQUESTS)
def test_no_request_holds_the_room_for_more_than_a_fifth_of_a_second(
    path: str, content: Mapping[str, str] | str, said: str, tmp_path: Path
) -> None:
    async def ask() -> tuple[str, float]:
        (tmp_path / "keys").write_text(KEY)
        client_request = build_client_request(
            get_protocol("debate"), {"topic": "Tea?", "model": "rehearsal", "max_turns": 2}
        )
        await run_and_save(client_request, str(tmp_path / "moot.db"), "tea")
        async with open_database(str(tmp_path / "moot.db")) as store:
            room = Room(store, RunDriver(store, 0), Login())
            clients = ClientSettings(ApiKeys(tmp_path / "keys", False), ModelDefaults(["rehearsal"]))
            runs = ClientRuns(room)
            routes = [Mount("/v1", build_endpoint(runs, clients)), Mount("/a2a", build_a2a_endpoint(runs, clients))]
            app = build_application(room, ["room"], routes)
            browser = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://room", timeout=120)
            async with browser:
                browser.cookies.set(COOKIE, room.login.make_cookie())
                headers, stop = {"authorization": f"Bearer {KEY}"}, asyncio.Event()
                await browser.get("/new?protocol=debate")  # what is made once
                await browser.get("/v1/models", headers=headers)  # loads every protocol once
                gc.freeze()  # what earlier tests of this process left behind is not collected meanwhile
                holding = asyncio.create_task(measure_longest_hold(stop))
                sent: dict[str, Any] = {"content": content} if isinstance(content, str) else {"data": content}
                if not path.startswith(("/v1", "/a2a")):
                    headers["origin"] = "http://room"
                answer = await browser.post(path, headers=headers, **sent)
                stop.set()
                assert answer.status_code < 500
                return answer.text, await holding

    text, longest = asyncio.run(ask())
    assert said in text
    assert longest < 0.2
