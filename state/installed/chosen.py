"""What a run chooses by name and a package brings: loaded when it is first needed, refused before any call if unfit."""

from functools import cache
from typing import Any

from ..requirements import Need, Reading, check_needs, needs, reading
from ..rules import Rules, named_knobs, refuse_lacking
from .named import Named


def chosen(rules: Rules, knob: str) -> Reading[Any] | None:
    """The function that a knob of the run names; none where the name is Moot's own, or off."""
    mark, name = named_knobs(type(rules))[knob], getattr(rules, knob)
    return None if name in mark.own else _function(knob, mark, name)


@cache
def _function(knob: str, mark: Named, name: str) -> Reading[Any]:
    found = mark.load(knob, name)
    return found if isinstance(found, Reading) else reading(found)


def chosen_needs(known: list[Need], rules: Rules) -> list[Need]:
    """What is read, beside what is `known`, by what the run's rules name."""
    functions = [chosen(rules, need.knob) for need in known if need.knob]
    return [need for one in functions if one for need in one.needs]


def check_chosen(rules: Rules, state: type, context: type | None) -> None:
    """Refuse what a run names where it is missing, cannot be loaded, or reads what the graph does not carry."""
    refuse_lacking(rules)
    for knob in rules.packages.keys() & named_knobs(type(rules)).keys():
        found = named_knobs(type(rules))[knob].load(knob, getattr(rules, knob))
        if callable(found):
            check_needs(needs(found), state, context)
