"""Answers that do not keep to the form they were asked for, in every question that has one: repaired where nothing can
be meant but one thing, else asked for again with what was wrong, and in the end recorded as none, never guessed."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from typing import Any, NamedTuple

import pytest
from fakeserver import Answer, FakeServer, Fault, Reply, Request, echo_by_hash
from fakeserver.spoilt import wrong_enum
from runs.ailing import SICK, again, calls_for, incidents_of, own_model, task, unwaited
from runs.five import CAST, FIVE, MORE, TOPIC, Called, alone_and_together, called, in_lines, ran
from sampling import sample_cases

LONG = pytest.mark.long

PROPER: dict[str, dict[str, Any]] = {
    "Declaration": {"position": "Ban them in the centre.", "agreement": 1.0, "has_objection": False, "changed_by": ""},
    "CommonGroundDraft": {"common_ground": "We want the centre without cars."},
    "ConfirmationReply": {"answer": "accept", "reason": ""},
    "ConsentReply": {"agrees": True},
    "ApprovalsBallot": {"approvals": ["A"], "abstain": False, "reason": "It is the clearest one."},
    "CommonGround": {"common_ground": "All want this [1].", "dissent": [], "open_questions": [], "movement": "Little."},
    "Judgement": {"reason": "continue", "quote": "", "turn": 0, "confidence": 0.9},
    "Standings": {"standings": [{"name": one, "agreement": 0.5, "objection": ""} for one in CAST[1::2]]},
    "ClosableStatement": {"close": False, "reason": ""},
    "StatementWithSuccessor": {"next": ""},
}
"""An answer in each form; statements are said anew each time."""
FOLLOW_UP = {"change": "none", "standing": []}
"""What a later declaration says besides."""


def proper(request: Request) -> str:
    """A sound answer to whatever is asked; the first of its form where it is asked for in lines."""
    if request.schema is None and re.match(UNREAD, reasked(request)):
        lines = in_lines(request).replace("Agreement: 0", "Agreement: 1").replace("objection: yes", "objection: no")
        return re.sub(r"(?m)^Objection: .*\n?", "", lines)
    if request.schema is None:
        return f"{echo_by_hash(request)} As was said [1]."
    said = (
        {"statement": echo_by_hash(unformed(request))}
        if request.schema_name in ("ClosableStatement", "StatementWithSuccessor")
        else {}
    )
    further = {key: value for key, value in FOLLOW_UP.items() if key in request.schema["properties"]}
    return json.dumps({**said, **PROPER[str(request.schema_name)], **further})


UNREAD = r"I could not (?:read|use) your "


def reasked(request: Request) -> str:
    """What follows a reply without an answer of the form."""
    messages = request.body["messages"]
    return str(messages[-1]["content"]) if messages[-2]["role"] == "assistant" else ""


def unformed(request: Request) -> Request:
    """The same request as if it asked for plain text."""
    body = {key: value for key, value in request.body.items() if key != "response_format"}
    return replace(request, body=body)


RUNS = {
    "agreeing group": Called(called("consensus", TOPIC, *CAST, "--max-rounds", "3"), 14, 3),
    "voting group": Called(
        called("consensus", TOPIC, *CAST, "--max-rounds", "4", "--vote", "approval", settings=("confirm=false",)), 16, 3
    ),
    "judged debate": MORE["judged debate"],
    "judged group": MORE["judged consensus"],
    "session": MORE["closable discussion"],
    "floor that is yielded": Called(
        called("consensus", TOPIC, *CAST, "--max-rounds", "2", settings=("turn_order=yield_floor",)), 16, 3
    ),
}
"""Runs that between them ask for every form."""


class Form(NamedTuple):
    """A form: in which run it is asked for, for what purpose, and what follows where it is never kept to."""

    run: str
    purpose: str
    consequence: str


FORMS = {
    "Declaration": Form("agreeing group", "position", "no position"),
    "CommonGroundDraft": Form("agreeing group", "draft", "no draft"),
    "ConfirmationReply": Form("agreeing group", "acceptance", "not accepted"),
    "ConsentReply": Form("voting group", "consent", "counted as no"),
    "ApprovalsBallot": Form("voting group", "ballot", "no valid ballot"),
    "CommonGround": Form("agreeing group", "synthesis", "no synthesis"),
    "Judgement": Form("judged debate", "judgement", "continued unjudged"),
    "Standings": Form("judged group", "agreement", "not weighed"),
    "ClosableStatement": Form("session", "statement", "missed"),
    "StatementWithSuccessor": Form("floor that is yielded", "statement", "missed"),
}


def played(run: str, reply: Callable[[Request], Answer], code: int = 0) -> tuple[dict[str, Any], list[Request]]:
    """The document of a run that ends with this exit code, and what was asked in it."""
    with FakeServer(reply) as server, unwaited():
        result, found = ran(RUNS[run].on(server))
        assert result.exit_code == code, result.stderr
        assert len(server.chats) == found["totalCalls"]
    return found, server.chats


@cache
def undisturbed(run: str) -> int:
    """Calls of a run in which everyone keeps to every form."""
    found, _ = played(run, proper)
    assert not found["incidents"]
    return int(found["totalCalls"])


REPAIRED: dict[str, Callable[[str], str]] = {
    "fenced amid words": lambda text: f"Gladly, here it is:\n\n```json\n{text}\n```\n\nI hope this helps.",
}
WHOLE = [
    pytest.param(
        run, key, id=f"{run}-{key}", marks=[] if (run, key) == ("agreeing group", "fenced amid words") else LONG
    )
    for run in RUNS
    for key in REPAIRED
]


@pytest.mark.long
@pytest.mark.parametrize(("run", "key"), sample_cases(WHOLE, kinds=2))
def test_what_can_mean_only_one_thing_costs_no_further_call(run: str, key: str) -> None:
    found, asked = played(run, lambda request: (REPAIRED[key] if request.schema else str)(proper(request)))
    assert len(asked) == undisturbed(run)
    assert found["incidents"] == []


SPOILT: dict[str, Callable[[Request], str]] = {
    "words before it": lambda request: f"Gladly! Here it is: {proper(request)}",
    "words after it": lambda request: f"{proper(request)}\n\nI hope this helps.",
    "broken off": lambda request: proper(request)[:-9],
    "further keys": lambda request: json.dumps({**json.loads(proper(request)), "note": "as asked"}),
    "a value that is none": lambda request: wrong_enum(request, Reply()).text,
    "plain words": lambda _: "Certainly. I agree with everything that was said.",
}
CLOSED = [
    name
    for name in FORMS
    if name not in ("CommonGroundDraft", "ConsentReply", "ClosableStatement", "StatementWithSuccessor")
]
"""Forms with a closed list of values."""
ONCE = [
    pytest.param(
        form, key, id=f"{form}-{key}", marks=[] if key == "further keys" and form == "ClosableStatement" else LONG
    )
    for form in FORMS
    for key in SPOILT
    if key != "a value that is none" or form in CLOSED
]


def spoiling(form: str, spoil: Callable[[Request], str], times: int) -> Callable[[Request], str]:
    """A model that spoils its first `times` answers to the first one that is asked for this form."""
    met: list[str] = []

    def reply(request: Request) -> str:
        is_again = bool(met) and (bool(reasked(request)) or met[0] == task(request))
        if len(met) >= times or not (is_again or (not met and request.schema_name == form)):
            return proper(request)
        met.append(task(request))
        return spoil(request)

    return reply


@pytest.mark.parametrize(("form", "key"), sample_cases(ONCE, kinds=2))
def test_what_is_malformed_is_asked_for_again_with_what_was_wrong(form: str, key: str) -> None:
    run, purpose, _ = FORMS[form]
    found, asked = played(run, spoiling(form, SPOILT[key], 1))
    assert len(asked) == undisturbed(run) + 1
    (note,) = found["incidents"]
    assert (note["kind"], note["where"], note["consequence"]) == ("unparsable", purpose, "asked again")
    agains = [again(one) + reasked(one) for one in asked if "<again>" in again(one) or reasked(one)]
    assert len(agains) == 1
    assert note["what"] in agains[0] or "I could not" in agains[0]
    assert "degraded" not in found["headline"].lower()


@pytest.mark.parametrize(
    "form", [pytest.param(form, marks=[] if form == "ApprovalsBallot" else LONG) for form in FORMS]
)
def test_what_stays_malformed_is_recorded_as_none_and_never_guessed(form: str) -> None:
    run, purpose, consequence = FORMS[form]
    closing = form == "CommonGround"
    found, _ = played(run, spoiling(form, SPOILT["plain words"], 3), 3 if closing else 0)
    notes = incidents_of(found, "unparsable", purpose)
    assert (notes[-1]["consequence"], notes[-1]["severity"], notes[-1]["attempts"]) == (consequence, "degraded", 3)
    who = notes[-1]["who"]
    followed = [note["consequence"] for note in notes if note["who"] == who]
    assert followed[:3] == ["asked again", "asked again", consequence], "what followed is said of the last try alone"
    first = calls_for(found, purpose, who)[:3]
    assert [call["outcome"] for call in first] == ["ok"] * 3, "an answer came, and is paid for"
    assert found["status"] == ("failed" if closing else "completed")
    assert (
        re.search(r"\d+ incidents? lowered", found["headline"])
        or "missing" in found["headline"]
        or not found["synthesis"]
    )
    assert guessed(form, who, found) == []


def guessed(form: str, who: str, found: dict[str, Any]) -> list[Any]:
    """Whatever the record says of this one where it gave no answer."""
    if form == "Declaration":
        return [position for position in found["positions"] if (position["who"], position["round"]) == (who, 2)]
    if form == "Standings":
        return list(found["agreements"][0]["scores"])
    if form == "ConsentReply":
        return [poll for poll in found["polls"] if poll["event"] == "confirmed" and poll["number"] == 1]
    if form == "CommonGroundDraft":
        return [draft for draft in found["drafts"] if draft["round"] == 2]
    if form == "ConfirmationReply":
        return [
            confirmation
            for confirmation in found["confirmations"]
            if confirmation["who"] == who and confirmation["draft"] == 1 and not confirmation["fault"]
        ]
    if form == "ApprovalsBallot":
        return [poll for poll in found["polls"] if poll["tally"] and poll["tally"]["invalid"] != 1]
    if form == "CommonGround":
        return [found["synthesis"]] if found["synthesis"] else []
    lost = [incident["turn"] for incident in found["incidents"] if incident["consequence"] == "missed"]
    return [turn for turn in found["turns"] if turn["turnNumber"] in lost]


QUESTIONS = (
    "Rank the four from best to worst",
    "Choose one of the four",
    "Do you agree to vote now?",
    "Which principle do you vote for?",
    "What is the amount?",
)
KEPT = {
    "Rank the four from best to worst": ("ranking", "ranking defaulted"),
    "Choose one of the four": ("choice", "choice defaulted"),
    "Do you agree to vote now?": ("confirmation", "counted as no"),
    "Which principle do you vote for?": ("ballot", "ballot missing"),
    "What is the amount?": ("amount", "ballot missing"),
}
"""The questions of an experiment that want a form in plain text: their purpose, and what follows without an answer."""


def murmuring(request: Request, questions: tuple[str, ...], only_once: bool, met: list[str]) -> str:
    """Answers of which those of the sick participant to these questions say nothing: the first one each, or all."""
    question = next((question for question in questions if question in task(request)), "")
    if request.body["model"] != "sick" or not question or (only_once and question in met):
        return alone_and_together(request)
    met.append(question)
    return "Hm, hm."


@pytest.mark.long
def test_in_an_experiment_every_unreadable_answer_is_asked_for_again() -> None:
    reply = partial(murmuring, questions=QUESTIONS, only_once=True, met=[])
    with FakeServer(reply) as server, unwaited():
        result, found = ran(FIVE["justice"].on(server, own_model("justice", server)))
        assert len(server.chats) == found["totalCalls"] == FIVE["justice"].calls + len(QUESTIONS)
    assert result.exit_code == 0
    notes = [incident for incident in found["incidents"] if incident["kind"] == "unparsable"]
    assert sorted(note["where"] for note in notes) == sorted(purpose for purpose, _ in KEPT.values())
    assert {note["consequence"] for note in notes} == {"asked again"}
    assert found["phase2"]["consensus_reached"] is True
    assert "Degraded" not in found["headline"]


@LONG
@pytest.mark.parametrize("question", sample_cases(QUESTIONS, kinds=0))
def test_in_an_experiment_no_unreadable_answer_is_guessed(question: str) -> None:
    purpose, consequence = KEPT[question]
    reply = partial(murmuring, questions=(question,), only_once=False, met=[])
    with FakeServer(reply) as server, unwaited():
        result, found = ran(FIVE["justice"].on(server, own_model("justice", server)))
        assert len(server.chats) == found["totalCalls"]
    assert result.exit_code == 0
    followed = [
        incident for incident in incidents_of(found, "unparsable", purpose) if incident["severity"] == "degraded"
    ]
    assert {one["consequence"] for one in followed} == {consequence}
    assert {one["attempts"] for one in followed} == {3}
    assert {one["who"] for one in followed} == {SICK["justice"]}
    assert "Degraded: " in found["headline"]
    agreed = found["phase2"]["consensus_reached"]
    assert agreed == (purpose in ("ranking", "choice")), "nobody's vote was made up"


@pytest.mark.long
@pytest.mark.parametrize("cited", ["[@nobody2020]", "“nobody ever wrote these words here” [@{known}]"])
def test_a_panel_s_conclusion_that_proves_nothing_is_asked_for_once_more_and_then_marked(cited: str) -> None:
    def reply(request: Request) -> Answer:
        if request.body["model"] != "closing":
            return FIVE["panel"].reply(request)
        part = request.text.split('<paper id="', 1)[-1].split('"', 1)[0]
        return Fault(of=f"The panel finds that it depends on the street, and says so {cited.format(known=part)}.")

    with FakeServer(reply) as server, unwaited():
        result, found = ran(FIVE["panel"].on(server, f"models={{synthesizer: 'openai:closing@{server.url}'}}"))
    assert result.exit_code == 0
    assert [call["outcome"] for call in calls_for(found, "synthesis")] == ["ok", "ok"]
    assert "?]" in found["synthesis"]
    assert any(
        incident["consequence"] == "marked" and incident["severity"] == "degraded" for incident in found["incidents"]
    )
    assert "1 incident lowered the quality." in found["headline"]


@pytest.mark.long
@pytest.mark.parametrize("purpose", ["consent", "position"])
def test_what_is_too_long_for_a_voter_once_is_not_shown_it_on_its_ballot(purpose: str) -> None:
    form = {"consent": "ConsentReply", "position": "Declaration"}[purpose]
    refused: list[str] = []

    def reply(request: Request) -> Answer:
        if request.schema_name == form and "Ben" in task(request)[:80] and len(refused) < 1:
            refused.append(form)
            return Fault.overflow()
        return proper(request)

    found, _ = played("voting group", reply)
    ballots = {call["who"]: call["input_tokens"] for call in calls_for(found, "ballot")}
    assert [incident["who"] for incident in incidents_of(found, "overflow", purpose)] == ["Ben"]
    assert ballots["Ben"] < min(ballots["Ada"], ballots["Cleo"]) * 0.9
