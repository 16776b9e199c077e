"""A LangGraph server of a test's own, and runs of one protocol on its threads."""

import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from langgraph_sdk import get_sync_client
from langgraph_sdk.client import SyncLangGraphClient
from places import ROOT
from ports import free_port

CONFIG = json.loads((ROOT / "langgraph.json").read_text())
Client = SyncLangGraphClient

QUICK = """
import asyncio
sleep = asyncio.sleep
asyncio.sleep = lambda delay, *result: sleep(0.05 if delay == 0.5 else delay, *result)
from langgraph_cli.cli import cli
cli(prog_name="langgraph")
"""
"""`langgraph`, whose development server looks for new runs every 0.5 s; here more often, or tests would mostly wait."""


class Server:
    """`langgraph dev` in a folder of its own."""

    def __init__(self, folder: Path, config: Mapping[str, Any] = CONFIG, **env: str) -> None:
        (folder / "langgraph.json").write_text(json.dumps(config))
        port = free_port()
        self.url, self.log = f"http://127.0.0.1:{port}", folder / "log"
        command = [sys.executable, "-c", QUICK, "dev", "--no-browser", "--no-reload", "--port", str(port)]
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                command, cwd=folder, stdout=log, stderr=subprocess.STDOUT, env={**quiet(), **env}
            )

    def wait_until_ready(self) -> None:
        for _ in range(600):
            assert self.process.poll() is None, self.log.read_text()
            try:
                with urllib.request.urlopen(f"{self.url}/ok", timeout=5):
                    return
            except OSError:
                time.sleep(0.05)
        raise AssertionError(self.log.read_text())


def quiet() -> dict[str, str]:
    """An environment without keys, in which `langgraph dev` talks to nobody but what this machine serves."""
    own = {name: value for name, value in os.environ.items() if not name.startswith(("OPENAI", "LANGSMITH_API"))}
    return {**own, "MOOT_ALLOW_ORIGINS": "http://127.0.0.1:*"}


@contextmanager
def served(folder: Path, **env: str) -> Iterator[Client]:
    """A client of a server that lives as long as the block, and has nothing to complain of in the end."""
    running = Server(folder, **env)
    try:
        running.wait_until_ready()
        with get_sync_client(url=running.url) as client:
            yield client
    finally:
        running.process.terminate()
        running.process.wait(20)
    log = running.log.read_text()
    for complaint in ("Blocking call", "BlockingError", "Deserializing unregistered type"):
        assert complaint not in log


class Thread:
    """A run of a protocol on a thread of its own, with settings that go with every request."""

    def __init__(self, client: Client, protocol: str, **context: Any) -> None:
        self.client, self.protocol, self.context = client, protocol, context
        self.id = client.threads.create()["thread_id"]

    def go(self, given: Any = None, **how: Any) -> Any:
        """Run on an input, or go on with none, until it ends or stops."""
        return self.client.runs.wait(self.id, self.protocol, input=given, context=self.context, **how)

    def stops(self, given: Any) -> None:
        with pytest.raises(Exception, match="Incorrect API key"):
            self.go(given)

    def streamed(self, given: Any, *modes: str) -> list[tuple[str, Any]]:
        asked: Any = list(modes)
        parts = self.client.runs.stream(self.id, self.protocol, input=given, context=self.context, stream_mode=asked)
        return [(part.event, part.data) for part in parts]

    def put(self, values: dict[str, Any], **where: Any) -> None:
        self.client.threads.update_state(self.id, values, **where)

    @property
    def state(self) -> Any:
        return self.client.threads.get_state(self.id)

    def before(self, step: str) -> Any:
        """The newest checkpoint after which this step comes."""
        return next(
            statement for statement in self.client.threads.get_history(self.id, limit=100) if step in statement["next"]
        )
