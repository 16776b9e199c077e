"""What a plain install brings is enough to run each protocol: no command needs a package of an extra to start."""

import subprocess
import sys
from pathlib import Path

import pytest

EXTRAS = (
    "psycopg",
    "langgraph.checkpoint.postgres",
    "langgraph.store.postgres",
    "cryptography",
    "pypdf",
    "bibtexparser",
    "rispy",
    "numpy",
    "scipy",
    "statsmodels",
    "krippendorff",
    "reasoning_gym",
    "starlette",
    "uvicorn",
    "python_multipart",
    "procrastinate",
    "mcp",
    "opentelemetry",
    "inspect_ai",
)
PLAIN = f"import sys; sys.modules.update(dict.fromkeys({EXTRAS})); from moot.app.main import main; main()"

COMMANDS = {
    "debate": ["debate", "Tea or coffee?", "--max-turns", "4"],
    "consensus": ["consensus", "Tea or coffee?", "--max-rounds", "1", "--vote", "borda"],
    "discussion": ["discuss", "Tea or coffee?", "--models-only", "--max-turns", "3"],
    "panel": ["panel", "Do street trees keep cities cool?", "--samples", "--language", "en"],
    "justice": ["justice", "--set", "max_rounds=1"],
}


@pytest.mark.parametrize("command", COMMANDS.values(), ids=list(COMMANDS))
def test_a_run_ends_and_is_listed_without_the_packages_of_any_extra(command: list[str], tmp_path: Path) -> None:
    place = ["--db", str(tmp_path / "runs.db")]
    program = [sys.executable, "-c", PLAIN]
    done = subprocess.run([*program, *command, "--model", "rehearsal", *place], capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr.decode()
    listed = subprocess.run([*program, "runs", *place], capture_output=True, timeout=60)
    assert listed.returncode == 0, listed.stderr.decode()
    assert b"finished" in listed.stdout, listed.stdout
