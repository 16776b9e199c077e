"""A consensus of a model and two people, and what they say."""

import json

from command import listed, moot
from fakeserver import Request

SAID = {"Yan": "Tea keeps the office calm, says Yan.\n\nAnd it is cheap.", "Zoe": "Coffee wakes people up, says Zoe."}
MODEL = {
    "agrees": True,
    "choice": "A",
    "abstain": False,
    "reason": "Fair.",
    "position": "Tea.",
    "agreement": 0.9,
    "objection": "",
    "moved_by": "",
    "common_ground": "Tea it is.",
    "dissent": [],
    "open_questions": [],
    "movement": "",
}


def reply(request: Request) -> str:
    """A model that fills in any form of a consensus, and says something sound elsewhere."""
    schema = request.schema
    if schema:
        return json.dumps({key: MODEL[key] for key in schema["properties"]})
    return f"I would rather have tea, with a reason that has number {len(request.text)}."


def begun(*words: str) -> str:
    """A run that waits for people; its name."""
    stopped = moot(*words)
    assert stopped.exit_code == 3, stopped.stderr
    return str(listed()[0]["run"])


CONSENSUS = ["consensus", "Tea or coffee?", "--with", "Ann", "--with", "Yan=person", "--with", "Zoe=person"]
CONSENSUS += ["--max-rounds", "1", "--vote", "plurality"]

STRICT = [{"turn_within": 120, "action": "warn"}, {"turn_within": 600, "action": "hide"}]
"""The expectations of a session that holds people to what it holds programs to."""
