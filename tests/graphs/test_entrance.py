"""The way into a graph: what cannot be used is told in one line, before a call is made or a checkpoint written."""

import asyncio
import re
from collections.abc import Callable
from typing import Any

import pytest
from chats.scripted import Echoing
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.types import Command, Overwrite, Send, StateUpdate
from moot.graphs import consensus, debate, discussion, justice, panel
from moot.state.debate import DebateSettings
from moot.state.discussion import DiscussionSettings
from moot.state.errors import InputError
from typing_extensions import TypedDict

FREE = {"model": "rehearsal", "seed": 7, "max_turns": 4}
TOPIC = {"topic": "Tea or coffee?"}
ASKED: list[Callable[..., Any]] = [
    lambda graph, *given, **more: graph.invoke(*given, **more),
    lambda graph, *given, **more: asyncio.run(graph.ainvoke(*given, **more)),
]

UNUSABLE: list[tuple[Any, dict[str, Any], Any, str]] = [
    (debate, {}, FREE, "topic = None: must be given"),
    (debate, {"topic": 5}, FREE, "topic = 5: must be a text"),
    (debate, {**TOPIC, "tpoic": 1}, FREE, "tpoic = 1: unknown key; did you mean topic?"),
    (debate, {**TOPIC, "participants": "ab"}, FREE, "participants = 'ab': must be a list"),
    (debate, {**TOPIC, "participants": [{"nme": "a"}, "b"]}, FREE, "participants.0.nme = 'a': unknown key; did you"),
    (debate, {**TOPIC, "participants": ["a\nCON", "b"]}, FREE, "participants.0.name = 'a\\nCON': a name must not"),
    (debate, {**TOPIC, "personas": {"pro": 3}}, FREE, "personas.pro = 3: must be a text"),
    (debate, {**TOPIC, "max_turns": 4}, FREE, "max_turns = 4: this is a setting, not an input; give it in the context"),
    (justice, {"participants": ["a", "b"]}, {}, "participants = ['a', 'b']: this is a setting, not an input"),
    (debate, TOPIC, {"max_turn": 3}, "max_turn = 3: unknown key; did you mean max_turns?"),
    (debate, TOPIC, {"max_turns": 1}, "max_turns = 1: must be at least 2"),
    (debate, TOPIC, {"retry_delays": 5}, "retry_delays = 5: must be a list; write retry_delays=[1.0,1.5]"),
    (debate, TOPIC, {"budget": {"cals": 3}}, "budget.cals = 3: unknown key; did you mean calls?"),
    (debate, TOPIC, {"budget": 3}, "budget = 3: must be a mapping; its keys are calls, tokens, cost"),
    (consensus, TOPIC, {"view": 3}, "view = 3: must be a mapping; its keys are policy, recent_n"),
    (debate, TOPIC, {"language": "plain English"}, "language = 'plain English': must be a language tag such as en"),
    (
        debate,
        {**TOPIC, "participants": ["a", {"name": "b", "language": "¿?"}]},
        FREE,
        "participants.1.language = '¿?': must be a language tag",
    ),
    (debate, {**TOPIC, "participants": [{"name": "a", "model": Echoing()}, "b"]}, FREE, "participants.0.model = Echo"),
    (debate, TOPIC, {"model": 42}, "model = 42: a model is a spec such as"),
    (debate, TOPIC, "max_turns=3", "context = 'max_turns=3': give a mapping of settings"),
    (debate, TOPIC, {"judge_interval": 3}, "judge_interval = 3: it has no effect here; set stop_rule to judge"),
    (
        debate,
        TOPIC,
        {"models": {"judge": "rehearsal"}},
        "models.judge = 'rehearsal': it has no effect here; set stop_rule",
    ),
    (debate, TOPIC, {"stable_rounds": 3}, "stable_rounds = 3: it has no effect here; set stop_rule to declared"),
    (consensus, TOPIC, {"confirm": False, "confirmations": 3}, "confirmations = 3: it has no effect here; set confirm"),
    (consensus, TOPIC, {"embeddings": "openai:x"}, "embeddings = 'openai:x': it has no effect here; set convergence"),
    (
        consensus,
        TOPIC,
        {"vote": "borda", "count": {"status_quo": "A"}},
        "count.status_quo = 'A': it has no effect here; set tie_break to status_quo",
    ),
    (consensus, TOPIC, {"turn_order": "zigzag"}, "turn_order = 'zigzag': choose one of round_robin, least_spoken"),
    (consensus, TOPIC, {"vote": "zigzag"}, "vote = 'zigzag': choose one of off, unanimity"),
    (discussion, TOPIC, {"ordering": "zigzag"}, "ordering = 'zigzag': must be"),
    (debate, "Tea or coffee?", FREE, "input = 'Tea or coffee?': give a mapping of inputs, such as {'topic': …}"),
    (debate, ["Tea or coffee?"], FREE, "input = ['Tea or coffee?']: give a mapping of inputs"),
    (debate, None, FREE, "input = None: this thread has no saved state; give an input"),
    (
        discussion,
        TOPIC,
        {"stop_rule": "judge"},
        "stop_rule = 'judge': must be 'never', 'declared'",
    ),
    (discussion, TOPIC, {"judge_interval": 4}, "judge_interval = 4: a session has no judge; leave it out"),
    (discussion, TOPIC, {"models": {"judge": "rehearsal"}}, "models.judge = 'rehearsal': a session has no judge"),
    (discussion, TOPIC, {"max_tokens_synthesis": 9}, "max_tokens_synthesis = 9: a session has no synthesis; leave"),
    (discussion, TOPIC, {"profile": "classic"}, "profile = 'classic': a session has no persona profiles; leave it"),
    (
        discussion,
        TOPIC,
        DiscussionSettings(judge_interval=5),
        "judge_interval = 5: a session has no judge; leave",
    ),
    (
        panel,
        {"query": "Trees?"},
        {"stop_rule": "lexical"},
        "stop_rule = 'lexical': must be 'never', 'declared'",
    ),
    (panel, {"query": "Trees?"}, {"models": {"summarizer": "rehearsal"}}, "models.summarizer = 'rehearsal': a panel"),
]


@pytest.mark.parametrize("asked", ASKED, ids=["invoke", "ainvoke"])
@pytest.mark.parametrize(("protocol", "given", "context", "said"), UNUSABLE, ids=[each[3][:24] for each in UNUSABLE])
def test_what_cannot_be_used_is_one_line_with_key_value_and_remedy(
    protocol: Any, given: Any, context: Any, said: str, asked: Callable[..., Any]
) -> None:
    graph, thread = protocol.build().compile(checkpointer=InMemorySaver()), {"configurable": {"thread_id": "t"}}
    with pytest.raises(InputError) as error:
        asked(graph, given, thread, context=context)
    assert str(error.value).startswith(said)
    assert "\n" not in str(error.value)
    assert not list(graph.get_state_history(thread))


@pytest.mark.parametrize("asked", ASKED, ids=["invoke", "ainvoke"])
@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (
            "I would call her Minerva.",
            "input = 'I would call her Minerva.': must be a mapping; its keys are speaker",
        ),
        ({"speaker": "Zoe", "txt": "Minerva."}, "txt = 'Minerva.': unknown key; did you mean text?"),
        ({"speaker": "Zoe", "text": 5}, "text = 5: must be a text"),
    ],
)
def test_an_answer_a_session_cannot_read_is_one_line_and_it_waits_on(
    answer: Any, said: str, asked: Callable[..., Any]
) -> None:
    graph, thread = discussion.build().compile(checkpointer=InMemorySaver()), {"configurable": {"thread_id": "t"}}
    context = {"model": "rehearsal", "seed": 7, "max_turns": 1}
    asked(graph, {"topic": "Cats", "participants": [{"name": "Zoe", "kind": "person"}, "Ada"]}, thread, context=context)
    with pytest.raises(InputError) as error:
        asked(graph, Command(resume=answer), thread, context=context)
    assert str(error.value).startswith(said)
    assert "\n" not in str(error.value)
    ended = asked(graph, Command(resume={"speaker": "Zoe", "text": "Minerva, I should say."}), thread, context=context)
    assert [statement.content for statement in ended["history"]] == ["Minerva, I should say."]


SAID = {"turn": 1, "round": 1, "speaker": "PRO", "content": "Words from outside."}
CHANGES: list[tuple[dict[str, Any], str]] = [
    ({"topik": "Water?"}, "topik = 'Water?': unknown key; did you mean topic?"),
    ({"settings": {"protocol": "debate", "max_turns": 1}}, "max_turns = 1: must be at least 2"),
    (
        {"settings": {"max_turns": 4}},
        "settings = {'max_turns': 4}: give all settings, as in the state, also `protocol`",
    ),
    ({"history": [{"turn": 9}]}, "history.0.round = None: must be given"),
    ({"history": "Me!"}, "history = 'Me!': must be a list"),
    ({"participants": [5]}, "participants.0 = 5: must be a mapping; its keys are name, "),
    ({"memory": {"PRO": 5}}, "memory.PRO.list[str] = 5: "),
    ({"turn": -1}, "turn = -1: must be at least 0"),
    ({"outcome": "over"}, "outcome = 'over': must be a mapping; its keys are reason, "),
    (
        {"settings": {"protocol": "debate", "max_turns": 4}},
        "settings = {'protocol': 'debate', 'max_turns': 4}: give all settings",
    ),
    (
        {"settings": {"protocol": "debait"}},
        "settings = {'protocol': 'debait'}: give all settings, as in the state",
    ),
    (
        {"settings": {"protocol": "panel"}},
        "settings = {'protocol': 'panel'}: give all settings, as in the state, also `pr",
    ),
    (
        {"settings": Overwrite({"protocol": "debate"})},
        "settings = {'protocol': 'debate'}: give all settings, as",
    ),
    ({"settings": DebateSettings()}, "settings = {'tools': [], 'mcp_servers': {}, "),
    ({"history": [SAID]}, "history = 1: this turn already has a statement; continue from the checkpoint before it"),
    ({"history": [{**SAID, "turn": 2}] * 2}, "history = 2: this turn already has a statement"),
    ({"history": Overwrite([SAID, SAID])}, "history = 1: this turn already has a statement"),
    ({"settings": 5}, "settings = 5: give all settings, as in the state, also `protocol`"),
]


@pytest.mark.parametrize(("change", "said"), CHANGES, ids=[CHANGE[1][:24] for CHANGE in CHANGES])
def test_a_change_of_a_thread_that_cannot_be_is_one_line_and_changes_nothing(change: dict[str, Any], said: str) -> None:
    graph, thread = debate.build().compile(checkpointer=InMemorySaver()), {"configurable": {"thread_id": "t"}}
    graph.invoke(TOPIC, thread, context=FREE, interrupt_after=["speak"])
    before = graph.get_state(thread)
    for changed in (
        lambda: graph.update_state(thread, change),
        lambda: asyncio.run(graph.aupdate_state(thread, change)),
    ):
        with pytest.raises(InputError) as error:
            changed()
        assert str(error.value).startswith(said)
        assert "\n" not in str(error.value)
    assert graph.get_state(thread) == before


@pytest.mark.parametrize(("protocol", "cast"), [(discussion, {}), (justice, {"participants": ["Ada", "Ben", "Cleo"]})])
def test_a_road_that_meets_a_floor_of_nobody_s_says_so_and_changes_nothing(protocol: Any, cast: dict[str, Any]) -> None:
    graph, thread = protocol.build().compile(checkpointer=InMemorySaver()), {"configurable": {"thread_id": "t"}}
    given = TOPIC | {"participants": ["Ada", "Ben", "Cleo"]} if protocol is discussion else {}
    settings = {"model": "rehearsal", "seed": 1} | (cast or {"max_turns": 3})
    graph.invoke(given, thread, context=settings, interrupt_after=["take_turn", "speak"])
    before = graph.get_state(thread)
    with pytest.raises(InputError, match=r"floor = \['Eve'\]: no participant has this name; give floor too"):
        graph.update_state(thread, {"floor": ["Eve"]})
    assert graph.get_state(thread) == before


@pytest.mark.parametrize("asked", ASKED, ids=["invoke", "ainvoke"])
def test_an_answer_where_nothing_waits_is_refused_and_not_passed_over(asked: Callable[..., Any]) -> None:
    graph, thread = discussion.build().compile(checkpointer=InMemorySaver()), {"configurable": {"thread_id": "t"}}
    given = TOPIC | {"participants": [{"name": "Zoe", "kind": "person"}, "Ada", "Ben"]}
    answer = Command(resume={"speaker": "Zoe", "text": "One more word."})
    for begun in (False, True):
        if begun:
            asked(graph, given, thread, context={"model": "rehearsal", "max_turns": 3})
            assert len(asked(graph, answer, thread)["history"]) == 3
        before = graph.get_state(thread)
        with pytest.raises(InputError, match=r"^resume = .*no question waits here"):
            asked(graph, answer, thread)
        assert graph.get_state(thread) == before


COMMANDS: list[tuple[Command[Any], str]] = [
    (Command(goto="speak"), "no deliberation here; start one with an input"),
    (Command(update={"topic": "Water?"}), "no deliberation here; start one with an input"),
    (Command(update={"topic": 5}, goto="synthesize"), "topic = 5: must be a text"),
    (Command(update={"topik": "Water?"}), "did you mean topic?"),
]


@pytest.mark.parametrize(("command", "said"), COMMANDS)
def test_a_command_to_a_thread_that_holds_nothing_is_refused_in_one_line(command: Command[Any], said: str) -> None:
    graph, thread = debate.build().compile(checkpointer=InMemorySaver()), {"configurable": {"thread_id": "t"}}
    for asked in ASKED:
        with pytest.raises(InputError, match=re.escape(said)):
            asked(graph, command, thread, context=FREE)
    assert not graph.get_state(thread).values.get("history")


@pytest.mark.parametrize("goto", [["speak"] * 40, ["decide", "speak"], "retire", "speak", "order", "synthesize"])
def test_a_jump_to_another_step_than_the_next_is_refused_and_the_run_goes_on(goto: Any) -> None:
    graph, thread = debate.build().compile(checkpointer=InMemorySaver()), {"configurable": {"thread_id": "t"}}
    graph.invoke(TOPIC, thread, context=FREE, interrupt_after=["convene"])
    before = graph.get_state(thread)
    for asked in ASKED:
        with pytest.raises(
            InputError, match=r"^goto = .*: decide is the next step, and both would run; name it instead"
        ):
            asked(graph, Command(goto=goto), thread)
    assert graph.get_state(thread) == before
    assert graph.invoke(Command(goto="decide"), thread)["outcome"].status == "completed"


def test_a_jump_away_from_a_person_who_is_asked_is_refused() -> None:
    graph, thread = debate.build().compile(checkpointer=InMemorySaver()), {"configurable": {"thread_id": "t"}}
    people = TOPIC | {"participants": [{"name": "Zoe", "kind": "person"}, "Ben"]}
    graph.invoke(people, thread, context=FREE)
    for asked in ASKED:
        with pytest.raises(InputError, match=r"^goto = \['synthesize'\]: speak is the next step"):
            asked(graph, Command(goto="synthesize"), thread)
    assert graph.get_state(thread).interrupts


HIDDEN: list[tuple[Command[Any], str]] = [
    (Command(update=[("calls", {"__overwrite__": []})], goto="decide"), "update = [('calls', "),
    (Command(update=[["calls", []]]), "update = [['calls', []]]: give a mapping of channels to their values"),
    (Command(goto=[Send("speak", {"calls": []})]), "goto = ['speak']: give only the name of the step"),
    (Command(goto=Send("speak", {"calls": []})), "goto = ['speak']: give only the name of the step"),
    (Command(update={"settings": {"max_turns": 4}}), "settings = {'max_turns': 4}: give all settings"),
    (Command(update={"calls": {"__overwrite__": []}}), "calls = {'__overwrite__': []}: must be a list"),
]


@pytest.mark.parametrize(("command", "said"), HIDDEN)
def test_a_command_is_checked_in_every_form_and_entrance_and_changes_nothing(command: Any, said: str) -> None:
    graph, thread = debate.build().compile(checkpointer=InMemorySaver()), {"configurable": {"thread_id": "t"}}
    graph.invoke(TOPIC, thread, context=FREE, interrupt_after=["speak"])
    before = graph.get_state(thread)
    for asked in (
        lambda: graph.invoke(command, thread),
        lambda: asyncio.run(graph.ainvoke(command, thread)),
        lambda: graph.bulk_update_state(thread, [[StateUpdate(command, "speak")]]),
        lambda: asyncio.run(graph.abulk_update_state(thread, [[StateUpdate(command, "speak")]])),
    ):
        with pytest.raises(InputError, match=re.escape(said)):
            asked()
    assert graph.get_state(thread) == before


@pytest.mark.parametrize("change", [{"participants": ["Zed"]}, {"topic": "Water?"}, {"material": "A study."}])
def test_what_an_experiment_takes_from_its_rules_is_not_written_beside_them(change: dict[str, Any]) -> None:
    graph, thread = justice.build().compile(checkpointer=InMemorySaver()), {"configurable": {"thread_id": "t"}}
    settings = {"model": "rehearsal", "seed": 1, "participants": ["Ada", "Ben", "Cleo"]}
    values = graph.invoke({}, thread, context=settings, interrupt_after=["meet"])
    with pytest.raises(InputError, match="Moot derives it from the settings; write all settings instead"):
        graph.update_state(thread, change)
    people = [{"name": "Ada", "personality": "A changed mind."}, "Ben", "Cleo"]
    graph.update_state(thread, {"settings": values["settings"].with_choices(participants=people)})
    assert graph.get_state(thread).values["settings"].participants[0].personality == "A changed mind."
    for others in (["Zed", "Ben", "Cleo"], ["Ada", "Ben"], ["Ben", "Ada", "Cleo"]):
        rules = values["settings"].with_choices(participants=others)
        for change in ({"settings": rules}, {"settings": rules.model_dump()}):
            with pytest.raises(InputError, match="give the same names and ids, in this order: Ada, Ben, Cleo"):
                graph.update_state(thread, change)
            with pytest.raises(InputError, match="give the same names and ids, in this order: Ada, Ben, Cleo"):
                asyncio.run(graph.aupdate_state(thread, change))
            with pytest.raises(InputError, match="give the same names and ids, in this order: Ada, Ben, Cleo"):
                graph.invoke(Command(update=change, goto="decide"), thread)


def test_an_experiment_gives_back_what_each_remembers() -> None:
    settings = {"model": "rehearsal", "seed": 1, "max_rounds": 1, "participants": ["Ada", "Ben"]}
    memory = justice.build().compile().invoke({}, context=settings)["memory"]
    assert list(memory) == ["Ada", "Ben"]
    assert all(memory.values())


def test_a_memory_may_be_written_to_or_replaced_from_outside() -> None:
    graph, thread = debate.build().compile(checkpointer=InMemorySaver()), {"configurable": {"thread_id": "t"}}
    graph.invoke(TOPIC, thread, context=FREE, interrupt_after=["speak"])
    graph.update_state(thread, {"memory": {"PRO": ["One."]}})
    graph.update_state(thread, {"memory": {"PRO": ["Two."], "CON": {"replace": ["Three."]}}})
    assert graph.get_state(thread).values["memory"] == {"PRO": ["One.", "Two."], "CON": ["Three."]}


def test_a_floor_left_with_nobody_s_name_is_told_and_can_be_put_right() -> None:
    graph, thread = debate.build().compile(checkpointer=InMemorySaver()), {"configurable": {"thread_id": "t"}}
    graph.invoke(TOPIC, thread, context=FREE, interrupt_after=["speak"])
    graph.update_state(thread, {"participants": ["Ada", "Ben"]})
    with pytest.raises(InputError, match=r"floor = \['CON'\]: no participant has this name; give floor too"):
        graph.invoke(None, thread)
    graph.update_state(thread, {"floor": ["Ben"]})
    assert [statement.speaker for statement in graph.invoke(None, thread)["history"]] == ["PRO", "Ben", "Ada", "Ben"]


@pytest.mark.parametrize("protocol", [debate, consensus])
@pytest.mark.parametrize("kind", ["person", "program"])
def test_nobody_is_spoken_for_by_a_model_unknowingly(protocol: Any, kind: str) -> None:
    cast = [{"name": "Zoe", "kind": kind}, "Ada", "Ben"][: 2 if protocol is debate else 3]
    with pytest.raises(
        InputError, match="checkpointer = None: the run must be saved while it waits for people or programs"
    ):
        protocol.graph.invoke({**TOPIC, "participants": cast}, context=FREE)


def test_a_server_passes_knobs_that_do_nothing_on_and_its_forms_send_none_by_themselves() -> None:
    for protocol in (discussion, panel):
        knob = protocol.graph.get_context_jsonschema()["properties"]["judge_interval"]
        assert knob["description"].startswith(
            ("Does nothing: a session has no judge", "Does nothing: a panel has no judge")
        )
        assert "default" not in knob


@pytest.mark.parametrize("asked", ASKED, ids=["invoke", "ainvoke"])
@pytest.mark.parametrize("stop", [["convene"], ["speak"], []])
def test_a_second_input_is_refused_and_the_thread_goes_on_as_if_it_had_not_come(
    stop: list[str], asked: Callable[..., Any]
) -> None:
    graph, thread = debate.build().compile(checkpointer=InMemorySaver()), {"configurable": {"thread_id": "t"}}
    alone = debate.graph.invoke(TOPIC, context=FREE)
    asked(graph, TOPIC, thread, context=FREE, interrupt_after=stop)
    before = graph.get_state(thread)
    with pytest.raises(InputError, match="this thread already holds a deliberation; use a new thread"):
        asked(graph, {"topic": "Cats or dogs?"}, thread, context=FREE)
    assert graph.get_state(thread) == before
    ended = asked(graph, None, thread)
    assert [statement.content for statement in ended["history"]] == [
        statement.content for statement in alone["history"]
    ]
    assert graph.get_state(thread).values["topic"] == TOPIC["topic"]


def test_a_thread_named_beforehand_is_guarded_too() -> None:
    graph = debate.build().compile(checkpointer=InMemorySaver()).with_config(configurable={"thread_id": "t"})
    assert graph.invoke(TOPIC, context=FREE)["outcome"]
    with pytest.raises(InputError, match="this thread already holds a deliberation"):
        graph.invoke(TOPIC, context=FREE)


@pytest.mark.parametrize("asked", ASKED, ids=["invoke", "ainvoke"])
@pytest.mark.parametrize("given", [TOPIC, None])
def test_a_graph_that_saves_asks_for_the_name_of_a_thread(given: Any, asked: Callable[..., Any]) -> None:
    graph = debate.build().compile(checkpointer=InMemorySaver())
    with pytest.raises(InputError, match="thread_id = None: the checkpointer needs a thread; name one: config="):
        asked(graph, given, context=FREE)


def test_a_thread_whose_first_input_was_refused_takes_a_better_one() -> None:
    graph, thread = debate.build().compile(checkpointer=InMemorySaver()), {"configurable": {"thread_id": "t"}}
    with pytest.raises(InputError, match="must be two names: the first argues for"):
        graph.invoke({**TOPIC, "participants": ["Ada"]}, thread, context=FREE)
    assert graph.invoke({**TOPIC, "participants": ["Ada", "Ben"]}, thread, context=FREE)["outcome"]


AFTERWARDS: list[Callable[[Any, Any], object]] = [
    lambda graph, thread: graph.invoke(Command(goto="speak"), thread),
    lambda graph, thread: graph.invoke(Command(update={"turn": 1}, goto="speak"), thread),
    lambda graph, thread: asyncio.run(graph.ainvoke(Command(update={"turn": 1}), thread)),
    lambda graph, thread: graph.update_state(thread, {"turn": 1, "floor": ["PRO"]}, as_node="order"),
    lambda graph, thread: graph.update_state(thread, {"history": [{**SAID, "turn": 9}]}),
    lambda graph, thread: asyncio.run(graph.aupdate_state(thread, {"floor": ["PRO"]}, as_node="speak")),
]


@pytest.mark.parametrize("step", AFTERWARDS)
def test_nothing_follows_the_end_and_the_thread_stays_as_it_was(step: Callable[[Any, Any], object]) -> None:
    graph, thread = debate.build().compile(checkpointer=InMemorySaver()), {"configurable": {"thread_id": "t"}}
    graph.invoke(TOPIC, thread, context=FREE)
    before = graph.get_state(thread)
    with pytest.raises(InputError, match="the deliberation is over; continue from an earlier checkpoint"):
        step(graph, thread)
    assert graph.get_state(thread) == before


class Around(TypedDict):
    """The state of a graph that has a debate as one of its steps."""

    topic: str
    notes: str
    synthesis: str


@pytest.mark.parametrize("asked", ASKED, ids=["invoke", "ainvoke"])
def test_a_protocol_is_a_step_of_another_graph_whose_state_holds_more(asked: Callable[..., Any]) -> None:
    around = StateGraph(Around, context_schema=debate.graph.context_schema)
    around.add_node("debate", debate.graph)
    around.add_edge(START, "debate")
    graph, thread = around.compile(checkpointer=InMemorySaver()), {"configurable": {"thread_id": "t"}}
    for topic in ("Tea?", "Coffee?"):
        ended = asked(graph, {"topic": topic, "notes": "Ours."}, thread, context=FREE)
        assert topic in ended["synthesis"]
    with pytest.raises(InputError, match="topic = 5"):
        asked(graph, {"topic": 5}, thread, context=FREE)
