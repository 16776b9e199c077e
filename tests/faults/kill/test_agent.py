"""A kill -9 while an agent in a seat is at work: the run goes on inside, and only what was open is asked again."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from sampling import sample_cases

KIT = """
import os, signal
from pathlib import Path
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langchain.agents import create_agent
from chats.scripted import ScriptedChat

journal = Path(os.environ["JOURNAL"])


@tool
def look_up(query: str) -> str:
    "Look something up."
    return f"It says: {query}."


def script(messages, kwargs):
    asked = [message.text for message in messages if message.type == "human"][-1]
    done = sum(message.type == "tool" for message in messages)
    with journal.open("a") as lines:
        lines.write(f"{len(asked)} {done}\\n")
    if len(journal.read_text().splitlines()) == int(os.environ.get("FATAL", "0")):
        os.kill(os.getpid(), signal.SIGKILL)
    if done < 2:
        call = {"name": "look_up", "args": {"query": str(done)}, "id": f"call {done}"}
        return AIMessage("", tool_calls=[call])
    return f"After {done} look-ups I stand by what I said about it, {len(asked)}."


agent = create_agent(ScriptedChat(script=script), [look_up])
"""
SEATS = ("--set", "models.PRO=agent:kit:agent", "--set", "models.CON=agent:kit:agent")
DEBATE = ("debate", "Ban cars?", "--model", "rehearsal", "--max-turns", "3", "--seed", "7", *SEATS)


def moot(folder: Path, *words: str, fatal: int = 0, allowed: str = "") -> subprocess.CompletedProcess[str]:
    support = Path(__file__).parents[2] / "support"
    env = os.environ | {"PYTHONPATH": f"{folder}:{support}", "JOURNAL": str(folder / "journal"), "FATAL": str(fatal)}
    env |= {"MOOT_DB": str(folder / "runs.db"), "MOOT_ALLOW_AGENTS": allowed}
    command = [sys.executable, "-m", "moot", *words]
    return subprocess.run(command, env=env, cwd=folder, capture_output=True, text=True, timeout=120)


def statements(folder: Path) -> list[str]:
    run = moot(folder, "runs", "--json").stdout
    name = run.partition('"run": "')[2].partition('"')[0]
    return [line for line in moot(folder, "show", name).stdout.splitlines() if "After 2 look-ups" in line]


@pytest.mark.long
def test_it_goes_on_inside_and_asks_again_only_what_was_open(tmp_path: Path) -> None:
    pytest.importorskip("langchain")
    whole = tmp_path / "whole"
    whole.mkdir()
    (whole / "kit.py").write_text(KIT)
    output = moot(whole, *DEBATE)
    assert output.returncode == 0, output.stderr
    told = statements(whole)
    assert told
    calls = (whole / "journal").read_text().splitlines()
    for fatal in sample_cases([2, len(calls)], kinds=0):
        folder = tmp_path / str(fatal)
        folder.mkdir()
        (folder / "kit.py").write_text(KIT)
        assert moot(folder, *DEBATE, fatal=fatal).returncode == -signal.SIGKILL
        run = moot(folder, "runs", "--json").stdout.partition('"run": "')[2].partition('"')[0]
        printed_text = moot(folder, "resume", run)
        assert "set MOOT_ALLOW_AGENTS" in printed_text.stderr
        assert moot(folder, "resume", run, allowed="agent:kit:agent").returncode == 0
        assert statements(folder) == told
        assert len((folder / "journal").read_text().splitlines()) == len(calls) + 1
        document = json.loads(moot(folder, "show", run, "--json").stdout)
        (lost,) = (call for call in document["calls"] if call["outcome"] == "lost")
        assert document["sentRequests"] == len(calls) + 1
        by_dead = [call for call in document["calls"] if call["purpose"] == "agent" and not call["input_tokens"]]
        assert [(call["who"], call["turn"]) for call in by_dead] == [(lost["who"], lost["turn"])] * ((fatal - 1) % 3)
