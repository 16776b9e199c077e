"""Effects of a persona on a speaker: its role, its concerns, and the order of its arguments."""

import re

from ...state.random_streams import make_rng
from .opinion import detect_side
from .prompt import ParsedPrompt
from .stock import Argument, PhraseStock

RECENT_STATEMENTS = 60
"""Statements in which an argument counts as used."""

_TITLE = r"[^\s.,;:!?()（）。，；：！？]+(?:[ -][^\s.,;:!?()（）。，；：！？]+){0,4}"
_PUBLIC = re.compile(rf"[(（]([^()（）]{{3,50}})[)）]\W*$|^({_TITLE})$")
_PRIVATE = re.compile(rf"[.:。：]\s*({_TITLE})\s*$")
_ARTICLE = re.compile(r"(?:an?|the|one|my|our|your)\s", re.IGNORECASE)


def get_role(prompt: ParsedPrompt) -> str:
    """Return the speaker's role in its language ("a skeptic"); empty if it has none.

    It comes from the list of participants, in brackets or as a few words, else from a short persona at the
    end of the task's first line.
    """
    public = prompt.participants.get(prompt.speaker, "")
    match = _PUBLIC.search(public) if not detect_side(public) or "(" in public or "（" in public else None
    match = match or _PRIVATE.search(prompt.task.partition("\n")[0])
    role = next((part.strip() for part in match.groups() if part), "") if match else ""
    if not role or prompt.language != "en" or _ARTICLE.match(role):
        return role
    return f"{'an' if role[0].lower() in 'aeio' else 'a'} {role}"


def count_concerns(prompt: ParsedPrompt, stock: PhraseStock) -> dict[str, int]:
    """Count the words for each dimension in a speaker's public role and the first line of its task."""
    words = f"{prompt.participants.get(prompt.speaker, '')} {prompt.task.partition(chr(10))[0]}".casefold()
    return {name: sum(map(words.count, stock.get_variants("keywords", name))) for name in stock.phrases["keywords"]}


def rank_arguments(seed: int, prompt: ParsedPrompt, stock: PhraseStock, attitude: str) -> list[Argument]:
    """Rank the arguments for an attitude. Unused ones come first, nearest to the speaker's concerns."""
    draw, concerns = make_rng(seed, "agenda", prompt.speaker, attitude), count_concerns(prompt, stock)
    weight = {
        argument.mark: concerns[argument.dimension] + 2.2 * draw.random() for argument in stock.arguments[attitude]
    }
    order = sorted(stock.arguments[attitude], key=lambda argument: -weight[argument.mark])
    recent = "\n".join(statement.text for statement in prompt.statements[-RECENT_STATEMENTS:])
    fresh = [argument for argument in order if argument.mark not in recent]
    used = [argument for argument in order if argument.mark in recent]
    step = prompt.turn % max(1, len(used))
    return fresh + used[step:] + used[:step]
