"""Head to head: Condorcet winner and cycle, Copeland, Schulze.

Unranked options are tied last: below every ranked one, level with each other. Strength is the margin, votes for less
votes against; on complete rankings winning votes would give the same.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from ..refused import Refused
from .box import Box, Counted, Matrix
from .tally import Condorcet, CountSettings


def _reachable(start: str, follows: dict[str, list[str]]) -> dict[str, str]:
    """Every option that can be reached from `start`, with the one before it on a shortest way."""
    before, queue = {start: start}, deque([start])
    while queue:
        here = queue.popleft()
        for there in follows[here]:
            if there not in before:
                before[there] = here
                queue.append(there)
    return before


def top_set(margins: Matrix) -> list[str]:
    """The smallest set whose members each beat every option outside it.

    Source: Smith, Aggregation of preferences with variable electorate, Econometrica 41 (1973).
    """
    unbeaten = {a: [b for b, margin in row.items() if margin >= 0] for a, row in margins.items()}
    return [a for a in margins if len(_reachable(a, unbeaten)) == len(margins)]


def _shortest_cycle(margins: Matrix, among: list[str]) -> list[str]:
    beats = {a: [b for b in among if b != a and margins[a][b] > 0] for a in among}
    cycles = []
    for start in among:
        before = _reachable(start, beats)
        for last in (option for option in before if start in beats[option]):
            way = [last]
            while way[-1] != start:
                way.append(before[way[-1]])
            cycles.append(way[::-1])
    return min(cycles, key=len, default=[])


def condorcet_in(box: Box) -> Condorcet:
    """The option that beats every other one head to head or, without one, a cycle among the top options.

    A cycle starts with the option that was named first. Without winner and cycle the top options are level. Source:
    Condorcet, Essai sur l'application de l'analyse (1785).
    """
    if not box.votes or any(vote.kind not in ("ranking", "scores") for vote in box.votes):
        return Condorcet()
    top = top_set(box.margins)
    if len(top) == 1:
        return Condorcet(winner=top[0], top=top)
    return Condorcet(cycle=_shortest_cycle(box.margins, top), top=top)


def head_to_head(box: Box) -> dict[str, Fraction]:
    """Per option, the others it beats plus half of those it is level with."""
    return {
        a: Fraction(sum(2 * (margin > 0) + (margin == 0) for margin in row.values()), 2)
        for a, row in box.margins.items()
    }


def copeland(box: Box, settings: CountSettings) -> Counted:
    """The most head-to-head wins, a draw counting half, win.

    Shape: wins; margins: lead over the best other. Ties: all with the most. Source: Copeland, A reasonable social
    welfare function, University of Michigan seminar (1951).
    """
    return Counted.most(head_to_head(box))


def strongest_paths(margins: Matrix) -> Matrix:
    """Per pair, the strength of the strongest path of wins from row to column; a path is as strong as its weakest
    win, 0 where there is none. Floyd and Warshall's recurrence."""
    paths = {a: {b: max(margin, 0) for b, margin in row.items()} for a, row in margins.items()}
    for via in paths:
        for a in paths:
            for b in paths:
                if len({a, b, via}) == 3:
                    paths[a][b] = max(paths[a][b], min(paths[a][via], paths[via][b]))
    return paths


def schulze(box: Box, settings: CountSettings) -> Counted:
    """The options no other has a stronger path of head-to-head wins to win (beat path).

    Shape: options beaten by stronger paths; margins: the narrowest difference of path strengths, in ballots. Ties: all
    unbeaten. Source: Schulze, A new monotonic, clone-independent, reversal symmetric, and Condorcet-consistent
    single-winner election method, Social Choice and Welfare 36 (2011).
    """
    paths = strongest_paths(box.margins)
    edge = {a: [paths[a][b] - paths[b][a] for b in row] for a, row in paths.items()}
    totals = {a: Fraction(sum(gap > 0 for gap in gaps)) for a, gaps in edge.items()}
    margins = {a: Fraction(min(gaps, default=len(box.votes))) for a, gaps in edge.items()}
    return Counted(totals, [a for a, gaps in edge.items() if all(gap >= 0 for gap in gaps)], margins)


BOUND = 5_000_000
"""Links of chains examined before the count is refused; no profile of up to eight options can need as many."""


@dataclass
class _Search:
    margins: Matrix
    options: list[str]
    examined: int = 0

    def tops_a_stack(self, option: str) -> bool:
        """Whether some stack begins with the option."""
        return self._completes([option], {})

    def _completes(self, order: list[str], chains: Matrix) -> bool:
        """Whether a stack begins with `order`; `chains` holds the strongest way down between its members."""
        if len(order) == len(self.options):
            return True
        return any(self._completes([*order, y], chains | {y: down}) for y, down in self._next(order, chains))

    def _spend(self, links: int) -> None:
        self.examined += links
        if self.examined > BOUND:
            raise Refused("rule", "ranked_pairs", "too many ties among too many options; count by schulze instead")

    def _next(self, order: list[str], chains: Matrix) -> Iterator[tuple[str, dict[str, int]]]:
        """The options that may stand below `order`, each with the strongest chains of wins leading down to it."""
        for y in self.options:
            if y in order:
                continue
            self._spend(len(order) * (len(order) + 1) // 2)
            down: dict[str, int] = {}
            for place, x in reversed(list(enumerate(order))):
                via = (min(chains[z][x], down[z]) for z in order[place + 1 :])
                down[x] = max(self.margins[x][y], *via, 0)
            if all(down[x] >= self.margins[y][x] for x in order):
                yield y, down


def _unharmed(margins: Matrix, options: list[str]) -> list[str]:
    """The options that answer every defeat with a path of wins at least as strong: every ranked-pairs winner does.

    Source: Holliday and Pacuit, Split Cycle, Public Choice 197 (2023).
    """
    paths = strongest_paths({a: {b: margins[a][b] for b in options if b != a} for a in options})
    return [a for a in options if all(paths[a][b] >= margins[b][a] for b in options if b != a)]


def ranked_pairs(box: Box, settings: CountSettings) -> Counted:
    """Wins are locked in from the widest margin down, unless they close a circle; whoever nobody is locked above wins.

    Shape: head-to-head wins, a draw counting half; margins: the narrowest head-to-head margin, below 0 where a defeat
    was not locked. Ties: the winners of all parallel universes. Raises `Refused` where ties among nine or more options
    make too many. Source: Tideman, Independence of clones as a criterion for voting rules, Social Choice and Welfare 4
    (1987); Zavist and Tideman, Complete independence of clones in the ranked pairs rule, ibid. 6 (1989); parallel
    universes: Brill and Fischer, The price of neutrality for the ranked pairs method, AAAI (2012).
    """
    top = top_set(box.margins)
    search = _Search(box.margins, top)
    winners = [option for option in _unharmed(box.margins, top) if search.tops_a_stack(option)]
    margins = {a: Fraction(min(row.values(), default=len(box.votes))) for a, row in box.margins.items()}
    return Counted(head_to_head(box), winners, margins)
