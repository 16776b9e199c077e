"""The plan of an experiment: a YAML file in which every key is known."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError, field_validator, model_validator

from ...state.refused import Refused, refused_input, unusable
from ..config import read_config
from ..protocols import protocol
from .items import MOST, Item, items_in, slug

Swap = Literal["sides", "order", "options"]
Settings = dict[str, JsonValue]
NOT_YET: dict[str, JsonValue] = {"arms": [], "until": None}
"""Keys that a plan may name one day, and the only value that is taken until then."""


class Cap(BaseModel):
    """The most that all runs together may spend; none: no cap."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    calls: int | None = Field(default=None, ge=1, description="Model calls, failed tries included.")
    tokens: int | None = Field(default=None, ge=1, description="Prompt and completion tokens together.")
    cost: float | None = Field(default=None, gt=0, description="Money, in the unit of the runs' `prices`.")


class Limit(BaseModel):
    """How hard one endpoint is used, by all workers together."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    concurrent: int | None = Field(default=None, ge=1, le=10_000, description="Calls at the same time.")
    per_minute: int | None = Field(default=None, ge=1, le=1_000_000, description="Calls begun within any minute.")


class Plan(BaseModel):
    """An experiment: what is run, on what, under which conditions, how often."""

    model_config = ConfigDict(frozen=True, extra="forbid", title="Plan")

    name: str = Field(
        min_length=1, max_length=40, pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", description="Small letters, digits, hyphens."
    )
    protocol: str = Field(description="What is run.")
    settings: Settings = Field(default={}, description="Its knobs, as `--config` takes them.")
    items: list[Item] = Field(default=[], max_length=MOST, description="What it is run on.")
    conditions: dict[str, Settings] = Field(default={}, description="Named cells: the knobs that differ.")
    factors: dict[str, list[JsonValue]] = Field(default={}, description="Knobs whose values are crossed, by path.")
    repeats: int = Field(default=1, ge=1, le=10_000, description="Runs per item and condition.")
    seed: int = Field(default=1, ge=0, le=2**31 - 1, description="Seed of every draw of the experiment.")
    swap: list[Swap] = Field(default=[], max_length=3, description="What each item is also run with the other way.")
    assignment: Literal["crossed", "random"] = Field(
        default="crossed", description="Every item in every condition, or each drawn into one, blocked by repeat."
    )
    cap: Cap = Field(default=Cap(), description="Hard caps on all runs together.")
    limits: dict[str, Limit] = Field(default={}, description="By model spec: how hard an endpoint is used.")
    detect: dict[str, JsonValue] = Field(default={}, description="What the experiment should be able to find.")
    hypotheses: list[str] = Field(default=[], max_length=100, description="What is expected, in words.")
    primary: str = Field(default="", max_length=200, description="The one measure that decides; empty: none.")
    margin: float | None = Field(default=None, gt=0, le=1, description="What counts as equal.")
    exclusions: list[str] = Field(default=[], max_length=100, description="What is left out, in words.")
    registered: str = Field(
        default="", max_length=2000, pattern=r"^$|^https?://\S+$", description="Where the plan was registered: a URL."
    )

    @field_validator("swap", mode="before")
    @classmethod
    def _one_swap(cls, value: object) -> object:
        return [value] if isinstance(value, str) else value

    @field_validator("protocol")
    @classmethod
    def _by_its_name(cls, value: str) -> str:
        return protocol(value).name

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if self.conditions and self.factors:
            raise unusable("factors", list(self.factors), "give conditions or factors, not both")
        for path, levels in self.factors.items():
            if not levels:
                raise unusable(f"factors.{path}", levels, "give at least one value")
        if len(set(self.swap)) < len(self.swap):
            raise unusable("swap", self.swap, "name each once")
        _check_distinct("items", [one.id for one in self.items])
        _check_distinct("conditions", list(self.conditions))
        return self

    @property
    def document(self) -> dict[str, Any]:
        """The plan as plain data, items included."""
        return self.model_dump(mode="json")

    @property
    def hash(self) -> str:
        """SHA-256 of the plan and its items, hexadecimal."""
        return digest(self.document)


def digest(value: object) -> str:
    """SHA-256 of plain data, as compact JSON with sorted keys."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _check_distinct(key: str, names: list[str]) -> None:
    """Refuse names that would be the same within the name of a run."""
    seen = set[str]()
    for name in names:
        if not slug(name):
            raise unusable(f"{key}.{name}", name, "give it a name with a letter or digit of the Latin script")
        if slug(name) in seen:
            raise unusable(f"{key}.{name}", name, "names must differ by more than case and marks")
        seen.add(slug(name))


def read_plan(path: Path) -> Plan:
    """The plan in a file, with its items; raises `Refused` with key, value and remedy."""
    return plan_from(read_config(path), path.parent)


def plan_from(given: Mapping[str, Any], folder: Path = Path()) -> Plan:
    """The plan that plain data makes; files are named from `folder`."""
    found = dict(given)
    for key, nothing in NOT_YET.items():
        if found.pop(key, nothing) not in (nothing, None):
            raise Refused(key, given[key], "is not there yet; leave it out")
    if "items" in found:
        found["items"] = items_in(found["items"], folder)
    elif not protocol(str(found.get("protocol", ""))).about:
        found["items"] = [{"id": "1"}]
    try:
        plan = Plan.model_validate(found)
    except ValidationError as error:
        raise refused_input(error, Plan) from None
    if not plan.items:
        raise Refused("items", [], "give at least one")
    return plan


MAY_GROW = ("items", "repeats", "cap")


def grown(before: Plan, after: Plan) -> list[str]:
    """What a plan has more of than the one stored under its name: items, repeats or a larger cap.

    Raises `Refused` for the first other key that differs.
    """
    news = []
    for key in Plan.model_fields:
        old, new = getattr(before, key), getattr(after, key)
        if old == new:
            continue
        if key not in MAY_GROW or not _is_more(old, new):
            more = "give more, or " if key in MAY_GROW else ""
            remedy = f"differs from the plan that was begun under the name {before.name}; {more}choose another name"
            raise Refused(key, _shown(new), remedy)
        news.append(f"{key}: {_shown(old)} → {_shown(new)}")
    return news


def _is_more(old: Any, new: Any) -> bool:
    if isinstance(old, list):
        return bool(new[: len(old)] == old)
    if isinstance(old, Cap):
        pairs = [(getattr(old, key), getattr(new, key)) for key in Cap.model_fields]
        return all(after is None or (before is not None and after >= before) for before, after in pairs)
    return bool(new > old)


def _shown(value: Any) -> object:
    if isinstance(value, list) and value and isinstance(value[0], Item):
        return f"{len(value)} items"
    if isinstance(value, Cap):
        return value.model_dump(exclude_none=True)
    return value
