"""Setting up from nothing: each obstacle is one line with its remedy."""

import os
import re
import shutil
import signal
import subprocess
import time
import urllib.request
from contextlib import suppress
from pathlib import Path

import pytest
from places import ROOT
from ports import free_port

INSTALL = ROOT / ".ci" / "install"
TOOLS = ("sh", "dirname", "grep", "sed", "head", "touch", "env", "mkdir", "chmod")

OLD = "exit 1"
BARE = 'case "$2" in *ensurepip*) exit 1 ;; *print*) echo 3.12 ;; esac'
"""A Python 3.12 as Debian has it before python3-venv is installed."""

BROKEN = """case "$2" in *platform*) echo 3.12.1 ;; *import\\ pip*) exit 1 ;; esac
case "$2 $3" in
venv\\ --clear) mkdir -p .venv/bin && ln -s "$0" .venv/bin/python ;;
pip\\ install) echo "ERROR: No matching distribution found for langgraph" && exit 1 ;;
esac"""
"""A Python 3.12 that makes environments, on a machine that cannot download."""


def installed(tmp_path: Path, **pythons: str) -> tuple[int, list[str]]:
    """Exit code and error lines of the set-up on a machine that has just these pythons."""
    programs, project = tmp_path / "bin", tmp_path / "moot" / ".ci"
    programs.mkdir()
    project.mkdir(parents=True)
    shutil.copy(INSTALL, project)
    for tool in (*TOOLS, "ln"):
        (programs / tool).symlink_to(str(shutil.which(tool)))
    for name, does in pythons.items():
        (programs / name).write_text(f"#!/bin/sh\n{does}\n")
        (programs / name).chmod(0o755)
    called = [str(programs / "sh"), str(project / "install")]
    process = subprocess.run(called, env={"PATH": str(programs)}, capture_output=True, text=True, check=False)
    return process.returncode, process.stderr.splitlines()


@pytest.mark.parametrize(
    ("pythons", "said"),
    [
        ({}, "no Python 3.11 or newer was found"),
        ({"python3": OLD}, "no Python 3.11 or newer was found"),
        ({"python3": OLD, "uv": OLD}, "run: uv python install 3.13"),
        ({"python3": BARE}, "run: sudo apt-get install python3.12-venv"),
        ({"python3.12": BROKEN}, "No matching distribution found for langgraph; the whole log is in .venv/install.log"),
    ],
    ids=["no python", "too old", "uv finds none", "no ensurepip", "no network"],
)
def test_an_obstacle_is_one_line_with_its_remedy(pythons: dict[str, str], said: str, tmp_path: Path) -> None:
    code, errors = installed(tmp_path, **pythons)
    assert code == 1
    assert said in errors[-1]
    assert errors[-1].startswith("moot: ")
    assert len(errors) == 1 + sum("installing into .venv" in line for line in errors)


SLOW = """case "$2" in *platform*) echo 3.12.1 ;; *import\\ pip*) exit 1 ;; esac
case "$2 $3" in venv\\ --clear) mkdir -p .venv/bin && ln -s "$0" .venv/bin/python ;; esac
case "$*" in
*uv\\>=*) exit 1 ;;
*editable*) echo Resolved 60 packages; until [ -e heard ]; do :; done ;;
esac"""
"""A Python 3.12 that installs until the person has heard how far it is."""

FIVE_SECONDS = """if [ -e waited ]; then touch heard && exit 1; fi
until grep -q Resolved .venv/install.log; do :; done
touch waited"""
"""A `sleep` that is over when the next step has begun, and the second time when the person has heard of it."""


def test_an_installation_that_takes_long_says_how_far_it_is(tmp_path: Path) -> None:
    code, lines = installed(tmp_path, **{"python3.12": SLOW, "sleep": FIVE_SECONDS})
    assert code == 0
    assert "installing into .venv with Python 3.12.1, once" in lines[0]
    assert lines[1].strip().removesuffix("done.") == "5 s: Resolved 60 packages"


def test_a_topic_reaches_the_command_as_it_was_typed(tmp_path: Path) -> None:
    topic = """He said "x" & $5 `ls` $(id) 'y'"""
    project = tmp_path / "moot"
    (project / ".venv" / "bin").mkdir(parents=True)
    shutil.copy(INSTALL.parents[1] / "Makefile", project)
    (project / "pyproject.toml").touch()
    (project / ".venv" / "installed").touch()
    program = project / ".venv" / "bin" / "moot"
    program.write_text('#!/bin/sh\nprintf "%s|" "$@"\n')
    program.chmod(0o755)
    called = ["make", "-s", "-C", str(project), "debate", f"TOPIC={topic}", "MODEL=rehearsal"]
    process = subprocess.run(called, env={"PATH": os.environ["PATH"]}, capture_output=True, text=True, check=True)
    assert process.stdout == f"debate|{topic}|--model|rehearsal|"


def test_what_a_test_needs_is_a_marker_and_no_skip_of_its_own() -> None:
    tests = (ROOT / "tests").rglob("test_*.py")
    assert [path.name for path in tests if re.search(r"skipif.*\bexists\(", path.read_text("utf-8"))] == []


@pytest.mark.long
def test_make_studio_starts_a_server_that_answers() -> None:
    port = free_port()
    called = ["make", "-s", "-C", str(ROOT), "studio", f"PORT={port}"]
    process = subprocess.Popen(called, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        for _ in range(600):
            with suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{port}/ok", timeout=5) as answer:
                assert answer.status == 200
                break
            assert process.poll() is None
            time.sleep(0.1)
        else:
            raise AssertionError("no answer in a minute")
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(20)
