"""The room's pages as a browser without a script meets them: what they show, what they refuse, and the static site."""

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx
import pytest
import yaml
from command import document, listed, moot
from fakeserver import FakeServer
from moot.app.protocols.registry import get_protocol
from moot.app.report import build_diagram
from servers.room import open_room, page_with

TOKEN = "a token of twenty letters"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("room")
    place = ("--model", "rehearsal", "--db", folder / "moot.db")
    document("debate", "Is tea better?", "--max-turns", "4", "--set", "dynamic_termination=false", *place)
    document("consensus", "Ban cars?", "--max-rounds", "1", *place)
    document("delphi", "How long is the Danube, in km?", "--max-rounds", "1", *place)
    plan = {"name": "sweets", "protocol": "debate", "settings": {"max_turns": 2, "model": "rehearsal"}}
    (folder / "plan.yaml").write_text(yaml.safe_dump({**plan, "items": ["Tax sugar?"], "conditions": {"plain": {}}}))
    assert moot("experiment", "run", folder / "plan.yaml", "--db", folder / "moot.db").exit_code == 0
    return folder


@pytest.fixture(scope="module")
def debate(folder: Path) -> str:
    return next(run["run"] for run in listed("--db", folder / "moot.db") if run["topic"] == "Is tea better?")


@pytest.fixture(scope="module")
def server() -> Iterator[FakeServer]:
    with FakeServer() as server:
        yield server


FOUND = {"?q=TEA": 1, "?q=cars ban": 1, "?protocol=debate": 2, "?ending=max_turns_reached": 2, "?q=nothing": 0}


@pytest.mark.long
@pytest.mark.parametrize(("query", "count"), FOUND.items())
def test_runs_are_found_by_words_protocol_and_ending(query: str, count: int, inside: httpx.Client) -> None:
    assert f"Deliberations: {count}<" in inside.get(f"/{query}").text


@pytest.mark.long
def test_a_run_of_an_experiment_is_listed_with_its_condition(inside: httpx.Client) -> None:
    assert "sweets: plain" in inside.get("/?q=sugar").text


def test_what_only_one_protocol_shows_stands_on_the_page_of_its_run(folder: Path, inside: httpx.Client) -> None:
    name = next(run["run"] for run in listed("--db", folder / "moot.db") if run["protocol"] == "delphi")
    assert '<section id="estimates"' in inside.get(f"/runs/{name}").text


def test_the_page_of_a_run_folds_its_look_ups_below_their_turn(folder: Path, inside: httpx.Client) -> None:
    words = ("--max-turns", "2", "--set", "tools=[library]", "--model", "rehearsal", "--db", folder / "moot.db")
    run = document("debate", "Does it rain?", *words)
    page = inside.get(f"/runs/{run['run']}").text
    (lookup,) = run["lookups"]
    turn = page[page.index('id="turn-1"') : page.index('id="turn-2"')]
    assert f'<details id="lookup-{lookup["id"]}">\n<summary>' in turn
    assert lookup["text"] in turn


def test_the_page_of_an_open_run_draws_its_phases_and_routes_and_marks_where_it_stands(
    folder: Path, inside: httpx.Client
) -> None:
    moot(
        "debate",
        "Is it late?",
        "--participant",
        "PRO",
        "--participant",
        "CON=person",
        "--model",
        "rehearsal",
        "--db",
        folder / "moot.db",
    )
    name = next(run["run"] for run in listed("--db", folder / "moot.db") if run["topic"] == "Is it late?")
    page = inside.get(f"/runs/{name}").text
    phases = re.findall(r'<li data-nodes="[^"]+"( aria-current="step")?>([^<]+)</li>', page)
    assert [phase.partition(" →")[0] for _, phase in phases] == [
        *("start", "convene", "decide", "speak", "questions", "ending", "synthesize", "end")
    ]
    assert [phase for current, phase in phases if current] == ["speak → decide"]
    assert "decide → questions, ending, speak (next round, next speaker)" in [phase for _, phase in phases]
    boxes = re.findall(
        r'<g data-nodes="[^"]+"( aria-current="step")?>\n<rect [^>]+></rect>\n<text [^>]+>([^<]+)<', page
    )
    assert boxes == [(current, phase.partition(" →")[0]) for current, phase in phases]
    assert page.count('<path class="route') == len(build_diagram(get_protocol("debate").module.graph).routes)


@pytest.mark.parametrize(("asked", "said"), [("es,en;q=0.5", "Deliberaciones"), ("zh-CN", "审议"), ("fr", "Deliber")])
def test_a_page_speaks_the_browser_s_language(asked: str, said: str, inside: httpx.Client) -> None:
    assert said in inside.get("/", headers={"accept-language": asked}).text


def ended(inside: httpx.Client, path: str) -> str:
    """The page of a run that has ended."""
    return page_with(inside, path, 'data-state="finished"')


@pytest.mark.long
def test_what_a_run_may_cost_is_said_before_a_model_is_asked(inside: httpx.Client, server: FakeServer) -> None:
    filled = {"topic": "Is rain good?", "model": f"openai:fake@{server.url}", "max_turns": "2", "do": "begin"}
    http_response = inside.post("/new?protocol=debate", data=filled)
    assert http_response.status_code == 200
    assert re.search(
        r"<strong>about [\d,]+ tokens</strong></p>\s*<p[^>]*>(?:[\d,]+ tokens if it ends early, )?at most",
        http_response.text,
    )
    dialog = http_response.text.partition("<dialog")[2].partition("</dialog>")[0]
    most = re.search(r'name="most" value="(tokens=\d+)">Start, up to ([\d,]+) tokens<', dialog)
    assert most
    assert f"Spend up to {most[2]} tokens?" in dialog
    assert "What leaves this machine" in dialog
    assert dialog.index("Back") < dialog.index("Start, up to")
    assert server.chats == []
    response = inside.post("/new?protocol=debate", data=filled | {"most": most[1]})
    assert response.status_code == 303
    assert "Is rain good?" in ended(inside, response.headers["location"])
    assert server.chats != []


def test_a_text_file_is_what_everyone_is_given_to_read(inside: httpx.Client) -> None:
    filled = {"topic": "Is rain good?", "max_turns": "2", "do": "rehearse", "seat.1.name": "Ada", "seat.2.name": "Bo"}
    file = {"material": ("rain.txt", b"Rain fell on 200 days.")}
    response = inside.post("/new?protocol=debate", data=filled, files=file)
    page = ended(inside, response.headers["location"])
    assert "Rain fell on 200 days." in page
    assert "Ada" in page


def test_a_run_with_a_person_waits_and_says_for_whom(inside: httpx.Client) -> None:
    filled = {"topic": "Is rain good?", "do": "rehearse", "seat.1.name": "Ada", "seat.2.name": "Bo"}
    response = inside.post("/new?protocol=debate", data=filled | {"seat.1.kind": "person"})
    page = page_with(inside, response.headers["location"], 'data-state="waiting"')
    assert "Ada’s turn" in page
    assert '<p class="fault">' not in page


NOWHERE = ["/runs/debate-none", "/runs/debate-none/report", "/experiments/none", "/compare?a=x&b=y"]


@pytest.mark.parametrize("path", NOWHERE)
def test_what_is_not_there_leads_back_to_the_list(path: str, inside: httpx.Client) -> None:
    answer = inside.get(path)
    assert (answer.status_code, '<a href="/">Back' in answer.text) == (404, True)


def test_a_run_and_an_experiment_of_a_missing_package_have_a_page_that_says_so(
    folder: Path, inside: httpx.Client
) -> None:
    with closing(sqlite3.connect(folder / "moot.db")) as connection, connection:
        for table, key in (("moot_runs", "run"), ("moot_experiments", "name")):
            about = connection.execute(f"SELECT about FROM {table} WHERE about LIKE '%sweets%'").fetchone()[0]
            foreign = json.loads(about.replace('"debate"', '"mock_trial"').replace('\\"debate', '\\"mock_trial'))
            foreign.setdefault("settings", {})["packages"] = {"protocol": "moot-trials 1.0"}
            columns = [column[1] for column in connection.execute(f"PRAGMA table_info({table})")]
            names = ", ".join({key: "'foreign'", "about": "?"}.get(column, column) for column in columns)
            connection.execute(f"INSERT INTO {table} SELECT {names} FROM {table} LIMIT 1", [json.dumps(foreign)])
    page = inside.get("/runs/foreign")
    assert page.status_code == 200, page.text
    assert "comes from the package moot-trials 1.0" in page.text
    assert "pip install moot-trials" in page.text
    assert 'href="/runs/foreign/delete"' in page.text
    listed = inside.get("/experiments")
    assert listed.status_code == 200
    assert re.search(r"<strong[^>]*>foreign</strong></p><p class=.came meta.>[^<]*mock_trial", listed.text)
    assert '<a href="/experiments/sweets">' in listed.text


def test_what_cannot_be_done_with_a_run_leads_back_to_it(debate: str, inside: httpx.Client) -> None:
    answer = inside.post(f"/runs/{debate}/stop")
    assert (answer.status_code, f'<a href="/runs/{debate}">Back' in answer.text) == (409, True)


@pytest.mark.parametrize("seat", ["seat.99999999999999999999.name", "seat.x.name", "seat", "seat.0.name"])
def test_a_row_that_no_form_has_is_no_row_of_the_page(seat: str, inside: httpx.Client) -> None:
    response = inside.post("/new?protocol=debate", data={"topic": "x", "max_turns": "99", seat: "Ada"})
    assert (response.status_code, response.text.count('name="seat.')) == (400, 10)


REFUSED = [
    ({"topic": ""}, "write a topic or question"),
    ({"topic": "x", "max_turns": "99"}, "at most 20"),
    ({"topic": "x", "seat.1.name": "Ada", "seat.2.name": "ada"}, "must differ from the other names"),
    ({"topic": "x", "retry_delays": "[1, oops"}, "not plain YAML"),
    ({"topic": "x", "seat.1.name": "", "seat.1.temperature": "hot"}, 'id="wrong-seat.1.temperature"'),
]

MANY = {"topic": "", "max_turns": "99", "budget.calls": "-3", "retry_delays": "[1, oops", "seat.1.name": "Ada"}


def test_all_that_is_wrong_in_a_form_is_said_at_once_beside_its_fields_and_what_was_entered_stays(
    inside: httpx.Client,
) -> None:
    file = {"material": ("rain.txt", b"\xff\xfe")}
    page = inside.post("/new?protocol=debate", data=MANY | {"do": "begin"}, files=file).text
    alert = page.partition('id="fault"')[2].partition("</div>")[0]
    for key in ("material", "topic", "max_turns", "budget.calls", "retry_delays"):
        assert f'<a href="#{key}">{key} = ' in alert
        assert f'id="wrong-{key}">{key} = ' in page
    assert 'name="seat.1.name" aria-label="PRO: Name" maxlength="80" placeholder="PRO" value="Ada"' in page
    assert "[1, oops</textarea>" in page


@pytest.mark.parametrize(("filled", "told"), REFUSED, ids=str)
def test_what_cannot_be_begun_is_said_and_nothing_of_it_is_kept(
    filled: dict[str, str], told: str, inside: httpx.Client, folder: Path
) -> None:
    before = len(listed("--db", folder / "moot.db"))
    page = inside.post("/new?protocol=debate", data=filled | {"do": "rehearse"})
    assert page.status_code == 400
    assert told in page.text
    assert len(listed("--db", folder / "moot.db")) == before


@pytest.mark.parametrize("line", ["library=/etc/passwd", "record=/tmp/x.jsonl", "templates=/", "replay=/etc/hosts"])
def test_a_fork_names_no_file_of_this_machine(line: str, inside: httpx.Client, debate: str) -> None:
    page = inside.post(f"/runs/{debate}/fork", data={"turn": "2", "rules": line})
    assert page.status_code == 400
    assert "does not let its clients read this folder" in page.text


def test_a_fork_from_a_round_in_which_all_spoke_at_once_begins_at_its_end(inside: httpx.Client) -> None:
    filled = {"topic": "How many?", "expert_count": "3", "seed": "7", "do": "rehearse"}
    path = inside.post("/new?protocol=delphi", data=filled).headers["location"]
    ended(inside, path)
    for asked, meant in (("1", "3"), ("3", "3"), ("4", "6"), ("999", "last")):
        page = inside.get(f"{path}/fork?turn={asked}").text
        offered = re.findall(r"<option[^>]*>(\d+)", page)
        assert re.findall(r"<option[^>]* selected[^>]*>(\d+)", page) == [offered[-1] if meant == "last" else meant]


def test_a_run_s_page_has_its_ending_its_evidence_and_what_it_cost(inside: httpx.Client, debate: str) -> None:
    page = inside.get(f"/runs/{debate}").text
    assert 'class="verdict"' in page
    assert 'id="turn-4"' in page
    assert re.search(r"5 calls, [\d,]+ tokens", page)
    assert 'id="closing"' in page
    assert inside.get(f"/runs/{debate}/data").json()["run"] == debate
    assert "<!doctype html>" in inside.get(f"/runs/{debate}/report").text


@pytest.mark.long
def test_an_experiment_s_page_counts_its_runs(inside: httpx.Client) -> None:
    page = inside.get("/experiments/sweets").text
    assert re.search(r'<td class="figure">1</td><td class="figure">1</td><td class="figure">0</td>', page)
    assert "not begun" not in page
    assert "sweets" in inside.get("/experiments/sweets/report").text
    assert 'href="/experiments/sweets"' in inside.get("/").text


@pytest.mark.long
def test_beyond_this_machine_models_and_addresses_are_the_operator_s_to_allow(
    tmp_path: Path, server: FakeServer
) -> None:
    filled = {"topic": "Is rain good?", "model": f"openai:fake@{server.url}", "do": "begin", "most": "tokens=9000"}
    with open_room(tmp_path, "--host", "0.0.0.0", MOOT_ROOM_TOKEN=TOKEN) as room:
        root = room.root.replace("0.0.0.0", "127.0.0.1")
        with httpx.Client(base_url=root, headers={"origin": root}, trust_env=False) as client:
            assert client.post("/enter", data={"token": "wrong" * 5}).status_code == 401
            assert client.post("/enter", data={"token": TOKEN}).status_code == 303
            chat_count = len(server.chats)
            page = client.post("/new?protocol=debate", data=filled)
            assert "does not let its clients use this address" in page.text
            assert len(server.chats) == chat_count


@pytest.mark.long
def test_all_runs_are_written_as_a_site_whose_links_lead_somewhere(folder: Path, tmp_path: Path, debate: str) -> None:
    db = ("--db", folder / "moot.db")
    fork = document("fork", debate, "--turn", "2", "--set", "statement.2=Coffee keeps me awake all night.", *db)["run"]
    output = moot("site", tmp_path / "site", *db)
    assert output.exit_code == 0, output.stderr
    index = (tmp_path / "site" / "index.html").read_text("utf-8")
    assert f"compare/{fork}.html" in index
    for page in (tmp_path / "site" / "index.html", tmp_path / "site" / "compare" / f"{fork}.html"):
        text = page.read_text("utf-8")
        for link in re.findall(r'href="([^"#]+)"', text):
            assert (page.parent / link).exists(), link
        assert "http" not in re.sub(r"http-equiv|https?://www.w3.org\S+", "", text)
    assert "Coffee keeps me awake all night." in text
