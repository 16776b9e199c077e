"""Program that parses files in a separate process.

Each input line is a path as JSON, each output line the contents of the file as JSON. The files may come from other
people. If a file exhausts memory or time, or crashes a parser, only this file is lost.
"""

import json
import os
import sys
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from .file_types import parse_file
from .parsing_program import FAILURE_MARK

MEMORY_LIMIT = 2_000_000_000  # bytes of address space, on systems that can limit it


def main() -> None:
    """Read a path from each line of standard input, and write the file's contents as a line of JSON.

    Other output of the parsers goes to standard error.
    """
    with suppress(ImportError, ValueError, OSError):  # not every system has the limit
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))
    output = os.fdopen(os.dup(1), "w", encoding="utf-8")
    sys.stdout = sys.stderr

    def report_failure(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        reason = "needs too much memory" if kind is MemoryError else f"the parser failed: {kind.__name__}: {error}"
        print(
            FAILURE_MARK + " ".join(reason.encode("utf-8", "replace").decode().split())[:300], file=output, flush=True
        )

    sys.excepthook = report_failure
    for line in sys.stdin:
        print(parse_file(Path(json.loads(line))).model_dump_json(), file=output, flush=True)


if __name__ == "__main__":
    main()
