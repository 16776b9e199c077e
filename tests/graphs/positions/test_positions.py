"""Positions on record: who is asked when, what they are told, who ever hears of it, and how a talk ends by them."""

import json
import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from chats.scripted import ScriptedChat, ScriptedReply, SentPrompt
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from moot.graphs import consensus, debate, discussion, panel
from moot.prompts import LANGUAGES
from moot.state.positions.position import group_by_moment
from pydantic import Field

PAPER = {"title": "Streets", "abstract": "Streets without cars are quieter."}
TALKS: dict[str, tuple[Any, dict[str, Any], dict[str, Any]]] = {
    "debate": (debate, {"topic": "Ban cars?", "participants": ["Ada", "Ben"]}, {"max_turns": 4}),
    "consensus": (consensus, {"topic": "Ban cars?", "participants": ["Ada", "Ben", "Cleo"]}, {"max_rounds": 2}),
    "discussion": (discussion, {"topic": "Ban cars?", "participants": ["Ada", "Ben", "Cleo"]}, {"max_turns": 6}),
    "panel": (
        panel,
        {"query": "Ban cars?", "papers": [PAPER], "participants": ["MIT Researcher", "Paper Analyst"]},
        {"max_rounds": 2, "language": "en"},
    ),
}
every_talk = pytest.mark.parametrize("talk", TALKS)


class Sworn(ScriptedChat):
    """Answers each question for a position with figures nobody else has; `says` may answer otherwise, by question."""

    script: Any = Field(default_factory=list)
    says: Callable[[SentPrompt, int], ScriptedReply | None] = lambda prompt, nth: None

    def answer(self, prompt: SentPrompt) -> ScriptedReply:
        nth = sum(1 for one in self.prompts if (one.who, one.purpose) == (prompt.who, prompt.purpose))
        says = self.says(prompt, nth)
        return self.plain(prompt, nth) if says is None else says

    def plain(self, prompt: SentPrompt, nth: int) -> ScriptedReply:
        if not prompt.fields:
            return f"Here {prompt.who} speaks for the {nth}. time about matter {len(self.prompts)}, at length."
        known: dict[str, Any] = {
            "answer": (prompt.schema or {"properties": {}})["properties"].get("answer", {}).get("enum", [7.25])[0],
            "certainty": float(f"6{nth}.{len(prompt.who)}{len(self.prompts):03d}7"),
            "stance": "hold",
            "unit": "kg",
            "position": f"I hold this, {prompt.who}.",
            "agreement": 0.4,
            "has_objection": False,
            "objection": "",
            "changed_by": "",
            "common_ground": "All want quiet [1].",
            "dissent": [],
            "open_questions": [],
            "movement": "Little.",
        }
        if prompt.lines:
            answers = {key: str(value) or "none" for key, value in known.items()} | {"has_objection": "no"}
            if "answer" in prompt.lines:
                answers["answer"] = prompt.lines["answer"][1][0].replace("…", "7.25")
            answers["stance"] = prompt.lines["stance"][1][0] if "stance" in prompt.lines else ""
            return "\n".join(f"{prompt.lines[key][0]}: {answers[key]}" for key in prompt.fields)
        return {key: known[key] for key in prompt.fields}


def run_talk(talk: str, says: Any = None, **settings: Any) -> tuple[dict[str, Any], Sworn]:
    """A talk that runs to its cap."""
    module, given, settled = TALKS[talk]
    model = Sworn(says=says) if says else Sworn()
    context = {"model": model, "retry_delays": [0], "seed": 1, "dynamic_termination": False, **settled, **settings}
    return module.graph.invoke(given, context=context), model


def list_questions(model: Sworn) -> list[SentPrompt]:
    """The questions for a position."""
    return [prompt for prompt in model.prompts if prompt.purpose in ("declaration", "position")]


CALENDAR: dict[str, list[tuple[str, int, int]]] = {
    "debate": [("before", 0, 0), ("round", 1, 2), ("after", 2, 4)],
    "consensus": [("before", 0, 0), ("round", 1, 3), ("round", 2, 6)],
    "discussion": [("before", 0, 0), ("round", 1, 3), ("after", 2, 6)],
    "panel": [("before", 0, 0), ("round", 1, 2), ("after", 2, 4)],
}


@every_talk
def test_everyone_is_asked_before_after_each_round_and_once_at_the_end(talk: str) -> None:
    ended, model = run_talk(talk, positions="rounds")
    seats = [participant.name for participant in ended["participants"]]
    found = [(position.when, position.round, position.turn) for position in ended["positions"]]
    assert Counter(found) == dict.fromkeys(CALENDAR[talk], len(seats))
    assert [list(moment) for moment in group_by_moment(ended["positions"])] == [seats] * 3
    assert len(list_questions(model)) == len(ended["positions"])
    assert {position.certainty is not None for position in ended["positions"]} == {True}
    assert {position.stance for position in ended["positions"] if position.when != "before"} == (
        {""} if talk == "consensus" else {"hold"}
    )


@every_talk
def test_at_the_ends_they_are_asked_twice_and_off_never(talk: str) -> None:
    ended, _ = run_talk(talk, positions="ends", **({"convergence": "lexical"} if talk == "consensus" else {}))
    assert {position.when for position in ended["positions"]} == {"before", "after"}
    assert len(ended["positions"]) == 2 * len(ended["participants"])
    assert {position.stance for position in ended["positions"]} == {""}
    ended, model = run_talk(talk)
    assert not [prompt for prompt in model.prompts if prompt.purpose == "declaration"]
    assert not [position for position in ended["positions"] if position.answer]


@every_talk
def test_what_was_declared_is_in_nobodys_prompt_or_memory_not_even_its_owners(talk: str) -> None:
    ended, model = run_talk(talk, positions="rounds")
    sworn = [str(position.certainty) for position in ended["positions"]]
    assert len(set(sworn)) == len(sworn) >= 6
    text = "\n".join(prompt.text for prompt in model.prompts)
    assert [one for one in sworn if one in text] == []
    assert "partly" not in "\n".join(
        prompt.text for prompt in model.prompts if prompt.purpose not in ("declaration", "position")
    )


@every_talk
def test_before_the_talk_they_are_asked_blind_and_later_on_the_record_as_speakers_are_told_it(talk: str) -> None:
    _, model = run_talk(talk, positions="rounds")
    statements = [prompt for prompt in model.prompts if prompt.purpose == "statement"]
    first, last = list_questions(model)[0], list_questions(model)[-1]
    assert "<statement " not in first.text
    assert first.system == statements[0].system
    assert last.shared.startswith(statements[-1].shared)
    assert last.shared.count("<statement ") == len(statements)
    assert all("nostream" in question.tags for question in list_questions(model))


def test_a_side_of_a_debate_is_asked_outside_its_role() -> None:
    _, model = run_talk("debate", positions="ends")
    for question in list_questions(model):
        assert "Setting aside the side you were given" in question.private
        assert "you argue" not in question.private


SHORT = {"en": 45, "es": 45, "zh": 80}


@every_talk
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_question_is_short_and_in_the_run_s_language(talk: str, language: str) -> None:
    ended, model = run_talk(talk, positions="rounds", language=language)
    personas = {participant.name: participant.persona for participant in ended["participants"]}
    for question in [question for question in list_questions(model) if question.purpose == "declaration"]:
        tail = (
            question.private.partition('\n{"')[0]
            .partition("Answer with a single")[0]
            .replace(personas[question.who], "")
        )
        tail = tail.replace("<task>", "").partition("</task>")[0]
        size = len(re.findall(r"[\u4e00-\u9fff]|[^\s\u4e00-\u9fff]+", tail))
        assert size <= SHORT[language], tail


def test_consensus_asks_one_question_for_agreement_and_position() -> None:
    ended, model = run_talk("consensus", positions="rounds")
    both = [prompt for prompt in model.prompts if prompt.purpose == "position"]
    assert {told.who for told in both} == {"Ada", "Ben", "Cleo"}
    assert len(both) == 3
    assert all({"agreement", "objection", "answer", "certainty"} <= set(told.lines) for told in both)
    assert [position.agreement for position in ended["positions"] if position.round == 2] == [0.4] * 3
    assert [one.score for one in ended["agreements"]] == [pytest.approx(0.4)]


def test_a_number_comes_with_its_unit_and_an_option_by_its_sign() -> None:
    ended, model = run_talk("discussion", positions="ends", answer={"number": "kg"})
    assert {(position.answer, position.number, position.unit) for position in ended["positions"]} == {
        ("7.25", 7.25, "kg")
    }
    assert (ended["answer"].number, ended["answer"].unit, ended["answer"].by) == (7.25, "kg", "positions")
    assert "one number, in kg" in list_questions(model)[0].private
    ended, model = run_talk("panel", positions="ends", answer="option", options={"X": "a ban", "Y": "a toll"})
    assert (ended["answer"].answer, ended["answer"].text, ended["answer"].held) == ("X", "a ban", {"X": 2})
    assert "- X: <said>a ban</said>" in list_questions(model)[0].private


def test_another_unit_is_asked_for_again_and_never_taken() -> None:
    def says(prompt: SentPrompt, nth: int) -> ScriptedReply | None:
        if prompt.purpose != "declaration" or prompt.who != "Ada":
            return None
        return json.dumps({"answer": 7250, "unit": "g", "certainty": 50})

    ended, _ = run_talk("discussion", says, positions="ends", answer={"number": "kg"})
    assert {position.who for position in ended["positions"]} == {"Ben", "Cleo"}
    lost = [
        incident for incident in ended["incidents"] if incident.who == "Ada" and incident.consequence == "no position"
    ]
    assert [(one.where, one.kind, one.attempts) for one in lost] == [("declaration", "unparsable", 3)] * 2
    assert ended["outcome"].reason == "max_turns_reached"


def test_positions_in_text_are_read_by_their_lines() -> None:
    def says(prompt: SentPrompt, nth: int) -> ScriptedReply | None:
        if prompt.purpose != "declaration":
            return None
        return "Some are for it.\nAnswer: against\nCertainty: 62\nStance: partly" if nth > 1 else LINES

    ended, _ = run_talk("debate", says, positions="rounds")
    assert {(position.answer, position.certainty, position.stance) for position in ended["positions"]} == {
        ("against", 71.0, ""),
        ("against", 62.0, "partly"),
    }


LINES = "Answer: against\nCertainty: 71 %"
UNREAD = {
    "en": "I could not read your answer. Reply with these lines only:\n- `Answer: for` or `Answer: against` or ",
    "es": "No pude leer tu respuesta. Responde solo con estas líneas:\n- `Respuesta: a favor` o `Respuesta: en contra`",
    "zh": "我读不出你的回答。请只写下面几行：\n- `回答：支持`或`回答：反对`或`回答：未定`",
}
KG = {"answer": {"number": "kg"}}
FLAWED: list[tuple[ScriptedReply, dict[str, Any], dict[str, str]]] = [
    ("Against.", {}, UNREAD),
    (LINES, {}, UNREAD),
    (f"{LINES}\nStance: I will not hold", {}, UNREAD),
    ("Answer: against\nCertainty: 0.7\nStance: hold", {}, {"en": "certainty: 0.7 looks like a share of 1; write a"}),
    (
        {"answer": "for", "certainty": 0.85, "stance": "hold"},
        {},
        {"en": "certainty: 0.85 looks like a share of 1", "es": "0.85 parece una parte de 1", "zh": "0.85 像是以 1"},
    ),
    (
        "Answer: 12,5 kg\nCertainty: 70\nStance: hold",
        KG,
        {"en": "I could not read your answer.", "es": "`Respuesta: … kg`"},
    ),
]


@pytest.mark.parametrize(("said", "settings", "told"), FLAWED, ids=[str(one[0])[:24] for one in FLAWED])
def test_who_is_asked_again_is_told_what_was_wrong(
    said: ScriptedReply, settings: dict[str, Any], told: dict[str, str]
) -> None:
    for language, fault in told.items():

        def says(prompt: SentPrompt, nth: int) -> ScriptedReply | None:
            return said if prompt.purpose == "declaration" and prompt.who == "Ada" and nth == 2 else None

        ended, model = run_talk("debate", says, positions="rounds", language=language, **settings)
        once = [question.messages[-1].text for question in list_questions(model) if question.who == "Ada"]
        assert [fault in one and "Ada" not in one for one in once] == [False, False, True, False]
        assert [position.certainty for position in ended["positions"] if position.who == "Ada" and position.round == 1]


def test_the_synthesizer_of_a_debate_names_the_answer_with_or_without_positions() -> None:
    for positions, calls in (("off", 0), ("ends", 4)):
        ended, model = run_talk("debate", positions=positions, answer="option", options={"A": "a ban", "B": "a toll"})
        assert (ended["answer"].answer, ended["answer"].by) == ("A", "synthesizer")
        named = [prompt for prompt in model.prompts if prompt.purpose == "answer"]
        assert [told.who for told in named] == ["synthesizer"]
        assert len(list_questions(model)) == calls
    assert run_talk("debate")[0]["answer"] is None


def test_a_vote_with_options_is_on_these_options_and_its_winner_is_the_answer() -> None:
    def says(prompt: SentPrompt, nth: int) -> ScriptedReply | None:
        if prompt.purpose == "ballot":
            return {"choice": "B", "reason": "It is fair.", "abstain": False}
        return {"agrees": True} if prompt.purpose == "consent" else None

    ended, _ = run_talk("consensus", says, vote="plurality", answer="option", options={"A": "a ban", "B": "a toll"})
    assert ended["polls"][-1].options == {"A": "a ban", "B": "a toll"}
    assert (ended["answer"].answer, ended["answer"].text, ended["answer"].by) == ("B", "a toll", "vote")


def gives_up(prompt: SentPrompt, nth: int) -> ScriptedReply | None:
    """Ada concedes from the second round on."""
    if prompt.purpose != "declaration" or "stance" not in prompt.fields:
        return None
    return {
        "answer": "against",
        "certainty": 40 + nth * 7,
        "stance": "concede" if prompt.who == "Ada" and nth > 2 else "hold",
    }


def test_a_debate_ends_by_what_is_declared_and_says_what_that_promises() -> None:
    ended, model = run_talk("debate", gives_up, stop_rule="declared", dynamic_termination=True, max_turns=20)
    outcome = ended["outcome"]
    assert (outcome.reason, outcome.strategy, outcome.basis.kind) == ("concession_detected", "declared", "heuristic")
    assert [statement.turn for statement in ended["history"]] == [1, 2, 3, 4, 5, 6]
    assert outcome.evidence.turns == [5]
    assert "Ada conceded in turn 5" in outcome.headline
    assert Counter(prompt.purpose for prompt in model.prompts) == {"statement": 6, "declaration": 8, "synthesis": 1}


@pytest.mark.parametrize("talk", ["debate", "discussion", "panel"])
def test_a_talk_in_which_nobody_moves_ends_as_a_stalemate(talk: str) -> None:
    def says(prompt: SentPrompt, nth: int) -> ScriptedReply | None:
        still = {"answer": "undecided", "certainty": 50 + nth, "stance": "hold"}
        return {key: still[key] for key in prompt.fields} if prompt.purpose == "declaration" else None

    longer = {"max_rounds": 9} if talk == "panel" else {"max_turns": 20}
    ended, _ = run_talk(talk, says, stop_rule="declared", dynamic_termination=True, **longer)
    assert (ended["outcome"].reason, ended["outcome"].strategy) == ("positions_stable", "declared")
    assert max(statement.round for statement in ended["history"]) == 2


def test_people_in_a_session_are_not_asked() -> None:
    model = Sworn()
    given = {"topic": "Ban cars?", "participants": ["Ada", "Ben", {"name": "Zoe", "kind": "person"}]}
    graph, run = discussion.build().compile(checkpointer=InMemorySaver()), {"configurable": {"thread_id": "t"}}
    context = {"model": model, "retry_delays": [0], "max_turns": 4, "positions": "rounds"}
    graph.invoke(given, run, context=context)
    graph.invoke(Command(resume={"who": "Zoe"}), run, context=context)
    assert [question.who for question in list_questions(model)] == ["Ada", "Ben"]
    graph.invoke(Command(resume={"speaker": "Zoe", "text": "I would rather walk."}), run, context=context)
    assert [question.who for question in list_questions(model)] == ["Ada", "Ben"] * 3


@pytest.mark.parametrize(("calls", "positions"), [(5, 2), (8, 4), (30, 6)])
def test_a_budget_holds_and_what_it_does_not_buy_is_on_record(calls: int, positions: int) -> None:
    ended, model = run_talk("debate", positions="rounds", budget={"calls": calls})
    assert len(model.prompts) == len(ended["calls"]) <= calls
    assert len(ended["positions"]) == positions
    assert ended["synthesis"]


def test_a_budget_that_buys_no_statement_beside_the_positions_is_refused() -> None:
    with pytest.raises(ValueError, match=r"budget.calls = 3: give at least 4, enough for everyone's position"):
        run_talk("debate", positions="rounds", budget={"calls": 3})


@pytest.mark.long
@every_talk
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_rehearsal_takes_positions_in_every_language(talk: str, language: str) -> None:
    module, given, settled = TALKS[talk]
    settings = {**settled, "language": language, "model": "rehearsal", "seed": 3, "positions": "rounds"}
    state = module.graph.invoke(given, context=settings)
    assert len(group_by_moment(state["positions"])) == 3
    assert {position.answer for position in state["positions"]} <= {"for", "against", "undecided"}
    assert not [incident for incident in state["incidents"] if incident.where in ("declaration", "position")]


def test_the_rehearsal_moves_with_concessions_and_follows_what_it_was_told() -> None:
    settings = {"model": "rehearsal", "seed": 3, "max_turns": 20}
    state = debate.graph.invoke({"topic": "Ban cars?"}, context={**settings, "stop_rule": "declared"})
    pro = [(position.answer, position.stance) for position in state["positions"] if position.who == "PRO"]
    assert (pro[0], pro[-1][1], state["outcome"].strategy) == (("for", ""), "concede", "declared")
    facts = "Plan Rosa is quick. Plan Rosa is cheap. Plan Blau is quiet. A drawback of Plan Blau is its price."
    chosen = {"answer": "option", "options": {"A": "Plan Blau", "B": "Plan Rosa"}, "positions": "ends", "max_turns": 2}
    state = debate.graph.invoke({"topic": "Which plan?", "material": facts}, context={**settings, **chosen})
    assert {position.answer for position in state["positions"] if position.when == "before"} == {"B"}
    people = [{"name": name, "persona": f"You measured {kilos} kg."} for name, kilos in (("Ada", 12), ("Ben", 14))]
    number = {"model": "rehearsal", "positions": "ends", "max_turns": 2, "answer": {"number": "kg"}}
    state = discussion.graph.invoke({"topic": "How heavy?", "participants": people}, context=number)
    assert [position.number for position in state["positions"] if position.when == "before"] == [12, 14]
