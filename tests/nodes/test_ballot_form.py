"""The forms of ballots and consents, right by construction in every language and with hostile text around them."""

import json
import unicodedata
from typing import Any

import pytest
from hypothesis import assume, given, strategies as st
from langchain_core.messages import AIMessage
from moot.nodes.answer_forms import list_labels, make_answer_form
from moot.nodes.ask.attempt import SHARED_TEMPLATES
from moot.nodes.ask.reply_schema import ReplySchema, UnusableReplyError, parse_reply
from moot.nodes.voting.ballot_form import LABEL_KEYS, make_ballot_fields, make_consent_form
from moot.nodes.voting.vote import ConsentReply
from moot.prompts import LANGUAGES, get_term
from moot.state.answers import remove_invisible
from moot.state.answers.text import ends_in_passage
from moot.state.ballot import BallotFormat, make_ballot_schema

OPTIONS = {"guilty": "culpable", "not guilty": "no culpable", "C": "待定"}
ANSWERS: dict[BallotFormat, dict[str, Any]] = {
    "choice": {"guilty": "guilty", "not guilty": "not guilty", "no culpable": "not guilty", "C (待定)": "C"},
    "ranking": {"C > guilty > not guilty": ["C", "guilty", "not guilty"], "not guilty, 待定": ["not guilty", "C"]},
    "approvals": {"guilty, C": ["guilty", "C"], "none": [], "ninguna": [], "无": []},
    "scores": {"guilty=7, C=0.5": [{"option": "guilty", "score": 7}, {"option": "C", "score": 0.5}]},
    "points": {"guilty=3, not guilty=7": [{"option": "guilty", "score": 3}, {"option": "not guilty", "score": 7}]},
}
KINDS = st.sampled_from(list(ANSWERS))
TAGS = st.sampled_from(LANGUAGES)
HOSTILE = st.sampled_from(
    [
        *"\n\r\t\x0b\x0c\x1c\x85\u2028\u2029\u200b\u200d\u202e\u2066\ufeff\u00ad\u0301*_`>#-.:：{}[]\"'“”¿?",
        "```",
        "\ud800",
    ]
)
WORDS = st.sampled_from(["guilty", "not", "he is", "no", "yes", "C", "abstain", "ninguna", "不", "I vote", "1."])
PROSE = st.lists(st.one_of(WORDS, HOSTILE, st.text(max_size=8)), max_size=24).map(" ".join)


def make_ballot_reader(kind: BallotFormat, language: str, options: dict[str, str] | None = None) -> ReplySchema:
    signs = list(options or OPTIONS)
    schema = make_ballot_schema(kind, signs, may_abstain=True)
    fields = make_ballot_fields(kind, options or OPTIONS, language, may_abstain=True)
    return ReplySchema(schema, SHARED_TEMPLATES, make_answer_form(language, *fields, act="vote"), language)


def make_plain(text: str) -> str:
    visible = "".join(letter for letter in text if unicodedata.category(letter) != "Cf")
    return unicodedata.normalize("NFKC", visible).casefold()


def has_label(text: str, label: str) -> bool:
    return any(make_plain(wording) in make_plain(text) for wording in list_labels(label, "en"))


@pytest.mark.long
@given(PROSE, KINDS, TAGS, TAGS, st.data())
def test_any_text_followed_by_one_labelled_line_is_read_as_this_line(
    prose: str, kind: BallotFormat, seat: str, writer: str, data: st.DataObject
) -> None:
    assume(not has_label(prose, LABEL_KEYS[kind]) and not ends_in_passage(remove_invisible(prose)))
    answer = data.draw(st.sampled_from(list(ANSWERS[kind])))
    line = get_term(writer, "forms", "line", label=get_term(writer, "labels", LABEL_KEYS[kind]), answer=answer)
    closing = data.draw(
        st.sampled_from(["", "\n\n", "\n---\n", f"\n{get_term(writer, 'labels', 'reason')}: not guilty"])
    )
    value, read_as = parse_reply(AIMessage(f"{prose}\n{line}{closing}"), make_ballot_reader(kind, seat))
    assert (value.model_dump()[kind], read_as) == (ANSWERS[kind][answer], "line")


@given(PROSE, PROSE, KINDS, TAGS)
def test_a_text_of_several_lines_without_a_labelled_line_is_never_read(
    before: str, after: str, kind: BallotFormat, seat: str
) -> None:
    text = f"{before} he is not\n{after} guilty"
    assume(not has_label(text, LABEL_KEYS[kind]))
    with pytest.raises(UnusableReplyError):
        parse_reply(AIMessage(text), make_ballot_reader(kind, seat))


@given(PROSE, TAGS)
def test_one_line_is_read_only_if_it_is_the_answer_alone(line: str, seat: str) -> None:
    assume(not has_label(line, "vote"))
    try:
        value, read_as = parse_reply(AIMessage(line), make_ballot_reader("choice", seat))
    except UnusableReplyError:
        return
    bare = " ".join(make_plain(line).replace("```", " ").split()).strip("*_`~\"'“”„‘’«»‹›「」『』.。!！-+•# ")
    chosen = value.model_dump()["choice"]
    wordings = {"guilty": ["guilty", "culpable"], "not guilty": ["not guilty", "no culpable"], "C": ["c", "待定"]}
    assert read_as == "bare"
    assert bare in (wordings[chosen] if chosen else ["abstain", "abstención", "弃权"])


@pytest.mark.parametrize("text", ["I do not approve of: A, B, C", "I approve of: A, B, C, but only A counts", "A or C"])
def test_a_sentence_about_approvals_approves_nothing(text: str) -> None:
    with pytest.raises(UnusableReplyError):
        parse_reply(AIMessage(text), make_ballot_reader("approvals", "en", {"A": "", "B": "", "C": ""}))


def test_an_option_with_a_comma_in_its_name_can_be_voted_for() -> None:
    options = {"Yes, now": "", "No": "", "Later > never": ""}
    approvals, _ = parse_reply(AIMessage("Approve: No, Yes, now"), make_ballot_reader("approvals", "en", options))
    assert approvals.model_dump()["approvals"] == ["No", "Yes, now"]
    ranking, _ = parse_reply(
        AIMessage("Ranking: Later > never > Yes, now"), make_ballot_reader("ranking", "en", options)
    )
    assert ranking.model_dump()["ranking"] == ["Later > never", "Yes, now"]
    unclear = {"A": "", "A, A": ""}
    with pytest.raises(UnusableReplyError):
        parse_reply(AIMessage("Approve: A, A, A"), make_ballot_reader("approvals", "en", unclear))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_form_that_a_question_shows_is_read(language: str) -> None:
    consents = make_consent_form(language)
    reader = ReplySchema(ConsentReply, SHARED_TEMPLATES, consents, language)
    for example, agrees in zip(consents.fields[0].examples, (True, False), strict=True):
        line = get_term(language, "forms", "line", label=consents.fields[0].labels[0], answer=example)
        assert parse_reply(AIMessage(f"So.\n{line}"), reader) == (ConsentReply(agrees=agrees), "line")
        assert parse_reply(AIMessage(example), reader) == (ConsentReply(agrees=agrees), "bare")
    for kind in LABEL_KEYS:
        ballots = make_ballot_reader(kind, language)
        assert ballots.answer_form
        field = ballots.answer_form.fields[0]
        for example in field.examples:
            line = get_term(language, "forms", "line", label=field.labels[0], answer=example)
            assert parse_reply(AIMessage(line), ballots)[1] == "line"


def test_an_abstention_states_no_certainty_and_a_vote_does() -> None:
    schema = make_ballot_schema("choice", ["A", "B"], is_weighted=True, may_abstain=True)
    fields = make_ballot_fields("choice", ["A", "B"], "en", is_weighted=True, may_abstain=True)
    reader = ReplySchema(schema, SHARED_TEMPLATES, make_answer_form("en", *fields, act="vote"))
    abstention: Any = parse_reply(AIMessage("Vote: abstain"), reader)[0]
    assert abstention.make_ballot("Ada").model_dump(include={"abstain", "weight"}) == {"abstain": True, "weight": None}
    assert parse_reply(AIMessage(json.dumps({"abstain": True})), reader)[1] == "schema"
    with pytest.raises(UnusableReplyError, match="weight: it is missing"):
        parse_reply(AIMessage("Vote: A"), reader)
