"""`moot vote`: count the ballots in a file."""

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Annotated

from pydantic import ValidationError
from rich.console import Console
from rich.table import Column, Table
from typer import Argument, Option

from ...state.ballot import Ballot
from ...state.count import (
    Condorcet,
    CountReport,
    CountSettings,
    Tally,
    compute_condorcet,
    count_ballots,
    count_by_all_rules,
)
from ...state.errors import InputError, convert_input_error
from ...state.installed.packages import VOTING_RULE_GROUP, list_entry_points
from ..display.plain_text import format_json, strip_controls
from ..run.command_options import AsJson, OptionalText, flatten_options
from ..tools.ballots.file import read_ballots

BallotFile = Annotated[Path, Argument(metavar="FILE", help="Ballots: a CSV table or a JSON list.", show_default=False)]
VotersOption = Annotated[int | None, Option(metavar="N", help="Size of the electorate [default: the ballots].")]


@dataclass(frozen=True)
class CountOptions:
    """Settings of a count. Without `rule`, the count uses all rules that the ballots support."""

    rule: Annotated[OptionalText, Option(metavar="RULE", help="Count by this rule.")] = None
    all_rules: Annotated[bool, Option("--all-rules", help="Count by every rule the ballots support.")] = False
    quorum: Annotated[str, Option(metavar="SHARE", help="Share of the voters who must vote or abstain.")] = "1/2"
    voters: VotersOption = None
    supermajority: Annotated[str, Option(metavar="SHARE", help="Share of the votes a supermajority needs.")] = "2/3"
    tie: Annotated[str, Option(metavar="HOW", help="Among equals: none, seeded, status_quo or runoff.")] = "none"
    seed: Annotated[int, Option(metavar="N", help="Seed of the draw among equals.")] = 0
    status_quo: Annotated[OptionalText, Option(metavar="OPTION", help="What stays after a tie.")] = None
    exclude_self: Annotated[bool, Option("--exclude-self", help="Leave out votes for oneself.")] = False

    def build_settings(self) -> CountSettings:
        """Build the settings of a count. Raises `InputError` for options that cannot be combined or used."""
        if self.rule and self.all_rules:
            raise InputError("--rule", self.rule, "give --rule or --all-rules, not both")
        shares = {
            "quorum": _parse_share("--quorum", self.quorum),
            "share": _parse_share("--supermajority", self.supermajority),
        }
        tie_values = {"tie": self.tie.replace("-", "_"), "seed": self.seed, "status_quo": self.status_quo}
        return _validate_settings({**shares, **tie_values, "exclude_self": self.exclude_self})


@flatten_options
def vote(file: BallotFile, *, options: CountOptions, json: AsJson = False) -> None:
    """Count the ballots in a file by one rule, or compare all rules they support."""
    settings, ballots = options.build_settings(), _read_ballots(file)
    if not ballots and options.voters is None:
        raise InputError(
            "file", str(file), "holds no ballots; add some, or give the size of the electorate with --voters"
        )
    if options.rule is None:
        report = count_by_all_rules(
            ballots, voters=options.voters, settings=settings, extra_rules=list(list_entry_points(VOTING_RULE_GROUP))
        )
        document, tallies, lines = report.model_dump(), list(report.tallies.values()), _compare_rules(report)
    else:
        rule = options.rule if options.rule in list_entry_points(VOTING_RULE_GROUP) else options.rule.replace("-", "_")
        tally = count_ballots(ballots, rule, voters=options.voters, settings=settings)
        condorcet_result = compute_condorcet(ballots, settings=settings)
        document, tallies, lines = (
            {**tally.model_dump(), "condorcet": condorcet_result.model_dump()},
            [tally],
            _describe_condorcet(condorcet_result),
        )
    print(format_json(document)) if json else _show_count(tallies, lines)


def _parse_share(option: str, text: str) -> float:
    try:
        return float(Fraction(text))
    except (ValueError, ZeroDivisionError, OverflowError) as error:
        raise InputError(option, text, "write a share such as 2/3 or 0.6") from error


def _validate_settings(values: dict[str, object]) -> CountSettings:
    try:
        return CountSettings.model_validate(values)
    except ValidationError as error:
        key = str(next(iter(error.errors()[0]["loc"]), "tie"))
        option = "--supermajority" if key == "share" else f"--{key.replace('_', '-')}"
        needs_option = key == "tie" and values["tie"] == "status_quo"
        remedy = "name the option that stays with --status-quo" if needs_option else convert_input_error(error).remedy
        raise InputError(option, values[key], remedy) from error


def _read_ballots(file: Path) -> list[Ballot]:
    try:
        return read_ballots(file)
    except OSError as error:
        raise InputError("file", str(file), f"cannot be read: {error.strerror}") from error


def _compare_rules(report: CountReport) -> list[str]:
    rules_by_reason: dict[str, list[str]] = {}
    for rule, reason in report.not_counted.items():
        rules_by_reason.setdefault(reason, []).append(rule)
    uncounted_lines = [f"Not counted: {', '.join(rules)} ({reason})" for reason, rules in rules_by_reason.items()]
    return [*_describe_condorcet(report.condorcet), _describe_agreement(report), *uncounted_lines]


def _show_count(tallies: list[Tally], lines: list[str]) -> None:
    console = Console(markup=False, emoji=False, highlight=False)
    if tallies:
        console.print(_build_table(tallies))
        lines = [*_describe_turnout(tallies[0]), *lines]
    console.print(strip_controls("\n".join(lines)), soft_wrap=True)


def _build_table(tallies: list[Tally]) -> Table:
    table = Table(Column("rule", no_wrap=True), "winner", "lead", "totals", "how it ended")
    for tally in tallies:
        margin = "" if tally.winner is None else f"{tally.margins.get(tally.winner, 0):g}"
        totals = ", ".join(f"{option} {total:g}" for option, total in tally.totals.items())
        ending = "; ".join(tally.evidence) or tally.settled
        table.add_row(
            tally.rule, *(strip_controls(cell) for cell in (tally.winner or "nobody", margin, totals, ending))
        )
    return table


def _describe_turnout(tally: Tally) -> list[str]:
    parts = [_format_count(tally.votes, "vote"), f"{tally.abstentions} abstain", f"{tally.invalid} invalid"]
    parts += [f"{tally.excluded} for nobody but themselves"] if tally.excluded else []
    quorum = "met" if tally.quorum_met else "not met"
    line = f"{_format_count(tally.voters, 'voter')}: {', '.join(parts)}; turnout {tally.turnout:.0%}, quorum {quorum}"
    return [line, *(f"invalid: {fault}" for fault in tally.faults)]


def _format_count(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _describe_condorcet(result: Condorcet) -> list[str]:
    if result.winner is not None:
        return [f"Condorcet winner: {result.winner}"]
    if result.cycle:
        return [f"Condorcet: no winner but a cycle, {' > '.join([*result.cycle, result.cycle[0]])}"]
    return [f"Condorcet: no winner and no cycle; at the top: {', '.join(result.top)}"] if result.top else []


def _describe_agreement(report: CountReport) -> str:
    if not report.winners:
        return "No rule finds a winner"
    outcomes = [f"{option} by {', '.join(rules)}" for option, rules in report.winners.items()]
    outcomes += [f"nobody by {', '.join(report.undecided)}"] if report.undecided else []
    headlines_by_case = {(True, False): "The rules agree", (True, True): "One winner, though not by every rule"}
    return (
        f"{headlines_by_case.get((report.agree, bool(report.undecided)), 'The rules disagree')}: {'; '.join(outcomes)}"
    )
