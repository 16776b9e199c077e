"""Deadlines hold by themselves while a room or a worker is up: nobody has to touch the run."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

import pytest
from command import document, listed
from moot import open_session
from moot.app.people import list_open_questions
from moot.app.people.deadlines import ROUNDING_LOSS, DeadlineEnforcer
from moot.app.saved import Run, Store, load_saved_run, open_database
from moot.app.web.run_driver import RunDriver
from moot.storage.clock import format_time, use_clock
from seats import begun

YAN = {"name": "Yan", "kind": "person"}
BOT, EVE = ({"name": name, "kind": "program"} for name in ("Bot", "Eve"))
PASSED = {"person_deadline": 60, "expectations": []}
HIDDEN = {"expectations": [{"turn_within": 60, "action": "hide"}], "ttl": 90}
DEBATE = ["debate", "Ban cars?", "--participant", "Yan=person", "--participant", "Ann", "--model", "rehearsal"]


def after(seconds: float) -> datetime:
    return datetime.now(UTC) + timedelta(seconds=seconds)


@asynccontextmanager
async def open_deadlines() -> AsyncIterator[tuple[Store, DeadlineEnforcer]]:
    """A database whose deadlines a room holds; a run has come to rest when it went on."""
    async with open_database(create=False) as store:
        driver = RunDriver(store, 0)

        async def go_on(run: str) -> None:
            await driver.resume_overdue_run(run)
            await rested(driver, run)

        yield store, DeadlineEnforcer(store, go_on)
        await driver.close()


async def rested(driver: RunDriver, run: str) -> None:
    while driver.is_driving(run):
        await asyncio.sleep(0.01)


async def row(store: Store, run: str) -> Run:
    return (await load_saved_run(store, run)).build_row()


def test_a_person_s_time_is_held_when_it_is_over_and_not_before() -> None:
    run = begun(*DEBATE, "--max-turns", "2", "--set", "person_deadline=60")

    async def resume_overdue() -> None:
        async with open_deadlines() as (store, deadlines):
            due = datetime.fromisoformat((await store.runs.get_run(run)).due_at) + ROUNDING_LOSS
            assert await deadlines.resume_overdue(due - ROUNDING_LOSS) == due, "the next one is slept for"
            assert [one["who"] for one in list_open_questions(await load_saved_run(store, run))] == ["Yan"]
            with use_clock(lambda: due):
                assert await deadlines.resume_overdue(due) is None

    asyncio.run(resume_overdue())
    report = document("show", run)
    assert report["status"] == "completed"
    assert [(incident["who"], incident["kind"]) for incident in report["incidents"] if incident["kind"] == "late"] == [
        ("Yan", "late")
    ]


SESSIONS = [(YAN, PASSED, "turn_passed"), (BOT, HIDDEN, "participant_hidden"), (YAN, {"ttl": 60}, "session_expired")]


@pytest.mark.long
@pytest.mark.parametrize(("who", "settings", "kind"), SESSIONS, ids=[SESSION[2] for SESSION in SESSIONS])
def test_what_time_does_to_a_session_is_done_when_it_is_due(
    who: dict[str, str], settings: dict[str, object], kind: str
) -> None:
    session = open_session(
        "Tea?", ["Ada", EVE], creator=who, settings={"model": "rehearsal", "max_turns": 3} | settings
    )
    session.answer_invitation("Eve")

    async def resume_overdue() -> tuple[bool, list[str]]:
        async with open_deadlines() as (store, deadlines):
            before = datetime.fromisoformat((await store.runs.get_run(session.run)).due_at)
            with use_clock(lambda: before + ROUNDING_LOSS):
                await deadlines.resume_overdue(before + ROUNDING_LOSS)
            saved = await load_saved_run(store, session.run)
            return saved.run.due_at > format_time(before), [event.kind for event in saved.state["events"]]

    later, seen = asyncio.run(resume_overdue())
    assert seen.count(kind) == 1
    assert later == (kind == "participant_hidden"), "whoever is expected next has a time of their own"


def test_a_room_holds_them_while_nobody_does_anything() -> None:
    run = begun(*DEBATE, "--max-turns", "2", "--set", "person_deadline=60")

    async def resume_overdue() -> None:
        async with open_database(create=False) as store:
            driver, moment = RunDriver(store, 0), after(61)
            with use_clock(lambda: moment):
                keeping = asyncio.create_task(driver.deadlines.enforce_all())
                while not (await store.runs.get_run(run)).is_finished:
                    await asyncio.sleep(0.02)
            keeping.cancel()
            await driver.close()

    asyncio.run(asyncio.wait_for(resume_overdue(), 60))


def test_a_deadline_that_a_dying_process_did_not_write_down_is_found_and_those_of_experiments_are_left_alone() -> None:
    run = begun(*DEBATE, "--set", "person_deadline=60")

    async def list_deadlines() -> list[bool]:
        async with open_deadlines() as (store, deadlines):
            whole = await store.runs.get_run(run)
            await store.runs.save_run(whole.model_copy(update={"due_at": ""}))
            await deadlines.save_missing_deadlines()
            again = [(await store.runs.get_run(run)).due_at == whole.due_at]
            await store.runs.save_run(whole.model_copy(update={"experiment": "cars"}))
            return [*again, await deadlines.resume_overdue(after(61)) is None]

    assert asyncio.run(list_deadlines()) == [True, True]
    assert listed()[0]["state"] != "finished"


def test_a_run_that_cannot_go_on_now_is_tried_again_and_keeps_nobody_else_waiting() -> None:
    held, run = (begun(*DEBATE, "--max-turns", "2", "--set", "person_deadline=60") for _ in range(2))

    async def both() -> None:
        async with open_deadlines() as (store, deadlines):
            moment = after(61)
            with use_clock(lambda: moment):
                async with store.lock(held):
                    assert await deadlines.resume_overdue(moment) is None
                assert (await row(store, run)).is_finished
                assert not (await row(store, held)).is_finished
                await deadlines.resume_overdue(moment)
                assert (await row(store, held)).is_finished

    asyncio.run(both())
