"""Options of the commands, in groups."""

import inspect
from collections.abc import Callable
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, get_type_hints

from typer import Argument, Option

from ..state.debate import DebateRules
from ..state.papers import LEXICAL_THRESHOLD, SEMANTIC_THRESHOLD
from ..state.rules import Rules, TurnOrderRules, named_knobs
from ..state.voting import VotingRules


def spread(command: Callable[..., None]) -> Callable[..., None]:
    """`command` with every dataclass among its parameters replaced by that dataclass's fields."""
    given = inspect.signature(command, eval_str=True).parameters.values()
    groups: dict[str, Any] = {one.name: one.annotation for one in given if is_dataclass(one.annotation)}
    flat: list[inspect.Parameter] = []
    for one in given:
        flat += _fields(groups[one.name]) if one.name in groups else [one.replace(kind=inspect.Parameter.KEYWORD_ONLY)]

    def called(**values: Any) -> None:
        for name, group in groups.items():
            values[name] = group(**{one.name: values.pop(one.name) for one in fields(group)})
        command(**values)

    called.__name__, called.__doc__ = command.__name__, command.__doc__
    called.__signature__ = inspect.Signature(flat)  # type: ignore[attr-defined]
    called.__annotations__ = {one.name: one.annotation for one in flat}
    return called


def _fields(group: Any) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [_parameter(one, hints[one.name]) for one in fields(group)]


def _parameter(field: Field[Any], annotation: Any) -> inspect.Parameter:
    default = field.default
    if default is MISSING:
        default = inspect.Parameter.empty if field.default_factory is MISSING else field.default_factory()
    return inspect.Parameter(field.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def seats_of(people: list[str]) -> list[dict[str, str]]:
    """The participants named as `NAME`, `NAME=MODEL` or `NAME=person`."""
    named = [(name.strip(), said.strip()) for name, _, said in (one.partition("=") for one in people)]
    return [{"name": name, "kind": PERSON} if said == PERSON else {"name": name, "model": said} for name, said in named]


PERSON = "person"
"""What stands in place of a model where a person takes part."""


WHO, HOW_FAR, CAPS, OUTPUT = "Who speaks", "How far it goes", "Hard caps", "Output"
Text = str | None
Number = int | None


def _knob(metavar: str, help: str, panel: str | None = None) -> Any:
    return Option(metavar=metavar, help=help, rich_help_panel=panel)


def _names(what: str, rules: type[Rules], knob: str) -> str:
    """Help for a knob that names one of several things, those that packages bring among them."""
    return f"{what}: {', '.join(named_knobs(rules)[knob].names)}."


LEAST = f"Least relevance, 0-1 [default: {SEMANTIC_THRESHOLD} with embeddings, {LEXICAL_THRESHOLD} without]"
"""Help for the least relevance a paper must have."""

Topic = Annotated[Text, Argument(metavar="TOPIC", help="What it is about.", show_default=False)]
Material = Annotated[Path | None, Option("--material", metavar="FILE", help="Background that everyone sees.")]
People = Annotated[
    list[str],
    Option("--with", metavar="NAME[=MODEL]", help="A participant, and its model or `person`; again for more."),
]
RunName = Annotated[str, Argument(metavar="RUN", help="Name of a saved run; `moot runs` lists them.")]
Database = Annotated[str, Option("--db", metavar="PATH|URL", help="Saved runs: an SQLite file, or postgresql://…")]
AsJson = Annotated[bool, Option("--json", help="One JSON document on standard output, and nothing else.")]
NoColor = Annotated[bool, Option("--no-color", help="No colours.")]


@dataclass(frozen=True)
class Group:
    """Who takes part in a group, and how it agrees."""

    people: People = field(default_factory=list)
    max_rounds: Annotated[int | None, Option("--max-rounds", metavar="N", help="Rounds at most.")] = None
    turn_order: Annotated[
        Text, Option("--turn-order", metavar="ORDER", help=_names("Who speaks when", TurnOrderRules, "turn_order"))
    ] = None
    convergence: Annotated[
        Text, Option("--convergence", metavar="HOW", help="Measured by: declared, lexical, embedding or judge.")
    ] = None
    vote: Annotated[
        Text, Option("--vote", metavar="RULE", help=_names("Counting rule of a closing vote", VotingRules, "vote"))
    ] = None

    def given(self) -> dict[str, Any]:
        """The input and knobs that were given."""
        knobs = {key: value for key, value in vars(self).items() if key != "people"}
        return knobs | {"participants": seats_of(self.people) or None}


@dataclass(frozen=True)
class Knobs:
    """The knobs of a run; none: the default, or what the config file says."""

    config: Annotated[Path | None, _knob("FILE", "Settings in YAML; options here come first.")] = None
    set: Annotated[list[str], _knob("KEY=VALUE", "Any other knob, such as temperature=0.2; again for more.")] = field(
        default_factory=list
    )
    model: Annotated[Text, _knob("SPEC", "Model of all, such as openai:gpt-5-mini or rehearsal.", WHO)] = None
    synthesizer: Annotated[Text, _knob("SPEC", "Model that writes the synthesis.", WHO)] = None
    profile: Annotated[Text, _knob("NAME", "Persona profile; `moot profiles` lists them.", WHO)] = None
    language: Annotated[Text, _knob("TAG", "Language of prompts and replies: en, zh, es …", WHO)] = None
    seed: Annotated[Number, _knob("N", "Seed of every draw.", HOW_FAR)] = None
    max_turns: Annotated[Number, _knob("N", "Turns at most.", HOW_FAR)] = None
    stopping: Annotated[Text, _knob("RULE", _names("Rule that ends it early", DebateRules, "stopping"), HOW_FAR)] = None
    max_calls: Annotated[Number, _knob("N", "Model calls at most.", CAPS)] = None
    max_total_tokens: Annotated[Number, _knob("N", "Tokens at most.", CAPS)] = None
    record: Annotated[Text, _knob("FILE", "Write every answer to a file it can be replayed from.", OUTPUT)] = None
    replay: Annotated[Text, _knob("FILE", "Take every answer from such a file: nothing is spent.", OUTPUT)] = None
    max_cost: Annotated[float | None, _knob("X", "Money at most; needs a model whose price is known.", CAPS)] = None

    def given(self) -> dict[str, Any]:
        """The knobs that were given, by option name; without `config` and `set`."""
        named = {key: value for key, value in vars(self).items() if key not in ("config", "set")}
        return {key: value for key, value in named.items() if value is not None}


IDLE = Option(hidden=True)
"""An option that does nothing in a protocol: hidden in the help, and refused with the reason where it is given."""


@dataclass(frozen=True)
class PanelKnobs(Knobs):
    """The knobs of a panel, whose experts come with personas of their own and which no words end early."""

    profile: Annotated[Text, IDLE] = None
    stopping: Annotated[Text, _knob("RULE", "Rule that ends it early: declared, sequential or never.", HOW_FAR)] = None


@dataclass(frozen=True)
class SessionKnobs(PanelKnobs):
    """The knobs of a session, which has no closing text either."""

    synthesizer: Annotated[Text, IDLE] = None


@dataclass(frozen=True)
class View:
    """Where a run is saved, and how it is shown."""

    db: Database = ""
    json: AsJson = False
    quiet: Annotated[bool, Option("--quiet", "-q", help="Only the ending and the synthesis.")] = False
    no_color: NoColor = False
    fast: Annotated[bool, Option("--fast", help="Show a rehearsal without pacing it.")] = False
