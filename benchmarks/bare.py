"""A bare client in a loop: no graph, nothing saved. What the models' own library costs."""

import asyncio

from openai import AsyncOpenAI
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


async def many(url: str, runs: int, turns: int) -> Course:
    """Several deliberations of eight at once."""
    course = Course()
    await asyncio.gather(*(run(url, 8, turns) for _ in range(runs)))
    return course.ended()
