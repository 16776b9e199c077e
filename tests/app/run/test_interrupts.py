"""Ctrl-C within a block of runs: the first lets their steps end, the second cancels them, neither what comes after."""

import asyncio
import signal

import pytest
from moot.app.run import InterruptHandler
from moot.app.run.execution import CANCEL_INTERVAL


@pytest.mark.parametrize("swallowed", [0, 2])
def test_a_second_ctrl_c_cancels_the_block_again_and_again_and_nothing_after_it(swallowed: int) -> None:
    announced: list[str] = []

    async def run() -> int:
        handler, cancellations = InterruptHandler(lambda: announced.append("stopping")), 0
        try:
            with handler.handle_interrupts():
                signal.raise_signal(signal.SIGINT)
                signal.raise_signal(signal.SIGINT)
                while True:
                    try:
                        await asyncio.Event().wait()
                    except asyncio.CancelledError:
                        cancellations += 1
                        if cancellations > swallowed:
                            raise
        except asyncio.CancelledError:
            await asyncio.sleep(3 * CANCEL_INTERVAL)  # what is saved and closed after a stop
        return cancellations

    assert asyncio.run(run()) == swallowed + 1
    assert announced == ["stopping"]
