"""The discussion graph: invitations, turns, expectations, endings, and what a model is told."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from chats.scripted import Echoing, ScriptedChat, SentPrompt
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from moot.graphs import discussion
from moot.state.errors import InputError
from moot.state.history_view import MAX_SUMMARY_LENGTH
from moot.storage.clock import use_clock
from seats import STRICT

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
CAST: list[Any] = [{"name": "Zoe", "kind": "person"}, "Ada", "Ben"]
PEOPLE: list[Any] = [{"name": "Zoe", "kind": "person"}, {"name": "Yan", "kind": "person"}, "Ada"]


class Table:
    """One session on a thread of its own, with a clock that goes only when it is told to."""

    def __init__(self, participants: list[Any], script: Any = None, **rules: Any) -> None:
        self.saver, self.now = InMemorySaver(), NOON
        self.model = script if isinstance(script, ScriptedChat) else ScriptedChat(script=script or self._speak)
        self.rules = {"model": self.model, "retry_delays": [0], "expectations": STRICT} | rules
        self.heard: list[dict[str, Any]] = []
        self.result = self._run({"topic": "Names for a cat", "participants": participants})

    def _speak(self, messages: Any, kwargs: Any) -> str:
        return f"Statement number {len(self.model.prompts)} of a model."

    def _run(self, given: Any) -> Any:
        graph = discussion.build().compile(checkpointer=self.saver)
        config: Any = {"configurable": {"thread_id": "one"}}
        with use_clock(lambda: self.now):
            for part in graph.stream(given, config, context=self.rules, stream_mode=["custom"], version="v2"):
                self.heard += [part["data"]]
            self.state = graph.get_state(config)
        return self.state

    def tell(self, after: float = 0, **answer: Any) -> "Table":
        """Answer the open question, so many seconds later."""
        self.now += timedelta(seconds=after)
        self._run(Command(resume=answer))
        return self

    @property
    def open(self) -> dict[str, Any]:
        """The question the session waits with."""
        value: dict[str, Any] = self.state.interrupts[0].value
        return value

    @property
    def log(self) -> list[str]:
        """The log, without the opening, as `kind who`."""
        events = [f"{event.kind} {event.who}".strip() for event in self.state.values["events"]]
        start = next((at for at, event in enumerate(events) if event.startswith("session_opened")), -1)
        return events[start + 1 :]

    @property
    def said(self) -> list[tuple[int, str]]:
        return [(statement.turn, statement.speaker) for statement in self.state.values["history"]]


def test_everyone_is_invited_models_acknowledge_by_themselves() -> None:
    table = Table(CAST)
    events = table.state.values["events"]
    assert [(event.seq, event.kind, event.who) for event in events] == [
        (1, "session_invite", "Ada"),
        (2, "session_invite", "Ben"),
        (3, "session_invite_ack", "Ada"),
        (4, "session_invite_ack", "Ben"),
        (5, "session_opened", "Zoe"),
    ]
    assert (table.open["expected"], table.open["turn"]) == ("Zoe", 1)
    assert table.open["deadline"] == "2026-01-01T12:02:00.000Z"
    assert table.model.prompts == []


def test_people_are_asked_and_the_session_opens_when_all_have_acknowledged() -> None:
    table = Table(PEOPLE)
    assert (table.open["kind"], table.open["waiting_for"]) == ("invitation", ["Yan"])
    table.tell(who="Eve", accept=True)
    assert "Eve: no participant has this name; waiting for Yan" in table.open["refused"]
    table.tell(who="Yan", accept=True)
    assert table.open["expected"] == "Zoe"


@pytest.mark.parametrize("word", ["who", "speaker"])
def test_an_invitation_may_be_answered_in_the_words_of_a_turn(word: str) -> None:
    assert Table(PEOPLE).tell(**{word: "Yan"}).open["expected"] == "Zoe"
    called_off = Table(PEOPLE).tell(close=True, by="Zoe", reason="Later.")
    assert called_off.state.values["status"] == "closed"


def test_whoever_does_not_answer_is_warned_about_and_the_session_opens_without_those_it_does_not_need() -> None:
    bot = {"name": "Bot", "kind": "program", "required": False}
    table = Table([*PEOPLE, bot])
    assert (table.open["waiting_for"], table.open["deadline"]) == (["Yan", "Bot"], "2026-01-01T12:02:00.000Z")
    table.tell(120, tick=True)
    assert table.log[-2:] == ["expectation_violated Yan", "expectation_violated Bot"]
    table.tell(480, tick=True)
    assert table.log[-2:] == ["expectation_violated Bot", "participant_hidden Bot"]
    assert (table.open["waiting_for"], table.open["deadline"]) == (["Yan"], None)
    assert table.tell(9000, tick=True).open["waiting_for"] == ["Yan"], "who is needed is waited for"
    table.tell(who="Yan")
    assert (table.open["expected"], table.open["hidden"]) == ("Zoe", ["Bot"])
    assert table.tell(speaker="Bot", back=True).open["hidden"] == []


def test_an_answer_that_comes_late_but_before_the_opening_counts() -> None:
    bot = {"name": "Bot", "kind": "program", "required": False}
    table = Table([*PEOPLE, bot]).tell(700, tick=True).tell(who="Bot").tell(who="Yan")
    assert (table.open["expected"], table.open["hidden"]) == ("Zoe", [])


def test_an_invitation_lives_no_longer_than_the_session_would() -> None:
    table = Table(PEOPLE, ttl=3600).tell(3600, who="Yan")
    assert (table.state.values["status"], table.state.values["outcome"].reason) == ("expired", "expired")
    assert table.state.values["incidents"][0].kind == "session_over"


def test_a_decline_refuses_the_opening() -> None:
    table = Table(PEOPLE).tell(who="Yan", accept=False, reason="No time.")
    assert table.state.values["status"] == "refused"
    outcome = table.state.values["outcome"]
    assert (outcome.reason, outcome.strategy) == ("declined", "invitation")
    assert (outcome.evidence.quote, outcome.evidence.note) == ("Yan", "No time.")
    assert not table.state.next


def test_the_session_goes_on_without_one_who_was_not_required() -> None:
    optional = [PEOPLE[0], PEOPLE[1] | {"required": False}, "Ada"]
    table = Table(optional).tell(who="Yan", accept=False)
    assert [participant.name for participant in table.state.values["participants"]] == ["Zoe", "Ada"]
    assert table.tell(speaker="Zoe", text="Tea?").said == [(1, "Zoe"), (2, "Ada")]


def test_a_decline_that_leaves_models_without_an_end_refuses_the_opening() -> None:
    declining = ["Ada", "Ben", {"name": "Yan", "kind": "program", "required": False}]
    assert Table(declining).tell(who="Yan", accept=False).state.values["status"] == "refused"


def test_before_it_opens_a_session_can_be_called_off() -> None:
    table = Table(PEOPLE).tell(who="Zoe", close=True, reason="Later.")
    assert table.state.values["status"] == "closed"
    assert table.model.prompts == []


def test_turns_go_round_and_no_model_is_asked_out_of_turn() -> None:
    table = Table(CAST)
    for turn in (1, 4, 7):
        assert (table.open["expected"], table.open["turn"]) == ("Zoe", turn)
        table.tell(speaker="Zoe", text=f"Remark {turn}.", turn=turn)
    assert table.said == [(turn, ("Ben", "Zoe", "Ada")[turn % 3]) for turn in range(1, 10)]
    assert [prompt.who for prompt in table.model.prompts] == ["Ada", "Ben"] * 3
    assert [statement.round for statement in table.state.values["history"]] == [1, 1, 1, 2, 2, 2, 3, 3, 3]


def test_each_text_is_delivered_to_every_other_participant() -> None:
    table = Table(CAST).tell(speaker="Zoe", text="Tea?")
    texts = [event for event in table.state.values["events"] if event.kind == "text"]
    assert [(text.who, text.to) for text in texts] == [
        ("Zoe", ["Ada", "Ben"]),
        ("Ada", ["Zoe", "Ben"]),
        ("Ben", ["Zoe", "Ada"]),
    ]


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "out of turn": ({"speaker": "Ada", "text": "Me!"}, "Ada: it is not your turn (expected: Zoe)"),
    "an outsider": (
        {"speaker": "Eve", "text": "Me!"},
        "Eve: no participant has this name; choose one of Zoe, Ada, Ben",
    ),
    "blank": ({"speaker": "Zoe", "text": " \n"}, "Zoe: the text is blank (expected: Zoe)"),
    "stale": (
        {"speaker": "Zoe", "text": "Me!", "turn": 1},
        "Zoe: turn 1 is not open; the open turn is 4 (expected: Zoe)",
    ),
    "twice": ({"speaker": "Zoe", "text": "Tea?", "id": "m1"}, "Zoe: recorded already, as turn 1 (expected: Zoe)"),
    "closed by an outsider": ({"close": True, "by": "Eve"}, "Eve: no participant has this name; choose one of"),
    "an outsider's return": ({"back": True, "speaker": "Eve"}, "Eve: no participant has this name"),
}


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
def test_what_is_not_allowed_changes_nothing(case: tuple[dict[str, Any], str]) -> None:
    answer, why = case
    table = Table(CAST).tell(speaker="Zoe", text="Tea?", id="m1")
    before, prompt_count = table.state.values, len(table.model.prompts)
    table.tell(**answer)
    assert table.open["refused"].startswith(why)
    assert (table.open["expected"], table.open["turn"]) == ("Zoe", 4)
    assert table.state.values == before
    assert len(table.model.prompts) == prompt_count
    assert table.tell(speaker="Zoe", text="Coffee!").said[3] == (4, "Zoe")


def test_after_twenty_refusals_the_step_ends_with_them_on_record() -> None:
    table = Table(CAST)
    for _ in range(19):
        table.tell(speaker="Ada", text="Me!")
    assert table.state.values["incidents"] == []
    table.tell(speaker="Ada", text="Me!")
    assert [incident.kind for incident in table.state.values["incidents"]] == ["out_of_turn"] * 20
    assert (table.open["expected"], table.open["turn"]) == ("Zoe", 1)
    assert "not your turn" in table.open["refused"]
    assert table.tell(speaker="Zoe", text="Tea?").said[0] == (1, "Zoe")


def test_a_text_that_was_refused_stays_refused_however_late_it_becomes() -> None:
    table = Table(PEOPLE).tell(who="Yan", accept=True)
    table.tell(speaker="Yan", text="Too early.")
    table.tell(700, speaker="Yan", text="In time, since Zoe is gone.")
    assert table.state.values["history"][0].content == "In time, since Zoe is gone."
    assert table.log[:4] == ["expectation_violated Zoe"] * 2 + ["participant_hidden Zoe", "text Yan"]


def test_a_late_participant_is_warned_about_once_and_then_hidden() -> None:
    table = Table(PEOPLE).tell(who="Yan", accept=True)
    table.tell(119, tick=True)
    assert table.log == []
    table.tell(31, tick=True).tell(5, tick=True)
    warned = table.state.values["events"][-1]
    assert table.log == ["expectation_violated Zoe"]
    assert (warned.due_at, warned.recorded_at) == ("2026-01-01T12:02:00.000Z", "2026-01-01T12:02:30.000Z")
    assert table.open["deadline"] == "2026-01-01T12:10:00.000Z"
    table.tell(1000, tick=True)
    assert table.log[1:] == ["expectation_violated Zoe", "participant_hidden Zoe"]
    assert (table.open["expected"], table.open["turn"], table.open["hidden"]) == ("Yan", 1, ["Zoe"])
    assert table.open["deadline"] == "2026-01-01T12:21:15.000Z"
    told = [one for one in table.heard if one["event"] == "expectation_violated"]
    assert [(one["turn_within"], one["action"], one["text"]) for one in told] == [(120, "warn", ""), (600, "hide", "")]
    logged = [(event.turn_within, event.action) for event in table.state.values["events"]]
    assert logged[-3:] == [(120, "warn"), (600, "hide"), (None, None)]


def test_one_participant_expires_per_touch() -> None:
    four = [*PEOPLE, {"name": "Xia", "kind": "person"}]
    table = Table(four).tell(who="Yan", accept=True).tell(who="Xia", accept=True)
    table.tell(10_000, tick=True)
    assert table.open["hidden"] == ["Zoe"]
    table.tell(10_000, tick=True)
    assert table.state.values["hidden"] == ["Zoe", "Yan"]


def test_a_hidden_participant_comes_back_at_its_old_seat() -> None:
    table = Table(PEOPLE, max_turns=9).tell(who="Yan", accept=True).tell(700, tick=True)
    assert table.tell(speaker="Zoe", text="Here!").open["refused"].startswith("Zoe: your turns are being skipped")
    table.tell(back=True, speaker="Zoe")
    assert (table.open["expected"], table.open["hidden"]) == ("Yan", [])
    table.tell(speaker="Yan", text="Hello.")
    assert (table.said, table.open["expected"]) == ([(1, "Yan"), (2, "Ada")], "Zoe")
    assert table.log[-4:] == ["participant_hidden Zoe", "participant_restored Zoe", "text Yan", "text Ada"]


def test_with_fewer_than_two_left_the_session_waits_and_says_so() -> None:
    table = Table([PEOPLE[0], "Ada"]).tell(700, tick=True)
    assert (table.open["kind"], table.open["expected"], table.open["deadline"]) == ("nobody", "", None)
    assert table.open["note"] == "fewer than 2 are left: waiting for Zoe to come back"
    assert table.model.prompts == []
    table.tell(50_000, speaker="Ada", text="Hello?")
    assert "no turn is open" in table.open["refused"]
    table.tell(10, back=True, speaker="Zoe")
    assert (table.open["expected"], table.open["turn"]) == ("Zoe", 1)


@pytest.mark.parametrize("calls", [1, 3])
def test_every_call_of_a_cap_is_a_turn_since_a_session_has_no_closing_text(calls: int) -> None:
    table = Table(["Ada", "Ben"], max_turns=9, budget={"calls": calls})
    assert len(table.said) == len(table.state.values["calls"]) == calls
    assert table.state.values["outcome"].reason == "budget_spent"


def test_a_cap_below_the_length_of_one_statement_is_refused_before_a_session_opens() -> None:
    with pytest.raises(InputError, match="give at least 400, enough for a statement, without prompts"):
        Table(["Ada", "Ben"], max_turns=9, budget={"tokens": 399})


def test_models_alone_do_not_talk_for_ever() -> None:
    table = Table(CAST).tell(700, tick=True)
    assert table.said == [(1, "Ada"), (2, "Ben")]
    assert "only models are left" in table.open["note"]
    table.tell(back=True, speaker="Zoe")
    assert (table.open["expected"], table.open["turn"]) == ("Zoe", 3)


def test_a_send_that_comes_as_its_sender_is_hidden_is_refused_on_record() -> None:
    table = Table(PEOPLE).tell(who="Yan", accept=True).tell(700, speaker="Zoe", text="Sorry, late.")
    assert table.said == []
    assert "your turns are being skipped" in table.open["refused"]
    assert table.state.values["incidents"][-1].kind == "out_of_turn"


def test_a_restarted_process_finds_the_same_speaker_expected() -> None:
    table = Table(CAST).tell(speaker="Zoe", text="Tea?")
    again = discussion.build().compile(checkpointer=table.saver)
    config: Any = {"configurable": {"thread_id": "one"}}
    with use_clock(lambda: NOON + timedelta(hours=3)):
        state = again.invoke(None, config, context=table.rules, version="v2")
    assert state.interrupts[0].value["expected"] == "Zoe"
    assert len(table.model.prompts) == 2


ENDS: dict[str, tuple[dict[str, Any], list[dict[str, Any]], tuple[str, str, str]]] = {
    "anybody closes it": ({}, [{"close": True, "by": "Ben", "reason": "Enough."}], ("closed", "Ben", "Enough.")),
    "turns": ({"max_turns": 2}, [{"speaker": "Zoe", "text": "Tea?"}], ("max_turns_reached", "", "")),
    "rounds": ({"max_rounds": 1}, [{"speaker": "Zoe", "text": "Tea?"}], ("max_rounds_reached", "", "")),
    "time": ({"ttl": 60}, [{"after": 60, "speaker": "Zoe", "text": "Tea?"}], ("expired", "", "ttl")),
}


@pytest.mark.parametrize("case", ENDS.values(), ids=ENDS)
def test_every_ending_is_recorded_with_who_and_why(
    case: tuple[dict[str, Any], list[dict[str, Any]], tuple[str, str, str]],
) -> None:
    rules, answers, (reason, who, why) = case
    table = Table(CAST, **rules)
    for answer in answers:
        table.tell(**answer)
    outcome, last = table.state.values["outcome"], table.state.values["events"][-1]
    assert (outcome.reason, outcome.evidence.quote, outcome.evidence.note) == (reason, who, why)
    assert last.kind == ("session_expired" if reason == "expired" else "session_closed")
    assert (last.who, last.text) == (who, why or reason)
    assert not table.state.next


def test_a_model_closes_it_by_a_field_of_its_reply() -> None:
    script = [
        {"statement": "One thing is left to say.", "close": False, "reason": ""},
        {"statement": "Tibbles it is, then.", "close": True, "reason": "All agree."},
    ]
    table = Table(CAST, script, models_may_close=True).tell(speaker="Zoe", text="Tibbles?")
    assert table.said == [(1, "Zoe"), (2, "Ada"), (3, "Ben")]
    outcome = table.state.values["outcome"]
    assert (outcome.reason, outcome.evidence.quote, outcome.evidence.note) == ("closed", "Ben", "All agree.")
    assert "you may end the discussion for everyone" in table.model.prompts[0].system


def test_a_model_may_close_it_without_another_word() -> None:
    table = Table(CAST, [{"statement": "", "close": True, "reason": "Done \ud800."}], models_may_close=True)
    table.tell(speaker="Zoe", text="Tibbles?")
    assert (table.said, table.log) == ([(1, "Zoe")], ["text Zoe", "turn_passed Ada", "session_closed Ada"])
    assert table.state.values["outcome"].evidence.note == "Done \ufffd."


def test_a_model_that_fails_or_says_nothing_is_passed_over_on_the_record() -> None:
    def script(messages: Any, kwargs: Any) -> str:
        return " " if "You are Ada." in messages[-1].text else "A sound statement."

    table = Table(CAST, script).tell(speaker="Zoe", text="Tea?")
    assert table.said == [(1, "Zoe"), (3, "Ben")]
    assert table.log == ["text Zoe", "turn_passed Ada", "text Ben"]
    assert table.state.values["incidents"][-1].consequence == "missed"
    assert (table.open["expected"], table.open["turn"]) == ("Zoe", 4)


@pytest.mark.parametrize(("seconds", "kept"), [(130, True), (700, False)])
def test_a_model_that_is_late_is_warned_about_or_passed_over_but_never_hidden(seconds: int, kept: bool) -> None:
    def script(messages: Any, kwargs: Any) -> str:
        table.now += timedelta(seconds=seconds if "You are Ada." in messages[-1].text else 0)
        return "A sound statement."

    table = Table(CAST, script)
    table.tell(speaker="Zoe", text="Tea?")
    assert ((2, "Ada") in table.said) is kept
    assert "expectation_violated Ada" in table.log
    assert table.state.values["hidden"] == []
    assert len([incident for incident in table.state.values["incidents"] if incident.kind == "late"]) == (not kept)


CREATION: dict[str, tuple[list[Any], dict[str, Any], str]] = {
    "one": (["Ada"], {"max_turns": 4}, "participants = .*two participants or more"),
    "models without an end": (["Ada", "Ben"], {}, "ttl = None: .*give max_turns, max_rounds or ttl"),
    "same order": (["Ada", {"name": "Ben", "order": 1}, {"name": "Cleo", "order": 1}], {"ttl": 9}, "must be from 1 on"),
    "the creator's order": (["Ada", {"name": "Ben", "order": 0}], {"ttl": 9}, "0 is for the creator"),
    "same name": (["Ada", "ada"], {"ttl": 9}, "must differ from the other names"),
}


@pytest.mark.parametrize("case", CREATION.values(), ids=CREATION)
def test_a_session_that_cannot_work_is_refused_at_its_creation(case: tuple[list[Any], dict[str, Any], str]) -> None:
    participants, rules, why = case
    with pytest.raises(InputError, match=why):
        Table(participants, **rules)


def test_people_need_a_checkpointer_models_do_not() -> None:
    model = ScriptedChat(script=lambda *_: "A sound statement.")
    context: Any = {"model": model, "max_turns": 2}
    with pytest.raises(InputError, match="compile the graph with a checkpointer"):
        discussion.graph.invoke({"topic": "Tea", "participants": CAST}, context=context)
    assert model.prompts == []
    result = discussion.graph.invoke({"topic": "Tea"}, context=context)
    assert [statement.speaker for statement in result["history"]] == ["Ada", "Ben"]


class Marking(Echoing):
    """Says something traceable in its first ten statements, and repeats what it was told in summaries."""

    def answer(self, prompt: SentPrompt) -> Any:
        if prompt.purpose != "statement":
            return super().answer(prompt)
        own = sum(prompt.purpose == "statement" for prompt in self.prompts)
        return f"Statement mark-{own} of a long discussion." if own <= 10 else "Nothing new under the sun."


@pytest.mark.long
def test_over_a_thousand_turns_prompts_stay_bounded_and_the_beginning_can_be_traced() -> None:
    model = Marking()
    context: Any = {"model": model, "max_turns": 1000}
    discussion.graph.invoke({"topic": "Tea"}, context=context)
    prompts = [prompt for prompt in model.prompts if prompt.purpose == "statement"]
    assert len(prompts) == 1000
    assert max(len(prompt.text) for prompt in prompts) < MAX_SUMMARY_LENGTH + 6000
    assert {f"mark-{turn}" for turn in range(1, 11)} <= set(re.findall(r"mark-\d+", prompts[-1].shared))
    assert prompts[-1].shared.count("<statement") >= 6
    assert {tuple(prompt.tags) for prompt in model.prompts if prompt.purpose == "summary"} == {("nostream",)}


@pytest.mark.parametrize(
    ("written", "wrong"),
    [("", "it was empty."), ("Much was said. " * 600, "it was too long; write at most 7999 characters.")],
)
def test_where_the_summarizer_fails_it_is_told_why_and_clipped_statements_stand_in(written: str, wrong: str) -> None:
    def script(messages: Any, kwargs: Any) -> str:
        if "Write one summary" in messages[-1].text:
            return written
        return "A statement of some length, as statements are."

    model = ScriptedChat(script=script)
    context: Any = {"model": model, "max_turns": 20, "retry_delays": [0]}
    result = discussion.graph.invoke({"topic": "Tea"}, context=context)
    assert "[1] Ada: A statement of some length" in result["summary"].text
    failed = [(incident.what, incident.consequence) for incident in result["incidents"]][:3]
    assert failed == [(wrong, "asked again"), (wrong, "asked again"), (wrong, "clipped statements kept")]
    assert wrong in next(prompt for prompt in model.prompts if "<again>" in prompt.text).text


@pytest.mark.long
def test_more_than_a_thousand_participants_are_refused_at_once() -> None:
    with pytest.raises(InputError, match=r"participants = 16000: at most 1,000 take part"):
        Table([f"Participant {number}" for number in range(16_000)], max_turns=1)
    assert Table([f"Participant {number}" for number in range(1_000)], max_turns=1).said == [(1, "Participant 0")]
