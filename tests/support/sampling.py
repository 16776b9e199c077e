"""The part of a test matrix that runs outside a proof."""

from collections.abc import Sequence
from random import Random
from typing import Any

from places import is_proof


def sample_cases(
    cases: Sequence[Any], seed: int = 1, kinds: int = 1, most: int | None = None, share: int = 10
) -> list[Any]:
    """Return all cases in a proof. Otherwise return a seeded sample of one in `share`, at least one of each kind.

    The cases keep their order, and `most` bounds their number. The first `kinds` values of a case are its kinds, such
    as its protocol and its fault; 0: one case is enough. Where only some cases are marked `long`, the others are always
    kept, since a user's `make test` runs them.
    """
    if is_proof():
        return list(cases)
    places = list(range(len(cases)))
    quick = [place for place in places if not is_long(cases[place])]
    kept = quick if len(quick) < len(cases) else []
    missing = [{repr(get_values(case)[axis]) for case in cases} for axis in range(kinds)]
    for place in kept:
        drop_kinds(missing, cases[place])
    # The same seed in each process: pytest-xdist wants every worker to collect the same cases.
    shuffled = Random(seed).sample(places, len(places))
    # Cases that stand for the most kinds at once come first, so that few are enough.
    while any(missing):
        best = max(shuffled, key=lambda place: count_kinds(missing, cases[place]))
        drop_kinds(missing, cases[best])
        kept.append(best)
    rest = [place for place in shuffled if place not in kept]
    size = min(max(1, len(cases) // share), most or len(cases))
    kept += rest[: max(0, size - len(kept))]
    return [cases[place] for place in sorted(kept)]


def get_values(case: Any) -> tuple[Any, ...]:
    """Return the values of a case, whether it is a parameter of pytest, a tuple or a single value."""
    values = getattr(case, "values", case)
    return values if isinstance(values, tuple) else (values,)


def is_long(case: Any) -> bool:
    """Return whether a case is marked as one of the long matrix."""
    return any(mark.name == "long" for mark in getattr(case, "marks", ()))


def count_kinds(missing: list[set[str]], case: Any) -> int:
    """Count the missing kinds that a case stands for."""
    return sum(repr(value) in kinds for value, kinds in zip(get_values(case), missing, strict=False))


def drop_kinds(missing: list[set[str]], case: Any) -> None:
    """Take the kinds that a case stands for from those that are missing."""
    for value, kinds in zip(get_values(case), missing, strict=False):
        kinds.discard(repr(value))
