"""The groups of the justice experiment's settings, and how a key given anywhere finds the one it belongs to."""

from collections.abc import Collection, Iterator, Mapping
from typing import Final

from pydantic import BaseModel

from ..refused import flattened, refuse_unknown
from .settings import DEFAULT_PARTICIPANTS, Checks, DiscussionSettings, JusticeMemory, Logging, VoteSettings, Wording
from .stakes import Tables

GROUPS: Final[dict[str, type[BaseModel]]] = {
    "discussion": DiscussionSettings,
    "voting": VoteSettings,
    "memory": JusticeMemory,
    "tables": Tables,
    "wording": Wording,
    "checks": Checks,
    "logging": Logging,
}
HEADINGS: Final = {*GROUPS, "memory_management", "phase2_settings"}
ALIASES: Final = {
    "memory_guidance_style": "guidance_style",
    "memory_compression_threshold": "compression_threshold",
    "memory_compression_target": "compression_target",
}
Path = tuple[str, ...]

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


def overruled(given: Mapping[str, object], by: Mapping[str, object]) -> dict[str, object]:
    """`given` without what `by` says anew, wherever either puts it: at the top, dotted, or under a heading."""
    kept = _kept(given, set(_said(by)), ())
    return {key: {key: value} if is_short(key, value) else value for key, value in kept.items()}


def dotted(key: str, value: object) -> str:
    """Where a setting belongs, by its dotted name, in whichever spelling it is given; other keys as they are."""
    path = _place((), key, value)
    group = _HOME.get(path[0]) if path else None
    return ".".join((group, *path)) if group and not (key in GROUPS and isinstance(value, Mapping)) else key


def is_short(key: str, value: object) -> bool:
    """Whether a setting that bears its heading's name stands there without it: `wording: neutral`."""
    return key in _HOME and key in GROUPS and not isinstance(value, Mapping)


def _said(given: Mapping[str, object], above: Path = ()) -> Iterator[Path]:
    """Where everything belongs that is said, headings left out."""
    for key, value in given.items():
        path = _place(above, key, value)
        yield from _said(value, path) if isinstance(value, Mapping) else [path]


def _kept(given: Mapping[str, object], gone: Collection[Path], above: Path) -> dict[str, object]:
    places = {key: _place(above, key, value) for key, value in given.items()}
    return {
        key: _kept(value, gone, places[key]) if isinstance(value, Mapping) else value
        for key, value in given.items()
        if places[key] not in gone
    }


def _place(above: Path, key: str, value: object) -> Path:
    path = (*above, *str(key).split("."))
    while path and path[0] in HEADINGS and (len(path) > 1 or isinstance(value, Mapping)):
        path = path[1:]
    return (ALIASES.get(path[0], path[0]),) if len(path) == 1 else path


def _plain(key: str, value: object) -> object:
    """A group given as its model, as a mapping; a chat model object stays what it is."""
    return value.model_dump() if key in GROUPS and isinstance(value, BaseModel) else value


def _with_bounds(placed: dict[str, object], bound: object) -> dict[str, object]:
    """A memory bound for all is every participant's that has none of its own."""
    people = placed.get("participants", [participant.name for participant in DEFAULT_PARTICIPANTS])
    if bound is None or not isinstance(people, list):
        return placed
    named = [{"name": each} if isinstance(each, str) else each for each in people]
    bounded = [{"memory_max_chars": bound, **each} if isinstance(each, dict) else each for each in named]
    return placed | {"participants": bounded}
