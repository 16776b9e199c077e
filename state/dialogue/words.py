"""Text as the rules read it: folded, without what it quotes, cut into sentences, and reduced to stems.

Folding lower-cases, drops accents and spells English contractions out ("can't" becomes "can not"), so that the tables
of phrases need one spelling each. Scripts written without spaces are compared by pairs of characters.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
"""Thai, Lao, Burmese, Khmer, kana and Han."""

LONGEST = 20_000
"""Characters of a statement that are read."""
PIECE = 600
"""Characters after which a sentence without an end is cut."""

_MARK = "\N{HORIZONTAL ELLIPSIS}"
_QUOTED = re.compile(
    r'"[^"\n]{1,2000}"|“[^”]{1,2000}”|„[^“”]{1,2000}[“”]|«[^»]{1,2000}»|「[^」]{1,2000}」|『[^』]{1,2000}』|《[^》]{1,200}》'
    r"|(?<!\w)‘[^’\n]{2,400}’(?!\w)|(?<!\w)'[^'\n]{2,400}'(?!\w)|^[ \t]*>.*$",
    re.MULTILINE,
)
_REST = r"[^.!?。！？；;\n]*"
_SENTENCE = re.compile(rf"{_REST}(?:[.!?;](?![\s{UNSPACED}]|$){_REST})*[.!?。！？；;\n]*")
_PAUSE = re.compile(r"(?:[,:，、：()（）—–…]| - |--)+")
_BETWEEN = re.compile(r"[^\w,]+")
_YES = re.compile(r"\bsí\b")
_WORD = re.compile(rf"[{UNSPACED}]+|[^\W_{UNSPACED}]+")
_HAN = re.compile(f"[{UNSPACED}]")
_SPELLED_OUT = (
    ("cannot", "can not"),
    ("can't", "can not"),
    ("won't", "will not"),
    ("n't", " not"),
    ("i'm", "i am"),
    ("let's", "let us"),
    ("'re", " are"),
    ("'ve", " have"),
    ("'ll", " will"),
    ("'d", " would"),
    ("t's", "t is"),
)
_SIMPLER = str.maketrans(
    "…說對錯認輸贊觀點見沒話讓變議嗎這樣據證實應該裡為無論駁聽辦選擇樂總麼還們個",
    ",说对错认输赞观点见没话让变议吗这样据证实应该里为无论驳听办选择乐总么还们个",
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence: its own spelling, its folded words with ` , ` for every pause, and whether it asks."""

    raw: str
    words: str
    asked: bool
    unspaced: bool


def fold(text: str) -> str:
    """`text` in lower case, without accents, typographic apostrophes, emphasis marks and contractions."""
    text = text.lower().replace("*", "").replace("_", " ")
    if not text.isascii():
        text = _YES.sub("sii", text.replace("’", "'").translate(_SIMPLER))
        bare = "".join(c for c in unicodedata.normalize("NFKD", text) if unicodedata.category(c) != "Mn")
        text = unicodedata.normalize("NFC", bare)
    if "'" in text or "cannot" in text:
        for short, long in _SPELLED_OUT:
            text = text.replace(short, long)
    return text


def unquoted(text: str) -> str:
    """`text` with every quotation replaced by `…`; a text that is one single quotation is kept."""
    rest = _QUOTED.sub(_MARK, text[:LONGEST])
    return rest if _WORD.search(rest) else text[:LONGEST]


@lru_cache(maxsize=1024)
def sentences(text: str) -> tuple[Sentence, ...]:
    """The sentences of `text` without what it quotes, in order."""
    found = (raw for raw in _SENTENCE.findall(unquoted(text)) if _WORD.search(raw))
    return tuple(_read(raw[at : at + PIECE]) for raw in found for at in range(0, len(raw), PIECE))


def _read(raw: str) -> Sentence:
    folded = fold(raw)
    unspaced = not folded.isascii() and 5 * len(_HAN.findall(folded)) > len(folded)
    words = _BETWEEN.sub("" if unspaced else " ", _PAUSE.sub("," if unspaced else " , ", folded))
    return Sentence(raw.strip(), words if unspaced else f" {words.strip()} ", "?" in raw or "？" in raw, unspaced)


def tokens(text: str) -> list[str]:
    """The words of a text, and the runs of characters of scripts without spaces, folded."""
    return _WORD.findall(fold(text))


def is_unspaced(token: str) -> bool:
    """Whether the token is a run of a script that puts no spaces between words."""
    return not token.isascii() and _HAN.match(token) is not None
