"""The groups of the justice experiment's settings, and how a key given anywhere finds the one it belongs to."""

from collections.abc import Collection, Mapping
from typing import Final

from pydantic import BaseModel

from .justice_settings import DEFAULT_PARTICIPANTS, Discussion, JusticeMemory
from .justice_tables import Tables
from .justice_vote import Vote
from .justice_wording import Logging, Wording
from .spelling import flattened, refuse_unknown

GROUPS: Final[dict[str, type[BaseModel]]] = {
    "discussion": Discussion,
    "voting": Vote,
    "memory": JusticeMemory,
    "tables": Tables,
    "wording": Wording,
    "logging": Logging,
}
HEADINGS: Final = {*GROUPS, "memory_management", "phase2_settings"}
ALIASES: Final = {
    "memory_guidance_style": "guidance_style",
    "memory_compression_threshold": "compression_threshold",
    "memory_compression_target": "compression_target",
}
_HOME: Final = {key: group for group, model in GROUPS.items() for key in model.model_fields}


def grouped(given: Mapping[str, object], own: Collection[str]) -> dict[str, object]:
    """Settings in any spelling, each under the group it belongs to; `own` are the keys that stand at the top.

    Unknown and contradictory keys are refused.
    """
    plain = {key: _plain(key, value) for key, value in given.items()}
    flat = flattened(plain, HEADINGS, ALIASES)
    refuse_unknown(flat, {*own, *_HOME, *ALIASES, *HEADINGS})
    placed: dict[str, object] = {key: value for key, value in flat.items() if key not in _HOME}
    for group in GROUPS:
        news = {key: value for key, value in flat.items() if _HOME.get(key) == group}
        if news:
            placed[group] = news
    return _with_bounds(placed, flat.get("memory_max_chars"))


def _plain(key: str, value: object) -> object:
    """A group given as its model, as a mapping; a chat model object stays what it is."""
    return value.model_dump() if key in GROUPS and isinstance(value, BaseModel) else value


def _with_bounds(placed: dict[str, object], bound: object) -> dict[str, object]:
    """A memory bound for all is every participant's that has none of its own."""
    cast = placed.get("participants", [participant.name for participant in DEFAULT_PARTICIPANTS])
    if bound is None or not isinstance(cast, list):
        return placed
    named = [{"name": each} if isinstance(each, str) else each for each in cast]
    bounded = [{"memory_max_chars": bound, **each} if isinstance(each, dict) else each for each in named]
    return placed | {"participants": bounded}
