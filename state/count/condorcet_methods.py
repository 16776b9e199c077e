"""Pairwise voting rules: Condorcet winner and cycle, Copeland, Schulze, ranked pairs.

Unranked options are tied last: below every ranked option, and equal among themselves. The strength of a win is its
margin: votes for minus votes against. On complete rankings, the number of votes for the winner as strength gives the
same result.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from ..errors import InputError
from .count_result import CondorcetResult, CountSettings
from .sorted_ballots import PairMatrix, RuleResult, SortedBallots


def _map_predecessors(start: str, successors: dict[str, list[str]]) -> dict[str, str]:
    predecessors, queue = {start: start}, deque([start])
    while queue:
        option = queue.popleft()
        for successor in successors[option]:
            if successor not in predecessors:
                predecessors[successor] = option
                queue.append(successor)
    return predecessors


def compute_top_set(margins: PairMatrix) -> list[str]:
    """Return the smallest set of options in which each beats every option outside the set (the Smith set).

    Source: Smith, Aggregation of preferences with variable electorate, Econometrica 41 (1973).
    """
    unbeaten_options = {a: [b for b, margin in row.items() if margin >= 0] for a, row in margins.items()}
    return [a for a in margins if len(_map_predecessors(a, unbeaten_options)) == len(margins)]


def _get_shortest_cycle(margins: PairMatrix, options: list[str]) -> list[str]:
    defeats = {a: [b for b in options if b != a and margins[a][b] > 0] for a in options}
    cycles = []
    for start in options:
        predecessors = _map_predecessors(start, defeats)
        for last_option in (option for option in predecessors if start in defeats[option]):
            cycle = [last_option]
            while cycle[-1] != start:
                cycle.append(predecessors[cycle[-1]])
            cycles.append(cycle[::-1])
    return min(cycles, key=len, default=[])


def find_condorcet(ballots: SortedBallots) -> CondorcetResult:
    """Find the option that beats every other one head to head, or a cycle among the top options.

    A cycle starts with the option that was named first. If there is neither a winner nor a cycle, the top options are
    level. Ballots without rankings or scores have no Condorcet winner. Source: Condorcet, Essai sur l'application de
    l'analyse (1785).
    """
    if not ballots.votes or any(vote.kind not in ("ranking", "scores") for vote in ballots.votes):
        return CondorcetResult()
    top_options = compute_top_set(ballots.margins)
    if len(top_options) == 1:
        return CondorcetResult(winner=top_options[0], top=top_options)
    return CondorcetResult(cycle=_get_shortest_cycle(ballots.margins, top_options), top=top_options)


def count_pair_wins(ballots: SortedBallots) -> dict[str, Fraction]:
    """Count the head-to-head wins of each option. A draw counts half."""
    return {
        a: Fraction(sum(2 * (margin > 0) + (margin == 0) for margin in row.values()), 2)
        for a, row in ballots.margins.items()
    }


def copeland(ballots: SortedBallots, settings: CountSettings) -> RuleResult:
    """Elect the option with the most head-to-head wins. A draw counts half.

    Totals: wins. Margins: lead over the best other option. Ties: all options with the most wins. Source: Copeland, A
    reasonable social welfare function, University of Michigan seminar (1951).
    """
    return RuleResult.pick_highest(count_pair_wins(ballots))


def compute_strongest_paths(margins: PairMatrix) -> PairMatrix:
    """Compute for each pair the strength of the strongest chain of wins from the row to the column.

    A chain is as strong as its weakest win; 0 without a chain. The algorithm is that of Floyd and Warshall.
    """
    paths = {a: {b: max(margin, 0) for b, margin in row.items()} for a, row in margins.items()}
    for middle in paths:
        for a in paths:
            for b in paths:
                if len({a, b, middle}) == 3:
                    paths[a][b] = max(paths[a][b], min(paths[a][middle], paths[middle][b]))
    return paths


def schulze(ballots: SortedBallots, settings: CountSettings) -> RuleResult:
    """Elect the options to which no other has a stronger path of head-to-head wins (beat path).

    Totals: options beaten by stronger paths. Margins: the narrowest difference of path strengths, in ballots. Ties: all
    unbeaten. Source: Schulze, A new monotonic, clone-independent, reversal symmetric, and Condorcet-consistent
    single-winner election method, Social Choice and Welfare 36 (2011).
    """
    paths = compute_strongest_paths(ballots.margins)
    differences = {a: [paths[a][b] - paths[b][a] for b in row] for a, row in paths.items()}
    totals = {a: Fraction(sum(lead > 0 for lead in leads)) for a, leads in differences.items()}
    margins = {a: Fraction(min(leads, default=len(ballots.votes))) for a, leads in differences.items()}
    return RuleResult(
        totals,
        [a for a, leads in differences.items() if all(lead >= 0 for lead in leads)],
        margins,
    )


MAX_CHAIN_LINKS = 5_000_000
"""Maximum number of chain links to examine before an error.

With up to eight options, no set of ballots needs as many.
"""


@dataclass
class _StackSearch:
    """Search for stacks: orders in which each option has a chain of wins to every later one.

    Each chain must be at least as strong as the direct win in the opposite direction.
    """

    margins: PairMatrix
    options: list[str]
    examined_links: int = 0

    def can_complete(self, order: list[str], chains: PairMatrix) -> bool:
        """Return whether some stack begins with `order`.

        `chains`: strength of the strongest chain between each pair of options.
        """
        if len(order) == len(self.options):
            return True
        return any(
            self.can_complete([*order, y], chains | {y: strengths})
            for y, strengths in self._list_successors(order, chains)
        )

    def _list_successors(self, order: list[str], chains: PairMatrix) -> Iterator[tuple[str, dict[str, int]]]:
        """Yield the options that may follow `order`, each with the strengths of the chains that lead to it."""
        for y in self.options:
            if y in order:
                continue
            self.examined_links += len(order) * (len(order) + 1) // 2
            if self.examined_links > MAX_CHAIN_LINKS:
                raise InputError("rule", "ranked_pairs", "too many options are tied for this rule; use schulze instead")
            strengths: dict[str, int] = {}
            for index, x in reversed(list(enumerate(order))):
                link_strengths = (min(chains[z][x], strengths[z]) for z in order[index + 1 :])
                strengths[x] = max(self.margins[x][y], *link_strengths, 0)
            if all(strengths[x] >= self.margins[y][x] for x in order):
                yield y, strengths


def ranked_pairs(ballots: SortedBallots, settings: CountSettings) -> RuleResult:
    """Lock in wins from the widest margin down, unless they close a cycle.

    The options without a locked win above them are elected. Totals: head-to-head wins, where a draw counts half.
    Margins: the narrowest head-to-head margin, below 0 for a defeat that was not locked. Ties: the winners under all
    ways to break ties between wins (parallel universes). Raises `InputError` if ties among nine or more options make
    the search too long. Source: Tideman, Independence of clones as a criterion for voting rules, Social Choice and
    Welfare 4 (1987); Zavist and Tideman, Complete independence of clones in the ranked pairs rule, ibid. 6 (1989);
    parallel universes: Brill and Fischer, The price of neutrality for the ranked pairs method, AAAI (2012).
    """
    top_options = compute_top_set(ballots.margins)
    search = _StackSearch(ballots.margins, top_options)
    # every winner is among the options that answer each defeat with a path of wins at least as strong
    # (Holliday and Pacuit, Split Cycle, Public Choice 197, 2023)
    rows = {a: {b: ballots.margins[a][b] for b in top_options if b != a} for a in top_options}
    paths = compute_strongest_paths(rows)
    defended_options = [a for a, row in rows.items() if all(paths[a][b] >= rows[b][a] for b in row)]
    winners = [option for option in defended_options if search.can_complete([option], {})]
    margins = {a: Fraction(min(row.values(), default=len(ballots.votes))) for a, row in ballots.margins.items()}
    return RuleResult(count_pair_wins(ballots), winners, margins)
