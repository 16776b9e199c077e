"""Where participants have models and no other is named, no rehearsal speaks for anybody."""

import pytest
from command import document, moot
from fakeserver import FakeServer
from moot.graphs import consensus


def test_who_has_no_model_of_its_own_is_answered_for_by_a_participants_and_never_by_a_rehearsal() -> None:
    with FakeServer() as server:
        seats = {name: f"openai:{name.lower()}@{server.url}" for name in ("Ada", "Ben")}
        words = [word for name, spec in seats.items() for word in ("--participant", f"{name}={spec}")]
        short = ["--max-rounds", "1", "--set", "dynamic_termination=false"]
        report = document("consensus", "Tea?", *words, "--participant", "Cleo", *short)
        assert (report["model"], report["rehearsal"]) == (seats["Ada"], False)
        assert {call["who"]: call["model"] for call in report["calls"]} == {
            **seats,
            "Cleo": seats["Ada"],
            "synthesizer": seats["Ada"],
        }
        named = moot("consensus", "Tea?", *words, "--participant", "Cleo", *short, "--model", "rehearsal", "--json")
        assert '"model": "rehearsal"' in named.stdout, "unless it was asked for"
        people = [{"name": name, "model": spec} for name, spec in seats.items()]
        state = consensus.graph.invoke(
            {"topic": "Tea?", "participants": [*people, {"name": "Cleo"}]},
            context={"max_rounds": 1, "dynamic_termination": False},
        )
    assert {call.model for call in state["calls"]} == set(seats.values()), "from Python as well"


@pytest.mark.parametrize(
    ("chosen", "advises"),
    [
        ([], True),
        (["--model", "rehearsal"], False),
        (["--participant", "Ada=rehearsal", "--participant", "B=rehearsal"], False),
    ],
)
def test_a_rehearsal_says_how_to_use_a_model_unless_it_was_chosen(chosen: list[str], advises: bool) -> None:
    output = moot("debate", "Tea?", "--max-turns", "2", "--quiet", *chosen)
    assert (output.exit_code, "No model was used." in output.stdout) == (0, True)
    assert ("To use a model, set OPENAI_API_KEY" in output.stdout) == advises
