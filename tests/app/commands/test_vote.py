"""`moot count`: ballots from files, refusals with their place, and what the command prints."""

import json
from pathlib import Path

import pytest
import typer
from moot.app.commands.count import count
from moot.app.run.failure import find_exit_code
from moot.app.tools.ballot_file import read_ballots
from moot.state.ballot import Ballot
from moot.state.errors import InputError
from typer.testing import CliRunner

command = typer.Typer()
command.command()(count)

CYCLE = "voter,1,2,3\nAda,X,Y,Z\nBob,Y,Z,X\nCyd,Z,X,Y\n"


@pytest.fixture
def written(tmp_path):
    def write(content):
        path = tmp_path / "ballots"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.mark.parametrize(
    ("content", "ballots"),
    [
        ("voter,choice\nAda,yes\nBob, no \n\nCyd,Abstain\n", [{"choice": "yes"}, {"choice": "no"}, {"abstain": True}]),
        (
            'Voter,Choice,Amount,Weight,Reason\r\nAda,floor,15000,5,"dear, but\nfair"\r\nBob,none,,,\r\n',
            [{"choice": "floor", "amount": 15000, "weight": 5, "reason": "dear, but\nfair"}, {"choice": "none"}],
        ),
        ('voter,choice,amount\nAda,a,15.000\nBob,a,"$15,000"\n', [{"choice": "a", "amount": 15000}] * 2),
        ("voter,1,2\nAda,X,Y\nBob,Z,\nCyd,Y\n", [{"ranking": ["X", "Y"]}, {"ranking": ["Z"]}, {"ranking": ["Y"]}]),
        ("voter,2,1\nAda,X,Y\nBob,,abstain\n", [{"ranking": ["Y", "X"]}, {"abstain": True}]),
        ("voter,1,2\nAda,X,X\n", [{"ranking": ["X", "X"]}]),
        ("voter,Bus,Tram\nAda,1,1\nBob,,0\n", [{"approvals": ["Bus", "Tram"]}, {"approvals": []}]),
        ("voter,Bus,Tram\nAda,7,3\nBob,-2.5,\n", [{"scores": {"Bus": 7.0, "Tram": 3.0}}, {"scores": {"Bus": -2.5}}]),
        ("\ufeffvoter,choice\nAda,是\n", [{"choice": "是"}]),
        ('[{"voter": "Ada", "choice": "a"}, {"voter": "Bob", "abstain": true}]', [{"choice": "a"}, {"abstain": True}]),
        ("[]", []),
        ("voter,choice\n", []),
    ],
)  # fmt: skip
def test_every_form_of_ballot_file_is_read(written, content, ballots):
    expected = [
        Ballot.model_validate({"voter": v, **ballot}) for v, ballot in zip(["Ada", "Bob", "Cyd"], ballots, strict=False)
    ]
    assert read_ballots(written(content)) == expected


@pytest.mark.parametrize(
    ("content", "place", "said"),
    [
        ("", "line 1, column 1", "the file is empty"),
        ("name,choice\nAda,a\n", "line 1, column 1", "the first column must be voter"),
        ("voter;choice\nAda;a\n", "line 1, column 1", "separate the columns by commas"),
        ("voter\nAda\n", "line 1, column 1", "give one column choice"),
        ("voter,choice,2\nAda,a,b\n", "line 1, column 3", "give one column choice"),
        ("voter,,a\nAda,1,0\n", "line 1, column 2", "name the column"),
        ("voter,a,b,a\nAda,1,0,1\n", "line 1, column 4", "there twice"),
        ("voter,1,2,amount\nAda,a,b,5\n", "line 1, column 4", "only a choice can have an amount"),
        ("voter,choice\nAda,a\nBob,a,b\n", "line 3, column 3", "the header has 2 columns"),
        ("voter,choice\nAda,a\nBob,\n", "line 3, column 2 (choice)", "write abstain"),
        ("voter,choice\n,a\n", "line 2, column 1 (voter)", "at least 1 character"),
        ("voter,choice\nAda,a\n\nAda,b\n", "line 4, column 1 (voter)", "already has a ballot above"),
        ("voter,1,2,3\nAda,X,,Z\n", "line 2, column 3 (2)", "leave no gap"),
        ("voter,1,2\nAda,abstain,X\n", "line 2, column 2 (1)", "abstain is next to a vote"),
        ("voter,1,2\nAda,X,\x07\n", "line 2, column 3 (2)", "control characters"),
        ("voter,a,b\nAda,7,lots\n", "line 2, column 3 (b)", "must be a number"),
        ("voter,a,b\nAda,7*,3\n", "line 2, column 2 (a)", "must be a number"),
        ("voter,choice,weight\nAda,a,4*\n", "line 2, column 3 (weight)", "must be a whole number"),
        ("voter,a,b\nAda,1,0\nBob,abstain,1\n", "line 3, column 2 (a)", "must be a number"),
        ("voter,a,b\nAda,1,9999999\n", "line 2, column 3 (b)", "at most"),
        *((f"voter,a,b\nAda,7,{cell}\n", "line 2, column 3 (b)", "a number") for cell in ("nan", "10.000", "1_0")),
        *(
            (f"voter,choice,amount\nAda,a,{text}\n", "line 2, column 3 (amount)", "whole number")
            for text in ("12.5", "15.0", "1_000")
        ),
        ("voter,choice,weight\nAda,a,3.0\n", "line 2, column 3 (weight)", "whole number"),
        ("voter,choice,weight\nAda,a,$4\n", "line 2, column 3 (weight)", "whole number"),
        ("voter,choice,weight\nAda,a,6\n", "line 2, column 3 (weight)", "at most 5"),
        ('voter,choice,reason\nAda,a,"x\ny"\nBob,"a\n', "line 4, column 5", ("close the quotes, and double each "
        "quote within a text")),
        pytest.param(f"voter,choice\nAda,{'a' * 140_000}\n", "line 2, column 1", "shorten the cell", id="overlong"),
        (b"voter,choice\nAda,\xff\n", "line 2, column 5", "save the file as UTF-8"),
        ("{}", "ballots", "must be a list"),
        ('[\n {"voter": "A", "choice": "a"},\n {"voter": "B", "choise": "a"}]', "ballots.1.choise", "mean choice?"),
        ('[{"voter": "Ada", "choice": "a"},\n {"voter": "Ada", "choice": "b"}]', "voter", "already has a ballot above"),
        ('[{"voter": "Ada", "choice": "a", "choice": "b"}]', "file", "the key choice comes twice"),
        ('[{"voter": "Ada"\n "choice": "a"}]', "line 2, column 2", "Expecting ',' delimiter"),
        ('[{"voter": "Ada", "choice": "a"} 7]', "line 1, column 34", "one JSON list"),
        ('[{"voter": "Ada", "choice": "a"},]', "line 1, column 34", "one JSON list"),
        ('[{"voter": "Ada", "choice": "a"}', "line 1, column 33", "one JSON list"),
        ("[] []", "line 1, column 4", "one JSON list"),
        ("[" * 100_000, "file", "broken JSON"),
        ('["Ada"]', "ballots.0", "mapping"),
        ('[{"voter": "Ada", "scores": {"x": 9999999}}]', "ballots.0.scores.x", "at most"),
    ],
)  # fmt: skip
def test_anything_else_is_refused_with_its_place(written, content, place, said):
    with pytest.raises(InputError) as error:
        read_ballots(written(content))
    assert str(error.value).startswith(f"{place} = ")
    assert said in str(error.value)


def run(path, *options):
    return CliRunner().invoke(command, [str(path), *options])


def test_all_rules_stand_in_one_table_with_the_cycle_below(written):
    output = run(written(CYCLE + "Dan,abstain\nEve,X,X\n"), "--all-rules", "--quorum", "4/5").stdout
    rows = [line.split()[1] for line in output.splitlines() if line.startswith("│ ") and line.split()[1] != "│"]
    choices, ranked = "unanimity supermajority majority plurality", "borda copeland schulze ranked_pairs instant_runoff"
    assert rows == f"{choices} {ranked}".split()
    assert "5 voters: 3 votes, 1 abstain, 1 invalid; turnout 80%, quorum met" in output
    assert "invalid: ranking names 'X' twice" in output
    assert "Condorcet: no winner, but a cycle: X > Y > Z > X" in output
    assert "Not counted: cumulative (counts scores, not rankings)" in output


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (
            "voter,choice\na,x\n",
            ["1 voter: 1 vote, 0 abstain", "The rules agree: x by unanimity, supermajority, major"],
        ),
        (
            "voter,choice\na,x\nb,x\nc,y\n",
            ["One winner, but not by every rule: x by super", "; no winner by unanimity"],
        ),
        (
            "voter,choice,weight\na,x,1\nb,x,1\nc,y,5\n",
            ["The rules disagree: x by super", "; y by confidence_weighted"],
        ),
        ("voter,choice\na,x\nb,y\n", ["No rule finds a winner"]),
    ],
)
def test_what_the_rules_come_to_is_said_below_the_table(written, content, lines):
    output = run(written(content)).stdout
    assert all(line in output for line in lines)


def test_json_is_one_document_with_the_cycle_as_a_field(written):
    report = json.loads(run(written(CYCLE), "--json").stdout)
    assert report["condorcet"] == {"winner": None, "cycle": ["X", "Y", "Z"], "top": ["X", "Y", "Z"]}
    document = json.loads(run(written(CYCLE), "--rule", "ranked-pairs", "--json").stdout)
    assert (document["rule"], document["winner"], document["winners"]) == ("ranked_pairs", None, ["X", "Y", "Z"])
    assert document["condorcet"] == report["condorcet"]


@pytest.mark.parametrize(
    ("content", "options", "winner"),
    [
        ("voter,choice\na,x\nb,x\nc,y\n", ["--rule", "supermajority"], "x"),
        ("voter,choice\na,x\nb,x\nc,y\n", ["--rule", "supermajority", "--supermajority", "3/4"], None),
        ("voter,choice\na,x\nb,y\n", ["--rule", "plurality", "--tie-break", "seeded", "--seed", "1"], "x"),
        ("voter,choice\na,x\nb,y\n", ["--rule", "plurality", "--tie-break", "seeded", "--seed", "2"], "y"),
        ("voter,choice\na,x\nb,y\n", ["--rule", "plurality", "--tie-break", "status-quo", "--status-quo", "z"], "z"),
        ("voter,choice\na,x\nb,x\n", ["--rule", "majority", "--voters", "5"], None),
        ("voter,choice\nx,x\ny,x\nz,y\n", ["--rule", "majority", "--exclude-self"], None),
        ("voter,x,y\na,9,1\nb,2,8\n", ["--rule", "cumulative"], "x"),
    ],
)
def test_the_options_of_the_command_reach_the_count(written, content, options, winner):
    assert json.loads(run(written(content), *options, "--json").stdout)["winner"] == winner


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--rule", "lottery"], "rule = 'lottery': use one of unanimity, supermajority"),
        (["--rule", "score"], "rule = 'score': counts scores or approvals, not rankings"),
        (["--rule", "borda", "--all-rules"], "--rule = 'borda': give --rule or --all-rules, not both"),
        (["--quorum", "half"], "--quorum = 'half': write a share such as 2/3 or 0.6"),
        (["--quorum", "1/0"], "--quorum = '1/0': write a share"),
        (["--quorum", "2"], "--quorum = 2.0: must be at most 1"),
        (["--supermajority", "1/2"], "--supermajority = 0.5: must be more than 0.5"),
        (["--tie-break", "coin"], "--tie-break = 'coin': must be 'none', 'seeded', 'status_quo' or 'runoff'"),
        (
            ["--tie-break", "status_quo"],
            "--tie-break = 'status_quo': add --status-quo OPTION, the option that wins a tie",
        ),
        (["--voters", "2"], "voters = 2: there are 3 ballots"),
    ],
)
def test_a_refused_option_is_one_line_and_exit_code_two(written, options, said):
    result = run(written(CYCLE), *options)
    assert said in str(result.exception)
    assert "\n" not in str(result.exception)
    assert find_exit_code(result.exception) == 2
    assert result.stdout == ""


def test_a_missing_file_is_refused(tmp_path):
    result = run(tmp_path / "none.csv")
    assert "cannot be read: No such file or directory" in str(result.exception)
    assert find_exit_code(result.exception) == 2


def test_a_file_without_an_end_is_refused(monkeypatch):
    monkeypatch.setattr("moot.app.tools.ballot_file.BALLOT_SIZE_LIMIT", 1_000_000)
    result = run(Path("/dev/zero"))
    assert "file = '/dev/zero': give a file of at most 1,000,000 bytes" in str(result.exception)
    assert find_exit_code(result.exception) == 2


def test_option_names_are_shown_as_they_are_and_cannot_steer_the_terminal(written):
    output = run(written("voter,[red]Bus[/red],\u202ecod\nAda,1,0\n")).stdout
    assert "[red]Bus[/red]" in output
    assert "\u202e" not in output


@pytest.mark.parametrize("content", ["voter,choice\n", "[]"])
def test_a_file_without_ballots_counts_nothing_unless_the_electorate_is_known(written, content):
    runner = CliRunner()
    with pytest.raises(InputError, match="holds no ballots"):
        runner.invoke(command, [str(written(content))], catch_exceptions=False)
    output = runner.invoke(command, [str(written(content)), "--voters", "5", "--rule", "majority"]).stdout
    assert "quorum not met" in output
