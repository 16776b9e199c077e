"""Situation in which a rehearsed reply is written: speaker, addressee, opinions, record and phrases."""

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import cast
from zlib import crc32

from ...prompts import get_base_language, load_table
from ...state import MODERATOR, make_rng, strip_quotations
from ..brief import Brief
from .opinion import OpinionState, replay_opinions

_SENTENCE = re.compile(r"[^.!?。！？\n]+(?:[.!?]+(?=\s|$|[”\"»])|[。！？]+|\n|$)[”\"»」]*")
HAN_CHARACTER = re.compile("[\u4e00-\u9fff]")
BRIEF_STATEMENT = 20
"""Number of words below which a statement shows that its speaker is weary."""
EDGE_CHARACTERS = " \t\n.,;:!?…。，；：！？、*_`#-—–()（）[]【】"


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a text. Leave out those without a word."""
    return [sentence.strip() for sentence in _SENTENCE.findall(text) if sentence.strip(EDGE_CHARACTERS)]


def count_words(text: str) -> int:
    """Count the words of a text. A Chinese character counts as 5/8 of a word."""
    han_count = 0 if text.isascii() else len(HAN_CHARACTER.findall(text))
    return len(HAN_CHARACTER.sub(" ", text).split()) + round(han_count / 1.6) if han_count else len(text.split())


def quote_text(text: str, key_words: re.Pattern[str]) -> str:
    """Return two key words of a rehearsed statement, or the start of the longest passage of another text.

    `key_words`: pattern of key words. The start has at most 16 words or 24 ideographs.
    """
    own_text = strip_quotations(text)
    if match := key_words.search(own_text) or key_words.search(text):
        return match[0]
    passages = [passage.strip(EDGE_CHARACTERS) for passage in re.split('[…“”"«»「」『』\n]', own_text)]
    longest_passage = max(passages, key=len) or text.strip(EDGE_CHARACTERS)
    return " ".join(cut[0].split()) if (cut := re.match(r"(?:\S+\s+){0,15}\S{1,24}", longest_passage)) else "…"


MAX_KEY_WORDS = 8
"""Maximum number of key words in one sentence of a statement."""


class ReplyContext:
    """Situation of one call, derived from its brief.

    A speaker that is missing among the brief's participants counts as one.

    `turn`: number of the current turn; in a blind round each seat has its own. `seat`: index of the speaker, from 0.
    `side`: `pro` or `con` in a debate. `conviction`: how much the speaker supports its side, 0 to 1; without a side,
    0.5 plus the opinion's distance from 0.5. `is_about_justice`: whether the task explains the principles for dividing
    incomes. `gap`: separator between two sentences.
    """

    def __init__(self, seed: int, brief: Brief, opinion_state: OpinionState | None = None) -> None:
        speaker = brief.speaker
        statements = [statement for statement in brief.statements if statement.speaker != MODERATOR]
        speakers = [statement.speaker for statement in statements] + [speaker] * (brief.purpose == "statement")
        roles = {**brief.roles, **{name: "" for name in speakers if name and name not in brief.roles}}
        names, topic = list(roles), brief.topic.strip().partition("\n")[0].strip(" *")
        language = get_base_language(brief.language)
        brief = replace(brief, language=language, statements=statements, roles=roles, topic=topic)
        self.seed, self.brief, self.opinion_state = seed, brief, opinion_state or replay_opinions(seed, brief)
        self.phrases = cast(Mapping[str, Mapping[str, object]], load_table("rehearsal", language))
        self.gap = "" if language == "zh" else " "
        self.record_text = "\n".join(statement.content for statement in statements)
        self.seat = names.index(speaker) if speaker in names else 0
        self.turn = max(brief.turn, statements[-1].turn + 1 if statements else 1 + self.seat)
        self.others = [name for name in names if name != speaker]
        self.own_statements = [statement for statement in statements if statement.speaker == speaker]
        self.last_statement = next((entry for entry in reversed(statements) if entry.speaker != speaker), None)
        self.last_text = self.last_statement.content if self.last_statement else ""
        self.addressee = self.others[0] if len(self.others) == 1 else ""
        self.addressee = self.last_statement.speaker if self.last_statement else self.addressee
        stimulus = f"{self.last_text}{brief.correction}".encode("utf-8", "replace")
        self.rng = make_rng(seed, brief.purpose, speaker, self.turn, crc32(stimulus))
        self.side, self.opinion = (
            self.opinion_state.sides.get(speaker, ""),
            self.opinion_state.opinions.get(speaker, 0.5),
        )
        support = {"pro": self.opinion, "con": 1 - self.opinion}
        self.conviction = support.get(self.side, 0.5 + abs(self.opinion - 0.5))
        self.is_about_justice = brief.values.keys() >= {"principles", "definitions"}
        self.is_united = not self.side and self.opinion_state.is_united()
        self.is_settled = any(entry.act == "concede" for entry in statements[-6:])
        line = " ".join(re.sub(r"[“”\"]", "", brief.topic).split())
        self.topic = line if len(line) <= 140 else f"{line[:137].rsplit(' ', 1)[0]}…"

    @cached_property
    def attitude(self) -> str:
        """Return the speaker's attitude: `for`, `against`, or `joint` in a united group."""
        return "joint" if self.is_united else self.get_attitude(self.brief.speaker)

    def get_attitude(self, name: str) -> str:
        """Return the current attitude of participant `name`: `for`, `against` or `joint`."""
        opinion, side = self.opinion_state.opinions.get(name, 0.5), self.opinion_state.sides.get(name)
        if self.is_settled or (not side and 0.4 <= opinion <= 0.6):
            return "joint"
        return "for" if side == "pro" or (not side and opinion > 0.5) else "against"

    def get_variants(self, section: str, key: str) -> list[str]:
        """Return the variants of the phrase `key` in a section of the phrase table."""
        return cast(list[str], self.phrases[section][key])

    def fill_phrase(self, section: str, key: str, **values: object) -> str:
        """Fill a phrase with the context's names and with `values`."""
        return str(self.phrases[section][key]).format_map(
            {"who": self.addressee, "me": self.brief.speaker, "topic": self.topic, "turn": self.turn} | values
        )

    def quote_statement(self, text: str) -> str:
        """Return key words of a rehearsed statement, or the start of any other text (see `quote_text`)."""
        return quote_text(text, _compile_key_words(self.brief.language))

    def is_rehearsed(self, text: str) -> bool:
        """Return whether a statement contains key words, as rehearsed statements do."""
        return bool(_compile_key_words(self.brief.language).search(text))

    def choose_key_word(self, *purpose: str) -> str:
        """Return a key word drawn for `purpose`. The choice stays the same throughout a run."""
        return make_rng(self.seed, *purpose).choice(cast(list[str], self.phrases["words"]))

    def list_key_words(self, count: int) -> list[str]:
        """Return the next `count` key words of the speaker, after those of its last statement.

        Each speaker has its own order of all key words. After each pass through all of them, the list begins one word
        later.
        """
        speaker, persona = self.brief.speaker, str(self.brief.values.get("persona", ""))
        key_words = list(cast(list[str], self.phrases["words"]))
        make_rng(self.seed, "points", speaker, self.brief.roles.get(speaker, ""), persona).shuffle(key_words)
        index = (self.turn - 1) // max(1, len(self.brief.roles))
        start = index * MAX_KEY_WORDS + index * MAX_KEY_WORDS // len(key_words)
        return [key_words[(start + offset) % len(key_words)] for offset in range(count)]

    def join_key_words(self, words: list[str]) -> str:
        """Return key words joined as a list in the brief's language."""
        return ("、" if self.brief.language == "zh" else ", ").join(words)


@lru_cache
def _compile_key_words(language: str) -> re.Pattern[str]:
    word = "|".join(map(re.escape, cast(list[str], load_table("rehearsal", language)["words"])))
    return re.compile(rf"(?:{word})(?:, |、)(?:{word})")
