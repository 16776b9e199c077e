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
from ...state.count import Condorcet, CountSettings, Report, Tally, condorcet, count, count_all
from ...state.installed.packages import COUNTS, brought
from ...state.refused import Refused, refused_input
from ..ballots.read import read_ballots
from ..display.plain import as_json, plain
from ..options import AsJson, Text, spread

Ballots = Annotated[Path, Argument(metavar="FILE", help="Ballots: a CSV table or a JSON list.", show_default=False)]
Voters = Annotated[int | None, Option(metavar="N", help="Size of the electorate [default: the ballots].")]


@dataclass(frozen=True)
class Counting:
    """How ballots are counted; without a rule, by all they support."""

    rule: Annotated[Text, Option(metavar="RULE", help="Count by this rule.")] = None
    all_rules: Annotated[bool, Option("--all-rules", help="Count by every rule the ballots support.")] = False
    quorum: Annotated[str, Option(metavar="SHARE", help="Share of the voters who must vote or abstain.")] = "1/2"
    voters: Voters = None
    supermajority: Annotated[str, Option(metavar="SHARE", help="Share of the votes a supermajority needs.")] = "2/3"
    tie: Annotated[str, Option(metavar="HOW", help="Among equals: none, seeded, status_quo or runoff.")] = "none"
    seed: Annotated[int, Option(metavar="N", help="Seed of the draw among equals.")] = 0
    status_quo: Annotated[Text, Option(metavar="OPTION", help="What stays after a tie.")] = None
    exclude_self: Annotated[bool, Option("--exclude-self", help="Leave out votes for oneself.")] = False

    def settings(self) -> CountSettings:
        """The settings of a count. Raises `Refused` for options that cannot be, alone or together."""
        if self.rule and self.all_rules:
            raise Refused("--rule", self.rule, "give --rule or --all-rules, not both")
        shares = {"quorum": _share("--quorum", self.quorum), "share": _share("--supermajority", self.supermajority)}
        ties = {"tie": self.tie.replace("-", "_"), "seed": self.seed, "status_quo": self.status_quo}
        return _settings({**shares, **ties, "exclude_self": self.exclude_self})


@spread
def vote(file: Ballots, *, how: Counting, json: AsJson = False) -> None:
    """Count the ballots in a file by one rule, or compare all rules they support."""
    settings, ballots = how.settings(), _read(file)
    if not ballots and how.voters is None:
        raise Refused("file", str(file), "holds no ballots; add some, or give the size of the electorate with --voters")
    if how.rule is None:
        report = count_all(ballots, voters=how.voters, settings=settings, also=list(brought(COUNTS)))
        document, tallies, lines = report.model_dump(), list(report.tallies.values()), _compared(report)
    else:
        rule = how.rule if how.rule in brought(COUNTS) else how.rule.replace("-", "_")
        tally = count(ballots, rule, voters=how.voters, settings=settings)
        found = condorcet(ballots, settings=settings)
        document, tallies, lines = {**tally.model_dump(), "condorcet": found.model_dump()}, [tally], _heads(found)
    print(as_json(document)) if json else _print(tallies, lines)


def _share(option: str, text: str) -> float:
    try:
        return float(Fraction(text))
    except (ValueError, ZeroDivisionError, OverflowError) as error:
        raise Refused(option, text, "write a share such as 2/3 or 0.6") from error


def _settings(values: dict[str, object]) -> CountSettings:
    try:
        return CountSettings.model_validate(values)
    except ValidationError as error:
        key = str(next(iter(error.errors()[0]["loc"]), "tie"))
        option = "--supermajority" if key == "share" else f"--{key.replace('_', '-')}"
        lacking = key == "tie" and values["tie"] == "status_quo"
        remedy = "name the option that stays with --status-quo" if lacking else refused_input(error).remedy
        raise Refused(option, values[key], remedy) from error


def _read(file: Path) -> list[Ballot]:
    try:
        return read_ballots(file)
    except OSError as error:
        raise Refused("file", str(file), f"cannot be read: {error.strerror}") from error


def _compared(report: Report) -> list[str]:
    reasons: dict[str, list[str]] = {}
    for rule, why in report.not_counted.items():
        reasons.setdefault(why, []).append(rule)
    left_out = [f"Not counted: {', '.join(rules)} ({why})" for why, rules in reasons.items()]
    return [*_heads(report.condorcet), _agreement(report), *left_out]


def _print(tallies: list[Tally], lines: list[str]) -> None:
    console = Console(markup=False, emoji=False, highlight=False)
    if tallies:
        console.print(_table(tallies))
        lines = [*_turnout(tallies[0]), *lines]
    console.print(plain("\n".join(lines)), soft_wrap=True)


def _table(tallies: list[Tally]) -> Table:
    table = Table(Column("rule", no_wrap=True), "winner", "lead", "totals", "how it ended")
    for tally in tallies:
        lead = "" if tally.winner is None else f"{tally.margins.get(tally.winner, 0):g}"
        totals = ", ".join(f"{option} {total:g}" for option, total in tally.totals.items())
        ended = "; ".join(tally.evidence) or tally.settled
        table.add_row(tally.rule, *(plain(cell) for cell in (tally.winner or "nobody", lead, totals, ended)))
    return table


def _turnout(tally: Tally) -> list[str]:
    parts = [_many(tally.votes, "vote"), f"{tally.abstentions} abstain", f"{tally.invalid} invalid"]
    parts += [f"{tally.excluded} for nobody but themselves"] if tally.excluded else []
    quorum = "met" if tally.quorum_met else "not met"
    line = f"{_many(tally.voters, 'voter')}: {', '.join(parts)}; turnout {tally.turnout:.0%}, quorum {quorum}"
    return [line, *(f"invalid: {why}" for why in tally.faults)]


def _many(count: int, thing: str) -> str:
    return f"{count} {thing}{'' if count == 1 else 's'}"


def _heads(found: Condorcet) -> list[str]:
    if found.winner is not None:
        return [f"Condorcet winner: {found.winner}"]
    if found.cycle:
        return [f"Condorcet: no winner but a cycle, {' > '.join([*found.cycle, found.cycle[0]])}"]
    return [f"Condorcet: no winner and no cycle; at the top: {', '.join(found.top)}"] if found.top else []


def _agreement(report: Report) -> str:
    if not report.winners:
        return "No rule finds a winner"
    won = [f"{option} by {', '.join(rules)}" for option, rules in report.winners.items()]
    won += [f"nobody by {', '.join(report.undecided)}"] if report.undecided else []
    heads = {(True, False): "The rules agree", (True, True): "One winner, though not by every rule"}
    return f"{heads.get((report.agree, bool(report.undecided)), 'The rules disagree')}: {'; '.join(won)}"
