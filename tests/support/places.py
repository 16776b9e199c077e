"""Where things are: the one place that knows how deep a test lies."""

import os
from pathlib import Path

ROOT = Path(__file__).parents[2]
"""The repository, which is the package `moot`."""

DATA = ROOT / "tests" / "data"
SUPPORT = ROOT / "tests" / "support"
SAMPLES = ROOT / "examples" / "papers"

FAKETIME = next(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"), None)
"""The library that sets a program's clock back; none where it is missing."""


def is_proof() -> bool:
    """Return whether tests run at their full size, as `make proof` has them run."""
    return os.environ.get("MOOT_PROOF") == "1"


def proof_size(full: int) -> int:
    """How many trials a proof makes: all of them under MOOT_PROOF=1, a tenth otherwise."""
    return full if is_proof() else max(1, full // 10)
