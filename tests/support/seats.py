"""A consensus of a model and two people, and what they say."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx
from command import listed, moot
from fakeserver import Request
from moot.app.saved import open_database

Given = Mapping[str, str | list[str]]

SAID = {"Yan": "Tea keeps the office calm, says Yan.\n\nAnd it is cheap.", "Zoe": "Coffee wakes people up, says Zoe."}
MODEL = {
    "agrees": True,
    "choice": "A",
    "ranking": ["A"],
    "abstain": False,
    "reason": "Fair.",
    "position": "Tea.",
    "change": "none",
    "standing": [],
    "answer": "accept",
    "agreement": 0.9,
    "has_objection": False,
    "objection": "",
    "changed_by": "",
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
    output = moot(*words)
    assert output.exit_code == 3, output.stderr
    return str(listed()[0]["run"])


CONSENSUS = [
    "consensus",
    "Tea or coffee?",
    "--participant",
    "Ann",
    "--participant",
    "Yan=person",
    "--participant",
    "Zoe=person",
]
CONSENSUS += ["--max-rounds", "1", "--vote", "plurality"]

STRICT = [{"turn_within": 120, "action": "warn"}, {"turn_within": 600, "action": "hide"}]
"""The expectations of a session that holds people to what it holds programs to."""


def begun_in(inside: httpx.Client, model: str, **more: str) -> str:
    """The same, begun from the form of a room; the address of its page."""
    seats = {f"seat.{place}.name": who for place, who in enumerate(["Ann", "Yan", "Zoe"], 1)}
    seats |= {"seat.2.kind": "person", "seat.3.kind": "person"}
    filled = {"topic": "Tea or coffee?", "model": model, "max_rounds": "1", "vote": "plurality", **seats, **more}
    answer = inside.post("/new?protocol=consensus", data={"do": "begin", "most": "tokens=9000000", **filled})
    assert answer.status_code == 303, answer.text
    return str(answer.headers["location"])


def link(inside: httpx.Client, run: str, who: str) -> str:
    """The token of a new link to a seat, made on the page of its run."""
    page = inside.post(f"{run}/seats", data={"who": who, "do": "link"}).text
    return page.partition('<a href="/seat/')[2].partition('"')[0]


class Seat:
    """A seat as somebody without a script uses it."""

    def __init__(self, outside: httpx.Client, token: str) -> None:
        self.outside, self.path = outside, f"/seat/{token}"
        for do in ("take", "go"):
            self.outside.post(self.path, files=[("do", (None, do))])

    @property
    def page(self) -> str:
        """What its page shows."""
        return self.outside.get(self.path).text

    @property
    def id(self) -> str:
        """The question that is asked."""
        match = re.search(r'name="id" value="(\w+)"', self.page)
        return match[1] if match else ""

    def post(self, do: str, given: Given | None = None, **more: Any) -> httpx.Response:
        """Press a button, and give the page that follows."""
        sent = {"do": do, "id": self.id, **(given or {}), **more}
        pairs = [(key, one) for key, each in sent.items() for one in (each if isinstance(each, list) else [each])]
        files = [(key, (None, one)) for key, one in pairs]
        return self.outside.post(self.path, files=files, follow_redirects=True)  # type: ignore[arg-type]


async def linked(db: Path | str) -> str:
    """A seat is linked, written at, linked anew, revoked, and forgotten with its run; gives a token that was made."""
    async with open_database(db) as store:
        first = await store.seats.create_link("tea", "Yan")
        other = await store.seats.create_link("tea", "Zoe")
        assert first != other
        seat = await store.seats.find_seat(first)
        assert seat is not None
        await store.seats.save_record(seat.seat, text="Half a zebra …")
        await store.seats.save_record(seat.seat, read_count=3)
    async with open_database(db) as store:
        second = await store.seats.create_link("tea", "Yan")
        assert await store.seats.find_seat(first) is None
        seat = await store.seats.find_seat(second)
        assert seat is not None
        assert (seat.run, seat.record.who, seat.record.text, seat.record.read_count) == (
            "tea",
            "Yan",
            "Half a zebra …",
            3,
        )
        await store.seats.revoke_link("tea", "Yan")
        assert await store.seats.find_seat(second) is None
        assert {seat.record.who: seat.has_link for seat in await store.seats.list_seats("tea")} == {
            "Yan": False,
            "Zoe": True,
        }
        assert await store.seats.find_seat("") is None
        await store.seats.delete_seats("tea")
        assert await store.seats.list_seats("tea") == []
    return second
