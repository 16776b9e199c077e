"""Fences: how text from participants and documents stands in a prompt without being able to speak for anyone else.

Everything a prompt quotes is wrapped in one of a few tags (`<statement turn="3" speaker="Ada">`). Inside, an opening
angle bracket before one of these tag names, and before the control tokens of chat templates, is replaced by `‹`, and
characters that are invisible or reorder text are dropped. The record keeps the text as it was written.
"""

import re

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
    "task",
    "again",
)

_CONTROL = r"[|｜]|/?(?:s|bos|eos|start_of_turn|end_of_turn)>|<(?:/?SYS>)"
"""What follows `<` in the control tokens of chat templates: `<|im_start|>`, `<｜User｜>`, `</s>`, `<<SYS>>` …"""

_FORGED = re.compile(rf"<(?=\s*/?\s*(?:{'|'.join(TAGS)})\b|{_CONTROL})|\[(?=/?INST\])", re.IGNORECASE)
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]"
    "|[\u034f\u115f\u1160\u3164\uffa0\U000e0000-\U000e0fff]"
)


def storable(text: str) -> str:
    """`text` with surrogate pairs joined and lone ones replaced by U+FFFD, so that it can be written as UTF-8."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def neutral(text: str) -> str:
    """`text` as it may be quoted in a prompt: no forged fence, no control, zero-width or bidirectional characters.

    Newlines and tabs stay. Zero-width joiners go as well: a lost ligature or emoji sequence costs less than a tag
    that only a tokeniser can see.
    """
    return _FORGED.sub(lambda match: "[ " if match[0] == "[" else "‹", _UNSEEN.sub("", storable(text)))


def fenced(tag: str, text: str, **attributes: str | int) -> str:
    """`text`, neutralised, between `<tag …>` and `</tag>`. Attribute values lose quotes, brackets and line breaks."""
    shown = "".join(f' {name}="{_attribute(value)}"' for name, value in attributes.items())
    return f"<{tag}{shown}>\n{neutral(text)}\n</{tag}>"


def _attribute(value: str | int) -> str:
    return re.sub(r'["<>\r\n\u2028\u2029]+', " ", neutral(str(value)))


def printable(name: str) -> str:
    """`name`, if it is one line of text: it heads statements, and must not look like more than a name."""
    if any(letter < " " or "\x7f" <= letter <= "\x9f" or letter in "\u2028\u2029" for letter in name):
        raise ValueError("a name has no line breaks or control characters")
    return name
