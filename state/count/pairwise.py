"""Head to head: Condorcet winner and cycle, Copeland, Schulze.

Unranked options are tied last: below every ranked one, level with each other. Strength is the margin, votes for less
votes against; on complete rankings winning votes would give the same.
"""

from collections import deque
from fractions import Fraction

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
