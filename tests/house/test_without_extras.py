"""What a plain install brings is enough to run each protocol: no command needs a package of an extra to start."""

import importlib
import json
import subprocess
import sys
from importlib.metadata import requires, version
from pathlib import Path

import pytest
from moot.app.protocols.registry import PROTOCOLS
from packaging.requirements import Requirement

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
    "a2a",
    "opentelemetry",
    "inspect_ai",
    "langchain",
    "a2a",
    "segno",
    "pyarrow",
)
PLAIN = f"""
import json, sys
sys.modules.update(dict.fromkeys({EXTRAS}))
from moot.app.main import main
for words in json.load(sys.stdin):
    sys.argv = ["moot", *words]
    try:
        main()
    except SystemExit as left:
        if left.code:
            raise SystemExit(f"{{words}}: {{left.code}}")
"""
"""Commands in one process that has no package of an extra."""

COMMANDS = [
    ["debate", "Tea or coffee?", "--max-turns", "4"],
    ["consensus", "Tea or coffee?", "--max-rounds", "1", "--vote", "borda"],
    ["discussion", "Tea or coffee?", "--models-only", "--max-turns", "3"],
    ["panel", "Do street trees keep cities cool?", "--samples", "--language", "en"],
    ["council", "Tea or coffee?"],
    ["jury", "Did Kim take it?", "--max-rounds", "1"],
    ["delphi", "How many lakes?", "--max-rounds", "1"],
    ["justice", "--set", "max_rounds=1"],
]


@pytest.mark.long
def test_runs_of_every_protocol_end_and_are_listed_without_the_packages_of_any_extra(tmp_path: Path) -> None:
    place = ["--db", str(tmp_path / "runs.db")]
    words = [[*command, "--model", "rehearsal", "--quiet", *place] for command in COMMANDS] + [["runs", *place]]
    text = json.dumps(words)
    process = subprocess.run([sys.executable, "-c", PLAIN], input=text, capture_output=True, text=True, timeout=240)
    assert process.returncode == 0, process.stderr
    assert process.stdout.count("\tfinished\t") == len(COMMANDS) == len(PROTOCOLS), process.stdout


def test_the_packages_of_other_providers_of_mcp_and_of_a2a_stand_beside_each_other() -> None:
    pending, fitting = [("moot", extra) for extra in ("providers", "mcp", "a2a")], set[str]()
    visited = set[tuple[str, str]]()
    while pending:
        if (package := pending.pop()) in visited:
            continue
        visited.add(package)
        name, extra = package
        for requirement in map(Requirement, requires(name) or []):
            if requirement.marker is None or requirement.marker.evaluate({"extra": extra}):
                assert requirement.specifier.contains(version(requirement.name), prereleases=True), (name, requirement)
                fitting.add(requirement.name)
                pending += [(requirement.name, one) for one in ("", *requirement.extras)]
    assert {"langchain", "mcp", "a2a-sdk", "pydantic"} <= fitting
    for module in ("langchain.agents", "mcp", "a2a.client", "a2a.server.request_handlers"):
        importlib.import_module(module)
