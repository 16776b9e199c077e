"""Ranked pairs in parallel universes: whoever tops the final ranking under some order of the equally strong pairs.

Locking pairs in every such order would take factorially many universes. A ranking comes out of one of them exactly if
it is a stack: whenever it puts x above y although y beats x, a chain of wins leads down the ranking from x to y, each
at least as strong (Zavist and Tideman 1989). So rankings are built from the top and dropped where that fails.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from ..refusal import Refused
from .box import Box, Counted, Matrix
from .pairwise import head_to_head, strongest_paths, top_set
from .tally import CountSettings

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
