"""The kind of an ending, which is the node that records it."""

import pytest
from moot.nodes.decide import decide
from moot.state.ending import CAPS, CONCESSIONS, STALEMATES, Ending, choose_ending_kind
from moot.state.errors import InputError
from moot.state.stopping.rules import stop_at_round_cap

KINDS = {"concession": CONCESSIONS, "stalemate": STALEMATES, "cap": CAPS, "halt": ()}


@pytest.mark.parametrize(
    ("reason", "strategy", "kind"),
    [
        ("concession_detected", "asked", "concession"),
        ("stalemate_repetition", "judge", "stalemate"),
        ("positions_stable", "declared", "stalemate"),
        ("budget_spent", "budget", "cap"),
        ("participants_unavailable", "availability", "halt"),
        ("three_said", "three_said", "halt"),
        ("too_late_at_night", "cap", "cap"),
    ],
)
def test_an_ending_belongs_to_the_kind_of_its_reason_else_to_cap_or_halt(reason: str, strategy: str, kind: str) -> None:
    assert choose_ending_kind(Ending(reason=reason, strategy=strategy), KINDS) == kind


def test_without_a_cap_of_its_own_a_protocol_halts_at_one() -> None:
    assert choose_ending_kind(Ending(reason="budget_spent", strategy="budget"), {"verdict": (), "halt": ()}) == "halt"


def test_kinds_without_halt_are_refused_when_the_graph_is_built() -> None:
    with pytest.raises(InputError, match=r'kinds = .cap.: add "halt"'):
        decide(stop_at_round_cap, {"cap": CAPS})
