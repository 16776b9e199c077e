"""`moot count`: count the ballots in a file."""

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Annotated

from pydantic import ValidationError
from rich.console import Console
from rich.table import Column, Table
from typer import Argument, Option

from ...state import (
    CountSettings,
    InputError,
    Tally,
    compute_condorcet,
    convert_input_error,
    count_ballots,
    count_by_all_rules,
)
from ...state.plugins.entry_points import VOTING_RULE_GROUP, map_entry_points
from ..display.plain_text import format_json, strip_controls
from ..run.command_options import AsJson, OptionalText, flatten_options
from ..tools.ballot_file import read_ballots


@dataclass(frozen=True)
class CountOptions:
    """Settings of a count. Without `rule`, the count uses every rule that can count the ballots."""

    rule: Annotated[OptionalText, Option(metavar="RULE", help="Counting rule.")] = None
    all_rules: Annotated[bool, Option("--all-rules", help="Count by every rule the ballots support.")] = False
    quorum: Annotated[
        str, Option(metavar="SHARE", help="Share of voters who must cast a ballot; an abstention counts.")
    ] = "1/2"
    voters: Annotated[int | None, Option(metavar="N", help="Number of voters [default: number of ballots].")] = None
    supermajority: Annotated[str, Option(metavar="SHARE", help="Share of votes that a supermajority needs.")] = "2/3"
    tie_break: Annotated[str, Option(metavar="HOW", help="Tie-break: none, seeded, status_quo or runoff.")] = "none"
    seed: Annotated[int, Option(metavar="N", help="Seed of the random tie-break.")] = 0
    status_quo: Annotated[OptionalText, Option(metavar="OPTION", help="Option that wins a tie with `status_quo`.")] = (
        None
    )
    exclude_self: Annotated[bool, Option("--exclude-self", help="Leave out votes for oneself.")] = False

    def build_settings(self) -> CountSettings:
        """Return the settings of a count. Raises `InputError` for invalid or contradictory options."""
        if self.rule and self.all_rules:
            raise InputError("--rule", self.rule, "give --rule or --all-rules, not both")
        values = {
            "quorum": _parse_share("--quorum", self.quorum),
            "supermajority_share": _parse_share("--supermajority", self.supermajority),
            "tie_break": self.tie_break.replace("-", "_"),
            "tie_seed": self.seed,
            "status_quo": self.status_quo,
            "exclude_self": self.exclude_self,
        }
        try:
            return CountSettings.model_validate(values)
        except ValidationError as error:
            key = str(next(iter(error.errors()[0]["loc"]), "tie_break"))
            remedy = convert_input_error(error).remedy
            if key == "tie_break" and values["tie_break"] == "status_quo":
                remedy = "add --status-quo OPTION, the option that wins a tie"
            options = {"supermajority_share": "--supermajority", "tie_seed": "--seed"}
            raise InputError(options.get(key, f"--{key.replace('_', '-')}"), values[key], remedy) from error


@flatten_options
def count(
    file: Annotated[Path, Argument(metavar="FILE", help="Ballots: a CSV table or a JSON list.", show_default=False)],
    *,
    options: CountOptions,
    json: AsJson = False,
) -> None:
    """Count a file of ballots by one rule, or by all rules."""
    settings = options.build_settings()
    try:
        ballots = read_ballots(file)
    except OSError as error:
        raise InputError("file", str(file), f"cannot be read: {error.strerror}") from error
    if not ballots and options.voters is None:
        raise InputError("file", str(file), "holds no ballots; add some, or give the number of voters with --voters")
    plugin_rules = list(map_entry_points(VOTING_RULE_GROUP))
    if options.rule is None:
        report = count_by_all_rules(ballots, voters=options.voters, settings=settings, extra_rules=plugin_rules)
        document, tallies, condorcet = report.model_dump(), list(report.tallies.values()), report.condorcet
        outcomes = [f"{option} by {', '.join(rules)}" for option, rules in report.winners.items()]
        outcomes += [f"no winner by {', '.join(report.undecided)}"] if report.undecided else []
        headlines = {(True, False): "The rules agree", (True, True): "One winner, but not by every rule"}
        headline = headlines.get((report.rules_agree, bool(report.undecided)), "The rules disagree")
        lines = [f"{headline}: {'; '.join(outcomes)}" if report.winners else "No rule finds a winner"]
        rules_by_reason: dict[str, list[str]] = {}
        for name, reason in report.not_counted.items():
            rules_by_reason.setdefault(reason, []).append(name)
        lines += [f"Not counted: {', '.join(rules)} ({reason})" for reason, rules in rules_by_reason.items()]
    else:
        rule = options.rule if options.rule in plugin_rules else options.rule.replace("-", "_")
        tallies, lines = [count_ballots(ballots, rule, voters=options.voters, settings=settings)], []
        condorcet = compute_condorcet(ballots, settings=settings)
        document = {**tallies[0].model_dump(), "condorcet": condorcet.model_dump()}
    if condorcet.winner is not None:
        lines = [f"Condorcet winner: {condorcet.winner}", *lines]
    elif cycle := condorcet.cycle:
        lines = [f"Condorcet: no winner, but a cycle: {' > '.join([*cycle, cycle[0]])}", *lines]
    elif condorcet.top:
        lines = [f"Condorcet: no winner and no cycle; tied at the top: {', '.join(condorcet.top)}", *lines]
    print(format_json(document)) if json else _show_count(tallies, lines)


def _parse_share(option: str, text: str) -> float:
    try:
        return float(Fraction(text))
    except (ValueError, ZeroDivisionError, OverflowError) as error:
        raise InputError(option, text, "write a share such as 2/3 or 0.6") from error


def _show_count(tallies: list[Tally], lines: list[str]) -> None:
    console = Console(markup=False, emoji=False, highlight=False)
    if tallies:
        table = Table(Column("rule", no_wrap=True), "winner", "lead", "totals", "how it ended")
        for tally in tallies:
            margin = "" if tally.winner is None else f"{tally.margins.get(tally.winner, 0):g}"
            totals = ", ".join(f"{option} {total:g}" for option, total in tally.totals.items())
            cells = (tally.winner or "no winner", margin, totals, "; ".join(tally.evidence) or tally.status)
            table.add_row(tally.rule, *map(strip_controls, cells))
        console.print(table)
        tally = tallies[0]
        parts = [_format_count(tally.votes, "vote"), f"{tally.abstentions} abstain", f"{tally.invalid} invalid"]
        parts += [f"{tally.excluded} left out as votes for oneself"] if tally.excluded else []
        turnout = f"turnout {tally.turnout:.0%}, quorum {'met' if tally.quorum_met else 'not met'}"
        lines = [
            f"{_format_count(tally.voters, 'voter')}: {', '.join(parts)}; {turnout}",
            *[f"invalid: {fault}" for fault in tally.faults],
            *lines,
        ]
    console.print(strip_controls("\n".join(lines)), soft_wrap=True)


def _format_count(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
