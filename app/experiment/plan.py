"""Plan of an experiment: a YAML file that lists what to run. Unknown keys are errors."""

import re
from collections.abc import Iterable, Mapping
from math import prod
from pathlib import Path
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError, field_validator, model_validator

from ...models import parse_calibrated_stop, read_stop
from ...prompts import load_phrases
from ...state import CallCaps, InputError, convert_input_error, make_setting_error
from ...state.positions.calibrated_stop import CalibratedStop
from ..display.wording import get_label
from ..protocols.registry import get_protocol
from ..run.config_file import check_regular_file, read_config
from ..saved.ledger import compute_digest
from .items import MAX_ITEMS, Item, load_items, make_slug, make_task_items

Swap = Literal["sides", "order", "options"]
SettingValues = dict[str, JsonValue]
Arm = Literal[
    "single", "vote", "written", "notes", "rethought", "samples", "each", "think", "alone", "noise", "informed"
]
ARM_PRESETS: dict[str, list[Arm]] = {
    "worth": ["single", "vote", "samples", "think"],
    "mechanisms": ["single", "vote", "written", "notes", "rethought"],
}
"""Arms of each preset. `worth` measures talking at equal cost, `mechanisms` the parts of the gain."""
ARMS: tuple[Arm, ...] = get_args(Arm)
Gain = Literal["voting", "talking", "net", "net_money", "net_tokens", "net_calls"]
SpendMeasure = Literal["auto", "money", "tokens", "calls"]
MAX_SAMPLES = 1000
STRICT_CONFIG = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)
"""Model configuration that rejects unknown keys, and numbers written as `true` or "2"."""


GAIN_ARMS: dict[Gain, tuple[Arm, ...]] = {
    "voting": ("single", "vote"),
    "talking": ("vote",),
    **dict.fromkeys(("net", "net_money", "net_tokens", "net_calls"), ("samples",)),
}
"""Arms that each gain needs in addition to the talk."""

PRIMARY_ARMS: dict[str, Arm] = {
    **dict.fromkeys(("net", "net_money", "net_tokens", "net_calls"), "samples"),
    "talking": "vote",
    "net_think": "think",
    "talking back": "rethought",
    "over one alone": "single",
    "over self-correction": "alone",
    "over other statements": "noise",
}
"""Arm needed by each possible primary comparison of a talk. The most informative comparison comes first."""

SHARED_MEASURES = ("right", "agreement", "statements", "calls", "tokens", "money", "seconds")
"""Measures of the runs of any protocol that have the data. Each ending also gives a measure of its name."""


class SpendingCap(CallCaps):
    """Cap on the spending of all runs of an experiment together. `None` means no cap."""

    model_config = STRICT_CONFIG

    @property
    def is_set(self) -> bool:
        """Return whether any amount is capped."""
        return self != SpendingCap()


class PlanPart(BaseModel):
    """Part of a plan. Unknown keys are errors."""

    model_config = STRICT_CONFIG


class EndpointLimit(PlanPart):
    """Limit on the load of one endpoint by all workers together."""

    concurrent: int | None = Field(default=None, ge=1, le=10_000, description="Maximum concurrent calls.")
    per_minute: int | None = Field(
        default=None, ge=1, le=1_000_000, description="Maximum calls started within any minute."
    )


class GainBound(PlanPart):
    """Bound with which a gain is compared after each item. Exactly one of the three fields is set."""

    above: float | None = Field(default=None, gt=-1, lt=1, description="Value that the gain must exceed.")
    below: float | None = Field(default=None, gt=-1, lt=1, description="Value that the gain must stay below.")
    either: float | None = Field(default=None, gt=-1, lt=1, description="Value that the gain must differ from.")
    alpha: float = Field(
        default=0.05, gt=0, lt=1, description="Probability of a stop although the gain is not beyond the bound."
    )

    @property
    def direction(self) -> Literal["above", "below", "either"]:
        """Return the name of the field that is set."""
        return "above" if self.above is not None else "below" if self.below is not None else "either"

    @property
    def value(self) -> float:
        """Return the bound that is set."""
        return float(getattr(self, self.direction))

    @model_validator(mode="after")
    def _check_single_bound(self) -> Self:
        values = [value for value in (self.above, self.below, self.either) if value is not None]
        if len(values) != 1:
            raise make_setting_error(
                "until", values, "give one of above, below, either, such as {net: {above: 0, alpha: .05}}"
            )
        return self


class CertificateSettings(PlanPart):
    """Settings of certificates.

    A certificate states that the first of a deliberation's samples is the most common answer.
    """

    of: str = Field(
        default="samples",
        max_length=40,
        description="Source of the votes; only `samples`, which are independent of each other.",
    )
    alpha: float = Field(default=0.05, gt=0, lt=1, description="Probability of a wrong certificate.")

    @field_validator("of")
    @classmethod
    def _check_sample_source(cls, value: str) -> str:
        if value != "samples":
            raise make_setting_error(
                "certificate.of",
                value,
                "these answers are not independent; write samples",
            )
        return value


class InfluenceSettings(PlanPart):
    """Settings of the forks that measure each participant's influence on the result."""

    forks: int = Field(
        default=5,
        ge=5,
        le=100,
        description="Number of forks for each silenced participant, and of forks that silence nobody.",
    )


class CompareSettings(PlanPart):
    """Comparisons of conditions that a plan declares, in one measure. All form one family of tests."""

    measure: str = Field(default="right", max_length=200, description="Compared measure.")
    against: str = Field(default="", max_length=200, description="Condition with which all others are compared.")
    pairs: Literal["", "all"] = Field(
        default="", description="Compared pairs; `all`: every condition with every other."
    )

    @model_validator(mode="after")
    def _check_pairs(self) -> Self:
        if bool(self.against) == bool(self.pairs):
            raise make_setting_error("compare", self.against, "give against: NAME or pairs: all")
        return self


class DetectionSettings(PlanPart):
    """Settings that say which effect an experiment should detect, and how much answers vary."""

    gain: float = Field(default=0.05, gt=-1, lt=1, description="Gain to detect.")
    discordance: float = Field(default=0.15, gt=0, le=1, description="Share of pairs in which the arms differ.")
    within_item: float = Field(default=0.3, ge=0, le=1, description="Correlation between two repeats of an item.")
    pilot: str = Field(
        default="", max_length=40, description="Pilot experiment that gives these figures, as `from`; empty: none."
    )

    @model_validator(mode="before")
    @classmethod
    def _rename_from_key(cls, value: object) -> object:
        if not isinstance(value, dict):
            return value
        return {"pilot" if key == "from" else key: entry for key, entry in value.items()}


class Plan(BaseModel):
    """Plan of an experiment: protocol, items, conditions, arms and repeats."""

    model_config = STRICT_CONFIG | ConfigDict(title="Plan")

    name: str = Field(
        min_length=1,
        max_length=40,
        pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$",
        description="Name: small letters, digits, hyphens.",
    )
    protocol: str = Field(description="Name of the protocol.")
    settings: SettingValues = Field(default={}, description="Settings of the protocol, as in a `--config` file.")
    items: list[Item] = Field(default=[], max_length=MAX_ITEMS, description="Items of the experiment.")
    conditions: dict[str, SettingValues] = Field(
        default={}, description="Named conditions, each with the settings that differ."
    )
    factors: dict[str, list[JsonValue]] = Field(
        default={}, description="Settings with their values, by path; each combination is a condition."
    )
    arms: list[Arm] = Field(default=[], description="Arms to compare the deliberation with.")
    compare: CompareSettings | None = Field(
        default=None, description="Tests of the differences between conditions; default: none."
    )
    best: str = Field(
        default="", max_length=500, description="Model that `each` tests as the declared best; empty: all models."
    )
    influence: InfluenceSettings | None = Field(
        default=None, description="Forks that measure each participant's influence; default: none."
    )
    certificate: CertificateSettings | None = Field(
        default=None, description="Certificates of the samples' votes; none: alpha 0.05, if there are enough samples."
    )
    samples_max: Literal["auto"] | Annotated[int, Field(ge=1, le=MAX_SAMPLES)] = Field(
        default="auto",
        description=(
            "Maximum independent samples for one deliberation; `auto`: 1.25 times the number that `check` forecasts."
        ),
    )
    spend: SpendMeasure = Field(
        default="auto",
        description=(
            "Spending that is equal in the comparison `net`: money, tokens or calls; `auto`: money if all prices are "
            "known, else tokens."
        ),
    )
    repeats: int = Field(default=1, ge=1, le=10_000, description="Number of runs per item and condition.")
    max_runs: int = Field(
        default=10_000, ge=1, le=10_000_000, description="Maximum runs of all conditions, without arms and forks."
    )
    attempts: int = Field(default=1, ge=1, le=5, description="Attempts at each run. The first answer counts.")
    seed: int = Field(default=1, ge=0, le=2**31 - 1, description="Seed of all random draws.")
    swap: list[Swap] = Field(
        default=[], max_length=3, description="Features that Moot also reverses, in additional runs of each item."
    )
    assignment: Literal["crossed", "random"] = Field(
        default="crossed",
        description=(
            "Assignment of items: every item to every condition, or each item to one drawn condition per repeat."
        ),
    )
    cap: SpendingCap = Field(default=SpendingCap(), description="Hard caps on all runs together.")
    limits: dict[str, EndpointLimit] = Field(default={}, description="Load limits of endpoints, by model spec.")
    until: dict[Gain, GainBound] = Field(
        default={},
        max_length=1,
        description="Gains that stop the experiment when the evidence suffices, each with a bound.",
    )
    detect: DetectionSettings = Field(
        default=DetectionSettings(), description="Effect that the experiment should be able to detect."
    )
    hypotheses: list[str] = Field(default=[], max_length=100, description="Hypotheses, in words.")
    primary: str = Field(default="", max_length=200, description="Primary measure; empty: none.")
    margin: float | None = Field(default=None, gt=0, lt=1, description="Largest difference that counts as equal.")
    midpoint: float | None = Field(
        default=None, description="Number that separates against from for, with numeric answers."
    )
    task: SettingValues = Field(default={}, description="Task that generated the items. Moot fills it in.")
    stops: dict[str, CalibratedStop] = Field(
        default={}, description="Content of each `calibration_file`. Moot fills it in."
    )
    exclusions: list[str] = Field(default=[], max_length=100, description="Exclusions, in words.")
    registered: str = Field(
        default="", max_length=2000, pattern=r"^$|^https?://\S+$", description="URL of the plan's registration."
    )

    @field_validator("swap", mode="before")
    @classmethod
    def _wrap_single_swap(cls, value: object) -> object:
        return [value] if isinstance(value, str) else value

    @field_validator("arms", mode="before")
    @classmethod
    def _expand_preset(cls, value: object) -> object:
        if isinstance(value, str) and value not in ARM_PRESETS:
            raise make_setting_error("arms", value, f"give a list, or one of {', '.join(ARM_PRESETS)}")
        return ARM_PRESETS[value] if isinstance(value, str) else value

    @field_validator("protocol")
    @classmethod
    def _resolve_protocol_name(cls, value: str) -> str:
        try:
            return get_protocol(value).name
        except InputError as error:
            raise make_setting_error("protocol", value, error.remedy) from None

    @model_validator(mode="after")
    def _check_combinations(self) -> Self:
        conditions = 1 if self.assignment == "random" else len(self.conditions) or prod(map(len, self.factors.values()))
        runs = conditions * 2 ** len(self.swap) * len(self.items) * self.repeats
        settings_by_key: dict[str, Mapping[str, object]] = {"settings": self.settings, "factors": self.factors}
        settings_by_key |= {f"conditions.{name}": settings for name, settings in self.conditions.items()}
        own_seeds = {f"{key}.seed": values["seed"] for key, values in settings_by_key.items() if "seed" in values}
        seed_remedy = "each run gets its own seed; give the plan one seed, next to items"
        gain_arms = [(gain, [arm for arm in GAIN_ARMS[gain] if arm not in self.arms]) for gain in self.until]
        primary_arm = PRIMARY_ARMS.get(self.primary, "")
        has_arms, gains, needs_written = self.arms and self.primary, list(self.until), {"notes", "rethought"}
        faults: list[tuple[object, str, object, str]] = [
            (self.conditions and self.factors, "factors", list(self.factors), "give conditions or factors, not both"),
            *(
                (not levels, f"factors.{path}", levels, "give at least one value")
                for path, levels in self.factors.items()
            ),
            (
                runs > self.max_runs,
                "max_runs",
                self.max_runs,
                f"the plan has {runs:,} runs; vary less, or raise max_runs",
            ),
            *(
                (len(set(names)) < len(names), key, names, "name each once")
                for key, names in (("swap", self.swap), ("arms", self.arms))
            ),
            (
                self.until and (len(self.conditions) > 1 or self.factors),
                *(
                    "until",
                    gains,
                    "an early stop works with only one condition; make each condition its own experiment",
                ),
            ),
            (
                self.until and any(item.control for item in self.items),
                *("until", gains, "a control has no deliberation and so no gain; leave out until, or the control"),
            ),
            (
                needs_written & set(self.arms) and "written" not in self.arms,
                *("arms", self.arms, "the arms notes and rethought use the statements of the arm written; add written"),
            ),
            (
                self.best and "each" not in self.arms,
                *("best", self.best, "declared_best needs the arm each; add it to arms"),
            ),
            *((arms, "until", gain, f"this needs arms: {', '.join(arms)}") for gain, arms in gain_arms),
            (
                has_arms and not primary_arm,
                *("primary", self.primary, f"with arms it must be one of {', '.join(PRIMARY_ARMS)}"),
            ),
            (has_arms and primary_arm not in self.arms, "primary", self.primary, f"this needs the arm {primary_arm}"),
            *((True, key, seed, seed_remedy) for key, seed in own_seeds.items()),
        ]
        for is_there, key, value, remedy in faults:
            if is_there:
                raise make_setting_error(key, value, remedy)
        _check_distinct_names("items", [item.id for item in self.items])
        _check_distinct_names("conditions", list(self.conditions))
        return self

    @property
    def has_comparisons(self) -> bool:
        """Return whether the plan compares deliberations with arms or forks."""
        return bool(self.arms or self.influence)

    @property
    def chance(self) -> float | None:
        """Return the share of right answers by chance; `None` without options that have a right one."""
        counts = [len(item.options) for item in self.items if item.options and item.truth is not None]
        return sum(1 / count for count in counts) / len(counts) if counts else None

    @property
    def certificate_alpha(self) -> float:
        """Return the probability with which the certificate of a deliberation may be false. Default: 0.05."""
        return self.certificate.alpha if self.certificate else 0.05

    @property
    def document(self) -> dict[str, Any]:
        """Return the plan with its items as plain data."""
        return self.model_dump(mode="json")

    @property
    def hash(self) -> str:
        """Return the hexadecimal SHA-256 of the plan and its items."""
        return compute_digest(self.document)

    @property
    def language(self) -> str:
        """Return the language in the plan's settings. Default: English."""
        return str(self.settings.get("language") or "en")

    def translate(self, key: str, /, **values: object) -> str:
        """Return the report's phrase `section.key` in the plan's language, filled with `values`."""
        key, _, model = key.partition(":")  # an arm of one model is named `ARM:MODEL`
        return load_phrases("findings").translate_phrase(self.language, key, **{"model": model} | values)

    def join_sentences(self, texts: Iterable[str]) -> str:
        """Join sentences as the plan's language requires. Leave out empty ones."""
        return self.translate("opening.space").join(filter(None, texts))


def describe_measure(plan: Plan, name: str) -> tuple[str, str]:
    """Return the name and the meaning of a measure in the plan's language.

    For an unknown measure, return its name and an empty meaning.
    """
    base_name, _, reason = name.partition(": ")
    key, number = re.sub(r"\d", "N", base_name), "".join(re.findall(r"\d", base_name))
    if key not in load_phrases("findings").list_keys("measures"):
        return name, ""
    reason = get_label(plan.language, "reasons", reason)
    return plan.translate(f"measures.{key}", number=number, reason=reason), plan.translate(f"measured.{key}")


def _check_distinct_names(key: str, names: list[str]) -> None:
    slugs = set[str]()
    for name in names:
        slug, remedy = make_slug(name), "must differ from the other names by more than case and marks"
        if not slug:
            remedy = "give it a name with a letter or digit of the Latin script"
        if not slug or slug in slugs:
            raise make_setting_error(f"{key}.{name}", name, remedy)
        slugs.add(slug)


def read_plan(path: Path) -> Plan:
    """Read a plan and its items from a file. Raises `InputError` with key, value and remedy."""
    check_regular_file(path, "config")
    return parse_plan(read_config(path), path.parent)


def parse_plan(document: Mapping[str, Any], folder: Path = Path()) -> Plan:
    """Build a plan from plain data. File names in it are relative to `folder`.

    Raises `InputError` for an invalid plan.
    """
    values = dict(document)
    if isinstance(task_settings := values.get("items"), Mapping):
        raw_settings = values.get("settings")
        language = raw_settings.get("language") if isinstance(raw_settings, Mapping) else None
        values |= {"task": dict(task_settings), "items": make_task_items(task_settings, str(language or "en"))}
    elif "items" in values:
        values["items"] = load_items(values["items"], folder)
    elif not get_protocol(str(values.get("protocol", ""))).topic_key:
        values["items"] = [{"id": "1"}]
    try:
        plan = Plan.model_validate(values)
    except ValidationError as error:
        raise convert_input_error(error, Plan) from None
    if not plan.items:
        raise InputError("items", [], "give at least one item")
    names = [settings.get("calibration_file") for settings in (plan.settings, *plan.conditions.values())]
    stops = dict[str, CalibratedStop]()
    for name in names + plan.factors.get("calibration_file", []):
        if isinstance(name, str) and name in plan.stops:
            stops[name] = parse_calibrated_stop(plan.stops[name].model_dump_json(), name)
        elif isinstance(name, str) and name:
            stops[name] = read_stop(str(folder / name))
    return plan.model_copy(update={"stops": stops})  # so that a run needs no file


EXTENDABLE_KEYS = ("items", "repeats", "cap", "max_runs", "samples_max")


def list_additions(before: Plan, after: Plan) -> list[str]:
    """Return what a plan adds to the stored plan of the same name: items, repeats, or a larger cap.

    Raises `InputError` for the first other difference.
    """
    additions = []
    for key in Plan.model_fields:
        old_value, new_value = getattr(before, key), getattr(after, key)
        if old_value == new_value or (key == "task" and after.items != before.items):
            continue
        if key not in EXTENDABLE_KEYS or not _is_extension(old_value, new_value) or (key == "items" and before.until):
            raise InputError(
                key,
                _summarize_value(new_value),
                f"differs from the plan {before.name} that has started; "
                f"{'only add to it, or ' if key in EXTENDABLE_KEYS else ''}choose another name",
            )
        additions.append(f"{key}: {_summarize_value(old_value)} → {_summarize_value(new_value)}")
    return additions


def _is_extension(old: Any, new: Any) -> bool:
    if isinstance(old, list):
        return bool(new[: len(old)] == old)
    if isinstance(old, SpendingCap):
        pairs = [(getattr(old, key), getattr(new, key)) for key in SpendingCap.model_fields]
        return all(after is None or (before is not None and after >= before) for before, after in pairs)
    return bool(old == "auto" or (new != "auto" and new > old))


def _summarize_value(value: Any) -> object:
    if isinstance(value, list) and value and isinstance(value[0], Item):
        return f"{len(value)} items"
    if isinstance(value, SpendingCap):
        return value.model_dump(exclude_none=True)
    if isinstance(value, dict):
        return {key: entry.hash if isinstance(entry, CalibratedStop) else entry for key, entry in value.items()}
    return value
