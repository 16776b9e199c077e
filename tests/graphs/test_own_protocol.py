"""A protocol from elsewhere: its own rules, channels, words and builder, made of the groups and steps there are."""

from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import Any, Literal

import pytest
from chats.scripted import ScriptedChat, ScriptedReply, SentPrompt
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START
from moot.graphs.debate import TEMPLATES as DEBATE
from moot.graphs.protocol_graph import ProtocolGraph, add_endings, add_node
from moot.graphs.voting import add_vote
from moot.nodes import statement as speech, synthesize as closing
from moot.nodes.consensus.routes import route_to_speakers
from moot.nodes.convene import convene
from moot.nodes.debate.seats import seat_two_sides
from moot.nodes.decide import decide, route_by_decision
from moot.nodes.fill_floor import fill_floor, order_by_setting
from moot.nodes.remember import remember
from moot.nodes.routes import route_after_turn
from moot.nodes.seats import check_names
from moot.nodes.session.receive_message import receive_message
from moot.nodes.speak import speak
from moot.nodes.synthesize import synthesize
from moot.nodes.voting import vote as voting
from moot.nodes.voting.routes import needs_closing_vote
from moot.nodes.voting.vote import cast_ballot
from moot.prompts import TemplateError, Templates, load_templates
from moot.state.availability import stop_if_all_absent
from moot.state.consensus.stopping_rules import stop_on_agreement
from moot.state.debate import DebateSettings
from moot.state.deliberation import DeliberationState, JudgeState, TaskState
from moot.state.ending import CAPS
from moot.state.errors import InputError
from moot.state.schemas import DeliberationInput, DeliberationResult
from moot.state.session.channels import SessionLogState
from moot.state.settings import Settings, TurnOrderSettings
from moot.state.statement import Participant
from moot.state.stopping.rules import stop_at_budget, stop_at_round_cap, stop_at_turn_cap, stop_mid_round, stop_on_first
from moot.state.voting import VotingSettings
from moot.state.voting.channels import VotingState
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


class BenchRules(VotingSettings, TurnOrderSettings):
    """The knobs of a bench."""

    protocol: Literal["bench"] = Field(default="bench", description="Always `bench`.")
    charge: str = Field(default="theft", description="What the accused is charged with.")
    max_rounds: int = Field(default=2, ge=1, le=10, description="Rounds before the bench has to vote.")


class Bench(DeliberationState, JudgeState, VotingState):
    """What a bench's state holds."""


def judges(given: Sequence[Participant], personas: dict[str, str], rules: BenchRules) -> tuple[list[Participant], Any]:
    """The seats of a bench."""
    check_names(given)
    return [one.model_copy(update={"role": f"judges a {rules.charge}"}) for one in given], []


def verdicts(state: TaskState) -> dict[str, str]:
    """What a bench can vote for."""
    return {"A": "guilty", "B": "not guilty"}


def words(root: Path, *languages: str) -> Templates:
    """A bench's templates, written in these languages."""
    for tag in languages:
        for name, text in WRITTEN.items():
            (root / tag / "bench").mkdir(parents=True, exist_ok=True)
            (root / tag / "bench" / f"{name}.md").write_text(text, "utf-8")
    return load_templates(
        "bench",
        root,
        system="topic participants language",
        open=speech.STATEMENT_FIELDS,
        speak=speech.STATEMENT_FIELDS,
        consent=voting.CONSENT_FIELDS,
        ballot=voting.BALLOT_FIELDS,
        synthesize=closing.SYNTHESIS_FIELDS,
    )


MID_ROUND = stop_on_first(stop_if_all_absent, stop_mid_round, stop_at_budget)
CAPPED = stop_on_first(stop_at_round_cap, stop_at_turn_cap)
UNHELD = stop_on_first(stop_if_all_absent, stop_at_budget)
ENDING = stop_on_first(UNHELD, CAPPED)
ENDINGS = {"cap": CAPS, "halt": ()}


def build(said: Templates) -> ProtocolGraph:
    """A bench's drawing."""
    graph = ProtocolGraph(Bench, BenchRules, input_schema=DeliberationInput, output_schema=DeliberationResult)
    add_node(graph, "convene", convene(BenchRules, judges, said))
    add_node(graph, "order", fill_floor(order_by_setting))
    add_node(graph, "speak", speak(said))
    add_node(graph, "remember", remember())
    add_vote(graph, said, verdicts, CAPPED, UNHELD)
    add_node(graph, "decide", decide(ENDING, ENDINGS, needs_vote=needs_closing_vote))
    add_node(graph, "synthesize", synthesize(said))

    turns: dict[Hashable, str] = {"next speaker": "speak", "round done": "remember", "stopped": "decide"}
    endings = add_endings(graph, ENDINGS, "synthesize")
    graph.add_edge(START, "convene")
    graph.add_edge("convene", "order")
    graph.add_edge("order", "speak")
    graph.add_conditional_edges("speak", route_after_turn(MID_ROUND), turns)
    graph.add_edge("remember", "decide")
    graph.add_conditional_edges("decide", route_by_decision, {"next round": "order", "vote": "initiate", **endings})
    graph.add_edge("synthesize", END)
    return graph


class Judges(ScriptedChat):
    """Judges who talk at length, all consent, and find the accused guilty, Cleo apart."""

    script: Any = Field(default_factory=list)

    def answer(self, prompt: SentPrompt) -> ScriptedReply:
        if prompt.purpose == "consent":
            return {"agrees": True}
        if prompt.purpose == "ballot":
            return {"choice": "B" if prompt.who == "Cleo" else "A", "abstain": False, "reason": "The window was open."}
        return f"In turn {len(self.prompts)} {prompt.who or 'the clerk'} says that the window was open [1]."


def test_a_bench_deliberates_to_a_verdict_with_the_steps_there_are(tmp_path: Path) -> None:
    model = Judges()
    graph = build(words(tmp_path, "en")).compile(name="bench", checkpointer=InMemorySaver())
    thread: Any = {"configurable": {"thread_id": "t"}}
    given = {"topic": "The missing bicycle", "participants": JUDGES}
    state = graph.invoke(given, thread, context={"model": model, "vote": "majority", "turn_order": "least_spoken"})
    assert [statement.speaker for statement in state["history"]] == JUDGES * 2
    assert state["outcome"].reason == "vote_decided"
    assert state["outcome"].evidence.quote == "guilty"
    assert state["participants"][0].role == "judges a theft"
    closing_text = model.prompts[-1]
    assert (closing_text.purpose, "Vote 1 was counted. Chosen: guilty" in closing_text.text) == ("synthesis", True)
    kept = graph.get_state(thread).values
    assert isinstance(kept["settings"], BenchRules)
    assert [poll.event for poll in kept["polls"]] == ["initiated", "completed"]


def test_a_bench_s_rehearsal_reaches_an_end_without_a_model(tmp_path: Path) -> None:
    graph = build(words(tmp_path, "en")).compile(name="bench")
    given = {"topic": "The missing bicycle", "participants": JUDGES}
    state = graph.invoke(given, context={"model": "rehearsal", "seed": 7, "vote": "plurality"})
    assert state["outcome"].reason in ("vote_decided", "vote_undecided")
    assert state["synthesis"]
    assert "“The missing bicycle”" in state["history"][0].content, "it is about the topic, whatever the prompt says"


def test_the_words_of_a_protocol_in_one_language_serve_every_run(tmp_path: Path) -> None:
    said = words(tmp_path, "zh")
    values = {"name": "Ada"}
    assert (
        said.fill_template("es", "open", values)
        == said.fill_template("zh", "open", values)
        == "Ada, what do you make of it?"
    )


def test_a_language_that_is_begun_has_to_be_complete(tmp_path: Path) -> None:
    words(tmp_path / "whole", "en")
    (tmp_path / "begun" / "es" / "bench").mkdir(parents=True)
    (tmp_path / "begun" / "es" / "bench" / "open.md").write_text("{name}", "utf-8")
    with pytest.raises(TemplateError, match=r"es/bench/system\.md is missing"):
        words(tmp_path / "begun", "en")
    with pytest.raises(TemplateError, match=r"en/bench/system\.md is missing in /"):
        words(tmp_path / "empty")


# What is read and not carried.


class Mute(DeliberationState, JudgeState):
    """A state without a vote."""


class Unjudged(DeliberationState):
    """A state without a judge."""


class Sat(DeliberationState, JudgeState, SessionLogState):
    """A state with the channels of a session."""


Add = Callable[[ProtocolGraph], object]
LACKING: dict[str, tuple[type, type[Settings], Add, list[str]]] = {
    "a step's channels": (
        Mute,
        BenchRules,
        lambda graph: add_node(graph, "cast", cast_ballot(DEBATE)),
        [
            "state = 'Mute'",
            "must have the channel polls, which moot.nodes.voting.vote.cast_ballot reads",
            "derive it from VotingState too",
        ],
    ),
    "a step's rules": (
        Bench,
        DebateSettings,
        lambda graph: add_node(graph, "cast", cast_ballot(DEBATE)),
        ["context = 'DebateSettings'", "moot.nodes.voting.vote.cast_ballot reads settings of VotingSettings"],
    ),
    "a phase's": (
        Mute,
        BenchRules,
        lambda graph: add_vote(graph, DEBATE, verdicts, CAPPED, UNHELD),
        ["must have the channel polls, which moot.nodes.voting.vote.initiate reads", "Voting"],
    ),
    "the channels of an ending given to a step": (
        Bench,
        BenchRules,
        lambda graph: add_node(
            graph, "decide", decide(stop_on_first(stop_at_budget, stop_on_first(stop_on_agreement)), ENDINGS)
        ),
        [
            "must have the channel positions, which moot.state.consensus.stopping_rules.stop_on_agreement reads",
            "derive it from PositionRecordState too",
        ],
    ),
    "the rules of an order given to a step": (
        Bench,
        DebateSettings,
        lambda graph: add_node(graph, "order", fill_floor(order_by_setting)),
        ["moot.nodes.fill_floor.order_by_setting reads settings of TurnOrderSettings"],
    ),
    "the rules of the seats given to a step": (
        Bench,
        BenchRules,
        lambda graph: add_node(graph, "convene", convene(BenchRules, seat_two_sides, DEBATE)),
        ["moot.nodes.debate.seats.seat_two_sides reads settings of ProfileSettings"],
    ),
    "a road's rules": (
        Bench,
        BenchRules,
        lambda graph: graph.add_conditional_edges("order", route_to_speakers),
        ["moot.nodes.consensus.routes.route_to_speakers reads settings of BlindRoundSettings"],
    ),
    "the rules that come with a channel": (
        Sat,
        BenchRules,
        lambda graph: add_node(graph, "receive_message", receive_message),
        ["moot.nodes.session.receive_message.receive_message reads settings of DiscussionSettings"],
    ),
    "the channels of an ending given to a road": (
        Unjudged,
        BenchRules,
        lambda graph: graph.add_conditional_edges("speak", route_after_turn(MID_ROUND)),
        [
            "must have the channel verdict, which moot.state.availability.stop_if_all_absent reads",
            "derive it from JudgeState too",
        ],
    ),
}


@pytest.mark.parametrize("what", LACKING)
def test_a_builder_that_lacks_what_is_read_is_refused_with_what_is_missing_and_who_reads_it(what: str) -> None:
    state, rules, add, said = LACKING[what]
    with pytest.raises(InputError) as error:
        add(ProtocolGraph(state, rules))
    assert [part for part in said if part not in str(error.value)] == []
