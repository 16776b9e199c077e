"""Giving in is an act: a last line of one's own, or the answer to a brief question."""

from typing import Any

import pytest
from chats.scripted import Said
from deliberations.debate import Debaters, Told, hold, line, turn_of
from dialogues import hold_dialogue, read_dialogues
from langchain_core.messages import AIMessage
from moot.graphs import debate
from moot.prompts import LANGUAGES, get_term
from moot.state.ending import get_stop_basis

POINT = "Fair point, Ada; the buses come first. The rest of it still fails, since nobody pays for them."
SURRENDER = "You're right, Ada. After all that was said I have no case left, and nothing to set against yours."


def held(lines: dict[int, Said], concede: Any = None, **context: Any) -> tuple[dict[str, Any], Debaters]:
    """A debate with other lines in some turns; `concede`: the replies to the question."""
    replies = list(concede) if isinstance(concede, list) else None

    def script(told: Told) -> Said | None:
        if told.purpose == "concession":
            return replies.pop(0) if replies else concede
        return lines.get(turn_of(told)) if told.purpose == "statement" else None

    return hold(script, **{"dynamic_termination": True, "max_turns": 8, **context})


def asked(model: Debaters) -> list[Told]:
    return [told for told in model.told if told.purpose == "concession"]


def said(turn: int, *last: str) -> str:
    return "\n".join([line(turn), *last])


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_shared_head_says_once_how_to_give_in(language: str) -> None:
    _, model = held({}, language=language, max_turns=4)
    act = get_term(language, "sides", "concede")
    assert all(told.system.count(f"`{act}`") == 1 for told in model.told)
    assert not any(act in told.human for told in model.told)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_line_last_and_alone_is_the_act_and_its_words_stay_in_the_statement(language: str) -> None:
    text = said(6, "", get_term(language, "sides", "concede"))
    ended, model = held({6: text}, language=language)
    assert [(one.turn, one.act) for one in ended["history"] if one.act] == [(6, "concede")]
    assert ended["history"][-1].content == text
    outcome = ended["outcome"]
    assert (outcome.reason, outcome.strategy) == ("concession_detected", "asked")
    assert (outcome.evidence.turns, outcome.evidence.quote) == ([6], get_term(language, "sides", "concede"))
    assert get_stop_basis(outcome).kind == "event"
    assert asked(model) == []


def test_a_statement_that_was_cut_off_concedes_nothing() -> None:
    cut = AIMessage(said(6, "", "I concede"), response_metadata={"finish_reason": "length"})
    ended, model = held({6: cut}, concede="Concede: no")
    assert (ended["history"][5].act, ended["outcome"].reason, len(asked(model))) == ("", "max_turns_reached", 1)


ACTS = [
    "I concede.",
    "**I concede.**",
    "`I concede.`",
    "I concede",
    "i concede.  ",
    "I concede.\n\n---",
    "_I concede_.\n```",
    "```\nThe buses.\n```\nI concede.",
    "The tag `<think>` is bad.\nI concede.",
    "The tag <del> is bad.\nI concede.",
    "<del>The trams.</del> The buses.\nI concede.",
]
NO_ACTS = [
    "I concede. But the buses remain.",
    "I concede.\nThe buses remain.",
    "And so I concede.",
    "> I concede.",
    "~~I concede.~~",
    "“I concede.”",
    "- I concede.",
    "* I concede.",
    "~~\nI concede.\n~~",
    "The line would be:\n```\nI concede.\n```",
    "The line would be:\n```\nI concede.",
    "The line would be:\n```\nI concede.\n---\n```",
    "The line would be:\n````\n```\nI concede.\n```\n````",
    "<!--\nI concede.",
    "<del>\nI concede.",
    "<blockquote>\nI concede.",
    "<del>The trams.</del>\n<del>The buses.\nI concede.",
    "I concede?",
    "I concede...",
    "I do not concede.",
    "Ada: I concede.",
]


@pytest.mark.parametrize("last", ACTS)
def test_closing_marks_of_markdown_and_blank_lines_do_not_matter(last: str) -> None:
    ended, model = held({6: said(6, last)})
    assert ended["history"][-1].act == "concede"
    assert asked(model) == []


@pytest.mark.parametrize("last", NO_ACTS)
def test_nothing_else_is_the_act(last: str) -> None:
    ended, _ = held({6: said(6, last)}, "Concede: no")
    assert {one.act for one in ended["history"]} == {""}
    assert ended["outcome"].reason == "max_turns_reached"


def test_an_act_before_four_statements_stand_counts_once_they_do_unless_its_speaker_argues_on() -> None:
    ended, _ = held({3: said(3, "I concede.")})
    assert (len(ended["history"]), ended["outcome"].evidence.turns) == (4, [3])
    ended, _ = held({2: said(2, "I concede.")})
    assert ended["outcome"].reason == "max_turns_reached"


def test_a_concession_phrase_without_the_act_is_asked_about_at_the_same_model() -> None:
    ended, model = held({6: SURRENDER}, "Concede: yes", models={"Ben": Debaters(script=lambda told: None)})
    assert ended["outcome"].reason == "max_turns_reached", "Ben's own model was asked, and gave no answer"
    ended, model = held({6: SURRENDER}, "Concede: yes")
    [told] = asked(model)
    assert told.who == "Ben"
    assert "you wrote “You're right, Ada.”" in told.private
    assert "Do you give up your side as a whole, or grant a point? End with `Concede: yes` or `Concede: no`." in (
        told.private
    )
    assert told.shared.startswith(model.told[5].shared), "on the growing prompt that a cache serves"
    assert "nostream" in told.tags


@pytest.mark.parametrize("reply", ["Concede: yes", "I thought about it.\n\nConcede: yes", "yes", '{"concede": "yes"}'])
def test_yes_ends_the_debate_with_the_sentence_and_the_answer_as_evidence(reply: str) -> None:
    ended, _ = held({6: SURRENDER}, reply)
    outcome = ended["outcome"]
    assert (outcome.reason, outcome.strategy, len(ended["history"])) == ("concession_detected", "asked", 6)
    assert (outcome.evidence.turns, outcome.evidence.quote) == ([6], "You're right, Ada.")
    assert outcome.evidence.note == "gave up its side when asked"
    assert "Ben conceded in turn 6" in outcome.headline
    assert {one.act for one in ended["history"]} == {""}, "the statement stays as it was"


def test_no_lets_the_debate_go_on_and_each_statement_is_asked_about_once() -> None:
    ended, model = held({4: POINT, 6: POINT}, "Concede: no")
    assert [told.who for told in asked(model)] == ["Ben", "Ben"]
    assert [call.turn for call in ended["calls"] if call.purpose == "concession"] == [4, 6]
    assert ended["outcome"].reason == "max_turns_reached"


def test_without_a_phrase_nobody_is_asked() -> None:
    ended, model = held({6: "All that was said has won me over, and my case is gone; the city should do it at once."})
    assert asked(model) == []
    assert len(ended["history"]) == 8


@pytest.mark.parametrize(
    "quoted", ["“I agree with Ben” is what you said, Ben.", "> I agree.\n\nThose were your words."]
)
def test_a_phrase_that_is_quoted_is_nobodys_own(quoted: str) -> None:
    _, model = held({5: f"{quoted} {line(5)}"})
    assert asked(model) == []


def test_in_the_last_turn_the_question_comes_before_the_cap() -> None:
    ended, _ = held({8: SURRENDER}, "Concede: yes")
    assert ended["outcome"].reason == "concession_detected"


def test_the_question_takes_what_attempts_its_turn_has_left_and_counts_as_no_without_an_answer() -> None:
    ended, model = held({6: SURRENDER}, ["Hm.", "Let me think.", "Concede: yes"], max_attempts=3)
    assert len(asked(model)) == 2
    assert [one.consequence for one in ended["incidents"]] == ["asked again", "counted as no"]
    assert ended["outcome"].reason == "max_turns_reached"


@pytest.mark.parametrize("rule", ["lexical", "judge", "declared"])
def test_the_other_rules_ask_no_such_question(rule: str) -> None:
    _, model = held({6: SURRENDER}, stop_rule=rule)
    assert asked(model) == []


@pytest.mark.parametrize("reply", [True, False])
def test_a_person_gives_in_by_the_same_line_or_is_asked_in_a_form(reply: bool) -> None:
    from langgraph.checkpoint.memory import InMemorySaver
    from langgraph.types import Command

    graph, config = debate.build().compile(checkpointer=InMemorySaver()), {"configurable": {"thread_id": "1"}}
    people = [{"name": "Ada", "kind": "person"}, {"name": "Ben", "kind": "person"}]
    state = graph.invoke({"topic": "Ban cars?", "participants": people}, config, context={"model": "rehearsal"})
    for turn in range(1, 5):
        last = ["", "I concede."] if turn == 4 and reply else ["You're right, Ada."] if turn == 4 else []
        state = graph.invoke(Command(resume=said(turn, *last)), config)
    if not reply:
        [question] = state["__interrupt__"]
        assert question.value["schema"]["properties"]["concede"]["enum"] == ["yes", "no"]
        state = graph.invoke(Command(resume={"concede": "yes"}), config)
    assert state["outcome"].reason == "concession_detected"
    assert (state["history"][-1].act == "concede") == reply


@pytest.mark.parametrize("manner", ["act", "phrase"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_with_a_model_that_answers_truthfully_every_concession_is_found_and_no_other(
    language: str, manner: str
) -> None:
    states = [(dialogue, hold_dialogue(dialogue, manner)) for dialogue in read_dialogues(language)]
    found = [dialogue for dialogue, state in states if state["outcome"].reason == "concession_detected"]
    conceding = [dialogue for dialogue, _ in states if dialogue.label == "concession_detected"]
    assert found == conceding
    questions = [sum(call.purpose == "concession" for call in state["calls"]) for _, state in states]
    assert sum(questions) / len(questions) < (0.1 if manner == "act" else 2)
