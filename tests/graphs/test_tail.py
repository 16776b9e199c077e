"""The private tail of a prompt is short: what is the same for all turns stands once, in the shared head."""

import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from chats.scripted import ScriptedChat, SentPrompt
from deliberations import consensus, debate, justice, panel
from moot.graphs import discussion
from moot.nodes.ask.prompt import estimate_words
from moot.prompts import LANGUAGES, get_language_name, get_term, load_phrases

NAMES = ["Ada", "Ben", "Cleo", "Dora"]
OWN = "A person of long experience who weighs every word, and who has seen it all before."
PEOPLE = [{"name": name, "persona": OWN} for name in NAMES]
MOST = {"en": 45, "es": 45, "zh": 80}
"""Words of a tail beyond persona and memory; in Chinese: characters."""


def debated(language: str) -> list[SentPrompt]:
    sides = [{"name": "Ada", "persona": OWN}, {"name": "Ben", "persona": OWN}]
    return debate.hold(language=language, given={"participants": sides}, max_turns=4)[1].prompts


def agreed(language: str) -> list[SentPrompt]:
    model = Yielding(views={"position": lambda who, nth: consensus.stand(0.4)})
    context = {"model": model, "retry_delays": [0], "max_rounds": 3, "turn_order": "yield_floor", "language": language}
    given = {"topic": "A four-day week", "participants": PEOPLE}
    consensus.consensus.graph.invoke(given, context=context | {"dynamic_termination": False})
    return model.prompts


class Yielding(consensus.Group):
    """A group whose members may name the next speaker, and name nobody."""

    def answer(self, prompt: SentPrompt) -> Any:
        said = super().answer(prompt)
        return {"statement": said, "next": ""} if prompt.purpose == "statement" and prompt.schema else said


def discussed(language: str) -> list[SentPrompt]:
    model = ScriptedChat(script=lambda messages, kwargs: f"Statement number {len(model.prompts)} of somebody here.")
    given = {"topic": "Names for a cat", "participants": PEOPLE}
    discussion.graph.invoke(given, context={"model": model, "retry_delays": [0], "max_turns": 6, "language": language})
    return model.prompts


def closable(language: str) -> list[SentPrompt]:
    goes_on = {"statement": "This is said with some thought.", "close": False, "reason": ""}
    model = ScriptedChat(script=lambda messages, kwargs: goes_on)
    context = {"model": model, "retry_delays": [0], "max_turns": 6, "language": language, "models_may_close": True}
    discussion.graph.invoke({"topic": "Names for a cat", "participants": PEOPLE}, context=context)
    return model.prompts


def on_panel(language: str) -> list[SentPrompt]:
    personas = dict.fromkeys(panel.EXPERTS, OWN)
    return panel.run_panel(output_language=language, cycles=2, personas=personas)[1].prompts


def in_group(language: str) -> list[SentPrompt]:
    people = [{"name": name, "personality": OWN} for name in NAMES]
    return justice.played(participants=people, language=language, max_rounds=2).cast.prompts


TALKS: dict[str, Callable[[str], list[SentPrompt]]] = {
    "debate": debated,
    "consensus": agreed,
    "discussion": discussed,
    "discussion that models may close": closable,
    "panel": on_panel,
    "justice": in_group,
}
every_talk = pytest.mark.parametrize("talk", TALKS)
every_language = pytest.mark.parametrize("language", LANGUAGES)


def turns(talk: str, language: str) -> list[SentPrompt]:
    """The prompts of a run's turns, thinking before them included."""
    return [told for told in TALKS[talk](language) if told.purpose in ("statement", "reasoning")]


def tail(prompt: SentPrompt, language: str) -> str:
    """What a turn's prompt says after what is shared, without persona and memory.

    To memory belong one's own thoughts and what one is reminded of from working alone.
    """
    text = re.sub(r"<memory>.*?</memory>", "", prompt.private, flags=re.DOTALL).replace(OWN, "")
    text = re.sub(r"<task>|</task>", "", text).partition('\n{"')[0]
    reminded = load_phrases("justice").translate_phrase(language, "group.own")
    text = re.sub(rf"{reminded}\n(?:- .*\n)*", "", text)
    thought = load_phrases("justice").translate_phrase(language, "group.thoughts", text=justice.LINES["reasoning"])
    return text.replace(thought, "")


@every_language
@every_talk
def test_the_tail_of_a_turn_s_prompt_is_short(talk: str, language: str) -> None:
    told = turns(talk, language)
    assert len(told) >= 4
    for one in told:
        text = tail(one, language)
        size = len(re.sub(r"\s", "", text)) if language == "zh" else len(text.split())
        assert 3 < size <= MOST[language], text


@every_language
@every_talk
def test_length_and_language_stand_in_the_head_alone_and_the_head_is_one(talk: str, language: str) -> None:
    told = turns(talk, language)
    assert len({one.system for one in told}) == 1
    assert get_language_name(language) in told[0].system
    for one in told:
        assert get_language_name(language) not in tail(one, language)
    for before, after in pairwise(told):
        assert after.shared.startswith(before.shared)


@pytest.mark.parametrize(("language", "other"), [("en", "zh"), ("zh", "es"), ("es", "en"), ("en", "fr")])
def test_who_speaks_another_language_is_told_so_with_the_length_in_it(language: str, other: str) -> None:
    people = ["Ada", {"name": "Ben", "language": other}]
    prompts = debate.hold(language=language, given={"participants": people}, max_turns=2)[1].prompts
    assert prompts[0].system == prompts[1].system
    term = get_term(other, "record", "own_form", spoken=get_language_name(other), words=estimate_words(400, other))
    assert prompts[1].private.strip().endswith(f"{term}\n</task>")
    assert term not in prompts[0].text
