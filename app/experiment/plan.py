"""The plan of an experiment: a YAML file in which every key is known."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, Self, get_args

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError, field_validator, model_validator

from ...nodes.calibrated_stop import read_stop, whole_stop
from ...state.positions.calibrated import CalibratedStop
from ...state.refused import Refused, refused_input, unusable
from ..config import read_config
from ..protocols import protocol
from .items import MOST, Item, items_in, made_items, slug

Swap = Literal["sides", "order", "options"]
Settings = dict[str, JsonValue]
Arm = Literal["single", "vote", "samples", "alone", "noise", "informed"]
ARMS: tuple[Arm, ...] = get_args(Arm)
Gain = Literal["voting", "talking", "net", "net_tokens"]
EXACT = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)
"""No key is unknown, and nothing is taken for a number that is written as none, such as `true` or "2"."""


COMPARED: dict[Gain, tuple[Arm, ...]] = {
    "voting": ("single", "vote"),
    "talking": ("vote",),
    "net": ("samples",),
    "net_tokens": ("samples",),
}
"""The arms each gain needs beside the talk."""

PRIMARY: dict[str, Arm] = {
    "net": "samples",
    "net_tokens": "samples",
    "talking": "vote",
    "over the first alone": "single",
    "over self-correction": "alone",
    "over other statements": "noise",
}
"""The comparisons of a talk that can decide, the one that says most first, and the arm each needs."""


class Cap(BaseModel):
    """The most that all runs together may spend; none: no cap."""

    model_config = EXACT

    calls: int | None = Field(default=None, ge=1, description="Model calls, failed tries included.")
    tokens: int | None = Field(default=None, ge=1, description="Prompt and completion tokens together.")
    cost: float | None = Field(default=None, gt=0, description="Money, in the unit of the runs' `prices`.")


class Limit(BaseModel):
    """How hard one endpoint is used, by all workers together."""

    model_config = EXACT

    concurrent: int | None = Field(default=None, ge=1, le=10_000, description="Calls at the same time.")
    per_minute: int | None = Field(default=None, ge=1, le=1_000_000, description="Calls begun within any minute.")


class Bound(BaseModel):
    """What a gain is tested against, item by item; one of the three."""

    model_config = EXACT

    above: float | None = Field(default=None, gt=-1, lt=1, description="That it is more than this.")
    below: float | None = Field(default=None, gt=-1, lt=1, description="That it is less than this.")
    either: float | None = Field(default=None, gt=-1, lt=1, description="That it is not this.")
    alpha: float = Field(default=0.05, gt=0, lt=1, description="Chance of stopping where it is not so.")

    @property
    def direction(self) -> Literal["above", "below", "either"]:
        """Which of the three it is."""
        return "above" if self.above is not None else "below" if self.below is not None else "either"

    @property
    def value(self) -> float:
        """The difference it is about."""
        return next(one for one in (self.above, self.below, self.either) if one is not None)

    @model_validator(mode="after")
    def _one(self) -> Self:
        given = [one for one in (self.above, self.below, self.either) if one is not None]
        if len(given) != 1:
            raise unusable("until", given, "give one of above, below, either, such as {net: {above: 0, alpha: .05}}")
        return self


class Certificate(BaseModel):
    """That the first of a talk's independent samples gave what most of them would give."""

    model_config = EXACT

    of: str = Field(default="samples", max_length=40, description="Whose votes: `samples`, independent of each other.")
    alpha: float = Field(default=0.05, gt=0, lt=1, description="Chance of a certificate where that is not so.")

    @field_validator("of")
    @classmethod
    def _independent(cls, value: str) -> str:
        if value != "samples":
            remedy = "these are no independent draws: who has talked, or sits in one seat, is none; write samples"
            raise unusable("certificate.of", value, remedy)
        return value


class Influence(BaseModel):
    """Whose word changes what comes out: each talk goes on anew from its first round, without one of its voices."""

    model_config = EXACT

    forks: int = Field(default=5, ge=5, le=100, description="Forks for each participant silenced, and for none.")


class Detect(BaseModel):
    """What the experiment should be able to find, and how much answers are taken to scatter."""

    model_config = EXACT

    gain: float = Field(default=0.05, gt=-1, lt=1, description="The gain to be found.")
    discordance: float = Field(default=0.15, gt=0, le=1, description="Share of pairs in which arms differ at all.")
    within_item: float = Field(default=0.3, ge=0, le=1, description="Correlation of two repeats of an item.")
    pilot: str = Field(default="", max_length=40, description="`from`: the experiment whose figures hold; empty: none.")

    @model_validator(mode="before")
    @classmethod
    def _from(cls, value: object) -> object:
        if not isinstance(value, dict):
            return value
        return {"pilot" if key == "from" else key: one for key, one in value.items()}


class Plan(BaseModel):
    """An experiment: what is run, on what, under which conditions, how often."""

    model_config = EXACT | ConfigDict(title="Plan")

    name: str = Field(
        min_length=1, max_length=40, pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", description="Small letters, digits, hyphens."
    )
    protocol: str = Field(description="What is run.")
    settings: Settings = Field(default={}, description="Its knobs, as `--config` takes them.")
    items: list[Item] = Field(default=[], max_length=MOST, description="What it is run on.")
    conditions: dict[str, Settings] = Field(default={}, description="Named cells: the knobs that differ.")
    factors: dict[str, list[JsonValue]] = Field(default={}, description="Knobs whose values are crossed, by path.")
    arms: list[Arm] = Field(default=[], description="What the talk is compared with.")
    influence: Influence | None = Field(default=None, description="Forks that show whose word decides; none: none.")
    certificate: Certificate | None = Field(
        default=None, description="Certificates of the samples' votes; none: at alpha 0.05, where samples suffice."
    )
    samples_max: int = Field(default=50, ge=1, le=1000, description="Most independent samples for one talk.")
    repeats: int = Field(default=1, ge=1, le=10_000, description="Runs per item and condition.")
    seed: int = Field(default=1, ge=0, le=2**31 - 1, description="Seed of every draw of the experiment.")
    swap: list[Swap] = Field(default=[], max_length=3, description="What each item is also run with the other way.")
    assignment: Literal["crossed", "random"] = Field(
        default="crossed", description="Every item in every condition, or each drawn into one, blocked by repeat."
    )
    cap: Cap = Field(default=Cap(), description="Hard caps on all runs together.")
    limits: dict[str, Limit] = Field(default={}, description="By model spec: how hard an endpoint is used.")
    until: dict[Gain, Bound] = Field(default={}, max_length=1, description="The gain that stops it once it is plain.")
    detect: Detect = Field(default=Detect(), description="What the experiment should be able to find.")
    hypotheses: list[str] = Field(default=[], max_length=100, description="What is expected, in words.")
    primary: str = Field(default="", max_length=200, description="The one measure that decides; empty: none.")
    margin: float | None = Field(default=None, gt=0, lt=1, description="What counts as equal.")
    midpoint: float | None = Field(default=None, description="Between for and against, where answers are numbers.")
    task: Settings = Field(default={}, description="The task that made the items; filled in.")
    stops: dict[str, CalibratedStop] = Field(default={}, description="What each `stop_file` holds; filled in.")
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
        try:
            return protocol(value).name
        except Refused as fault:
            raise unusable("protocol", value, fault.remedy) from None

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if self.conditions and self.factors:
            raise unusable("factors", list(self.factors), "give conditions or factors, not both")
        for path, levels in self.factors.items():
            if not levels:
                raise unusable(f"factors.{path}", levels, "give at least one value")
        if len(set(self.swap)) < len(self.swap):
            raise unusable("swap", self.swap, "name each once")
        if len(set(self.arms)) < len(self.arms):
            raise unusable("arms", self.arms, "name each once")
        if self.until and (len(self.conditions) > 1 or self.factors):
            raise unusable("until", list(self.until), "it stops one condition; run each as an experiment of its own")
        for gain in self.until:
            if lacking := [arm for arm in COMPARED[gain] if arm not in self.arms]:
                raise unusable("until", gain, f"it needs arms: {', '.join(lacking)}")
        if self.arms and self.primary:
            self._check_primary()
        self._check_unseeded()
        _check_distinct("items", [one.id for one in self.items])
        _check_distinct("conditions", list(self.conditions))
        return self

    def _check_unseeded(self) -> None:
        given: dict[str, Mapping[str, object]] = {"settings": self.settings, "factors": self.factors}
        given |= {f"conditions.{name}": settings for name, settings in self.conditions.items()}
        for key, settings in given.items():
            if "seed" in settings:
                remedy = "each run draws its own from the plan's seed, its item and repeat; give seed beside items"
                raise unusable(f"{key}.seed", settings["seed"], remedy)

    def _check_primary(self) -> None:
        if self.primary not in PRIMARY:
            raise unusable("primary", self.primary, f"beside arms it is one of {', '.join(PRIMARY)}")
        if PRIMARY[self.primary] not in self.arms:
            raise unusable("primary", self.primary, f"it needs the arm {PRIMARY[self.primary]}")

    @property
    def compared(self) -> bool:
        """Whether what a talk answers is compared with anything."""
        return bool(self.arms or self.influence)

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
    if isinstance(task := found.get("items"), Mapping):
        settings = found.get("settings")
        language = settings.get("language") if isinstance(settings, Mapping) else None
        found |= {"task": dict(task), "items": made_items(task, str(language or "en"))}
    elif "items" in found:
        found["items"] = items_in(found["items"], folder)
    elif not protocol(str(found.get("protocol", ""))).about:
        found["items"] = [{"id": "1"}]
    try:
        plan = Plan.model_validate(found)
    except ValidationError as error:
        raise refused_input(error, Plan) from None
    if not plan.items:
        raise Refused("items", [], "give at least one")
    return plan.model_copy(update={"stops": _stops(plan, folder)})


def _stops(plan: Plan, folder: Path) -> dict[str, CalibratedStop]:
    """By name, the calibrated stops of a plan's runs, so that who runs them needs no file."""
    given = [plan.settings, *plan.conditions.values()]
    names = [one.get("stop_file") for one in given] + plan.factors.get("stop_file", [])
    return {name: _stop(plan, name, folder) for name in names if name and isinstance(name, str)}


def _stop(plan: Plan, name: str, folder: Path) -> CalibratedStop:
    kept = plan.stops.get(name)
    return whole_stop(kept.model_dump_json(), name) if kept else read_stop(str(folder / name))


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
        if key == "task" and after.items != before.items:
            continue
        if key not in MAY_GROW or not _is_more(old, new) or (key == "items" and before.until):
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
    if isinstance(value, dict):
        return {key: one.hash if isinstance(one, CalibratedStop) else one for key, one in value.items()}
    return value
