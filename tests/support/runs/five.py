"""The five protocols as commands on a model server of the test: what each is called with, asks, and must end as."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from command import listed, moot
from fakeserver import Answer, FakeServer, Request, echo_by_hash
from fakeserver.echo import paragraph
from typer.testing import Result

TOPIC = "Should cities ban cars?"
SEED = ["--seed", "5"]
FIXED = ("dynamic_termination=false",)
EXPERTS = "MIT Researcher, Paper Analyst"


def alone_and_together(request: Request) -> str:
    """What a participant of a justice experiment says, by what its task asks for."""
    task = request.text.rsplit("<task>", 1)[-1]
    for labels, said in (
        (["Ranking"], "Ranking: 3 > 2 > 1 > 4\nCertainty: sure"),
        (["Principle", "Amount"], "Principle: 2\nAmount: none\nCertainty: sure\nReason: it pays most"),
        (["Distribution"], "D3"),
        (["Consent"], "1"),
        (["Principle"], "3"),
        (["Amount"], "14000"),
    ):
        if all(f"`{label}: " in task for label in labels):
            return said
    return f"I hold to principle 3 with an amount of 14,000, for the sake of the worst place. {echo_by_hash(request)}"


def in_lines(request: Request) -> str:
    """The first answer of each line that is asked for after an answer in the wrong form; empty if none was asked."""
    *_, before, last = request.body["messages"]
    lines = re.findall("`(.+?)`", last["content"]) if before["role"] == "assistant" else []
    return "\n".join({line.partition(":")[0]: line for line in reversed(lines)}.values()).replace("…", "so it is")


def approving(request: Request) -> Answer:
    """What is said in a dialogue with an approval vote, in so many calls; Ben's first ballot is invalid."""
    form = request.body.get("response_format") or {"json_schema": {"name": ""}}
    match form["json_schema"]["name"]:
        case "Declaration":
            position = paragraph(request.seed, 12)
            return json.dumps({"position": position, "agreement": 0.4, "has_objection": False, "changed_by": ""})
        case "ApprovalsBallot":
            valid = "You are Ben." not in request.text
            return json.dumps({"reason": "It can be lived with.", "approvals": ["A"], "abstain": not valid})
        case "CommonGround":
            shared = {"common_ground": "All want quiet streets [1].", "movement": "Nobody moved far [2]."}
            return json.dumps(shared | {"dissent": [], "open_questions": []})
    return in_lines(request) or echo_by_hash(request)


def reviewing(request: Request) -> Answer:
    """What is said in a council of three: each ranks all it is shown, one later than another."""
    form = request.body.get("response_format") or {"json_schema": {"name": ""}}
    if form["json_schema"]["name"] != "ReviewForm":
        return echo_by_hash(request)
    turn = request.seed[0] % 3
    critiques = {letter: paragraph(request.seed, 8) for letter in "ABC"}
    return json.dumps({"critiques": critiques, "ranking": [*"ABCAB"[turn : turn + 3]], "reason": "It holds."})


def scoring(request: Request) -> Answer:
    """The same by scores where two answers are shown; some are asked for it twice."""
    if not request.schema or "critiques" not in request.schema["properties"]:
        return in_lines(request) or echo_by_hash(request)
    if request.seed[0] % 2:
        return "Hm."
    scores = [{"option": character, "score": request.seed[place] % 10} for place, character in enumerate("AB")]
    return json.dumps({"critiques": {}, "ranking": ["B", "A"], "reason": "It holds.", "scores": scores})


def weighing(request: Request) -> Answer:
    """What an expert estimates who is asked for a number."""
    middle = 100 + request.seed[0]
    given = {"answer": middle, "unit": "kg", "low": middle - 20, "high": middle + 30}
    return json.dumps(given | {"reason": paragraph(request.seed, 12)})


@dataclass(frozen=True)
class Called:
    """One way to call a protocol. `calls`: of an undisturbed run; `width`: of its largest step, all
    branches and tries together."""

    words: list[str]
    calls: int
    width: int = 1
    reply: Callable[[Request], Answer] = echo_by_hash

    def on(self, server: FakeServer, *settings: str, on_outage: str = "skip") -> list[str]:
        """The words of the command, on this server, with settings `key=value`; failures of machines are passed over."""
        prompt = (f"on_outage={on_outage}", *(() if self.words[0] == "justice" else ("retry_delays=[0]",)))
        given = [word for one in (*prompt, *settings) for word in ("--set", one)]
        return [*self.words, "--model", f"openai:fake@{server.url}", *SEED, *given]


def called(*words: str, settings: tuple[str, ...] = ()) -> list[str]:
    return [*words, *(word for setting in settings for word in ("--set", setting))]


CHOICE = ("answer=option", "options={A: a ban, B: a toll}")
CAST = ("--participant", "Ada", "--participant", "Ben", "--participant", "Cleo")
FIVE = {
    "debate": Called(called("debate", TOPIC, "--max-turns", "4", settings=FIXED), 5),
    "consensus": Called(called("consensus", TOPIC, *CAST, "--max-rounds", "2", settings=FIXED), 11, 3),
    "discussion": Called(called("discussion", TOPIC, "--models-only", "--max-turns", "6"), 6),
    "panel": Called(called("panel", TOPIC, "--samples", "--output-language", "en"), 5),
    "justice": Called(
        called("justice", "--max-rounds", "1", settings=("participants=[A, B, C]",)), 48, 3, alone_and_together
    ),
}
"""The plainest run of each protocol."""

POSITIONS = ("positions=rounds",)
PERSONAS = "personas={Ada: You build., Ben: You count., Cleo: You doubt.}"
"""Of a council, whose members are told no names: so no two are told the same."""
MORE = {
    "debate with positions": Called(
        called("debate", TOPIC, "--max-turns", "4", settings=(*FIXED, *POSITIONS, *CHOICE)), 12, 3
    ),
    "consensus with positions": Called(
        called("consensus", TOPIC, *CAST, "--max-rounds", "2", settings=(*FIXED, *POSITIONS)), 17, 4
    ),
    "judged debate": Called(called("debate", TOPIC, "--max-turns", "6", "--stop-rule", "judge"), 10, 3),
    "voted consensus": Called(
        called("consensus", TOPIC, *CAST, "--max-rounds", "2", "--vote", "approval", settings=FIXED), 14, 4, approving
    ),
    "judged consensus": Called(
        called("consensus", TOPIC, *CAST, "--max-rounds", "2", settings=("convergence=judge",)), 10, 3
    ),
    "closable discussion": Called(
        called("discussion", "Tea or water?", "--models-only", "--max-turns", "5", settings=("models_may_close=true",)),
        2,
    ),
    "council": Called(called("council", TOPIC, *CAST, settings=(PERSONAS,)), 7, 3, reviewing),
    "council with positions": Called(
        called("council", TOPIC, *CAST, "--chairman", "Ben", settings=(PERSONAS, *CHOICE)), 7, 3, reviewing
    ),
    "panel of two cycles": Called(
        called("panel", TOPIC, "--samples", "--output-language", "en", "--cycles", "2", "--experts", EXPERTS), 5
    ),
    "jury": Called(called("jury", TOPIC, *CAST, "--max-rounds", "1", settings=FIXED), 9, 3),
    "delphi": Called(called("delphi", TOPIC, *CAST, "--max-rounds", "2", settings=(*FIXED, *CHOICE)), 6, 3),
}
"""Runs through the steps that the plainest do without."""

UNSEEN = {
    "delphi of a number": Called(
        called("delphi", TOPIC, *CAST, "--max-rounds", "2", settings=(*FIXED, "answer={number: kg}")), 6, 3, weighing
    ),
    "council by scores": Called(
        called("council", TOPIC, *CAST, "--no-rank-own-answer", "--voting-rule", "score", settings=(PERSONAS,)),
        8,
        4,
        scoring,
    ),
    "jury of two thirds": Called(
        called("jury", TOPIC, *CAST, "--max-turns", "2", "--verdict-rule", "2/3", settings=(*FIXED, *CHOICE)), 8, 3
    ),
}
"""A Delphi, a council and a jury by other forms and rules than theirs in `MORE`."""

EIGHT = [word for name in ["Ada", "Ben", "Cleo", "Dan", "Eve", "Fay", "Gus", "Hal"] for word in ("--participant", name)]
WIDE = {
    "consensus of eight": Called(
        called("consensus", TOPIC, *EIGHT, "--max-rounds", "1", "--vote", "approval", settings=FIXED), 18, 9, approving
    ),
    "justice of eight": Called(
        called("justice", "--max-rounds", "1", settings=("participants=[A, B, C, D, E, F, G, H]",)),
        128,
        8,
        alone_and_together,
    ),
}
"""Runs whose steps have many branches."""

ALL = {**FIVE, **MORE, **UNSEEN, **WIDE}

PASSING = re.compile(
    r"(?:time(stamp)?|at|since|began|ms|tokens?|run|experiment_id|.*_(tokens|ms|at)|.*(Tokens|TimeMs|Used|At)"
    r"|totalCalls|.*Requests)"
)
"""Keys of a document whose values follow from the clock, the server's cache, the run's name or lost calls."""


def lasting(found: Any) -> Any:
    """A document without what the clock, the server's cache and address, a kill, and the run's name put into it."""
    if isinstance(found, dict):
        return {key: lasting(value) for key, value in found.items() if not PASSING.fullmatch(key)}
    if isinstance(found, list):
        return [lasting(one) for one in found if not (isinstance(one, dict) and one.get("outcome") == "lost")]
    return re.sub(r"127\.0\.0\.1:\d+", "server", found) if isinstance(found, str) else found


def load_document(run: str, *options: str) -> dict[str, Any]:
    """A saved run's document."""
    result = moot("show", run, "--json", *options)
    assert result.exit_code == 0, result.stderr
    document: dict[str, Any] = json.loads(result.stdout)
    return document


def ran(words: list[str], **env: str) -> tuple[Result, dict[str, Any]]:
    """A command, and the document of the run it began; {} if it began none."""
    result = moot(*words, "--json", **env)
    runs = listed()
    return result, load_document(runs[0]["run"]) if runs else {}
