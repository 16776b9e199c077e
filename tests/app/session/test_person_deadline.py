"""A session passes over a person whose time is over, on the record; without a deadline it waits."""

from datetime import UTC, datetime, timedelta

import pytest
from moot import open_session
from moot.storage.clock import use_clock

YAN = {"name": "Yan", "kind": "person"}


@pytest.mark.parametrize(("deadline", "speakers", "late"), [(60, ["Ada"], ["Yan"]), (None, [], [])])
def test_a_person_whose_time_is_over_is_passed_over(
    deadline: float | None, speakers: list[str], late: list[str]
) -> None:
    settings = {"model": "rehearsal", "max_turns": 2, "person_deadline": deadline, "expectations": []}
    session = open_session("Tea?", ["Ada"], creator=YAN, settings=settings)
    with use_clock(lambda: datetime.now(UTC) + timedelta(seconds=61)):
        stands = session.advance()
    assert [statement.speaker for statement in stands.history] == speakers
    assert [incident.who for incident in stands.state["incidents"] if incident.kind == "late"] == late
