"""Fences: quote text in a prompt so that it cannot pose as another speaker.

A prompt quotes participants and documents between tags such as `<statement turn="3" speaker="Ada">`. In the quoted
text, `‹` replaces the opening angle bracket of such tags and of a chat template's control tokens. Invisible characters
and characters that reorder text are dropped. The record keeps the original text.
"""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache

FENCE_TAGS = (
    "statement",
    "material",
    "paper",
    "papers",
    "notice",
    "lookup",
    "summary",
    "round",
    "you",
    "persona",
    "memory",
    "private",
    "task",
    "again",
    "said",
)

_CONTROL_TOKEN = (
    r"[|｜]|\w{1,40}[|｜]>|</?SYS>|0x[0-9a-f]{2}>|unused\d{1,4}>|"
    r"/?(?:s|bos|eos|unk|pad|mask|think|(?:start|end)_of_\w{1,20}|tool_(?:calls?|response)|tools)>"
)
"""Pattern after `<` in the control tokens of chat templates: `<|im_start|>`, `<｜User｜>`, `</s>`, `<<SYS>>` …"""
_BRACKETED_TOKEN = r"/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_\w{1,20}|THINK|ARGS|CALL_ID|IMG\w{0,10})\]"
"""Pattern after `[` in the control tokens of chat templates: `[INST]`, `[/SYSTEM_PROMPT]`, `[TOOL_CALLS]` …"""

_FORGED_FENCE = re.compile(
    rf"<(?=\s*(?:/\s*)?(?:{'|'.join(FENCE_TAGS)})\b|{_CONTROL_TOKEN})|\[(?={_BRACKETED_TOKEN})", re.IGNORECASE
)
_INVISIBLE_CHARACTERS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
)


def repair_surrogates(text: str) -> str:
    """Join surrogate pairs and replace single halves by U+FFFD, so that `text` can be written as UTF-8."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@lru_cache(256)
def neutralize_text(text: str) -> str:
    """Return `text` without forged fences and without control, zero-width or bidirectional characters.

    Newlines and tabs stay. Ignorable characters such as zero-width joiners and variation selectors are dropped too.
    This can break a ligature or an emoji, but it also removes tags that only a tokenizer sees.
    """
    return _FORGED_FENCE.sub(
        lambda match: "[ " if match[0] == "[" else "‹", _INVISIBLE_CHARACTERS.sub("", repair_surrogates(text))
    )


def fence_text(tag: str, text: str, **attributes: str | int) -> str:
    """Return neutralised `text` between `<tag …>` and `</tag>`."""
    attribute_text = "".join(f' {name}="{_format_attribute(value)}"' for name, value in attributes.items())
    return f"<{tag}{attribute_text}>\n{neutralize_text(text)}\n</{tag}>"


def neutralize_line(text: str) -> str:
    """Return neutralised `text` as one line, for values such as a name in a list."""
    return " ".join(neutralize_text(text).split())


def quote_words(text: str) -> str:
    """Quote a participant's words in a line of a task: neutralised, on one line, between `<said>` tags."""
    return f"<said>{neutralize_line(text)}</said>"


@dataclass(frozen=True)
class FencedText:
    """Text for a prompt that has been neutralised and fenced, so it is inserted as it is."""

    text: str

    def __str__(self) -> str:
        return self.text


def quote_lines(items: Iterable[tuple[str, str]]) -> FencedText:
    """Quote the words of participants, one line for each: `- NAME: <said>…</said>`."""
    return FencedText("\n".join(f"- {neutralize_line(name)}: {quote_words(text)}" for name, text in items))


def fold_name(name: str) -> str:
    """Fold a name for comparison: drop case, character width and invisible characters."""
    return " ".join(
        unicodedata.normalize("NFKC", _INVISIBLE_CHARACTERS.sub("", repair_surrogates(name))).split()
    ).casefold()


_LOOKALIKES = str.maketrans("аврсԁеԍнһіјкӏмоԛтѕуүԝхαβεζηικμνορτυχ", "abpcdeghhijklmoqtsyywxabezhikmnoptyx")
"""Map of Cyrillic and Greek letters to Latin letters that they resemble as capitals, or roughly."""


@cache
def _find_latin_letter(character: str) -> str:
    """Return the Latin letter or digit that a character resembles, or the character itself."""
    if character.isascii():
        return character
    from confusable_homoglyphs.confusables import confusables_data

    lookalikes = [entry["c"] for entry in confusables_data.get(character, [])]
    lookalikes.append(unicodedata.name(character, "").removeprefix("LATIN LETTER SMALL CAPITAL "))
    return next((text for text in lookalikes if len(text) == 1 and text.isascii() and text.isalnum()), character)


def fold_to_letters(name: str) -> str:
    """Fold a name to its letters and digits.

    Latin letters replace those of all alphabets that look like them.
    """
    lookalike = "".join(map(_find_latin_letter, unicodedata.normalize("NFKC", name)))
    folded_name = fold_name(lookalike).translate(_LOOKALIKES)
    return "".join(character for character in folded_name if unicodedata.category(character)[0] in "LMN")


def strip_frame(text: str, speaker: str) -> str:
    """Strip the frame of a statement from a reply. Small models copy such frames from their prompt.

    A frame at the beginning is a `<statement …>` tag, raw or neutralised, `[5]` with the speaker's name, or `NAME:`. At
    the end, it is `</statement>`. A tag that names another source, such as `<paper id=…>`, stays.
    """
    name_pattern = rf"[*_#\s]*{re.escape(speaker)}[*_]*(?:\s?[(（][^()（）\n]{{1,80}}[)）])?[*_]*"
    frame = re.compile(
        rf"\s*(?:[<‹]statement\b[^<>‹\n]*>|[*_]*\[\d{{1,6}}\][*_]*{name_pattern}(?:\s*[:：—–-]|[^\S\n]*(?=\n)|(?=\s))|{name_pattern}\s*[:：])[*_]*\s*",
        re.IGNORECASE,
    )
    content = text.strip()
    while (match := frame.match(content)) and _is_own_frame(match[0], speaker):
        content = content[match.end() :]
    tag = "/statement>"
    return content[: -len(tag) - 1].rstrip() if content[-len(tag) - 1 :].lower() in (f"<{tag}", f"‹{tag}") else content


_ATTRIBUTE_VALUE = re.compile(r"""=\s*(?:"([^"]*)"|'([^']*)'|“([^”]*)”|([^\s>]*))""")
_PARENTHESIS = re.compile(r"\s*[(（][^()（）]*[)）]\s*$")


def _is_own_frame(frame: str, speaker: str) -> bool:
    """Return whether every value in a frame is a number or this speaker's name."""
    values = ("".join(match.groups("")) for match in _ATTRIBUTE_VALUE.finditer(frame))
    own_names = {fold_name(speaker), fold_name(_format_attribute(speaker))}
    return all(
        value.strip().isdigit() or fold_name(_PARENTHESIS.sub("", value)) in own_names or fold_name(value) in own_names
        for value in values
    )


def _format_attribute(value: str | int) -> str:
    return re.sub(r'["<>\r\n\u2028\u2029]+', " ", neutralize_text(str(value)))


def check_printable(name: str) -> str:
    """Return `name` unchanged. Raises `ValueError` for line breaks and control characters."""
    if any(letter < " " or "\x7f" <= letter <= "\x9f" or letter in "\u2028\u2029" for letter in name):
        raise ValueError("a name must not contain line breaks or control characters")
    return name
