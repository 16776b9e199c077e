"""Programs are answered where the package of a protocol is missing or cannot be imported."""

import asyncio
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import httpx
import pytest
from moot.app.saved import open_database
from moot.app.web.a2a_endpoint import build_a2a_endpoint
from moot.app.web.application import build_application, watch_room
from moot.app.web.login import Login
from moot.app.web.openai.chat_request import ModelDefaults
from moot.app.web.openai.client_runs import ClientRuns
from moot.app.web.openai.endpoint import ClientSettings, build_endpoint
from moot.app.web.openai.keys import ApiKeys
from moot.app.web.room import Room
from moot.app.web.run_driver import RunDriver
from moot.state.plugins import PROTOCOL_GROUP, map_entry_points
from starlette.routing import Mount

KEY = "key-of-a-test-0123456789"


def call(method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


def test_the_tasks_and_models_of_a_missing_package_are_answered_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    request.addfinalizer(map_entry_points.cache_clear)
    (tmp_path / "keys").write_text(KEY)
    message = {"messageId": "1", "role": "ROLE_USER", "parts": [{"text": "Tea?"}]}
    message["metadata"] = {"moot": {"max_turns": 2}}
    entry = EntryPoint("broken", "nothing_of_this_name:protocol", PROTOCOL_GROUP)
    headers = {"authorization": f"Bearer {KEY}", "A2A-Version": "1.0"}

    async def ask() -> list[httpx.Response]:
        async with open_database(str(tmp_path / "moot.db")) as store:
            room = Room(store, RunDriver(store, 0), Login())
            clients, runs = (
                ClientSettings(ApiKeys(tmp_path / "keys", False), ModelDefaults(["rehearsal"])),
                ClientRuns(room),
            )
            routes = [Mount("/v1", build_endpoint(runs, clients)), Mount("/a2a", build_a2a_endpoint(runs, clients))]
            app = build_application(room, ["room"], routes)
            transport = httpx.ASGITransport(app)
            async with (
                watch_room(app),
                httpx.AsyncClient(transport=transport, base_url="http://room", headers=headers, timeout=60) as client,
            ):
                await client.post("/a2a/debate", json=call("SendMessage", message=message))
                (run,) = await store.runs.list_runs()
                await store.runs.save_run(run.model_copy(update={"protocol": "salon"}))
                groups = "moot.state.plugins.entry_points.entry_points"
                monkeypatch.setattr(groups, lambda group: [entry] if group == PROTOCOL_GROUP else [])
                map_entry_points.cache_clear()
                answers = [
                    await client.post("/a2a/salon", json=call("ListTasks")),
                    await client.post("/a2a/salon", json=call("GetTask", id=run.run)),
                    await client.get("/v1/models"),
                    await client.get("/v1/models/moot/broken"),
                ]
                return answers

    tasks, task, models, broken = asyncio.run(ask())
    (listed,) = tasks.json()["result"]["tasks"]
    assert listed["status"]["state"] == "TASK_STATE_FAILED"
    assert "protocol = 'salon': " in str(listed["status"]["message"])
    assert (task.status_code, "error" in task.json()) == (200, True)
    names = [model["id"] for model in models.json()["data"]]
    assert ("moot/debate" in names, "moot/broken" in names) == (True, False)
    assert broken.status_code == 404
