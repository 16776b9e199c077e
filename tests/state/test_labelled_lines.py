"""An answer is read from its form and from nothing else."""

import pytest
from hypothesis import assume, example, given, strategies as st
from moot.state.answers.labelled_lines import AnswerField, AnswerForm
from moot.state.answers.text import UnclearAnswerError, ends_in_passage, remove_invisible
from moot.state.answers.values import index_options, parse_amount, parse_number, parse_ranking, parse_scores, parse_word

SIGNS = index_options({"A": "plant oaks", "B": "plant limes", "C": "plant nothing"})
LABELS = ("Vote", "Voto", "投票")
CHOICE = AnswerField("choice", LABELS, lambda text: parse_word(text, SIGNS), ["A", "B", "C"])
REASON = AnswerField("reason", ("Reason",), is_required=False, is_free=True)
CERTAINTY = AnswerField("weight", ("Certainty",), lambda text: parse_word(text, {"4": 4, "5": 5}), ["4"])
VOTE, SURE = AnswerForm([CHOICE, REASON]), AnswerForm([CHOICE, REASON, CERTAINTY])


@pytest.mark.parametrize(
    ("text", "sign", "read_as"),
    [
        ("B", "B", "bare"),
        ("**b**.", "B", "bare"),
        ("“plant limes”", "B", "bare"),
        ("B (plant limes)", "B", "bare"),
        ("B: plant limes", "B", "bare"),
        ("Vote: B", "B", "line"),
        ("I like A and C, and A is best.\n\nVote: B", "B", "line"),
        ("**Vote:** B", "B", "line"),
        ("- Vote: *plant limes*.\n\n---\n", "B", "line"),
        ("投票：B", "B", "line"),
        ("Voto: B\nReason: A is no vote of mine.", "B", "line"),
        ("Reason: shade\nVote: B", "B", "line"),
        ("Vote: B\nReason: ~~lime~~ <del>shade</del>", "B", "line"),
        ("Vote: B\nAs I said:\nVote: B", "B", "line"),
        ("```\nVote: B\n```", "B", "line"),
        ("---\nB\n---", "B", "bare"),
    ],
)
def test_the_bare_answer_and_the_last_labelled_line_are_read(text: str, sign: str, read_as: str) -> None:
    values, form = VOTE.parse(text)
    assert (values["choice"], form) == (sign, read_as)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "He is not\nB",
        "I vote for B.",
        "My vote is B",
        "Vote: A\nVote: B",
        "Vote: not B",
        "Vote: B or C",
        "Vote: B (plant oaks)",
        "Vote: B\nBut I am not sure.",
        "Vote: B\nReason: one\nReason: two\nand more",
        "> I quote:\nshe said Vote: B",
        "Vote: D",
        "B\nC",
        "Vote: B . .",
        "~~\nB\n~~",
        "---\nB\n---\nC",
        "~~I first wrote\nVote: B\nReason: cheap~~",
        "Well, <del>\nVote: B\nReason: cheap</del>",
        "Reason: <!-- a draft\nVote: B",
        "He wrote ``my pick:\nVote: B''",
    ],
)
def test_nothing_else_is_read(text: str) -> None:
    with pytest.raises(UnclearAnswerError):
        VOTE.parse(text)


@pytest.mark.parametrize("line", ["Reason: *lime* in `__init__`", "**Reason:** *lime* in `__init__`"])
def test_a_reason_keeps_its_own_emphasis(line: str) -> None:
    assert VOTE.parse(f"Vote: B\n{line}")[0]["reason"] == "*lime* in `__init__`"


OWNERS = {"A": "the workers'", "B": "James’", "C": "all"}
OWNER = AnswerField("choice", ["Vote"], lambda text: parse_word(text, index_options(OWNERS)), ["A"])


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("the workers'", "A"),
        ("Vote: the workers’", "A"),
        ("Vote: The workers'.", "A"),
        ("**Vote: James'**", "B"),
        ("Vote: B: James'", "B"),
        ("Vote: “B”", "B"),
        ("'I say\nVote: B'", None),
        ("“I say\nVote: all”", None),
        ("Vote: all'", None),
    ],
)
def test_an_option_may_end_in_an_apostrophe(text: str, sign: str | None) -> None:
    if sign:
        assert AnswerForm([OWNER]).parse(text)[0] == {"choice": sign}
    else:
        with pytest.raises(UnclearAnswerError):
            AnswerForm([OWNER]).parse(text)


def test_all_lines_of_a_form_are_needed_in_any_order() -> None:
    assert SURE.parse("So.\nCertainty: 4\nVote: B")[0] == {"choice": "B", "weight": 4}
    for text in ("Vote: B", "B", "Vote: B\nCertainty: 9", "Certainty: 4\nso I vote\nVote: B"):
        with pytest.raises(UnclearAnswerError):
            SURE.parse(text)


@pytest.mark.parametrize("text", ["15000", "15,000", "15.000", "15 000", "$15,000", "$ 15000", "15'000"])
def test_the_ways_to_write_an_amount_are_one(text: str) -> None:
    assert parse_amount(text) == 15_000


@pytest.mark.parametrize(
    "text", ["15.00", "1,5", "0.500", "05,000", "fifteen thousand", "15,00", "15,000.50", "15k", "1,0000", "-5", ""]
)
def test_a_mark_that_could_be_either_is_not_read(text: str) -> None:
    with pytest.raises(UnclearAnswerError):
        parse_amount(text)


def test_numbers_rankings_and_scores_have_one_form() -> None:
    assert parse_number("12.5 kg", "kg") == parse_number("12.5", "kg") == 12.5
    assert parse_ranking("B > A > plant nothing", SIGNS) == parse_ranking("B, A, C", SIGNS) == ["B", "A", "C"]
    assert parse_scores("A=7, B = 0.5", SIGNS) == [{"option": "A", "score": 7}, {"option": "B", "score": 0.5}]
    for text in ("1,5", "12 lb", "about 5"):
        with pytest.raises(UnclearAnswerError):
            parse_number(text, "kg")


TEXTS = st.text(max_size=300)


@given(TEXTS, st.sampled_from("ABC"), st.sampled_from(LABELS), st.sampled_from([":", "：", ": "]))
@example("<think>", "A", "Vote", ":")
@example("- <think>", "A", "Vote", ":")
@example("<think></think>", "A", "Vote", ":")
@example("so\x85<think>", "A", "Vote", ":")
@example("<!-- `", "A", "Vote", ":")
def test_any_text_followed_by_one_labelled_line_gives_that_line(text: str, sign: str, label: str, colon: str) -> None:
    assume(not any(name.casefold() in text.casefold() for name in LABELS))
    reply = f"{text}\n{label}{colon}{sign}"
    if ends_in_passage(remove_invisible(text)):
        with pytest.raises(UnclearAnswerError):
            VOTE.parse(reply)
    else:
        assert VOTE.parse(reply)[0]["choice"] == sign


@given(TEXTS)
def test_a_text_without_label_that_is_no_bare_answer_gives_nothing(text: str) -> None:
    try:
        _, form = VOTE.parse(text)
    except UnclearAnswerError:
        return
    assert form == "bare" or any(name.casefold() in text.casefold() for name in LABELS)
