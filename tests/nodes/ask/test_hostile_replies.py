"""Hostile and natural replies: what a reply does not formally say is not read, and a plain act is read at once."""

import time
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from moot.nodes.answer_forms import make_answer_form
from moot.nodes.ask.attempt import SHARED_TEMPLATES
from moot.nodes.ask.reply_schema import ReplySchema, UnusableReplyError, parse_reply
from moot.nodes.ask.request import get_refusal
from moot.nodes.ask_concession import ConcessionReply, make_concession_form
from moot.nodes.consensus.common_ground import CommonGround
from moot.nodes.consensus.confirm import ConfirmationReply, make_confirmation_form
from moot.nodes.consensus.draft import CommonGroundDraft
from moot.nodes.delphi.estimate import build_estimate_schema, make_estimate_form
from moot.nodes.judge import Judgement
from moot.nodes.positions.position_form import build_position_schema, make_position_fields
from moot.nodes.voting.ballot_form import make_ballot_fields, make_consent_form
from moot.nodes.voting.vote import ConsentReply
from moot.state.answers.labelled_lines import MAX_REPLY_LENGTH
from moot.state.ballot import BallotFormat, make_ballot_schema
from moot.state.positions import AnswerFormat

OPTIONS = {"A": "plant oaks", "B": "plant limes", "C": "plant nothing"}
WORDS = {"A": "yes", "B": "no", "C": "abstain", "D": "none", "E": "reason", "F": "B"}
COMBINED = {"A": "B, C", "B": "A > B", "C": "A, B, C"}
LABELS = {"A": "Vote: B", "B": "Reason: cost", "C": "A: plan"}


def ballot(
    kind: BallotFormat, options: dict[str, str] = OPTIONS, language: str = "en", *, is_weighted: bool = False
) -> ReplySchema:
    schema = make_ballot_schema(kind, list(options), is_weighted=is_weighted, may_abstain=True)
    fields = make_ballot_fields(kind, options, language, is_weighted=is_weighted, may_abstain=True)
    return ReplySchema(schema, SHARED_TEMPLATES, make_answer_form(language, *fields, act="vote"), language)


def position(unit: str | None = None, *, has_certainty: bool = False) -> ReplySchema:
    question = AnswerFormat() if unit is None else AnswerFormat((), is_numeric=True, unit=unit, tolerance=0.01)
    fields = make_position_fields(question, "en", has_certainty=has_certainty)
    schema = build_position_schema(question, has_certainty=has_certainty)
    return ReplySchema(schema, SHARED_TEMPLATES, make_answer_form("en", *fields))


KILOS = AnswerFormat((), is_numeric=True, unit="kg", tolerance=0.01)
VOTE, RANKING, SCORES, APPROVALS = ballot("choice"), ballot("ranking"), ballot("scores"), ballot("approvals")
STOPPED = ballot("choice", {"A": "Plant oaks.", "B": "Plant limes, and water them."})
NUMBER, SIDE = position("kg"), position(has_certainty=True)
ESTIMATE = ReplySchema(build_estimate_schema(KILOS), SHARED_TEMPLATES, make_estimate_form(KILOS, "en"))
DRAFT = ReplySchema(CommonGroundDraft, SHARED_TEMPLATES)
SYNTHESIS = ReplySchema(CommonGround, SHARED_TEMPLATES)
CONFIRMATION = ReplySchema(ConfirmationReply, SHARED_TEMPLATES, make_confirmation_form("en"))
CONCESSION = ReplySchema(ConcessionReply, SHARED_TEMPLATES, make_concession_form("en"))
CONSENT = ReplySchema(ConsentReply, SHARED_TEMPLATES, make_consent_form("en"))

READ: list[tuple[ReplySchema, str, Any, list[str]]] = [
    (
        VOTE,
        "choice",
        "B",
        [
            "**Vote**: B",
            "Vote: **B**",
            "*Vote: B*",
            "*Vote:* *B*",
            "**Vote: B**",
            "***Vote:*** `B`",
            "__Vote__: B",
            "Vote: B — plant limes",
            "Vote: B = plant limes",
            "Vote: **B** (plant limes)",
            '**Vote:** **B**: "plant limes"',
            "Vote: B (“plant limes”)",
            "Vote: 「B」",
            '"Vote: B"',
            "«Voto: B»",
            "VOTE : b!",
            "### Vote: B",
            "1. Vote: B",
            "+ Vote: B",
            "\u202eVote: B",
            "V\u00adote: B\u200b",
            "Vote：Ｂ",
            "Vote﹕𝐁",
            "投票：B。",
            "投票：B（plant limes）",
            "Voto: B\nRazón: da sombra.",
            "投票：B\n理由：A 不好。",
            "<think>hm</think>\nVote: B",
            "<think>Is A better?</think>B",
            "<thought>Is A better?</thought>\nB",
            "<seed:think>Is A better?</seed:think>\nVote: B",
            "<|channel|>commentary<|message|>A?<|end|><|start|>assistant<|channel|>final<|message|>\nVote: B",
            "The mark <|channel|> hides a text.\nVote: B",
            "<https://example.org>\nVote: B",
            "<ada@example.org>\nVote: B",
            "[THINK]Is A better?[/THINK]\nVote: B",
            "<|channel|>analysis<|message|>A?<|end|><|start|>assistant<|channel|>final<|message|>\nVote: B",
            "<Thinking>\nIs A better?\n</thinking>\n\n**B**.",
            '<think>\nIs A better?\n</think>\n{"choice": "B"}',
            '<think>{"choice": "A"}?</think>\nVote: B',
            "The tag <think> and `<!--` hide a text.\nVote: B",
            "Vote: B\nReason: the page begins with <!--",
            "| A | B |\n|---|---|\n| 1 | 2 |\n\nVote: B",
            "> Vote: A\n\nI disagree with Ben.\nVote: B",
            "Ben said “Vote: A”.\nVote: B",
            "`Ranking: A > B` is not asked.\nConsent: no\nVote: B",
            "~~~\nVote: B\n~~~",
            "```\n- Vote: B\n```",
            "Vote: B\nReason: not Vote: A\n\n***",
            "- B",
            "“B”",
            "```\nB\n```",
            '{"choice": "B"}',
            '\ufeff{"choice": "B"}',
            '{"choice": "B", "reason": "as in ```{}``` above"}',
            '{thinking}\n```json\n{"choice": "B"}\n```',
            '<think>{"choice": "A"}?</think>\n```json\n{"choice": "B"}\n```\n\n---',
            '```json {"choice": "B"}```',
            '````json\n{"choice": "B"}\n````',
            '~~~json\n{"choice": "B"}\n~~~',
        ],
    ),
    (STOPPED, "choice", "B", ["Vote: B (Plant limes, and water them)", "Plant limes, and water them", "Vote: B."]),
    (ballot("approvals", COMBINED), "approvals", ["A", "B", "C"], ["Approve: A, B, C", "A; B; C"]),
    (ballot("ranking", COMBINED), "ranking", ["A", "B", "C"], ["Ranking: A > B > C", "Ranking: A, B, C"]),
    (ballot("choice", WORDS), "choice", "A", ["Vote: yes", "Vote: A (yes)"]),
    (ballot("choice", WORDS), "choice", "C", ["Vote: C"]),
    (ballot("choice", WORDS), "choice", "B", ["Vote: no", "Vote: B"]),
    (ballot("choice", WORDS), "choice", None, ["投票：弃权"]),
    (ballot("choice", {"abstain": "", "act": ""}), "choice", "abstain", ["Vote: abstain"]),
    (ballot("choice", LABELS), "choice", "B", ["Vote: B", "Vote: Reason: cost"]),
    (ballot("choice", LABELS), "choice", "C", ["Vote: A: plan"]),
    (ballot("choice", {"A*": "", "D": ""}), "choice", "A*", ["Vote: A*", "A*", "**Vote:** A*."]),
    (ballot("choice", {"A": "3* or 5* hotel", "B": "*x"}), "choice", "A", ["Vote: A (3* or 5* hotel)"]),
    (ballot("choice", {"A": "2*3 trees", "B": "“5” trees"}), "choice", "A", ["Vote: 2*3 trees", "**2*3 trees**"]),
    (ballot("choice", {"A": "2*3 trees", "B": "“5” trees"}), "choice", "B", ["Vote: 5 trees", 'Vote: "5" trees']),
    (ballot("choice", {"it’s on": "", "off": ""}), "choice", "it’s on", ["Vote: it's on"]),
    (
        APPROVALS,
        "approvals",
        ["A", "C"],
        [
            'Approve: "A", "C"',
            "Approve: **A**, C (plant nothing)",
            "Approve: *A*, *C*",
            "*Approve: A, C*",
            "赞成：Ａ、Ｃ",
        ],
    ),
    (RANKING, "ranking", ["A", "B", "C"], ["Ranking: A ＞ B ＞ C", "排序：A，B，C", 'A > **B** > "plant nothing"']),
    (
        SCORES,
        "scores",
        [{"option": "A", "score": 7}],
        ["Scores: A＝７", "A: 7", "Puntos: A=7/10", "评分：A=7", "Scores: **A**=7", "Scores: `A=7`"],
    ),
    (
        ballot("scores", {"A": "Plant oaks.", "B": "Plant limes."}),
        "scores",
        [{"option": "A", "score": 7}, {"option": "B", "score": 0}],
        ["Scores: Plant oaks.=7, Plant limes.=0"],
    ),
    (
        NUMBER,
        "answer",
        15,
        ["15kg", "15 kg.", "１５ｋｇ", "“15”", "Answer: **15** kg", "**15 kg**", "* 15", "• 15", "Answer: • 15"],
    ),
    (position('"'), "answer", 15, ["15", '15"', '15 "', 'Answer: 15"']),
    (NUMBER, "answer", 0.125, ["0.125", "0.125 kg", "**Answer:** `0.125`"]),
    (NUMBER, "answer", 1234.567, ["1234.567"]),
    (NUMBER, "answer", 10, ["10.0"]),
    (NUMBER, "answer", -3, ["−3", "Answer: -3.0 kg"]),
    (ESTIMATE, "answer", 250, ["估计：1、250、300\n理由：x"]),
    (position("kg."), "answer", 15, ["15kg", "15 kg."]),
    (position("m²"), "answer", 15, ["15 m²"]),
    (SIDE, "certainty", 70, ["1. Answer: for\n2. Certainty: 70", "Answer: for\nCertainty: 70 ％"]),
    (SIDE, "certainty", 1, ["Answer: for\nCertainty: 1 %", '{"answer": "for", "certainty": 1}']),
    (CONSENT, "agrees", True, ["¡Sí!", "Consentimiento: ¡sí!"]),
    (CONSENT, "agrees", False, ["NO.", "Consent: no\nReason: Consent: yes", "Consentimiento: no", "同意：否"]),
]
UNREAD: list[tuple[ReplySchema, list[str]]] = [
    (
        VOTE,
        [
            'Ben wrote:\n"Vote: A"',
            "Ben wrote:\n“Vote: A”",
            "Ana escribió:\n«Voto: A»",
            "小李说：\n「投票：A」",
            'Ben wrote: "I am sure.\nVote: A"',
            "Ben wrote: “I am sure.\nVote: A”.",
            "他说：“好。\n投票：A”",
            "Ben wrote: “I am sure.\nVote: A\nReason: shade”",
            "> Vote: A",
            "```diff\n- Vote: A\n```",
            "~~~ diff\n+ Vote: A\n~~~",
            "```diff\n- Vote: A\n```\n- Vote: B",
            "```\nVote: A",
            "I change my ballot:\n```diff\n- Vote: A\n+ Vote: B\n```",
            "```\n```diff\n- Vote: A\n```",
            "````diff\n```\n- Vote: A\n```\n````",
            "1. ```diff\n- Vote: A\n```",
            "Vote: A..",
            "A!!",
            "Vote: ~~A~~",
            "~~Vote: A~~",
            "~~A~~",
            "Vote: ~~A~~ B",
            "Vote: A\u0338",
            "Vote: not A",
            "Vote: A?",
            "Vote: A²",
            "Vote: A*",
            "Vote: **A***",
            "Vote: *A**",
            "Vote: A*\nReason: * only if it is cheap",
            "* If it is cheap\n**Vote:** A*.",
            "A*",
            "Vote: A, B",
            "Vote: A or B",
            "Vote: A (plant limes)",
            "Vote: Option A",
            "Vote: А",
            "Vоte: A",
            "Vote - A",
            "Vote A",
            "Vote:\nA",
            "Vote:",
            "| Vote: A |",
            "`Vote: A` or `Vote: B`",
            "1. Vote: A\n2. Vote: B",
            "<think>\nVote: B\n</think>\nVote: A",
            "<!--\nVote: A\n-->",
            "<!-- for example:\nVote: A",
            "<think>I would say\nVote: A",
            "<thought>I would say\nVote: A",
            "[THINK]I would say\nVote: A",
            "<|channel|>analysis<|message|>I would say\nVote: A",
            "<|channel|>commentary<|message|>\nVote: A",
            "<seed:think>\nI would say\nVote: A",
            "<inner-monologue>\nVote: A",
            "<x.draft>\nVote: A",
            '<draft-1>\n```json\n{"choice": "A"}\n```',
            "<analysis>\nBen takes:\nVote: A",
            "<del>\nVote: A",
            "<s>\nVote: A",
            "<draft>\nVote: A",
            "<strike>\nVote: A",
            "<blockquote>\nVote: A",
            '<statement turn="3" speaker="Ben">\nVote: A',
            "<DEL>\nVote: A",
            '<blockquote cite="Ben">\nVote: A',
            "So.\n</think><think>\nVote: A",
            "<think>\nVote: B\n</think>\nA",
            '<think>\nVote: B\n</think>\n{"choice": "A"}',
            "<think>B?</think>B?</think>A",
            "<think>A",
            "<think>A</think>",
            "<think>A</think>\nI vote A.",
            "<del>B</del>A",
            '<strike>\n```json\n{"choice": "A"}\n```',
            "~~\nVote: A\n~~",
            "Vote: A, no, B",
            "I vote A, no, B",
            "Vote: A\n投票：B",
            "Vote: A\nReason: I take that back.\nI vote B.",
            "Ben's vote: A",
            "Vote (final): A",
            "- [x] Vote: A",
            "> Vote: A\n>",
            "“Vote: A”, says Ben.",
            "<answer>\nVote: A\n</answer>",
            "投票：不是A",
            "Voto: ni A ni B",
            "Voto: A, mejor B",
            "Vote: A\n</answer>",
            "Vote: A\n— Ada",
            "Vote: A\nReason:\nshade",
            "Consent: yes",
            "Principle: A",
            "A\nReason: shade",
            "\\boxed{A}",
            "'A",
            "`A",
            "A``",
            "Vote: **A",
            "**Vote: A",
            "Vote: “A",
            "</think>\nA",
            "So.\n</think>\n\nA",
            'He would send ```{"choice": "A"}``` and be wrong.',
            '```json\n{"choice": "A"}\n```\nCorrection: {"choice": "B"}',
            '```json\n{"choice": "A"}\n```\nNo, I take that back.\nVote: B',
            '{"choice": "A"}\nVote: B',
            '{"choice": "A", "rea\nVote: B',
            '```json\n{"choice": "A"}\n```\n`{"choice": "B"}`',
            'First {"choice": "B"}, but no:\n```json\n{"choice": "A"}\n```',
            "--- A",
            "```not\nA\n```",
            '~~\n```json\n{"choice": "A"}\n```\n~~',
            '<!--\n```json\n{"choice": "A"}\n```\n-->',
            '<think>\n```json\n{"choice": "A"}\n```\nNo.\n</think>\nI vote B.',
            "Vote: A\n~~~Vote: B~~~",
            '{"choice": "A"}{"choice": "B"}',
            '{"choice": "A", "choice": "B"}',
            '{"choice": "A", "reason": NaN}',
            '{"choice": "A", "reason": ' + "1" * 5_000 + "}",
            '{"choice": "A", "reason": ' + "[" * 50_000,
            '{"choice": "A", "sure": true}',
            '{"choice": ["A"]}',
        ],
    ),
    (
        ballot("choice", {"1": "guilty", "2": "not guilty"}),
        [f"{mark}\nguilty" for mark in ("~", "-", "=", "#", "_", "---")],
    ),
    (
        ballot("choice", {"1": "guilty", "2": "not guilty"}),
        ["He is not\nguilty", "Vote: not\nguilty", "Vote: NOT: guilty", "Vote: guilty / not guilty", "Vote: innocent"],
    ),
    (
        ballot("choice", {"1": "有罪", "2": "无罪"}, "zh"),
        ["他没\n有罪", "投票：没有罪", "投票：有罪？", "投票：并非有罪"],
    ),
    (
        ballot("choice", {"1": "culpable", "2": "no culpable"}, "es"),
        ["No es\nculpable", "Voto: no, culpable", "Voto: ¿culpable?"],
    ),
    (
        CONFIRMATION,
        ["I accept.", "Reply: accept, with one objection", "Reply: not accept", "Reply: accept\nReply: object"],
    ),
    (
        CONFIRMATION,
        ["Contestación: no acepto", "答复：不接受", "Accept: no", '{"answer": "accept", "answer": "object"}'],
    ),
    (DRAFT, ['{"common_ground": " "}', '{"common_ground": ""}']),
    (DRAFT, ['```json\n{"common_ground": "x"}\n```\nOr rather: {"common_ground": "y"}']),
    (
        SYNTHESIS,
        [
            '{"common_ground": "\\n", "dissent": [], "open_questions": [], "movement": ""}',
            '{"common_ground": "x", "dissent": [{"holder": "B", "reason": " "}], "open_questions": [], "movement": ""}',
        ],
    ),
    (
        CONCESSION,
        ["I concede.", "Concede: yes, the point", "Concede: no, yes", "Cedo: sí, pero", "Concede: yes\nNot all."],
    ),
    (APPROVALS, ["Approve: A, not B", "Approve: all", "Disapprove: A", "不赞成：A", "Apruebo: todo", "Approve: A, A"]),
    (ballot("choice", WORDS), ["Vote: abstain", "Vote: F (B)", "F B"]),
    (ballot("approvals", {"A": "none", "B": "some"}), ["Approve: none", "Approve: B, none"]),
    (ballot("choice", {"Yes": "", "yes!": ""}), ["Vote: yes"]),
    (ballot("choice", {"A": "abstain", "B": "Abstain."}), ["Vote: abstain", "abstain"]),
    (ballot("approvals", {"A": "none", "B": "None"}), ["Approve: none"]),
    (ballot("choice", {"A": "B", "B": "A", "C": "B: A"}), ["Vote: B: A"]),
    (ballot("choice", {"*": "", "B": ""}), ["Vote:", "Vote: **"]),
    (ballot("choice", LABELS), ["Reason: cost"]),
    (APPROVALS, ["Approve: - A", "Approve: + A"]),
    (
        RANKING,
        ["Ranking (worst first): A > B > C", "Ranking: A < B < C", "倒序：A > B > C", "A > B > C, no: C > B > A"],
    ),
    (RANKING, ["A > B = C", "Ranking: A = B", "Ranking: A >> B", "Ranking: A → B", "Ranking: A, B > C", "A > B > A"]),
    (ballot("ranking", {"A": "B", "B": "C", "C": "A"}), ["Ranking: A > B = C"]),
    (SCORES, ["Scores: A'=7", "Scores: 'A=7", "Scores: A`=7", "Scores: A=07", "Scores: A= '7, B=0'"]),
    (SCORES, ["Scores: A=0'5", "Puntos: A=0’5", "Scores: A=1_0", "Scores: A=**0**5", "Scores: A=7, B=1'0"]),
    (ballot("choice", {"A": "15", "B": "20"}), ["Vote: 1'5", "1’5", "Voto: 2_0", "Vote: 2**0"]),
    (NUMBER, ["15*", "Answer: 15 kg*", "Answer: \u060015", "Answer: 15\u06dd"]),
    (ballot("choice", {"A": "C*", "B": "plain C"}), ["Vote: B*", "B*", "Vote: A*", "Vote: plain C*"]),
    (RANKING, ["Ranking: A* > B > C", "Ranking: A > B* > C*", "A*, B"]),
    (APPROVALS, ["Approve: A*, C", "Approve: A*, C*"]),
    (SCORES, ["Scores: A=7*, B=0", "Scores: A*=7, B=0"]),
    (ESTIMATE, ["Estimate: 40, 55*, 70\nReason: x", "Estimate: 40*, 55*, 70\nReason: x"]),
    (SCORES, ["Scores: A!=7", "Scores: A != 7", "Scores: A≠7", "Scores: A.=7", "A!: 7"]),
    (SCORES, ["Scores: A=7,5", "Scores: A=70%", "Scores: A=7²", "Scores: A=7 B=3", "Scores: A=NaN", "Scores: A=½"]),
    (SCORES, ['{"scores": [{"option": "A", "score": true}]}', '{"scores": [{"option": "A", "score": NaN}]}']),
    (
        NUMBER,
        ["10²", "12½", "½", "~12", "≈12", "- 5", "– 5", '12"', "12'", "12 lb", "1,5", "1_000", "٣", "0x10", "inf"],
    ),
    (NUMBER, ["10.000", "05.000", "1.250 kg", "Answer: 15.000", "-1.000", "1.000.000", "15 KG", "15 Kg", "-\n5"]),
    (position("mW"), ["5 MW", "5 mw"]),
    (NUMBER, [f'{{"answer": {value}, "unit": "kg"}}' for value in ("true", '"12"', "NaN", "1e400", "1" + "0" * 400)]),
    (ESTIMATE, [f"Estimate: {text}\nReason: x" for text in ("10², 10³, 10⁴", "40–55–70", "~40, ~55, ~70")]),
    (ESTIMATE, [f"Estimate: {text}\nReason: x" for text in ("40,055,070", "1,250,300", "40,055,070 kg", "1,5, 2,5")]),
    (ESTIMATE, [f"估计：{text}\n理由：x" for text in ("1，000，000", "40，055，070", "40，55", "1，250，300，400")]),
    (
        ESTIMATE,
        [
            f"Estimate: {text}\nReason: x"
            for text in ("0,5, 9", "1, 2,5", "0,5; 9", "1；2,5", "0,5，9", "1,5kg,7kg", "1,5 ,7", "40①, 55②, 70③")
        ],
    ),
    (ESTIMATE, ["Estimate: 40,55,70\nReason: x", "Estimate: 40, 055, 70\nReason: x"]),
    (NUMBER, ["015", "00", "15①", "15⒈", "- −5", "- $5", "- **5**", "- `5`", "+ “5”", "- _5_", "5!", "Answer: 5!"]),
    (NUMBER, ["15...", "15…", "15 kg ...", "Answer: 15 kg…", "Answer: 15!?", "15 kg.."]),
    (SIDE, ["Answer: for\nCertainty: 70...", "Answer: for…\nCertainty: 70"]),
    (ESTIMATE, ["Estimate: 4.000, 5.500, 7.000\nReason: x", "Estimate: 100，200\nReason: x"]),
    (ESTIMATE, ["Estimate: 40, 55, 70\nEstimate: 50, 60, 70\nReason: x", "Estimate: 40, 55, 70\nReason:"]),
    (ESTIMATE, ["Estimate: 40, 55, 70\nReason: …", '{"low": 1, "answer": 2, "high": 3, "unit": "kg", "reason": " "}']),
    (
        SIDE,
        ["Answer: for\nCertainty: 1.0", '{"answer": "for", "certainty": 1.0}', "Answer: for\nCertainty: 1.0 %"],
    ),
    (
        SIDE,
        ['{"answer": "for", "certainty": true}', "Answer: for\nCertainty: 0.7", "Answer: for, mostly\nCertainty: 7"],
    ),
    (
        CONSENT,
        [
            "№",
            "Consent: №",
            "Consent: no, yes",
            "Consent: yes?",
            "Consent: „yes",
            "Consent: “yes",
            "同意：「是",
            "不同意：是",
            "同意：不是",
            "Consentimiento: sí, si",
            "Yes\nNo",
        ],
    ),
    (
        CONSENT,
        ["Consent: yes, if Ben goes", "NO. Yesterday I said yes", "Vote: B", '{"agrees": 1}', '{"agrees": "off"}'],
    ),
    (ballot("choice", is_weighted=True), ["Vote: B", "Vote: B (certainty 4)", '{"choice": "B", "weight": true}']),
    (ballot("choice", is_weighted=True), ['{"choice": "B", "weight": null}', '{"abstain": false, "weight": 4}']),
]


@pytest.mark.parametrize(
    ("reader", "key", "value", "reply"),
    [(reader, key, value, reply) for reader, key, value, replies in READ for reply in replies],
)
def test_a_plain_act_is_read_at_once(reader: ReplySchema, key: str, value: Any, reply: str) -> None:
    assert parse_reply(AIMessage(reply), reader)[0].model_dump()[key] == value


@pytest.mark.parametrize("reply", ["估计：1，250，300", "Estimate: 1，250，300", "Estimate: １，２５０，３００ kg"])
def test_in_the_form_of_three_numbers_a_full_width_comma_stands_between_them(reply: str) -> None:
    estimate = parse_reply(AIMessage(f"{reply}\nReason: x"), ESTIMATE)[0].model_dump()
    assert (estimate["low"], estimate["answer"], estimate["high"]) == (1, 250, 300)


@pytest.mark.parametrize(("reader", "reply"), [(reader, reply) for reader, replies in UNREAD for reply in replies])
def test_what_a_reply_does_not_formally_say_is_not_read(reader: ReplySchema, reply: str) -> None:
    with pytest.raises(UnusableReplyError):
        parse_reply(AIMessage(reply), reader)


@pytest.mark.parametrize(
    ("content", "ending", "is_refusal"),
    [
        ("Vote: B", {"finish_reason": "content_filter"}, True),
        ("Vote: B", {"finish_reason": "SAFETY"}, True),
        ("Vote: B", {"stop_reason": "refusal"}, True),
        ("Vote: B", {"stopReason": "guardrail_intervened"}, True),
        ("Vote: B", {"status": "incomplete", "incomplete_details": {"reason": "content_filter"}}, True),
        ([{"type": "text", "text": "Vote: B"}, {"type": "refusal", "refusal": "I cannot vote."}], {}, True),
        ([{"type": "text", "text": "Vote: B"}], {"finish_reason": "stop"}, False),
        ("Vote: B", {"stop_reason": "end_turn"}, False),
        ("Vote: B\nReason: refusal", {"incomplete_details": None}, False),
    ],
)
def test_a_reply_that_its_provider_stopped_for_its_content_is_a_refusal(
    content: Any, ending: dict[str, Any], is_refusal: bool
) -> None:
    assert bool(get_refusal(AIMessage(content, response_metadata=ending))) == is_refusal


LONG = [
    "\n",
    "a\n",
    ":\n",
    "Vote: B\n",
    "投票：\n",
    "\u202eé",
    "`",
    '"',
    "“",
    "«»",
    "*\"*'",
    "- ",
    "A, ",
    "A > ",
    "A=1, ",
    "= ",
    "```{}",
    "\n```{}\n",
    "1,000",
    f"{'x' * 1_990}, ",
]


HEADS: dict[str, BallotFormat] = {
    "": "ranking",
    "Ranking: ": "ranking",
    "Scores: A": "scores",
    "Approve: A,A,": "approvals",
}


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("part", LONG)
def test_a_long_reply_takes_no_time(head: str, part: str) -> None:
    reader = ballot(HEADS[head], {"A": ", ".join("A" * 200), "B": "x"})
    reply = (head + part * (MAX_REPLY_LENGTH // len(part)))[:MAX_REPLY_LENGTH]
    start = time.process_time()
    with pytest.raises(UnusableReplyError):
        parse_reply(AIMessage(reply), reader)
    assert time.process_time() - start < 1


@pytest.mark.parametrize("confidence", ["true", '"1"', "NaN"])
def test_the_confidence_of_a_judgement_is_a_number(confidence: str) -> None:
    reply = f'{{"reason": "concession_detected", "quote": "I give up.", "turn": 3, "confidence": {confidence}}}'
    with pytest.raises(UnusableReplyError):
        parse_reply(AIMessage(reply), ReplySchema(Judgement, SHARED_TEMPLATES))


def test_a_long_object_takes_no_time() -> None:
    keys = ",".join(f'"{number}":1' for number in range(20_000))
    start = time.process_time()
    with pytest.raises(UnusableReplyError):
        parse_reply(AIMessage(f'{{{keys},"0":2}}'), VOTE)
    assert time.process_time() - start < 1
