"""Text of an answer: its plain form, passages without answers, and the error of an unclear text."""

import re
import unicodedata
from functools import lru_cache
from typing import Final

_PLAIN_FORMS: Final = ("<wide>", "<narrow>", "<font>", "<small>", "<noBreak>")
"""Kinds of compatibility characters that only look different. All others, such as ² and №, may mean something else."""
_FULL_WIDTH_SEPARATORS: Final = "，；"

_EMPHASIS: Final = {mark: mark for mark in ("***", "**", "*", "___", "__", "_", "``", "`")}
_QUOTES: Final = {
    '"': '"',
    "'": "'",
    "“": "”",
    "„": "“",
    "‘": "’",
    "«": "»",
    "‹": "›",
    "「": "」",
    "『": "』",
    "¡": "!",
}
_MAX_DEPTH: Final = 3
"""Greatest depth of pairs of marks within one another."""


def _compile_pairs(closing_marks: dict[str, str]) -> re.Pattern[str]:
    passages = [
        rf"(?<!{opening}){opening}(?!\s)((?:(?!{opening}|{closing}).)+)(?<!\s){closing}(?!{closing})"
        for opening, closing in (map(re.escape, marks) for marks in closing_marks.items())
    ]
    return re.compile(rf"(?<!\w)(?:{'|'.join(passages)})(?!\w)")


EMPHASIS_PAIR: Final = _compile_pairs(_EMPHASIS)
PAIR: Final = _compile_pairs(_EMPHASIS | _QUOTES)
_FINAL_STOP: Final = re.compile(r"(?<![.。!])(?<![.。!] )(?:[.。]|(?<![0-9])!)$")

_REASONING_TAG: Final = "think|thinking|thought|reasoning|analysis|scratchpad"
_REASONING: Final = re.compile(rf"\s*<({_REASONING_TAG})>(?:(?!</?\1>).)*</\1>(?!.*</?\1>)", re.DOTALL | re.IGNORECASE)
_OPENING: Final = re.compile(
    r"^[ \t]*(?:(?:[-+*]|[0-9]{1,9}[.)])[ \t]+)*(?P<fence>`{3,}(?=[^`\n]*$)|~{3,}|~~(?=[ \t]*$))"
    r"|(?<!`)(?P<comment><!--)|(?:^[ \t]*|(?<=>))(?:<(?P<tag>\w[\w:.-]*)(?:\s[^<>]*)?>|(?P<think>\[think\]))"
    r"|(?P<channel><\|channel\|>(?!final)\w)",
    re.MULTILINE,
)
"""Opening of a code block, or of a struck, quoted or hidden passage. A name within a line opens nothing."""
_CLOSINGS: Final = {
    "fence": r"^[ \t]*{}[`~]*[ \t]*$",
    "comment": "-->",
    "tag": "</{}>",
    "think": r"\[/think\]",
    "channel": r"<\|channel\|>final",
}
_SPAN_MARKS: Final = {"[“„]": "”", "«": "»", "‹": "›", "「": "」", "『": "』", "<!--": "-->", r"<\w": "</"}


class UnclearAnswerError(ValueError):
    """Error for a text without an answer of the expected form.

    `kind`: key of the phrase that describes the fault. `values`: values for the placeholders of the phrase.
    """

    def __init__(self, kind: str = "none", **values: object) -> None:
        super().__init__(f"{kind}: {values}" if values else kind)
        self.kind, self.values = kind, values


def remove_invisible(text: str) -> str:
    """Return a text without invisible characters. Wide, narrow and mathematical letters become plain ones.

    The signs that frame Arabic numbers are format characters too, but visible, and stay.
    """
    return text if text.isascii() else unicodedata.normalize("NFC", "".join(map(_make_plain, text)))


@lru_cache(maxsize=4096)
def _make_plain(character: str) -> str:
    if unicodedata.category(character) == "Cf" and unicodedata.bidirectional(character) != "AN":
        return ""
    is_plain_form = unicodedata.decomposition(character).startswith(_PLAIN_FORMS)
    has_plain_form = is_plain_form and character not in _FULL_WIDTH_SEPARATORS
    return unicodedata.normalize("NFKC", character) if has_plain_form else character


def strip_reasoning(text: str) -> str:
    """Strip the hidden reasoning from the beginning of a reply, if it has exactly one closing tag."""
    return text[match.end() :] if (match := _REASONING.match(text)) else text


def ends_in_passage(text: str) -> bool:
    """Return whether a text ends inside a code block, a comment, a tag, or a struck or hidden passage."""
    text, start = "\n".join(text.splitlines()).lower().replace("‹", "<"), 0
    while opening := _OPENING.search(text, start):
        kind = opening.lastgroup or ""
        closing = re.compile(_CLOSINGS[kind].format(re.escape(opening[kind])), re.MULTILINE).search(text, opening.end())
        if closing is None:
            return True
        start = closing.end()
    return False


def closes_passage(text: str) -> bool:
    """Return whether a text closes a quotation, or a struck or hidden passage, that it does not open."""
    if re.search(r"[\"'’][.。!*_` ]*$", text) and not re.search(r"(?<!\w)[\"'‘]\w", text):
        return True
    return text.count("~~") % 2 == 1 or any(
        len(re.findall(opening, text)) < text.count(closing) for opening, closing in _SPAN_MARKS.items()
    )


def clean_answer(text: str) -> str:
    """Return an answer without pairs of emphasis and quotation marks around it, and without a final stop."""
    return strip_pairs(drop_final_stop(strip_pairs(remove_invisible(text))))


def drop_final_stop(text: str) -> str:
    """Return a text without its final stop. The mark of a factorial, as in `5!`, and several stops stay."""
    return _FINAL_STOP.sub("", text)


def strip_pairs(text: str) -> str:
    """Return a text without blanks and pairs of emphasis and quotation marks around it."""
    text = text.strip()
    while match := PAIR.fullmatch(text):
        text = match[match.lastindex or 0].strip()
    return text


def normalize_wording(text: str) -> str:
    """Return an answer for comparison: clean, and as in `fold_wording`."""
    return fold_wording(clean_answer(text))


def fold_wording(text: str) -> str:
    """Return a text in lower case with single blanks, without pairs of emphasis and quotation marks."""
    return " ".join(drop_pairs(remove_invisible(text), PAIR).replace("’", "'").casefold().split())


def drop_pairs(text: str, pair: re.Pattern[str] = EMPHASIS_PAIR) -> str:
    """Return a text without pairs of marks. A mark without its partner stays."""
    for _ in range(_MAX_DEPTH):
        text = pair.sub(lambda match: match[match.lastindex or 0], text)
    return text
