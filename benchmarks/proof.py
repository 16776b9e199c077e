"""Every test at its full size, and what came of it, written into `benchmarks/PROOF.md`.

    python benchmarks/proof.py [--out FILE] [arguments of pytest]

Ends as pytest does. What a test gives to `record_property` is a figure of its own in the table below the counts.
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


def machine() -> str:
    """What the tests ran on."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    where = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, {memory:.0f} GB"
    return f"{where}, Python {platform.python_version()}"


def commit() -> str:
    """What was tested: the commit, and whether anything was changed since."""
    try:
        head = _git("rev-parse", "--short", "HEAD")
        return f"{head} with changes" if _git("status", "--porcelain", "--untracked-files=no") else head
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _git(*words: str) -> str:
    return subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=True).stdout.strip()


def room_of(case: ElementTree.Element) -> str:
    """The folder below `tests/` that a test stands in."""
    parts = case.get("classname", "").split(".")
    return parts[1] if len(parts) > 2 and parts[0] == "tests" else "others"


def outcome_of(case: ElementTree.Element) -> str:
    """How a test ended; an error beside a test is a failure."""
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed"
    return "passed" if case.find("skipped") is None else "skipped"


def figures(cases: list[ElementTree.Element]) -> Iterator[tuple[str, str, str]]:
    """What tests put on record: the test, the name of the figure, and the figure."""
    for case in cases:
        for one in case.iterfind("properties/property"):
            yield case.get("name", ""), one.get("name", ""), one.get("value", "")


def report(junit: str, how: list[tuple[str, str]]) -> str:
    """The page, from pytest's own record of a run; `how`: what is said of the run above the counts."""
    cases = list(ElementTree.fromstring(junit).iter("testcase"))
    counts, seconds = Counter[tuple[str, str]](), Counter[str]()
    for case in cases:
        counts[room_of(case), outcome_of(case)] += 1
        seconds[room_of(case)] += float(case.get("time", 0))
    lines = ["# Proof", "", "Every test at its full size: `make proof` writes this page.", ""]
    lines += table(("", ""), how)
    rows = [
        (room, *(str(counts[room, OUTCOME]) for OUTCOME in OUTCOMES), f"{seconds[room]:.0f}")
        for room in sorted(seconds)
    ]
    total = ("all", *(str(sum(n for (_, how), n in counts.items() if how == OUTCOME)) for OUTCOME in OUTCOMES))
    lines += table(("tests/", *OUTCOMES, "seconds"), [*rows, (*total, f"{seconds.total():.0f}")])
    if found := list(figures(cases)):
        lines += table(("test", "figure", "value"), found)
    return "\n".join(lines)


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> list[str]:
    """Lines of a Markdown table; what would end a cell is escaped."""
    cells = [[" ".join(cell.split()).replace("|", "\\|") for cell in row] for row in rows]
    texts = [f"| {' | '.join(row)} |" for row in [list(head), ["---"] * len(head), *cells]]
    return [*texts, ""]


def main() -> int:
    """Run the tests, write the page, end as they do."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "PROOF.md")
    given, more = parser.parse_known_args()
    began = datetime.now(UTC)
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "record.xml"
        called = [sys.executable, "-m", "pytest", "-q", "-o", "junit_family=xunit1", f"--junitxml={record}", *more]
        code = subprocess.run(called, cwd=ROOT, env=os.environ | {"MOOT_ALL": "1", "MOOT_PROOF": "1"}).returncode
        if not record.exists():
            return code
        took = (datetime.now(UTC) - began).total_seconds()
        how = [("date", f"{began:%Y-%m-%d}"), ("commit", commit()), ("machine", machine()), ("seconds", f"{took:.0f}")]
        given.out.write_text(report(record.read_text("utf-8"), how), "utf-8")
    return code


if __name__ == "__main__":
    sys.exit(main())
