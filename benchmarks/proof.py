"""Run every test at its full size, and write the results into `benchmarks/PROOF.md`.

    python benchmarks/proof.py [--out FILE] [arguments of pytest]

The exit code is that of pytest. The values of `record_property` are figures in a second table.
"""

import argparse
import os
import platform
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).parents[1]
OUTCOMES = ("passed", "failed", "skipped")


def describe_machine() -> str:
    """Return one line about the machine of the tests: its system, cores, memory and Python version."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    system = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, {memory:.0f} GB"
    return f"{system}, Python {platform.python_version()}"


def describe_commit() -> str:
    """Return the tested commit, and whether files have changed since."""
    try:
        commit = _git("rev-parse", "--short", "HEAD")
        return f"{commit} with changes" if _git("status", "--porcelain", "--untracked-files=no") else commit
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _git(*arguments: str) -> str:
    return subprocess.run(
        ["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, check=True
    ).stdout.strip()


def get_room(case: ElementTree.Element) -> str:
    """Return the folder below `tests/` that contains a test."""
    parts = case.get("classname", "").split(".")
    return parts[1] if len(parts) > 2 and parts[0] == "tests" else "others"


def get_outcome(case: ElementTree.Element) -> str:
    """Return the outcome of a test. An error outside the test itself counts as a failure."""
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed"
    return "passed" if case.find("skipped") is None else "skipped"


def list_figures(cases: list[ElementTree.Element]) -> Iterator[tuple[str, str, str]]:
    """Yield the recorded figures: the test, the name of the figure, and its value."""
    for case in cases:
        for entry in case.iterfind("properties/property"):
            yield case.get("name", ""), entry.get("name", ""), entry.get("value", "")


def render_report(junit: str, facts: list[tuple[str, str]]) -> str:
    """Render the results page from pytest's JUnit file. `facts`: labels and values above the counts."""
    cases = list(ElementTree.fromstring(junit).iter("testcase"))
    counts, seconds = Counter[tuple[str, str]](), Counter[str]()
    for case in cases:
        counts[get_room(case), get_outcome(case)] += 1
        seconds[get_room(case)] += float(case.get("time", 0))
    lines = ["# Proof", "", "Every test at its full size: `make proof` writes this page.", ""]
    lines += format_table(("", ""), facts)
    rows = [
        (room, *(str(counts[room, outcome]) for outcome in OUTCOMES), f"{seconds[room]:.0f}")
        for room in sorted(seconds)
    ]
    total = ("all", *(str(sum(n for (_, result), n in counts.items() if result == outcome)) for outcome in OUTCOMES))
    lines += format_table(("tests/", *OUTCOMES, "seconds"), [*rows, (*total, f"{seconds.total():.0f}")])
    if figures := list(list_figures(cases)):
        lines += format_table(("test", "figure", "value"), figures)
    return "\n".join(lines)


def format_table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> list[str]:
    """Return the lines of a Markdown table, with escaped vertical bars."""
    cells = [[" ".join(cell.split()).replace("|", "\\|") for cell in row] for row in rows]
    texts = [f"| {' | '.join(row)} |" for row in [list(head), ["---"] * len(head), *cells]]
    return [*texts, ""]


def main() -> int:
    """Run the tests, write the results page, and return the exit code of pytest."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "PROOF.md")
    options, pytest_arguments = parser.parse_known_args()
    start = datetime.now(UTC)
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "record.xml"
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-o",
            "junit_family=xunit1",
            f"--junitxml={record}",
            *pytest_arguments,
        ]
        code = subprocess.run(command, cwd=ROOT, env=os.environ | {"MOOT_ALL": "1", "MOOT_PROOF": "1"}).returncode
        if not record.exists():
            return code
        seconds = (datetime.now(UTC) - start).total_seconds()
        facts = [
            ("date", f"{start:%Y-%m-%d}"),
            ("commit", describe_commit()),
            ("machine", describe_machine()),
            ("seconds", f"{seconds:.0f}"),
        ]
        options.out.write_text(render_report(record.read_text("utf-8"), facts), "utf-8")
    return code


if __name__ == "__main__":
    sys.exit(main())
