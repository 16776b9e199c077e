"""`moot justice`: run the experiment once, or many times with the same settings."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

from ...state import InputError
from ..run import People, ViewOptions, flatten_options, parse_assignments, parse_seats


@dataclass(frozen=True)
class JusticeOptions:
    """Settings of a justice experiment as command-line options. They override the file."""

    file: Annotated[Path | None, Option("--config", metavar="FILE", help="Same as CONFIG.")] = None
    repeats: Annotated[int | None, Option(metavar="N", help="Number of runs, each with another seed.")] = None
    export: Annotated[Path | None, Option(metavar="FOLDER", help="Folder for results (JSON) and tables (CSV).")] = None
    people: People = field(default_factory=list)
    model: Annotated[str | None, Option(metavar="SPEC", help="Model, or rehearsal.")] = None
    stay: Annotated[
        str | None,
        Option(metavar="WHERE", help="Servers that may get prompts: local, or addresses, separated by commas."),
    ] = None
    language: Annotated[str | None, Option(metavar="TAG", help="Language: en, es or zh.")] = None
    seed: Annotated[int | None, Option(metavar="N", help="Seed of all random draws.")] = None
    max_rounds: Annotated[int | None, Option(metavar="N", help="Maximum rounds.")] = None
    max_calls: Annotated[int | None, Option(metavar="N", help="Maximum model calls per run.")] = None
    max_total_tokens: Annotated[int | None, Option(metavar="N", help="Maximum tokens per run.")] = None
    max_cost: Annotated[float | None, Option(metavar="X", help="Maximum cost per run.")] = None
    record: Annotated[str | None, Option(metavar="FILE", help="File for a recording of all answers.")] = None
    replay: Annotated[str | None, Option(metavar="FILE", help="Recording that replaces the models.")] = None
    set: Annotated[list[str], Option(metavar="KEY=VALUE", help="Any other setting, such as frame=loss.")] = field(
        default_factory=list
    )

    def collect_values(self) -> dict[str, Any]:
        """Return the values of the options that the user set, by key."""
        values = {key: value for key, value in vars(self).items() if key not in ("file", "export", "set", "people")}
        values |= {"participants": parse_seats(self.people) or None}
        return {key: value for key, value in {**values, **parse_assignments(self.set)}.items() if value is not None}


@flatten_options
def justice(
    config: Annotated[Path | None, Argument(metavar="CONFIG", help="YAML file of settings.")] = None,
    *,
    options: JusticeOptions,
    view: ViewOptions,
) -> None:
    """Run the Frohlich–Oppenheimer justice experiment."""
    if config and options.file:
        raise InputError("--config", str(options.file), f"{config} is given too; name only one file")
    from ..protocols.justice.experiment_command import start_experiment  # slow to load

    start_experiment(config or options.file, options.collect_values(), options.export, view)
