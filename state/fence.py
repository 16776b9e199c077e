"""Fences: how text from participants and documents stands in a prompt without being able to speak for anyone else.

Everything a prompt quotes is wrapped in one of a few tags (`<statement turn="3" speaker="Ada">`). Inside, an opening
angle bracket before one of these tag names, and before the control tokens of chat templates, is replaced by `‹`, and
characters that are invisible or reorder text are dropped. The record keeps the text as it was written.
"""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

TAGS = (
    "statement",
    "material",
    "paper",
    "papers",
    "notice",
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

_CONTROL = r"[|｜]|/?(?:s|bos|eos|start_of_turn|end_of_turn)>|<(?:/?SYS>)"
"""What follows `<` in the control tokens of chat templates: `<|im_start|>`, `<｜User｜>`, `</s>`, `<<SYS>>` …"""

_FORGED = re.compile(rf"<(?=\s*(?:/\s*)?(?:{'|'.join(TAGS)})\b|{_CONTROL})|\[(?=/?INST\])", re.IGNORECASE)
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
)


def storable(text: str) -> str:
    """`text` with surrogate pairs joined and lone ones replaced by U+FFFD, so that it can be written as UTF-8."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def neutral(text: str) -> str:
    """`text` as it may be quoted in a prompt: no forged fence, no control, zero-width or bidirectional characters.

    Newlines and tabs stay. Zero-width joiners, variation selectors and whatever else may be ignored when it is shown go
    as well: a lost ligature or emoji sequence costs less than a tag that only a tokeniser can see.
    """
    return _FORGED.sub(lambda match: "[ " if match[0] == "[" else "‹", _UNSEEN.sub("", storable(text)))


def fenced(tag: str, text: str, **attributes: str | int) -> str:
    """`text`, neutralised, between `<tag …>` and `</tag>`. Attribute values lose quotes, brackets and line breaks."""
    shown = "".join(f' {name}="{_attribute(value)}"' for name, value in attributes.items())
    return f"<{tag}{shown}>\n{neutral(text)}\n</{tag}>"


def one_line(text: str) -> str:
    """`text`, neutralised, as one line: a value where a line is expected, such as a name in a list."""
    return " ".join(neutral(text).split())


def said(text: str) -> str:
    """What a participant said, as a value inside a line of a task: neutralised, on one line, between `<said>` tags."""
    return f"<said>{one_line(text)}</said>"


@dataclass(frozen=True)
class Fenced:
    """A value for a prompt whose parts from participants are neutralised and fenced already."""

    text: str

    def __str__(self) -> str:
        return self.text


def said_lines(items: Iterable[tuple[str, str]]) -> Fenced:
    """A list of what participants said, a line each: `- NAME: <said>…</said>`."""
    return Fenced("\n".join(f"- {one_line(name)}: {said(text)}" for name, text in items))


def folded(name: str) -> str:
    """A name as it is told apart from others: without case, width, and what cannot be seen."""
    return " ".join(unicodedata.normalize("NFKC", _UNSEEN.sub("", storable(name))).split()).casefold()


_DRAWN_ALIKE = str.maketrans("аврсԁеԍнһіјкӏмоԛтѕуүԝхαβεζηικμνορτυχ", "abpcdeghhijklmoqtsyywxabezhikmnoptyx")
"""Letters of the Cyrillic and the Greek alphabet, small or capital, that are drawn like a Latin one, and that one."""


def drawn(name: str) -> str:
    """A name as people tell it apart from others by sight: `folded`, in whichever alphabet its letters are."""
    return folded(name).translate(_DRAWN_ALIKE)


def unframed(text: str, speaker: str) -> str:
    """A statement without the frame of the record around it that small models copy from their prompt.

    Taken off are `<statement …>` tags, whole or neutralised, `[5]` with the speaker's name, and `NAME:`, where they
    begin or end the text. A tag that names anybody else, such as `<paper id=…>`, is left: it says whose words follow.
    """
    name = rf"[*_#\s]*{re.escape(speaker)}[*_]*(?:\s?[(（][^()（）\n]{{1,80}}[)）])?[*_]*"
    frame = re.compile(
        rf"\s*(?:[<‹]statement\b[^<>‹\n]*>|[*_]*\[\d{{1,6}}\][*_]*{name}(?:\s*[:：—–-]|[^\S\n]*(?=\n)|(?=\s))|{name}\s*[:：])[*_]*\s*",
        re.IGNORECASE,
    )
    bare = text.strip()
    while found := frame.match(bare):
        if not _frames_own(found[0], speaker):
            break
        bare = bare[found.end() :]
    tag = "/statement>"
    return bare[: -len(tag) - 1].rstrip() if bare[-len(tag) - 1 :].lower() in (f"<{tag}", f"‹{tag}") else bare


_VALUE = re.compile(r"""=\s*(?:"([^"]*)"|'([^']*)'|“([^”]*)”|([^\s>]*))""")
_ASIDE = re.compile(r"\s*[(（][^()（）]*[)）]\s*$")


def _frames_own(frame: str, speaker: str) -> bool:
    """Whether a frame names this speaker, or nobody: every value of a tag is a number or the speaker's name."""
    values = ("".join(found.groups("")) for found in _VALUE.finditer(frame))
    own = {folded(speaker), folded(_attribute(speaker))}
    return all(one.strip().isdigit() or folded(_ASIDE.sub("", one)) in own or folded(one) in own for one in values)


def _attribute(value: str | int) -> str:
    return re.sub(r'["<>\r\n\u2028\u2029]+', " ", neutral(str(value)))


def printable(name: str) -> str:
    """`name`, if it is one line of text: it heads statements, and must not look like more than a name."""
    if any(letter < " " or "\x7f" <= letter <= "\x9f" or letter in "\u2028\u2029" for letter in name):
        raise ValueError("a name has no line breaks or control characters")
    return name
