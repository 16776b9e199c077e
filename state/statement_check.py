"""Checks, made without a model, of whether a reply can count as a statement."""

import re
import unicodedata
from collections.abc import Sequence

_CJK = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]")


def is_cjk(text: str) -> bool:
    """Return whether at least half of the letters of `text` are Chinese, Japanese or Korean."""
    if text.isascii():
        return False
    letters = sum(map(str.isalpha, text))
    return letters > 0 and 2 * len(_CJK.findall(text)) >= letters


def find_statement_fault(text: str, speaker: str, min_length: int, min_length_cjk: int) -> str | None:
    """Return the reason why `text` cannot be a statement of `speaker`, or `None`.

    Reasons: `empty`: under 3 characters. `no_content`: no letter, ideograph or digit. `header_only`: only the speaker's
    name. `too_short`: under `min_length` characters. In Chinese, Japanese or Korean, `min_length_cjk` characters are
    always enough.
    """
    trimmed = text.strip()
    if len(trimmed) < 3:
        return "empty" if not (is_cjk(trimmed) and len(trimmed) >= min_length_cjk) else None
    if not any(unicodedata.category(character)[0] in "LN" for character in trimmed):
        return "no_content"
    if re.sub(r"[\W_]+", "", trimmed).casefold() == re.sub(r"[\W_]+", "", speaker).casefold():
        return "header_only"
    if len(trimmed) < (min_length_cjk if is_cjk(trimmed) else min_length):
        return "too_short"
    return None


def is_copied_task(text: str, task: str) -> bool:
    """Return whether most of `text` consists of lines copied from the instructions in `task`.

    Lines under 20 characters do not count as copied.
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return sum(len(line) for line in lines if len(line) >= 20 and line in task) * 2 > sum(map(len, lines))


_CITATION = re.compile(r"[\[［【]\s*\d{1,6}(?:\s*[,，、;–—-]\s*\d{1,6})*\s*[\]］】](?!\()")


def list_cited_turns(text: str) -> list[int]:
    """List the turn numbers cited as `[3]`, `[3, 5]` or `[3–5]`, in order of first mention.

    A range stands for its two ends. Full-width brackets count too. The text of a Markdown link is ignored.
    """
    numbers = (int(number) for citation in _CITATION.findall(text) for number in re.findall(r"\d+", citation))
    return list(dict.fromkeys(numbers))


def mark_invented_turns(text: str, invented_turns: Sequence[int]) -> str:
    """Add a question mark after each citation of a turn in `invented_turns`, such as `[99?]`."""

    def mark_number(match: re.Match[str]) -> str:
        return f"{match[0]}?" if int(match[0]) in invented_turns else match[0]

    return _CITATION.sub(lambda match: re.sub(r"\d+", mark_number, match[0]), text)
