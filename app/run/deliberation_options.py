"""Options of the commands that deliberate: participants, settings and caps."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from typer import Option

from ...state import Settings, StoppingSettings, TurnOrderSettings, VotingSettings, get_plugin_settings
from ...state.papers import LEXICAL_THRESHOLD, SEMANTIC_THRESHOLD
from ...state.positions.settings import DECLARATION_RULES
from .command_options import OptionalText

SPEAKERS_PANEL, LENGTH_PANEL, CAPS_PANEL, OUTPUT_PANEL = "Who speaks", "Limits and stopping", "Hard caps", "Output"
OptionalNumber = int | None


def make_option(metavar: str, help: str, panel: str | None = None) -> Any:
    """Make a command-line option that takes a value and has the name of its field.

    `metavar`: placeholder of the value in the help. `panel`: group in the help.
    """
    return Option(metavar=metavar, help=help, rich_help_panel=panel)


def parse_seats(seat_texts: list[str]) -> list[dict[str, str]]:
    """Parse participants written as `NAME`, `NAME=MODEL` or `NAME=person`."""
    seats = []
    for text in seat_texts:
        name, _, model = (part.strip() for part in text.partition("="))
        seats.append({"name": name, "kind": "person"} if model == "person" else {"name": name, "model": model})
    return seats


def _format_choice_help(label: str, settings_class: type[Settings], setting: str, *further: str) -> str:
    """Return the help text of a setting with its choices, including those of installed packages.

    `label`: text before the choices. `further`: additional choices.
    """
    return f"{label}: {', '.join([*get_plugin_settings(settings_class)[setting].names, *further])}."


RELEVANCE_HELP = f"Lowest relevance, 0–1 [default: {SEMANTIC_THRESHOLD} with embeddings, else {LEXICAL_THRESHOLD}]."

People = Annotated[
    list[str],
    Option(
        "--participant", metavar="NAME[=MODEL]", help="Participant, such as Ada, Ada=MODEL or Ada=person; repeatable."
    ),
]


@dataclass(frozen=True)
class GroupOptions:
    """Command-line options of a group: participants, rounds, turn order, convergence and closing vote."""

    people: People = field(default_factory=list)
    max_rounds: Annotated[int | None, make_option("N", "Maximum rounds.")] = None
    turn_order: Annotated[
        OptionalText,
        make_option("ORDER", _format_choice_help("Order of the speakers", TurnOrderSettings, "turn_order")),
    ] = None
    convergence: Annotated[
        OptionalText, make_option("HOW", "Measure of agreement: declared, lexical, embedding, judge.")
    ] = None
    vote: Annotated[
        OptionalText,
        make_option("RULE", _format_choice_help("Counting rule of the final vote", VotingSettings, "vote")),
    ] = None

    def collect_values(self) -> dict[str, Any]:
        """Return the values of the options by setting. `people` becomes `participants`."""
        values = {key: value for key, value in vars(self).items() if key != "people"}
        return values | {"participants": parse_seats(self.people) or None}


@dataclass(frozen=True)
class RunOptions:
    """Settings of a run as command-line options.

    `None` stands for the value of the config file, or for the default.
    """

    config: Annotated[Path | None, make_option("FILE", "YAML file of settings; options override it.")] = None
    set: Annotated[list[str], make_option("KEY=VALUE", "Any other setting, such as temperature=0.2; repeatable.")] = (
        field(default_factory=list)
    )
    model: Annotated[
        OptionalText, make_option("SPEC", "Model, such as openai:gpt-5-mini or rehearsal.", SPEAKERS_PANEL)
    ] = None
    synthesizer: Annotated[OptionalText, make_option("SPEC", "Model that writes the synthesis.", SPEAKERS_PANEL)] = None
    stay: Annotated[
        OptionalText,
        make_option("WHERE", "Servers that may get prompts: local, or addresses, separated by commas.", SPEAKERS_PANEL),
    ] = None
    profile: Annotated[
        OptionalText, make_option("NAME", "Persona profile; `moot profiles` lists them.", SPEAKERS_PANEL)
    ] = None
    language: Annotated[
        OptionalText, make_option("TAG", "Language of prompts and replies: en, zh, es …", SPEAKERS_PANEL)
    ] = None
    seed: Annotated[OptionalNumber, make_option("N", "Seed of all random draws.", LENGTH_PANEL)] = None
    max_turns: Annotated[OptionalNumber, make_option("N", "Maximum turns.", LENGTH_PANEL)] = None
    stop_rule: Annotated[
        OptionalText,
        make_option(
            "RULE",
            _format_choice_help("Stopping rule", StoppingSettings, "stop_rule", *DECLARATION_RULES),
            LENGTH_PANEL,
        ),
    ] = None
    max_calls: Annotated[OptionalNumber, make_option("N", "Maximum model calls.", CAPS_PANEL)] = None
    max_total_tokens: Annotated[OptionalNumber, make_option("N", "Maximum tokens.", CAPS_PANEL)] = None
    record: Annotated[OptionalText, make_option("FILE", "File for a recording of all answers.", OUTPUT_PANEL)] = None
    replay: Annotated[
        OptionalText, make_option("FILE", "Recording that replaces the models, at no cost.", OUTPUT_PANEL)
    ] = None
    max_cost: Annotated[float | None, make_option("X", "Maximum cost; the prices must be known.", CAPS_PANEL)] = None

    def collect_values(self) -> dict[str, Any]:
        """Return the values of the options that the user gave, by setting, without `config` and `set`."""
        values = {key: value for key, value in vars(self).items() if key not in ("config", "set")}
        return {key: value for key, value in values.items() if value is not None}


IDLE_OPTION = Option(hidden=True)
"""Option without effect in a protocol. The help hides it. Its use is an error, which states the reason."""


@dataclass(frozen=True)
class PanelRunOptions(RunOptions):
    """Command-line options of a panel, without those that have no effect on it.

    These are persona profiles, and stopping rules that look for phrases.
    """

    profile: Annotated[OptionalText, IDLE_OPTION] = None
    stop_rule: Annotated[
        OptionalText, make_option("RULE", "Stopping rule: declared, calibrated or never.", LENGTH_PANEL)
    ] = None


@dataclass(frozen=True)
class SessionRunOptions(PanelRunOptions):
    """Command-line options of a session, which has no synthesis and so no `synthesizer`."""

    synthesizer: Annotated[OptionalText, IDLE_OPTION] = None
