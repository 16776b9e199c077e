"""Node in which the synthesizer's model drafts the shared position of a group that agrees."""

import re
from collections.abc import Callable
from dataclasses import replace

from pydantic import Field

from ...models import NoAnswerError
from ...prompts import Templates, get_term, join_words
from ...state import ClosedModel, StrippedText, Update, clip_text, list_names, map_latest_statements, quote_lines
from ...state.consensus import Draft, GroupState, GroupUpdate
from ..ask import Answer, Check, ask, build_prompt, build_role_call, record_calls, with_turn

DRAFT_FIELDS = "positions earlier others language"
POSITION_LENGTH = 2_000
MAX_SENTENCES = 2
_SENTENCE_END = re.compile(r"[.!?]+(?=\s|$)|[。！？]+")


class CommonGroundDraft(ClosedModel):
    """Reply of the model that drafts a group's shared position."""

    common_ground: StrippedText = Field(min_length=1, max_length=800, description="draft")


def draft(templates: Templates) -> Callable[[GroupState], object]:
    """Build the node that drafts the shared position."""

    async def draft(state: GroupState) -> Update:
        """Draft the shared position from the positions and the objections to earlier drafts.

        Reads the task, round, record, positions, drafts, confirmations, view_limits; writes drafts, calls, incidents,
        view_limits.
        """
        settings, number = state["settings"], 1 + len(state["drafts"])
        call = replace(
            with_turn(build_role_call(state, "synthesizer", "draft"), 0, state["round"]),
            schema=CommonGroundDraft,
            max_tokens=settings.max_tokens_per_turn,
            is_hidden=True,
            reserve=None,
        )
        values = {
            "positions": quote_lines(map_positions(state).items()),
            "earlier": quote_lines(list_earlier_drafts(state)) or get_term(settings.language, "record", "none"),
            "others": join_words(settings.language, list_names(state["participants"])),
        }
        prompt = replace(build_prompt(state, templates, "draft", values), history=state["history"])
        prompt = prompt.with_limit(state["view_limits"].get("synthesizer"))
        try:
            answer = await ask(prompt, call, make_length_check(settings.language))
        except NoAnswerError as failure:
            return record_calls("synthesizer", failure.with_consequence("no draft"))
        assert isinstance(answer.value, CommonGroundDraft)
        sentence = " ".join(answer.value.common_ground.split())
        update: Update = GroupUpdate(drafts=[Draft(number=number, round=state["round"], sentence=sentence)])
        return update | record_calls("synthesizer", answer)

    return draft


def map_positions(state: GroupState) -> dict[str, str]:
    """Return each participant's last declared position or, without one, its latest statement, clipped."""
    texts = {name: statement.content for name, statement in map_latest_statements(state["history"]).items()}
    texts |= {position.who: position.position for position in state["positions"] if position.position}
    seats = list_names(state["participants"])
    return {name: clip_text(texts[name], POSITION_LENGTH) for name in seats if name in texts}


def list_earlier_drafts(state: GroupState) -> list[tuple[str, str]]:
    """Return a row for each earlier draft and each objection to it, as pairs of label and text."""
    lines: list[tuple[str, str]] = []
    for draft in state["drafts"]:
        lines.append((get_term(state["settings"].language, "drafts", "draft", number=draft.number), draft.sentence))
        answers = [answer for answer in state["confirmations"] if answer.draft == draft.number]
        lines += [(answer.who, answer.reason) for answer in answers if answer.reason]
    return lines


def make_length_check(language: str) -> Check:
    """Make the check that a draft has at most two sentences. The check rejects a longer draft only once."""
    rejected_texts: list[str] = []

    def find_answer_fault(answer: Answer) -> str | None:
        text = answer.value.common_ground if isinstance(answer.value, CommonGroundDraft) else ""
        if rejected_texts or len(_SENTENCE_END.findall(text.strip())) <= MAX_SENTENCES:
            return None
        rejected_texts.append(text)
        return get_term(language, "again", "long_draft")

    return find_answer_fault
