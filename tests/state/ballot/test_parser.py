"""Ballots and consents read out of plain text: what is stated plainly is read, nothing is guessed."""

import pytest
from doubling import growth
from moot.state.ballot import Ballot, BallotFormat
from moot.state.ballot.answer_parser import UnclearAnswerError, parse_consent
from moot.state.ballot.parser import read_answer
from moot.state.errors import InputError

OPTIONS = ["Bus", "Tram", "Ring road"]


def read_ballot(
    text: str, kind: BallotFormat, options: list[str], voter: str = "Ada", weighted: bool = False
) -> Ballot:
    """The ballot that a text states; where it states none, an invalid one with the reason."""
    try:
        return read_answer(text, kind, options, weighted=weighted).make_ballot(voter)
    except UnclearAnswerError as unclear:
        return Ballot.make_invalid(voter, text, str(unclear))


YES = [
    "yes",
    "Yes.",
    "**YES!**",
    "Yes. It is time.",
    "Yes, I agree.",
    "yes, because it helps",
    "I consent.",
    "Sí.",
    "同意。",
    "1",
    "Answer: 1",
]
NO = [
    "no",
    "NO. Yesterday I would have said yes.",
    "No, I do not agree.",
    "It is early.\n\nNo.",
    "I do not approve.",
    "不同意",
    "0, not now",
]
NEITHER = [
    "",
    "Yesterday",
    "Nobody",
    "yes and no",
    "Yes, but no",
    "Yes?",
    "not no",
    "No. Wait. Yes.",
    "YES\nNO",
    "I would",
]
NEITHER += ["1 or 0", "no quiero 1", "我不同意1", "Agent_1 agrees", "1 more round", "Yes, 0"]
NEITHER += ["Yes if they pay", "> yes", "Would everyone agree? No. Still, it may work."]


@pytest.mark.parametrize(("text", "consents"), [*((text, True) for text in YES), *((text, False) for text in NO)])
def test_consent_is_read_from_whole_sentences(text, consents):
    assert parse_consent(text) is consents


@pytest.mark.parametrize("text", NEITHER)
def test_what_is_neither_yes_nor_no_is_not_guessed(text):
    with pytest.raises(UnclearAnswerError):
        parse_consent(text)


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        ("approve", "approve"),
        ("I approve.", "approve"),
        ("## Approve", "approve"),
        ("REJECT. I cannot approve this.", "reject"),
        ("It costs too much.\nMy vote: **reject**\nReason: the approve side has no budget", "reject"),
        ("I vote for approve, since it is cheap.", "approve"),
        ("投票：reject", "reject"),
        ('{"choice": "approve"}', "approve"),
        ('```json\n{"choice": "reject", "reason": "dear"}\n```', "reject"),
        ('{"choice": "Approve"}', None),
        ('{"choice": "approve", "sure": true}', None),
        ('{"choice": approve}', None),
        ("I do not approve", None),
        ("I would approve", None),
        ("approve or reject", None),
        ("Approve. No, reject.\nReject.", None),
        ("My answer is not approve", None),
        ("I vote approve. I vote reject.", None),
        ("disapprove", None),
        ("", None),
    ],
)
def test_a_choice_is_read_where_it_is_stated_plainly_and_is_else_invalid_with_the_text(text, choice):
    ballot = read_ballot(text, "choice", ["approve", "reject"], voter="Ada")
    assert ballot.choice == choice
    assert (bool(ballot.invalid), ballot.raw) == ((True, text) if choice is None else (False, ""))


@pytest.mark.parametrize(
    ("kind", "text", "said"),
    [
        ("ranking", "1. Tram\n2. ring road\n3. Bus", ["Tram", "Ring road", "Bus"]),
        ("ranking", "My ranking:\n1) **Tram**\n2) Bus\nReason: noise", ["Tram", "Bus"]),
        ("ranking", "Tram > Bus", ["Tram", "Bus"]),
        ("ranking", "Tram, Bus", ["Tram", "Bus"]),
        ("ranking", '{"ranking": ["Tram"]}', ["Tram"]),
        ("ranking", "Tram > Bus > Tram", "twice"),
        ("ranking", "1. Tram\n2. Plane", "ranking.1"),
        ("ranking", "1. Tram\n3. Bus", "the places run 1, 3"),
        ("ranking", "1. Tram\n2. Bus\nNo, the other way round.", "is no item"),
        ("ranking", "Tram = Bus > Ring road", "ranking.0"),
        ("ranking", "Anything but the Bus", "ranking.0"),
        ("approvals", "Tram, Bus", ["Tram", "Bus"]),
        ("approvals", "- Tram\n- Bus", ["Tram", "Bus"]),
        ("approvals", "None.", []),
        ("approvals", "I approve of Tram", ["Tram"]),
        ("approvals", "I do not approve of Tram", "approvals.0"),
        ("approvals", "- Tram\n- Bus: no", "approvals.1"),
        ("scores", "Tram: 7\nBus: 2.5", {"Tram": 7, "Bus": 2.5}),
        ("scores", "Tram: 11", "less than or equal to 10"),
        ("scores", "Tram: high", "its name, a colon, its number"),
        ("points", "- Tram: 7\n- Bus: 3", {"Tram": 7, "Bus": 3}),
        ("points", "Tram: 7\nBus: 2", "add up to 9"),
    ],
)
def test_lists_are_read_line_by_line(kind, text, said):
    ballot = read_ballot(text, kind, OPTIONS, voter="Ada")
    if isinstance(said, str):
        assert said in ballot.invalid
    else:
        assert getattr(ballot, str(ballot.kind)) == said


def test_an_abstention_and_a_reason_are_read():
    assert read_ballot("I abstain. It is not mine to say.", "choice", OPTIONS, voter="Ada").abstain
    assert read_ballot("Abstain\nReason: unsure", "ranking", OPTIONS, voter="Ada").reason == "unsure"
    assert "several answers" in read_ballot("I abstain. I vote for Bus.", "choice", OPTIONS, voter="Ada").invalid


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Bus\nReason: cheap.\nI vote with my purse.", "cheap.\nI vote with my purse."),
        ("Reason: cheap\nVote: Bus", "cheap"),
        ("Vote: Bus", ""),
    ],
)
def test_a_reason_may_go_first_or_last(text, reason):
    ballot = read_ballot(text, "choice", OPTIONS, voter="Ada")
    assert (ballot.choice, ballot.reason) == ("Bus", reason)


@pytest.mark.parametrize(
    ("text", "weight"),
    [
        ("Bus\nCertainty: 4", 4),
        ("My vote is: Bus\n**Confidence:** 2/5\nReason: cheap", 2),
        ('{"choice": "Bus", "weight": 5}', 5),
        ("Bus", None),
        ("Bus\nCertainty: 6", None),
        ("Bus\nCertainty: 4\nCertainty: 5", None),
    ],
)
def test_certainty_is_a_line_of_its_own_and_never_assumed(text, weight):
    ballot = read_ballot(text, "choice", OPTIONS, voter="Ada", weighted=True)
    assert (ballot.weight, ballot.choice) == (weight, "Bus" if weight else None)


def test_options_that_read_the_same_are_refused():
    with pytest.raises(InputError, match="cannot be told apart"):
        read_ballot("A", "choice", ["A", "a"], voter="Ada")


@pytest.mark.parametrize("kind", ["choice", "ranking", "approvals", "scores"])
@pytest.mark.parametrize("filling", ["\n", " ", "-\n", "A:", "Reason\n", "Certainty:\n", "* ", ">", "1. ", "because "])
def test_a_ballot_is_read_in_time_that_grows_with_its_length_alone(kind, filling):
    def read(text):
        read_ballot(text, kind, OPTIONS, voter="Ada", weighted=True)

    assert growth(read, lambda size: f"Bus{filling * size}x", 4000) < 3.2


def test_where_abstaining_is_not_offered_an_abstention_is_no_answer():
    for text in ("I abstain.", '{"choice": null, "abstain": true, "reason": ""}'):
        assert read_answer(text, "choice", ["guilty", "not guilty"]).make_ballot("Ada").abstain
        with pytest.raises(UnclearAnswerError):
            read_answer(text, "choice", ["guilty", "not guilty"], may_abstain=False)
    assert read_answer("Not guilty.", "choice", ["guilty", "not guilty"], may_abstain=False).choice == "not guilty"
