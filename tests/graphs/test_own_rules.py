"""Own rules without a fork: an ending, an order and words of one's own are given to a protocol's builder."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from chats.scripted import ScriptedReply, SentPrompt
from deliberations.justice import Cast
from moot.graphs import consensus, debate, discussion, justice, panel
from moot.nodes.fill_floor import TurnOrderState
from moot.prompts import TemplateError
from moot.state.consensus.channels import GroupState
from moot.state.deliberation import ProgressState
from moot.state.ending import Ending, Evidence
from moot.state.errors import InputError
from moot.state.justice.channels import JusticeRoundState
from moot.state.statement import list_names
from moot.state.stopping.rules import stop_on_first
from places import ROOT

MODULES = [debate, consensus, discussion, panel, justice]
NAMES = [MODULE.TEMPLATES.protocol for MODULE in MODULES]
REHEARSED = {"model": "rehearsal", "seed": 1, "language": "en"}


def three_said(state: ProgressState) -> Ending | None:
    """Three statements stand."""
    statement_count = len(state["history"])
    return (
        Ending(reason="three_said", strategy="mine", evidence=Evidence(figure=statement_count))
        if statement_count >= 3
        else None
    )


def backwards(state: TurnOrderState) -> list[str]:
    """The last seat speaks first."""
    return list_names(state["participants"])[::-1]


def backwards_undrawn(state: JusticeRoundState) -> tuple[list[str], list[Any]]:
    """The same for an experiment, where nothing was drawn."""
    return list_names(state["participants"])[::-1], []


TALKS = {"blind_first_round": False, "max_turns": 9, "convergence": "lexical", "max_attempts": 1}
OPENED: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "debate": ({"topic": "Tea?"}, {"max_turns": 8}),
    "consensus": ({"topic": "Tea?", "participants": ["Ann", "Ben", "Cleo"]}, TALKS),
    "discussion": ({"topic": "Tea?", "participants": ["Ann", "Ben"]}, {"max_turns": 8}),
    "justice": ({}, {"max_rounds": 1}),
    "panel": ({"query": "Does it rain?", "papers": [{"title": "Rain", "text": "It rains."}]}, {"max_rounds": 4}),
}


@pytest.mark.parametrize("module", MODULES[:4], ids=NAMES[:4])
def test_an_ending_of_one_s_own_ends_a_run_under_its_own_name(module: Any) -> None:
    given, settings = OPENED[module.TEMPLATES.protocol]
    graph = module.build(stopping_rule=stop_on_first(three_said, module.STOPPING_RULE)).compile()
    state = graph.invoke(given, context={**REHEARSED, **settings})
    assert (state["outcome"].reason, state["outcome"].strategy, len(state["history"])) == ("three_said", "mine", 3)
    assert "three said" in state["outcome"].headline


@pytest.mark.parametrize("module", [debate, consensus, panel], ids=["debate", "consensus", "panel"])
def test_an_order_of_one_s_own_says_who_speaks_when(module: Any) -> None:
    given, settings = OPENED[module.TEMPLATES.protocol]
    graph = module.build(turn_order=backwards, stopping_rule=stop_on_first(three_said, module.STOPPING_RULE)).compile()
    state = graph.invoke(given, context={**REHEARSED, **settings})
    seated = list_names(state["participants"])
    assert [statement.speaker for statement in state["history"]][: len(seated)] == seated[::-1][:3]


def test_an_order_of_one_s_own_says_who_speaks_when_in_an_experiment() -> None:
    state = justice.build(turn_order=backwards_undrawn).compile().invoke({}, context={"model": "rehearsal"})
    seated = list_names(state["participants"])
    speakers = [
        statement.speaker for statement in state["history"] if statement.round == 1 and statement.speaker in seated
    ]
    assert speakers == seated[::-1]


NOBODY: dict[str, Callable[[TurnOrderState], list[str]]] = {
    "names a stranger": lambda state: ["Zoe"],
    "names one twice": lambda state: ["PRO", "PRO"],
    "names nobody": lambda state: [],
}


@pytest.mark.parametrize("fault", NOBODY)
def test_an_order_that_cannot_be_kept_is_refused_with_who_there_is(fault: str) -> None:
    def faulty(state: TurnOrderState) -> list[str]:
        return NOBODY[fault](state)

    with pytest.raises(InputError, match="the participants are PRO, CON"):
        debate.build(turn_order=faulty).compile().invoke({"topic": "Tea?"}, context=REHEARSED)


class Listener(Cast):
    """A cast that says something else in every turn."""

    def answer(self, prompt: SentPrompt) -> ScriptedReply:
        text = f"In turn {len(self.prompts)} this is what {prompt.who or 'the clerk'} has to say."
        return text if prompt.purpose in ("statement", "synthesis") else super().answer(prompt)


@pytest.mark.parametrize("module", MODULES, ids=NAMES)
def test_words_of_one_s_own_are_what_participants_are_told(module: Any, tmp_path: Path) -> None:
    """Only in English: one language is enough, and a template that lacks in it is refused when they are named."""
    name = module.TEMPLATES.protocol
    mine = tmp_path / "en" / name
    shutil.copytree(ROOT / "prompts" / "en" / name, mine)
    head = mine / "system.md"
    head.write_text(f"In my own words: {head.read_text('utf-8')}", "utf-8")
    model = Listener()
    given, settings = OPENED[name]
    context = {"model": model, "language": "en", **settings}
    module.build(templates=module.TEMPLATES.with_root(tmp_path)).compile().invoke(given, context=context)
    assert model.prompts
    assert [prompt.purpose for prompt in model.prompts if not prompt.text.startswith("In my own words")] == []
    head.unlink()
    with pytest.raises(TemplateError, match="is missing"):
        module.TEMPLATES.with_root(tmp_path)


def moved(state: GroupState) -> Ending | None:
    """Reads where everyone stands."""
    return Ending(reason="moved", strategy="mine") if state["positions"] else None


def unsaid(state):  # type: ignore[no-untyped-def]
    """Does not say what it reads."""


def test_what_reads_more_than_a_protocol_carries_is_refused_when_the_graph_is_built() -> None:
    with pytest.raises(
        InputError, match=r"must have the channel agreements, which .* reads; derive it from ConvergenceState too"
    ):
        debate.build(stopping_rule=stop_on_first(moved, debate.STOPPING_RULE))
    with pytest.raises(InputError, match="annotate this parameter"):
        debate.build(stopping_rule=stop_on_first(unsaid, debate.STOPPING_RULE))


def over(state: ProgressState) -> Any:
    """Says that it is over, by a word."""
    return "over"


def flagged(state: ProgressState) -> Any:
    """Says whether it is over."""
    return True


@pytest.mark.parametrize("rule", [over, flagged])
def test_a_rule_that_gives_no_ending_is_refused_with_its_name_and_what_to_give(rule: Any) -> None:
    graph = debate.build(stopping_rule=stop_on_first(rule, debate.STOPPING_RULE)).compile()
    with pytest.raises(InputError, match=rf"{rule.__name__}: give an Ending with its reason, strategy and evidence"):
        graph.invoke({"topic": "Tea?"}, context=REHEARSED)


def test_what_reads_more_than_the_step_it_is_given_to_is_given_it() -> None:
    consensu, settings = OPENED["consensus"]
    graph = consensus.build(stopping_rule=stop_on_first(moved, consensus.STOPPING_RULE)).compile()
    assert (
        graph.invoke(consensu, context=REHEARSED | settings | {"convergence": "declared"})["outcome"].reason == "moved"
    )
