"""A protocol from elsewhere: its own rules, channels, words and builder, made of the groups and steps there are."""

from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import Any, Literal

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START
from models.scripted import Said, ScriptedChat, Told
from moot.graphs.debate import WORDS as DEBATE
from moot.graphs.voting import add_vote
from moot.graphs.wiring import Drawing, place
from moot.nodes import statement as speech
from moot.nodes import synthesize as closing
from moot.nodes.consensus.roads import to_speakers
from moot.nodes.convene import convene
from moot.nodes.order import by_turn_order, order
from moot.nodes.remember import remember
from moot.nodes.roads import after_turn, onward
from moot.nodes.seats import check_names, two_sides
from moot.nodes.session.hear import hear
from moot.nodes.speak import speak
from moot.nodes.synthesize import synthesize
from moot.nodes.voting import vote as voting
from moot.nodes.voting.vote import cast
from moot.prompts import Catalogue, TemplateFault, catalogue
from moot.state.consensus.ends import agreed
from moot.state.debate import DebateRules
from moot.state.deliberation import Deliberation, Given, Judging
from moot.state.ends import all_absent, budget_spent, first_of, out_of_turns, rounds_capped, turns_capped
from moot.state.refused import Refused
from moot.state.rules import Rules, TurnOrderRules
from moot.state.session.channels import Sitting
from moot.state.statement import Participant
from moot.state.voting import VotingRules
from moot.state.voting.channels import Voting
from moot.state.voting.ends import by_vote
from moot.state.writes import Input, Result
from pydantic import Field

JUDGES = ["Ada", "Ben", "Cleo"]
WRITTEN = {
    "system": "A bench hears the case: {topic}\n{participants}\nAnswer only in {language}.",
    "open": "{name}, what do you make of it?",
    "speak": "{name}, answer {others}. It is turn {turn}.",
    "consent": "{name}, shall the bench vote on {options} now?",
    "ballot": "{name}, vote on {options}. {how}",
    "synthesize": "It ended so: {ending}. Write the verdict from the turns {turns}.",
}


class BenchRules(VotingRules, TurnOrderRules):
    """The knobs of a bench."""

    protocol: Literal["bench"] = Field(default="bench", description="Always `bench`.")
    charge: str = Field(default="theft", description="What the accused is charged with.")
    max_rounds: int = Field(default=2, ge=1, le=10, description="Rounds before the bench has to vote.")


class Bench(Deliberation, Judging, Voting):
    """What a bench's state holds."""


def judges(given: Sequence[Participant], personas: dict[str, str], rules: BenchRules) -> tuple[list[Participant], Any]:
    """The seats of a bench."""
    check_names(given)
    return [one.model_copy(update={"role": f"judges a {rules.charge}"}) for one in given], []


def verdicts(state: Given) -> dict[str, str]:
    """What a bench can vote for."""
    return {"A": "guilty", "B": "not guilty"}


def words(root: Path, *languages: str) -> Catalogue:
    """A bench's templates, written in these languages."""
    for tag in languages:
        for name, text in WRITTEN.items():
            (root / tag / "bench").mkdir(parents=True, exist_ok=True)
            (root / tag / "bench" / f"{name}.md").write_text(text, "utf-8")
    return catalogue(
        "bench",
        root,
        system="topic participants language",
        open=speech.FIELDS,
        speak=speech.FIELDS,
        consent=voting.CONSENT_FIELDS,
        ballot=voting.BALLOT_FIELDS,
        synthesize=closing.FIELDS,
    )


MID_ROUND = first_of(all_absent, out_of_turns, budget_spent)
CAPPED = first_of(rounds_capped, turns_capped)
UNHELD = first_of(all_absent, budget_spent)
ENDING = first_of(by_vote, UNHELD, CAPPED)


def build(said: Catalogue) -> Drawing:
    """A bench's drawing."""
    graph = Drawing(Bench, BenchRules, input_schema=Input, output_schema=Result)
    place(graph, "convene", convene(BenchRules, judges, said))
    place(graph, "order", order(by_turn_order))
    place(graph, "speak", speak(said))
    place(graph, "remember", remember())
    add_vote(graph, said, verdicts, CAPPED, UNHELD)
    place(graph, "synthesize", synthesize(said, ENDING))

    over: dict[Hashable, str] = {"vote": "initiate", "over": "synthesize"}
    graph.add_edge(START, "convene")
    graph.add_edge("convene", "order")
    graph.add_edge("order", "speak")
    graph.add_conditional_edges(
        "speak", after_turn(MID_ROUND), {"next speaker": "speak", "round done": "remember", **over}
    )
    graph.add_conditional_edges("remember", onward(ENDING), {"next round": "order", **over})
    graph.add_edge("synthesize", END)
    return graph


class Judges(ScriptedChat):
    """Judges who talk at length, all consent, and find the accused guilty, Cleo apart."""

    script: Any = Field(default_factory=list)

    def answer(self, told: Told) -> Said:
        if told.purpose == "consent":
            return {"agrees": True}
        if told.purpose == "ballot":
            return {"choice": "B" if told.who == "Cleo" else "A", "abstain": False, "reason": "The window was open."}
        return f"In turn {len(self.told)} {told.who or 'the clerk'} says that the window was open [1]."


def test_a_bench_deliberates_to_a_verdict_with_the_steps_there_are(tmp_path: Path) -> None:
    model = Judges()
    graph = build(words(tmp_path, "en")).compile(name="bench", checkpointer=InMemorySaver())
    thread: Any = {"configurable": {"thread_id": "t"}}
    given = {"topic": "The missing bicycle", "participants": JUDGES}
    state = graph.invoke(given, thread, context={"model": model, "vote": "majority", "turn_order": "least_spoken"})
    assert [one.speaker for one in state["history"]] == JUDGES * 2
    assert state["outcome"].reason == "vote_decided"
    assert state["outcome"].evidence.quote == "guilty"
    assert state["participants"][0].role == "judges a theft"
    closing_text = model.told[-1]
    assert (closing_text.purpose, "Vote 1 was counted; chosen was: guilty" in closing_text.text) == ("synthesis", True)
    kept = graph.get_state(thread).values
    assert isinstance(kept["rules"], BenchRules)
    assert [one.event for one in kept["polls"]] == ["initiated", "completed"]


def test_a_bench_s_rehearsal_reaches_an_end_without_a_model(tmp_path: Path) -> None:
    graph = build(words(tmp_path, "en")).compile(name="bench")
    given = {"topic": "The missing bicycle", "participants": JUDGES}
    state = graph.invoke(given, context={"model": "rehearsal", "seed": 7, "vote": "plurality"})
    assert state["outcome"].reason in ("vote_decided", "vote_undecided")
    assert state["synthesis"]


def test_the_words_of_a_protocol_in_one_language_serve_every_run(tmp_path: Path) -> None:
    said = words(tmp_path, "zh")
    values = {"name": "Ada"}
    assert said.fill("es", "open", values) == said.fill("zh", "open", values) == "Ada, what do you make of it?"


def test_a_language_that_is_begun_has_to_be_complete(tmp_path: Path) -> None:
    words(tmp_path / "whole", "en")
    (tmp_path / "begun" / "es" / "bench").mkdir(parents=True)
    (tmp_path / "begun" / "es" / "bench" / "open.md").write_text("{name}", "utf-8")
    with pytest.raises(TemplateFault, match=r"es/bench/system\.md is missing"):
        words(tmp_path / "begun", "en")
    with pytest.raises(TemplateFault, match=r"en/bench/system\.md is missing"):
        words(tmp_path / "empty")


# What is read and not carried.


class Mute(Deliberation, Judging):
    """A state without a vote."""


class Unjudged(Deliberation):
    """A state without a judge."""


class Sat(Deliberation, Judging, Sitting):
    """A state with the channels of a session."""


Add = Callable[[Drawing], object]
LACKING: dict[str, tuple[type, type[Rules], Add, list[str]]] = {
    "a step's channels": (
        Mute,
        BenchRules,
        lambda graph: place(graph, "cast", cast(DEBATE)),
        ["state = 'Mute'", "moot.nodes.voting.vote.cast reads the channel polls", "add the group Voting"],
    ),
    "a step's rules": (
        Bench,
        DebateRules,
        lambda graph: place(graph, "cast", cast(DEBATE)),
        ["context = 'DebateRules'", "moot.nodes.voting.vote.cast reads rules of the group VotingRules"],
    ),
    "a phase's": (
        Mute,
        BenchRules,
        lambda graph: add_vote(graph, DEBATE, verdicts, CAPPED, UNHELD),
        ["moot.nodes.voting.vote.initiate reads the channel polls", "Voting"],
    ),
    "the channels of an ending given to a step": (
        Bench,
        BenchRules,
        lambda graph: place(graph, "synthesize", synthesize(DEBATE, first_of(by_vote, first_of(agreed)))),
        ["moot.state.consensus.ends.agreed reads the channel positions", "add the group Positions"],
    ),
    "the rules of an order given to a step": (
        Bench,
        DebateRules,
        lambda graph: place(graph, "order", order(by_turn_order)),
        ["moot.nodes.order.by_turn_order reads rules of the group TurnOrderRules"],
    ),
    "the rules of the seats given to a step": (
        Bench,
        BenchRules,
        lambda graph: place(graph, "convene", convene(BenchRules, two_sides, DEBATE)),
        ["moot.nodes.seats.two_sides reads rules of the group ProfileRules"],
    ),
    "a road's rules": (
        Bench,
        BenchRules,
        lambda graph: graph.add_conditional_edges("order", to_speakers("speak", "speak_unheard")),
        ["moot.nodes.consensus.roads.to_speakers reads rules of the group BlindRules"],
    ),
    "the rules that come with a channel": (
        Sat,
        BenchRules,
        lambda graph: place(graph, "hear", hear),
        ["moot.nodes.session.hear.hear reads rules of the group DiscussionRules"],
    ),
    "the channels of an ending given to a road": (
        Unjudged,
        BenchRules,
        lambda graph: graph.add_conditional_edges("speak", after_turn(MID_ROUND)),
        ["moot.nodes.roads.after_turn reads the channel verdict", "add the group Judging"],
    ),
}


@pytest.mark.parametrize("what", LACKING)
def test_a_builder_that_lacks_what_is_read_is_refused_with_what_is_missing_and_who_reads_it(what: str) -> None:
    state, rules, add, said = LACKING[what]
    with pytest.raises(Refused) as refused:
        add(Drawing(state, rules))
    assert [part for part in said if part not in str(refused.value)] == []
