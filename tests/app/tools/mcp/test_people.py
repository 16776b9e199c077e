"""A person takes part in a deliberation of an assistant: the client shows the form, in either way there is."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from command import document, listed
from mcp import Client
from mcp_types import CallToolResult, ElicitRequestFormParams, ElicitResult
from moot.app.people.answers import answer_question as answer_elsewhere, resume_waiting_run
from moot.app.saved import RunLockedError, SavedRun
from moot.app.tools.mcp.arguments import build_tool_request
from moot.app.tools.mcp.people import WaitingForFormError, flatten_schema, parse_content
from moot.app.tools.mcp.runs import ServerRuns
from moot.app.tools.mcp.server import build_server
from moot.models.chat_model import close_models

Fill = Callable[[ElicitRequestFormParams], ElicitResult]
SAID = "Tea should be free on Mondays, because nobody is at their best then."
CONSENSUS = {"topic": "Should tea be free?", "max_rounds": 1, "participants": ["Ada", "Ben", "Eve=person"]}
DEBATE = {"topic": "Should tea be free?", "max_turns": 2, "participants": ["Ada", "Eve=person"]}
MODES = pytest.mark.parametrize("mode", ["legacy", "auto"])


def called(
    tool: str, given: dict[str, Any], fill: Fill | None, mode: Any = "auto", told: list[str] | None = None
) -> CallToolResult:
    """What a tool answers a client that shows its forms to `fill`; none: it shows none. `told`: of each statement."""

    async def tell(made: float, most: float | None, said: str | None) -> None:
        if told is not None:
            told.append(f"{made:g} {said}")

    async def show_form(context: Any, params: Any) -> ElicitResult:
        assert fill
        return await asyncio.to_thread(fill, params)

    async def within() -> CallToolResult:
        runs = ServerRuns("", "rehearsal")
        try:
            async with Client(
                build_server(runs), mode=mode, elicitation_callback=show_form if fill else None
            ) as client:
                return await client.call_tool(tool, given, progress_callback=tell)
        finally:
            await runs.close()
            await close_models()

    return asyncio.run(within())


def accepted(**content: Any) -> ElicitResult:
    return ElicitResult(action="accept", content=content)


VOTES: dict[str, dict[str, Any]] = {
    "borda": {"ranking_1": "B", "ranking_2": "A"},
    "score": {"scores_A": 3, "scores_B": 9, "scores_C": 0},
}


@pytest.mark.long
@MODES
@pytest.mark.parametrize("rule", VOTES)
def test_a_person_is_asked_for_a_turn_and_a_vote_by_the_clients_own_form(mode: str, rule: str) -> None:
    asked: list[ElicitRequestFormParams] = []
    told: list[str] = []

    def fill(params: ElicitRequestFormParams) -> ElicitResult:
        asked.append(params)
        if "answer" in params.requested_schema["properties"]:
            assert told == []  # blind: nor of what the others have said
            return accepted(answer=SAID)
        return accepted(reason="I like it.", abstain=False, **VOTES[rule])

    answer = called("consensus", {**CONSENSUS, "vote": rule}, fill, mode, told)
    assert not answer.is_error, answer.content
    assert answer.structured_content
    statements = [turn for turn in answer.structured_content["turns"] if turn["speakerId"] == "Eve"]
    assert [statement["content"] for statement in statements] == [SAID]
    who = [turn["speakerId"] for turn in answer.structured_content["turns"]]
    assert [one.partition(":")[0] for one in told] == [f"{turn} {turn}. {name}" for turn, name in enumerate(who, 1)]
    turn, ballot = asked
    assert turn.message.startswith("Eve · turn 3\n")  # blind: nothing of what the others say is told before
    assert turn.requested_schema["required"] == ["answer"]
    assert "\nA: " in ballot.message
    assert "C: " in ballot.message
    assert {one["type"] for one in ballot.requested_schema["properties"].values()} <= {"string", "number", "boolean"}
    tally = document("show", answer.structured_content["run"])["polls"][-1]["tally"]
    assert (tally["votes"], tally["invalid"]) == (3, 0)


def test_a_form_that_does_not_fit_is_shown_again_with_what_was_wrong() -> None:
    asked: list[str] = []

    def fill(params: ElicitRequestFormParams) -> ElicitResult:
        asked.append(params.message)
        return accepted(answer=SAID if len(asked) > 1 else " ")

    answer = called("consensus", CONSENSUS, fill)
    assert not answer.is_error, answer.content
    assert len(asked) == 2
    assert asked[1].endswith("Please change this: it was empty. (attempt 2 of 3)")


@MODES
def test_a_form_that_is_declined_lets_the_turn_pass(mode: str) -> None:
    answer = called("consensus", CONSENSUS, lambda params: ElicitResult(action="decline"), mode)
    assert answer.structured_content
    assert "Eve" not in {turn["speakerId"] for turn in answer.structured_content["turns"]}


@MODES
@pytest.mark.parametrize("fill", [lambda params: ElicitResult(action="cancel"), None], ids=["put away", "no forms"])
def test_without_an_answer_the_run_waits_and_says_how_the_person_joins_it(fill: Fill | None, mode: str) -> None:
    answer = called("consensus", CONSENSUS, fill, mode)
    assert answer.is_error
    (run,) = listed()
    assert f"join {run['run']} --as Eve" in answer.content[0].text  # type: ignore[union-attr]
    status = called("status", {"run": run["run"]}, None).structured_content
    assert status
    assert f"join {run['run']} --as Eve" in status["remedy"]
    assert (status["turns"], status["last"]) == (0, ""), "blind: what the others said is not told before"


def test_a_question_that_was_answered_elsewhere_meanwhile_is_not_answered_twice() -> None:
    def fill(params: ElicitRequestFormParams) -> ElicitResult:
        (asked,) = resume_waiting_run(run := listed()[0]["run"])
        answer_elsewhere(run, asked["id"], "Eve", "Said at a terminal, at some length.")
        return accepted(answer=SAID)

    answer = called("consensus", CONSENSUS, fill)
    assert answer.structured_content
    contents = [turn["content"] for turn in answer.structured_content["turns"] if turn["speakerId"] == "Eve"]
    assert contents == ["Said at a terminal, at some length."]


def test_of_two_answers_at_once_one_continues_the_run_and_the_other_is_told_that_it_is_running() -> None:
    async def ask() -> list[Any]:
        runs = ServerRuns("", "rehearsal")
        try:
            with pytest.raises(WaitingForFormError) as waiting:
                await runs.run_deliberation(build_tool_request("debate", DEBATE), None)
            answers = (runs.continue_run(waiting.value, SAID, ignore) for _ in range(2))
            return await asyncio.gather(*answers, return_exceptions=True)
        finally:
            await runs.close()
            await close_models()

    async def ignore(turn: int, max_turns: int | None, text: str) -> None:
        """Nobody follows the progress."""

    results = asyncio.run(ask())
    (ended,) = [result for result in results if isinstance(result, SavedRun)]
    assert ended.has_ended
    assert {type(result) for result in results} == {SavedRun, RunLockedError}


MARK = {"type": "object", "properties": {"option": {"enum": ["A", "B"]}, "score": {"type": "number", "maximum": 10}}}
NULL = {"type": "null"}
SCHEMA = {
    "$defs": {"Mark": MARK},
    "properties": {
        "reason": {"type": "string"},
        "kind": {"const": "ballot"},
        "choice": {"anyOf": [{"enum": ["A", "B", ""]}, NULL]},
        "ranking": {"type": "array", "items": {"enum": ["A", "B"]}, "minItems": 1},
        "scores": {"anyOf": [{"type": "array", "items": {"$ref": "#/$defs/Mark"}}, NULL]},
        "number": {"anyOf": [{"type": "integer", "minimum": 1}, NULL]},
        "abstain": {"type": "boolean"},
        "deep": {"type": "object"},
        "only": {"anyOf": [{"const": "A"}, NULL]},
        "standing": {"type": "array", "items": {"enum": [3, 7]}},
    },
}


def test_every_kind_of_field_is_shown_flat_and_read_back() -> None:
    shown = flatten_schema(SCHEMA, "")
    assert list(shown["properties"]) == [
        *["choice", "ranking_1", "ranking_2", "scores_A", "scores_B", "number", "abstain", "deep"],
        *["only", "standing_1", "standing_2", "standing_none", "reason"],
    ]
    assert shown["required"] == ["ranking_1", "abstain", "deep"]
    assert shown["properties"]["choice"]["enum"] == ["A", "B", "none"]
    assert shown["properties"]["standing_1"] == {"type": "string", "enum": ["3", "7"], "title": "standing_1"}
    given = {"ranking_1": "B", "ranking_2": "A", "scores_B": 4, "abstain": False, "deep": '{"x": 1}', "number": 7}
    given |= {"standing_1": "7"}
    assert parse_content(SCHEMA, given) == {
        "reason": "",
        "kind": "ballot",
        "choice": None,
        "ranking": ["B", "A"],
        "scores": [{"option": "B", "score": 4}],
        "number": 7,
        "abstain": False,
        "deep": {"x": 1},
        "only": None,
        "standing": [7],
    }
    abstention = {"ranking_1": "B", "abstain": True}
    assert parse_content(SCHEMA, abstention)["scores"] is parse_content(SCHEMA, abstention)["choice"] is None
    assert parse_content(SCHEMA, abstention | {"choice": ""})["choice"] is None
    contrary = parse_content(SCHEMA, abstention | {"choice": "A", "scores_B": 4})
    assert (contrary["choice"], contrary["scores"]) == ("A", [{"option": "B", "score": 4}]), "both are rejected"
    assert parse_content(SCHEMA, {"ranking_1": "", "ranking_2": "A"})["ranking"] == [None, "A"], "nothing moves up"


def test_a_null_in_place_of_a_text_says_nothing() -> None:
    assert [parse_content(None, {"answer": answer}) for answer in ("So be it.", None)] == ["So be it.", ""]


@pytest.mark.parametrize(
    ("content", "approvals"),
    [
        ({"approvals_1": "B"}, ["B"]),
        ({"approvals_none": True}, []),
        ({"approvals_1": "", "approvals_none": True}, []),
        ({}, None),
        ({"approvals_none": False}, None),
        ({"approvals_1": "", "approvals_2": ""}, None),
        ({"approvals_1": "B", "approvals_none": True}, None),
        ({"approvals_none": "true"}, None),
        ({"approvals_none": True, "abstain": True}, []),
        ({"abstain": True}, None),
    ],
)
def test_a_blank_form_approves_nothing_only_if_the_person_says_so(content: dict[str, Any], approvals: Any) -> None:
    approved = {"anyOf": [{"type": "array", "items": {"enum": ["A", "B"]}}, NULL]}
    schema = {"properties": {"approvals": approved, "abstain": {"type": "boolean"}}}
    assert parse_content(schema, content)["approvals"] == approvals


NAMES: list[tuple[dict[str, Any], Any]] = [({"changed_by": "Ben"}, "Ben"), ({"changed_by": "none"}, ""), ({}, None)]


@pytest.mark.parametrize(("content", "name"), NAMES)
def test_a_blank_form_names_nobody_only_if_the_person_says_so(content: dict[str, Any], name: Any) -> None:
    schema = {"properties": {"changed_by": {"type": "string", "enum": ["", "Ben"]}}}
    assert parse_content(schema, content)["changed_by"] == name
