"""The parsing program: a path as JSON on each line of its input, what the file holds as JSON on each line out.

Files from elsewhere are parsed in a process of their own, so that one that exhausts memory or time, or meets a fault
of a parser, costs that file and nothing else.
"""

import json
import os
import sys
from pathlib import Path
from types import TracebackType

from .kinds import parse
from .program import FAILED

MEMORY = 2_000_000_000
"""Most bytes of address space, where the system can limit it."""


def main() -> None:
    """Answer every line of standard input. Whatever a parser prints goes to standard error."""
    _limit_memory()
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    sys.stdout = sys.stderr

    def give_up(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        reason = "needs too much memory" if kind is MemoryError else f"the parser failed: {kind.__name__}: {error}"
        print(FAILED + " ".join(reason.encode("utf-8", "replace").decode().split())[:300], file=out, flush=True)

    sys.excepthook = give_up
    for line in sys.stdin:
        print(parse(Path(json.loads(line))).model_dump_json(), file=out, flush=True)


def _limit_memory() -> None:
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    except (ImportError, ValueError, OSError):  # not every system has the limit
        return


if __name__ == "__main__":
    main()
