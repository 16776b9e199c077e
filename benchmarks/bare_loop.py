"""Plain client in a loop, without a graph and without saving: the cost of the model library alone."""

import asyncio
import time

from openai import AsyncOpenAI
from openai.types.chat import ChatCompletionMessageParam
from workload import LENGTH, MODEL, SEATS, TEMPERATURE, RunMeter, format_statement, make_prompt_builder


async def run_deliberation(url: str, seats: int, turns: int) -> RunMeter:
    """Run a deliberation with the model at `url`, without saving it. Return its measured times."""
    meter, build_prompt, transcript = RunMeter(), make_prompt_builder(seats), list[str]()
    async with AsyncOpenAI(base_url=url, api_key="none") as client:
        for turn in range(1, turns + 1):
            instructions, text = build_prompt(turn, transcript)
            answer = await client.chat.completions.create(
                model=MODEL,
                messages=[{"role": "system", "content": instructions}, {"role": "user", "content": text}],
                temperature=TEMPERATURE,
                max_completion_tokens=LENGTH,
            )
            transcript.append(
                format_statement(turn, SEATS[(turn - 1) % seats], answer.choices[0].message.content or "")
            )
            meter.record_turn()
    return meter.finish()


async def time_parallel_calls(url: str, width: int, times: int = 20) -> float:
    """Return the mean seconds until `width` parallel calls are answered, over open connections."""
    instructions, text = make_prompt_builder(8)(1, [])
    messages: list[ChatCompletionMessageParam] = [
        {"role": "system", "content": instructions},
        {"role": "user", "content": text},
    ]
    async with AsyncOpenAI(base_url=url, api_key="none") as client:

        async def send_calls() -> None:
            calls = (client.chat.completions.create(model=MODEL, messages=messages) for _ in range(width))
            await asyncio.gather(*calls)

        await send_calls()
        start = time.perf_counter()
        for _ in range(times):
            await send_calls()
        return (time.perf_counter() - start) / times


async def run_many(url: str, runs: int, turns: int) -> RunMeter:
    """Run deliberations of eight participants at the same time. Return the time of all."""
    meter = RunMeter()
    await asyncio.gather(*(run_deliberation(url, 8, turns) for _ in range(runs)))
    return meter.finish()
