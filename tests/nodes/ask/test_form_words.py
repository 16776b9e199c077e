"""A form tells a model what its fields mean in the language of the prompt, and has no other words."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import moot.nodes
import pytest
from moot.nodes.ask.attempt import SHARED_TEMPLATES
from moot.nodes.ask.reply_schema import ReplySchema
from moot.nodes.ask_concession import ConcessionReply
from moot.nodes.consensus.common_ground import build_common_ground_schema
from moot.nodes.consensus.confirm import ConfirmationReply
from moot.nodes.consensus.declare import build_declaration_schema
from moot.nodes.consensus.draft import CommonGroundDraft
from moot.nodes.consensus.judge_agreement import build_scores_schema
from moot.nodes.council import answer, review
from moot.nodes.delphi import estimate
from moot.nodes.judge import Judgement
from moot.nodes.justice.answer_requests import ChoiceReply, RankingReply
from moot.nodes.positions.position_form import build_position_schema
from moot.nodes.session.take_turn import ClosableStatement
from moot.nodes.statement import StatementWithSuccessor
from moot.nodes.voting.vote import ConsentReply
from moot.prompts import LANGUAGES, load_table
from moot.state.ballot import make_ballot_schema
from moot.state.positions import AnswerFormat
from pydantic import BaseModel, Field

ASKED = AnswerFormat(("A", "B"), is_numeric=False, unit="")
NUMBER = AnswerFormat((), is_numeric=True, unit="m")
POSITION = build_position_schema(ASKED, has_stance=True)
FORMS: dict[str, list[type[BaseModel]]] = {
    "ask_concession.py": [ConcessionReply],
    "consensus/common_ground.py": [build_common_ground_schema("Ada", "Ben")],
    "consensus/confirm.py": [ConfirmationReply],
    "consensus/draft.py": [CommonGroundDraft],
    "consensus/judge_agreement.py": [build_scores_schema("Ada", "Ben")],
    "consensus/declare.py": [build_declaration_schema(("Ada", "Ben"), has_last=True, numbers=(1, 2))],
    "council/answer.py": [answer.build_answer_schema("A", "B", numeric=False, unit="")],
    "council/review.py": [review.build_review_schema(("A", "B"), "ranking", True)],
    "delphi/estimate.py": [estimate.build_estimate_schema(NUMBER)],
    "independent/answer_alone.py": [POSITION],
    "judge.py": [Judgement],
    "justice/question.py": [ChoiceReply, RankingReply],
    "positions/name_answer.py": [POSITION],
    "positions/take_position.py": [POSITION],
    "session/take_turn.py": [ClosableStatement],
    "speak.py": [StatementWithSuccessor],
    "voting/vote.py": [ConsentReply, make_ballot_schema("scores", ["A", "B"], is_weighted=True, may_abstain=True)],
}
CALLERS_FORMS = {"ask/ask_external.py", "fill_form.py"}
"""Steps that ask by a form that they are given."""
NODES = Path(next(iter(moot.nodes.__path__)))
BUILT = [form for forms in FORMS.values() for form in forms]


def words(part: Any) -> Iterator[str]:
    """Every title and description in a schema, at any depth."""
    if isinstance(part, Mapping):
        yield from (one for key, one in part.items() if key in ("title", "description") and isinstance(one, str))
    for text_part in part.values() if isinstance(part, Mapping) else part if isinstance(part, list) else ():
        yield from words(text_part)


def test_every_step_that_asks_by_a_form_is_here() -> None:
    asking = re.compile(r"\w*replace\(\s*[^\n]*\bschema=|^ +schema=(?!schema\b)", re.MULTILINE)
    files = {path.relative_to(NODES).as_posix(): path.read_text() for path in NODES.rglob("*.py")}
    assert {name for name, text in files.items() if asking.search(text)} - CALLERS_FORMS == set(FORMS)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_form_has_words_of_the_prompts_language_alone(language: str) -> None:
    reply_schemas = [ReplySchema(one, SHARED_TEMPLATES, language=language) for one in BUILT]
    used = [word for reply_schema in reply_schemas for word in words(reply_schema.build_response_format())]
    assert set(used) == set(load_table("terms", language)["fields"].values()), "and every phrase is told"
    for one in reply_schemas:
        assert all(word in one.format_for_prompt(language, "") for word in words(one.build_response_format())), (
            "in a prompt as well"
        )


class Own(BaseModel):
    """A form of somebody's own protocol."""

    mood: str = Field(description="In one word.")


def test_a_description_that_is_no_key_of_a_phrase_is_told_as_it_stands() -> None:
    assert list(words(ReplySchema(Own, SHARED_TEMPLATES, language="zh").build_response_format())) == ["In one word."]
