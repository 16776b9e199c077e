"""Whether a reply can stand as a statement: the checks that need no model."""

import re
import unicodedata
from collections.abc import Sequence

_CJK = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]")


def is_cjk(text: str) -> bool:
    """Whether most letters of `text` are Chinese, Japanese or Korean."""
    if text.isascii():
        return False
    letters = sum(map(str.isalpha, text))
    return letters > 0 and 2 * len(_CJK.findall(text)) >= letters


def fault_in(text: str, speaker: str, least: int, least_cjk: int) -> str | None:
    """Why `text` cannot stand as a statement of `speaker`, or `None`.

    `empty`: under 3 characters; `no_content`: no letter, ideograph or digit; `header_only`: nothing but the speaker's
    name; `too_short`: trimmed, under `least` characters (`least_cjk` where Chinese, Japanese or Korean).
    """
    bare = text.strip()
    if len(bare) < 3:
        return "empty" if not (is_cjk(bare) and len(bare) >= least_cjk) else None
    if not any(unicodedata.category(character)[0] in "LN" for character in bare):
        return "no_content"
    if re.sub(r"[\W_]+", "", bare).casefold() == re.sub(r"[\W_]+", "", speaker).casefold():
        return "header_only"
    if len(bare) < (least_cjk if is_cjk(bare) else least):
        return "too_short"
    return None


def repeats(text: str, task: str) -> bool:
    """Whether most of `text` is lines copied from the instructions in `task`."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    copied = sum(len(line) for line in lines if len(line) >= 20 and line in task)
    return copied * 2 > sum(map(len, lines))


_CITED = re.compile(r"[\[［【]\s*\d{1,6}(?:\s*[,，、;–—-]\s*\d{1,6})*\s*[\]］】](?!\()")


def cited_turns(text: str) -> list[int]:
    """The turn numbers cited as `[3]`, `[3, 5]` or `[3–5]` (its two ends), in order of first mention; full-width
    brackets count too, the text of a Markdown link does not."""
    found = (int(number) for group in _CITED.findall(text) for number in re.findall(r"\d+", group))
    return list(dict.fromkeys(found))


def marked_turns(text: str, invented: Sequence[int]) -> str:
    """`text` with a question mark after each citation of a turn in `invented`, such as `[99?]`."""

    def mark(number: re.Match[str]) -> str:
        return f"{number[0]}?" if int(number[0]) in invented else number[0]

    return _CITED.sub(lambda group: re.sub(r"\d+", mark, group[0]), text)
