"""A bare client in a loop: no graph, nothing saved. What the models' own library costs."""

import asyncio
import time

from openai import AsyncOpenAI
from openai.types.chat import ChatCompletionMessageParam
from scene import LENGTH, MODEL, SEATS, TEMPERATURE, Course, prompts, shown


async def run(url: str, seats: int, turns: int) -> Course:
    """One deliberation."""
    course, told, transcript = Course(), prompts(seats), list[str]()
    async with AsyncOpenAI(base_url=url, api_key="none") as client:
        for turn in range(1, turns + 1):
            head, text = told(turn, transcript)
            answer = await client.chat.completions.create(
                model=MODEL,
                messages=[{"role": "system", "content": head}, {"role": "user", "content": text}],
                temperature=TEMPERATURE,
                max_completion_tokens=LENGTH,
            )
            transcript.append(shown(turn, SEATS[(turn - 1) % seats], answer.choices[0].message.content or ""))
            course.turn()
    return course.ended()


async def abreast(url: str, width: int, times: int = 20) -> float:
    """Mean seconds until so many calls made side by side are answered, over connections that are open."""
    head, text = prompts(8)(1, [])
    messages: list[ChatCompletionMessageParam] = [
        {"role": "system", "content": head},
        {"role": "user", "content": text},
    ]
    async with AsyncOpenAI(base_url=url, api_key="none") as client:

        async def fan() -> None:
            asked = (client.chat.completions.create(model=MODEL, messages=messages) for _ in range(width))
            await asyncio.gather(*asked)

        await fan()
        start = time.perf_counter()
        for _ in range(times):
            await fan()
        return (time.perf_counter() - start) / times


async def many(url: str, runs: int, turns: int) -> Course:
    """Several deliberations of eight at once."""
    course = Course()
    await asyncio.gather(*(run(url, 8, turns) for _ in range(runs)))
    return course.ended()
