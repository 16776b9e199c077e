"""Giving in is an act: a last line of one's own, or the answer to a brief question."""

from typing import Any

import pytest
from chats.scripted import ScriptedReply
from deliberations.debate import Debaters, SentPrompt, hold, line, turn_of
from dialogues import hold_dialogue, read_dialogues
from langchain_core.messages import AIMessage
from moot.graphs import debate
from moot.prompts import LANGUAGES, get_term
from moot.state.ending import get_stop_basis

POINT = "Fair point, Ada; the buses come first. The rest of it still fails, since nobody pays for them."
SURRENDER = "You're right, Ada. After all that was said I have no case left, and nothing to set against yours."


def run_debate(lines: dict[int, ScriptedReply], concede: Any = None, **context: Any) -> tuple[dict[str, Any], Debaters]:
    """A debate with other lines in some turns; `concede`: the replies to the question."""
    replies = list(concede) if isinstance(concede, list) else None

    def script(prompt: SentPrompt) -> ScriptedReply | None:
        if prompt.purpose == "concession":
            return replies.pop(0) if replies else concede
        return lines.get(turn_of(prompt)) if prompt.purpose == "statement" else None

    return hold(script, **{"dynamic_termination": True, "max_turns": 8, **context})


def list_questions(model: Debaters) -> list[SentPrompt]:
    return [prompt for prompt in model.prompts if prompt.purpose == "concession"]


def make_statement(turn: int, *last: str) -> str:
    return "\n".join([line(turn), *last])


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_shared_head_says_once_how_to_give_in(language: str) -> None:
    _, model = run_debate({}, language=language, max_turns=4)
    act = get_term(language, "sides", "concede")
    assert all(prompt.system.count(f"`{act}`") == 1 for prompt in model.prompts)
    assert not any(act in prompt.human for prompt in model.prompts)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_line_last_and_alone_is_the_act_and_its_words_stay_in_the_statement(language: str) -> None:
    text = make_statement(6, "", get_term(language, "sides", "concede"))
    ended, model = run_debate({6: text}, language=language)
    assert [(statement.turn, statement.act) for statement in ended["history"] if statement.act] == [(6, "concede")]
    assert ended["history"][-1].content == text
    outcome = ended["outcome"]
    assert (outcome.reason, outcome.strategy) == ("concession_detected", "asked")
    assert (outcome.evidence.turns, outcome.evidence.quote) == ([6], get_term(language, "sides", "concede"))
    assert get_stop_basis(outcome).kind == "event"
    assert list_questions(model) == []


def test_a_statement_that_was_cut_off_concedes_nothing() -> None:
    cut = AIMessage(make_statement(6, "", "I concede"), response_metadata={"finish_reason": "length"})
    ended, model = run_debate({6: cut}, concede="Concede: no")
    assert (ended["history"][5].act, ended["outcome"].reason, len(list_questions(model))) == (
        "",
        "max_turns_reached",
        1,
    )


ACTS = [
    "I concede.",
    "**I concede.**",
    "`I concede.`",
    "I concede",
    "i concede.  ",
    "I concede.\n\n---",
    "_I concede_.\n```",
    "*I* **concede.**",
    "```\nThe buses.\n```\nI concede.",
    "The tag `<think>` is bad.\nI concede.",
    "The tag <del> is bad.\nI concede.",
    "<del>The trams.</del> The buses.\nI concede.",
    "> The buses.\n\nI concede.",
    "> The buses.\n> cost too much.\n \t\nI concede.",
    "1. The buses > the trams.\n2. The trams.\nI concede.",
    "Fair enough :)\nI concede.",
]
NO_ACTS = [
    "I concede. But the buses remain.",
    "I concede.\nThe buses remain.",
    "And so I concede.",
    "You want me to write:\\\nI concede.",
    "You want me to write: “\nI concede.",
    "You want me to write “\nI concede.",
    "If nobody pays for the trams,\nI concede.",
    "You want me to write:<br>\nI concede.",
    "~~I nearly wrote\nI concede.\n~~",
    "> You want me to write\n#buses\nI concede.",
    "> The buses.\n## My answer\nI concede.",
    "> You want me to write\n```buses``` and\nI concede.",
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
    "<DEL>\nI concede.",
    '<blockquote cite="Ada">\nI concede.',
    "The line would be:\n\n    I concede.",
    "<del>The trams.</del>\n<del>The buses.\nI concede.",
    "I concede?",
    "I concede.*",
    "I concede*.",
    "The line would be:\n\n \tI concede.",
    "I concede...",
    "I do not concede.",
    "Ada: I concede.",
    '<statement turn="7" speaker="Ada">\nI concede.\n</statement>',
    '‹statement turn="7" speaker="Ada">\nI concede.\n‹/statement>',
    "<said>\nI concede.",
    "<seed:think>\nI concede.",
    "<draft-2>\nI concede.",
    "<|channel|>commentary<|message|>\nI concede.",
    "> The buses.\nI concede.",
    "> The buses\nare late.\n**I concede.**",
    "- > The buses.\nI concede.",
    "Ben:\nI concede.",
    "**Ben:**\n\nI concede.",
    "Ben:\n\n---\nI concede.",
    "Ben said：\nI concede.",
]
QUOTED = ["> Los autobuses.\nCedo mi posición.", "- Cedo mi posición.", "小李：\n我放弃我方立场。"]


@pytest.mark.parametrize("last", ACTS)
def test_closing_marks_of_markdown_and_blank_lines_do_not_matter(last: str) -> None:
    ended, model = run_debate({6: make_statement(6, last)})
    assert ended["history"][-1].act == "concede"
    assert "concede" in ended["outcome"].evidence.quote
    assert list_questions(model) == []


@pytest.mark.parametrize("last", NO_ACTS)
def test_nothing_else_is_the_act(last: str) -> None:
    ended, _ = run_debate({6: make_statement(6, last)}, "Concede: no")
    assert {statement.act for statement in ended["history"]} == {""}
    assert ended["outcome"].reason == "max_turns_reached"


@pytest.mark.parametrize("last", QUOTED)
def test_the_line_in_another_form_is_asked_about_in_every_language(last: str) -> None:
    ended, model = run_debate({6: make_statement(6, last)}, "Concede: no")
    assert (ended["history"][5].act, ended["outcome"].reason) == ("", "max_turns_reached")
    assert [prompt.human.count("“") >= 1 for prompt in list_questions(model)] == [True]


def test_an_act_before_four_statements_stand_counts_once_they_do_unless_its_speaker_argues_on() -> None:
    ended, _ = run_debate({3: make_statement(3, "I concede.")})
    assert (len(ended["history"]), ended["outcome"].evidence.turns) == (4, [3])
    ended, _ = run_debate({2: make_statement(2, "I concede.")})
    assert ended["outcome"].reason == "max_turns_reached"


def test_a_concession_phrase_without_the_act_is_asked_about_at_the_same_model() -> None:
    ended, model = run_debate({6: SURRENDER}, "Concede: yes", models={"Ben": Debaters(script=lambda prompt: None)})
    assert ended["outcome"].reason == "max_turns_reached", "Ben's own model was asked, and gave no answer"
    ended, model = run_debate({6: SURRENDER}, "Concede: yes")
    [told] = list_questions(model)
    assert told.who == "Ben"
    assert "you wrote “You're right, Ada.”" in told.private
    assert "Do you give up your side as a whole, or grant a point? End with `Concede: yes` or `Concede: no`." in (
        told.private
    )
    assert told.shared.startswith(model.prompts[5].shared), "on the growing prompt that a cache serves"
    assert "nostream" in told.tags


@pytest.mark.parametrize("reply", ["Concede: yes", "I thought about it.\n\nConcede: yes", "yes", '{"concede": "yes"}'])
def test_yes_ends_the_debate_with_the_sentence_and_the_answer_as_evidence(reply: str) -> None:
    ended, _ = run_debate({6: SURRENDER}, reply)
    outcome = ended["outcome"]
    assert (outcome.reason, outcome.strategy, len(ended["history"])) == ("concession_detected", "asked", 6)
    assert (outcome.evidence.turns, outcome.evidence.quote) == ([6], "You're right, Ada.")
    assert outcome.evidence.note == "gave up its side when asked"
    assert "Ben conceded in turn 6" in outcome.headline
    assert {statement.act for statement in ended["history"]} == {""}, "the statement stays as it was"


def test_no_lets_the_debate_go_on_and_each_statement_is_asked_about_once() -> None:
    ended, model = run_debate({4: POINT, 6: POINT}, "Concede: no")
    assert [question.who for question in list_questions(model)] == ["Ben", "Ben"]
    assert [call.turn for call in ended["calls"] if call.purpose == "concession"] == [4, 6]
    assert ended["outcome"].reason == "max_turns_reached"


def test_without_a_phrase_nobody_is_asked() -> None:
    ended, model = run_debate(
        {6: "All that was said has won me over, and my case is gone; the city should do it at once."}
    )
    assert list_questions(model) == []
    assert len(ended["history"]) == 8


@pytest.mark.parametrize(
    "quoted", ["“I agree with Ben” is what you said, Ben.", "> I agree.\n\nThose were your words."]
)
def test_a_phrase_that_is_quoted_is_nobodys_own(quoted: str) -> None:
    _, model = run_debate({5: f"{quoted} {line(5)}"})
    assert list_questions(model) == []


def test_in_the_last_turn_the_question_comes_before_the_cap() -> None:
    ended, _ = run_debate({8: SURRENDER}, "Concede: yes")
    assert ended["outcome"].reason == "concession_detected"


def test_the_question_takes_what_attempts_its_turn_has_left_and_counts_as_no_without_an_answer() -> None:
    ended, model = run_debate({6: SURRENDER}, ["Hm.", "Let me think.", "Concede: yes"], max_attempts=3)
    assert len(list_questions(model)) == 2
    assert [incident.consequence for incident in ended["incidents"]] == ["asked again", "counted as no"]
    assert ended["outcome"].reason == "max_turns_reached"


@pytest.mark.parametrize("rule", ["lexical", "judge", "declared"])
def test_the_other_rules_ask_no_such_question(rule: str) -> None:
    _, model = run_debate({6: SURRENDER}, stop_rule=rule)
    assert list_questions(model) == []


@pytest.mark.parametrize("reply", [True, False])
def test_a_person_gives_in_by_the_same_line_or_is_asked_in_a_form(reply: bool) -> None:
    from langgraph.checkpoint.memory import InMemorySaver
    from langgraph.types import Command

    graph, config = debate.build().compile(checkpointer=InMemorySaver()), {"configurable": {"thread_id": "1"}}
    people = [{"name": "Ada", "kind": "person"}, {"name": "Ben", "kind": "person"}]
    state = graph.invoke({"topic": "Ban cars?", "participants": people}, config, context={"model": "rehearsal"})
    for turn in range(1, 5):
        last = ["", "I concede."] if turn == 4 and reply else ["You're right, Ada."] if turn == 4 else []
        state = graph.invoke(Command(resume=make_statement(turn, *last)), config)
    if not reply:
        [question] = state["__interrupt__"]
        assert question.value["schema"]["properties"]["concede"]["enum"] == ["yes", "no"]
        state = graph.invoke(Command(resume={"concede": "yes"}), config)
    assert state["outcome"].reason == "concession_detected"
    assert (state["history"][-1].act == "concede") == reply


def tick(statement: Any, concedes: Any) -> dict[str, Any]:
    return {"statement": statement, "concede": concedes}


@pytest.mark.parametrize(
    ("answers", "act"),
    [
        ([tick(make_statement(4, "```", "I concede."), True)], "concede"),
        ([tick(make_statement(4, "Ben:", "", "I concede."), True)], "concede"),
        ([make_statement(4, "```", "I concede."), {"concede": "no"}], ""),
        ([tick("So be it.", False), tick("So be it.", 1), tick("So be it.", "yes"), "No."], ""),
        ([tick(["So be it."], True), {"concede": True}, "No."], ""),
    ],
)
def test_the_box_of_a_concession_counts_whatever_the_text_before_it(answers: list[Any], act: str) -> None:
    from langgraph.checkpoint.memory import InMemorySaver
    from langgraph.types import Command

    graph, config = debate.build().compile(checkpointer=InMemorySaver()), {"configurable": {"thread_id": "1"}}
    people = [{"name": "Ada", "kind": "person"}, {"name": "Ben", "kind": "person"}]
    graph.invoke({"topic": "Ban cars?", "participants": people}, config, context={"model": "rehearsal"})
    for answer in [*map(make_statement, range(1, 4)), *answers]:
        state = graph.invoke(Command(resume=answer), config)
    assert {statement.act for statement in state["history"]} == {"", act}


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
