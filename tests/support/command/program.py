"""The command `moot` for tests: in this process for speed, and as a process of its own."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from moot.app.main import app
from typer.testing import CliRunner, Result

PROGRAM = str(Path(sys.executable).with_name("moot"))


def moot(*words: str | Path, **env: str) -> Result:
    """Run the command in this process; output and exit code are as a shell would see them."""
    return CliRunner().invoke(app, [str(word) for word in words], env=env, prog_name="moot", catch_exceptions=False)


def document(*words: str | Path, **env: str) -> dict[str, Any]:
    """The JSON document a command prints, which must be all it prints."""
    result = moot(*words, "--json", **env)
    assert result.exit_code == 0, result.stderr
    report: dict[str, Any] = json.loads(result.stdout)
    return report


def listed(*words: str | Path, **env: str) -> list[dict[str, Any]]:
    """What `moot runs --json` lists."""
    report: list[dict[str, Any]] = json.loads(moot("runs", *words, "--json", **env).stdout)
    return report


def apart(words: Sequence[str | Path], **env: str) -> "subprocess.Popen[str]":
    """The command as a process of its own."""
    called = [PROGRAM, *(str(word) for word in words)]
    pipe = subprocess.PIPE
    return subprocess.Popen(called, stdout=pipe, stderr=pipe, text=True, env={**os.environ, **env})


def ended(process: "subprocess.Popen[str]") -> tuple[int, str, str]:
    """Exit code, standard output and standard error of a process, when it has ended."""
    output, errors = process.communicate(timeout=60)
    return process.returncode, output, errors


def killed(process: "subprocess.Popen[str]") -> None:
    """Kill a process as a power cut would."""
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=60)


def name_of(output: str) -> str:
    """The run a command's output says it saved."""
    match = re.search(r"Saved as (\S+)\.", output)
    assert match, output
    return match[1]
