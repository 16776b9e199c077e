"""Clipping: a text in at most so many characters."""

import unicodedata

ELLIPSIS = "..."

_FLAG_LETTERS = "".join(map(chr, range(0x1F1E6, 0x1F200)))


def clipped(text: str, limit: int) -> str:
    """`text` in at most `limit` characters (code points), the ellipsis "..." included.

    It is cut at a word boundary where one lies in the last 15 % of what is kept, and never inside a combining
    sequence, an emoji sequence or a surrogate pair.
    """
    if len(text) <= limit:
        return text
    if limit <= len(ELLIPSIS):
        return ELLIPSIS[:limit]
    keep = limit - len(ELLIPSIS)
    space = max(text.rfind(" ", 0, keep + 1), text.rfind("\n", 0, keep + 1))
    end = _between_characters(text, space if space >= keep * 0.85 else keep)
    return text[:end] + ELLIPSIS


def _between_characters(text: str, end: int) -> int:
    """The last place at or before `end` that does not split what is seen as one character."""
    while end and (_joins(text[end]) or text[end - 1] == "\u200d" or _is_half(text, end)):
        end -= 1
    return end


def _joins(character: str) -> bool:
    """Whether a character belongs to the one before it: a mark, a joiner, a skin tone or a tag."""
    return (
        unicodedata.category(character)[0] == "M"
        or character == "\u200d"
        or "\U0001f3fb" <= character <= "\U0001f3ff"
        or "\U000e0020" <= character <= "\U000e007f"
    )


def _is_half(text: str, end: int) -> bool:
    """Whether `end` lies between the halves of a surrogate pair or of a flag."""
    if "\ud800" <= text[end - 1] <= "\udbff":
        return True
    letters = end - len(text[:end].rstrip(_FLAG_LETTERS))
    return letters % 2 == 1 and text[end] in _FLAG_LETTERS
