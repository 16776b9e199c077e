"""Effects of a persona on a speaker: its role, its concerns, and the order of its arguments."""

import re

from ...state.random_streams import make_rng
from .opinion import detect_side
from .prompt import ParsedPrompt
from .stock import Argument, PhraseStock

RECENT_STATEMENTS = 60
"""Statements in which an argument counts as used."""

_TITLE = r"[^\s.,;:!?()（）。，；：！？]+(?:[ -][^\s.,;:!?()（）。，；：！？]+){0,4}"
_PUBLIC_ROLE = re.compile(rf"[(（]([^()（）]{{3,50}})[)）]\W*$|^({_TITLE})$")
_PRIVATE_ROLE = re.compile(rf"[.:。：]\s*({_TITLE})\s*$")
_ARTICLE = re.compile(r"(?:an?|the|one|my|our|your)\s", re.IGNORECASE)


def get_role(prompt: ParsedPrompt) -> str:
    """Return the speaker's role in its language ("a skeptic"); empty without a role.

    The role stands in the list of participants, in brackets or as a few words. Otherwise it is a short
    persona at the end of the task's first line.
    """
    public_role = prompt.participants.get(prompt.speaker, "")
    match = (
        _PUBLIC_ROLE.search(public_role)
        if not detect_side(public_role) or "(" in public_role or "（" in public_role
        else None
    )
    match = match or _PRIVATE_ROLE.search(prompt.task.partition("\n")[0])
    role = next((part.strip() for part in match.groups() if part), "") if match else ""
    if not role or prompt.language != "en" or _ARTICLE.match(role):
        return role
    return f"{'an' if role[0].lower() in 'aeio' else 'a'} {role}"


def count_concerns(prompt: ParsedPrompt, stock: PhraseStock) -> dict[str, int]:
    """Count the words for each dimension in a speaker's public role and the first line of its task."""
    words = f"{prompt.participants.get(prompt.speaker, '')} {prompt.task.partition(chr(10))[0]}".casefold()
    return {name: sum(map(words.count, stock.get_variants("keywords", name))) for name in stock.phrases["keywords"]}


def rank_arguments(seed: int, prompt: ParsedPrompt, stock: PhraseStock, attitude: str) -> list[Argument]:
    """Rank the arguments for an attitude: unused ones first, then by nearness to the speaker's concerns."""
    rng, concerns = make_rng(seed, "agenda", prompt.speaker, attitude), count_concerns(prompt, stock)
    weights = {
        argument.mark: concerns[argument.dimension] + 2.2 * rng.random() for argument in stock.arguments[attitude]
    }
    ranked_arguments = sorted(stock.arguments[attitude], key=lambda argument: -weights[argument.mark])
    recent_text = "\n".join(statement.text for statement in prompt.statements[-RECENT_STATEMENTS:])
    fresh_arguments = [argument for argument in ranked_arguments if argument.mark not in recent_text]
    used_arguments = [argument for argument in ranked_arguments if argument.mark in recent_text]
    step = prompt.turn % max(1, len(used_arguments))
    return fresh_arguments + used_arguments[step:] + used_arguments[:step]
