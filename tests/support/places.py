"""Where things are: the one place that knows how deep a test lies."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
"""The repository, which is the package `moot`."""

DATA = ROOT / "tests" / "data"
SUPPORT = ROOT / "tests" / "support"
SAMPLES = ROOT / "samples" / "papers"

FAKETIME = next(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"), None)
"""The library that sets a program's clock back; none where it is missing."""
