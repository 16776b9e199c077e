"""The command as a process that is killed as a power cut would: while it waits for an answer, or between two writes.

Processes are forked from one that has everything imported, so that a kill at every step takes no minutes.
"""

import asyncio
import multiprocessing
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from functools import wraps
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from moot.app.main import COMMANDS
from moot.app.protocols.registry import PROTOCOLS

CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(
    [
        *(f"moot.app.commands.{name}" for name in COMMANDS),
        *(f"moot.graphs.{name}" for name in PROTOCOLS),
        *(
            "moot.app.saved.database",
            "moot.app.saved.postgres",
            "langgraph.checkpoint.postgres.aio",
            "langchain_openai",
        ),
    ]
)

WRITES = ("aput", "aput_writes")


def run(words: list[str], env: dict[str, str], journal: str, fatal: int, apart: bool) -> None:
    """Be the command; before its `fatal`-th write to the database, die.

    What is written is noted in `journal`, a line each: the graph within a graph that writes, if any, and what.
    `apart`: save what steps write before their checkpoints, as the library's own savers do.
    """
    os.environ.update(env)
    from moot.app.main import app
    from moot.storage import checkpoint_saver

    if apart:
        checkpoint_saver.can_defer = lambda writes, task_path: False

    with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
        note_writes(Path(journal), fatal)
        app(words, prog_name="moot")


def note_writes(journal: Path, fatal: int) -> None:
    """Count what savers write from now on, by what it is, and die before the `fatal`-th write; 0: never.

    What is written together with a checkpoint is no write of its own.
    """
    from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
    from moot.storage import checkpoint_saver

    noted: list[str] = []
    one_by_one = asyncio.Lock()

    def counted(kind: Any, name: str) -> None:
        write = getattr(kind, name)

        @wraps(write)  # langgraph looks at the signature before it tells the path of a task
        async def counting(self: Any, config: Any, what: Any, *rest: Any) -> Any:
            if (
                name == "aput_writes"
                and isinstance(self, checkpoint_saver.SqliteRunSaver)
                and checkpoint_saver.can_defer(what, rest[-1])
            ):
                return await write(self, config, what, *rest)
            place = config["configurable"]["checkpoint_ns"].partition(":")[0]
            async with one_by_one:
                noted.append(f"{place}: {name} {rest[-1] if name == 'aput_writes' else rest[0]['step']}")
                if len(noted) == fatal:
                    os.kill(os.getpid(), signal.SIGKILL)
                done = await write(self, config, what, *rest)
                with journal.open("a") as lines:
                    lines.write(f"{noted[-1]}\n")
                return done

        setattr(kind, name, counting)

    for kind in (checkpoint_saver.SqliteRunSaver, AsyncPostgresSaver):
        for name in WRITES:
            counted(kind, name)


@contextmanager
def forked(words: list[str], journal: Path, fatal: int = 0, *, apart: bool = False) -> Iterator[BaseProcess]:
    """The command as a process; killed at the end of the block if it still runs. See `run`."""
    env = {name: os.environ[name] for name in ("MOOT_DB", "XDG_DATA_HOME")}
    process = CONTEXT.Process(target=run, args=(words, env, str(journal), fatal, apart))
    process.start()
    try:
        yield process
    finally:
        process.kill()
        process.join()


def wait_until_saved(branches: int, journal: Path) -> None:
    """Wait until so many branches of one step have been written down."""
    until = time.monotonic() + 30
    while saved(journal) < branches:
        assert time.monotonic() < until, f"only {saved(journal)} branches were saved"
        time.sleep(0.01)


def saved(journal: Path) -> int:
    """Branches written since the last step."""
    lines = journal.read_text().splitlines()
    last = max(number for number, line in enumerate(lines) if line.startswith(": aput "))
    return sum(line.startswith(": aput_writes ~__pregel_push") for line in lines[last:])
