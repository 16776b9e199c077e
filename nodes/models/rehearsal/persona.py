"""What a persona makes of a speaker: the role it names, what it cares about, which arguments come first."""

import re

from ....state.draw import stream
from .opinion import side_of
from .prompt import Prompt
from .stock import Argument, Stock

RECENT = 60
"""Statements in which an argument counts as used."""

_TITLE = r"[^\s.,;:!?()（）。，；：！？]+(?:[ -][^\s.,;:!?()（）。，；：！？]+){0,4}"
_PUBLIC = re.compile(rf"[(（]([^()（）]{{3,50}})[)）]\W*$|^({_TITLE})$")
_PRIVATE = re.compile(rf"[.:。：]\s*({_TITLE})\s*$")
_ARTICLE = re.compile(r"(?:an?|the|one|my|our|your)\s", re.IGNORECASE)


def role_of(prompt: Prompt) -> str:
    """The speaker's role as its language says it ("a skeptic"); empty where it has none.

    It is what the list of participants says in brackets or in a few words, else a persona of a few words at the end of
    the first line.
    """
    public = prompt.people.get(prompt.me, "")
    named = _PUBLIC.search(public) if not side_of(public) or "(" in public or "（" in public else None
    named = named or _PRIVATE.search(prompt.task.partition("\n")[0])
    role = next((part.strip() for part in named.groups() if part), "") if named else ""
    if not role or prompt.language != "en" or _ARTICLE.match(role):
        return role
    return f"{'an' if role[0].lower() in 'aeio' else 'a'} {role}"


def concerns_of(prompt: Prompt, stock: Stock) -> dict[str, int]:
    """How often a speaker's public role and the first line of its task speak of each dimension."""
    words = f"{prompt.people.get(prompt.me, '')} {prompt.task.partition(chr(10))[0]}".casefold()
    return {name: sum(map(words.count, stock.lines("keywords", name))) for name in stock.words["keywords"]}


def ranked(seed: int, prompt: Prompt, stock: Stock, attitude: str) -> list[Argument]:
    """Arguments for an attitude, unused ones first, and among them those nearest to what the speaker cares about."""
    draw, cares = stream(seed, "agenda", prompt.me, attitude), concerns_of(prompt, stock)
    weight = {one.mark: cares[one.dimension] + 2.2 * draw.random() for one in stock.arguments[attitude]}
    order = sorted(stock.arguments[attitude], key=lambda one: -weight[one.mark])
    recent = "\n".join(one.text for one in prompt.heard[-RECENT:])
    fresh = [one for one in order if one.mark not in recent]
    used = [one for one in order if one.mark in recent]
    step = prompt.turn % max(1, len(used))
    return fresh + used[step:] + used[:step]
