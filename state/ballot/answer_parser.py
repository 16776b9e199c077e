"""Parser of plain answers in text, for models without structured output: full sentences, never substrings.

It accepts only plain answers: "I do not approve" is no approval, "yes, and no" is neither. "NO. Yesterday…" is a no,
since its first sentence is only that option. Letter case, emphasis and quotation marks do not matter.
"""

import re
from typing import TypeVar

from .normalize import (
    NUMBER_PATTERN,
    REFERENCE_MASK,
    UnclearAnswerError,
    make_mark,
    mask_counts,
    mask_names,
    mask_sums,
    normalize_reply,
)

T = TypeVar("T")

_CONSENTS = [
    *("yes", "i consent", "i agree", "i approve", "i accept", "i confirm", "sí", "si", "estoy de acuerdo", "acepto"),
    *("apruebo", "是", "是的", "同意", "我同意", "to start a vote", "start a vote", "iniciar una votación", "发起投票"),
]
_REFUSALS = [
    *("no", "i do not consent", "i do not agree", "i disagree", "i do not approve", "i refuse", "not now", "not yet"),
    *("no estoy de acuerdo", "no acepto", "no apruebo", "ahora no", "todavía no", "否", "不", "不同意", "我不同意"),
    *("现在不发起", "不发起"),
]
_CLAUSE_START = r"(?:(?<=^)|(?<=[\n.,;:!。;(=–—-])|(?<=[\n.,;:!。;(=–—-] )|(?<=[01] )|(?<=[01] for )|(?<=[01] para ))"
_CLAUSE_END = r"(?=\s*(?:$|[\n.,;:!。;)=–—]| -|(?:because|since|porque|ya que)(?!\w)|因为))"
_WORDED_CONSENT = re.compile(
    _CLAUSE_START
    + f"(?:(?P<no>{'|'.join(sorted(_REFUSALS, key=len, reverse=True))})"
    + f"|(?:{'|'.join(sorted(_CONSENTS, key=len, reverse=True))}))"
    + _CLAUSE_END,
    re.MULTILINE,
)
"""Pattern of a yes or no to a proposal, as a full clause."""
_NUMBERED_OPTION = re.compile(
    rf"(?:principle|option|principio|opción|原则|选项)s?\s*(?:number|no\.?|número|#|:)?\s*{NUMBER_PATTERN}"
)

_SENTENCE_END = re.compile(r"(?<=[^\W\d]{2}[.!])\s+|(?<=[。！])")
_REASON = re.compile(r"[,，]?\s+(?:because|since|porque|ya que)\s.*|[,，]?\s*因为.*")
_DECLARATION = re.compile(
    r"(?:(?:my|mi|final)\s+)*(?:vote|ballot|choice|answer|decision|voto|elección|respuesta)\s*[:=]\s*(.+)"
    r"|(?:(?:my|mi)\s+)(?:final\s+)?(?:vote|ballot|choice|answer|decision|voto|elección|respuesta)"
    r"\s+(?:is|goes to|es)\s*:?\s+(.+)"
    r"|i\s+(?:(?:vote|am voting)\s+(?:for\s+)?|choose\s+|pick\s+|select\s+)?(.+)"
    r"|(?:yo\s+)?(?:voto|elijo)\s+(?:por\s+|a\s+)?(.+)"
    r"|(?:我的)?(?:选择|投票)(?:是|\s*[:：])\s*(.+)|我(?:投票给|选择|投|选)(.+)"
)


def normalize_answer(text: str) -> str:
    """Return the text in lower case without emphasis, outer quotation marks and full stops."""
    cleaned = re.sub(r"\s+", " ", re.sub(r"[*`]", "", text)).casefold()
    return cleaned.strip(" _\"'“”‘’«»()[].,!:。！，：").lstrip("# ")


def _extract_declaration(sentence: str) -> str:
    """Return the words that the sentence declares, without its verb; empty without a declaration."""
    match = _DECLARATION.fullmatch(_REASON.sub("", normalize_answer(sentence)))
    return normalize_answer(next(part for part in match.groups() if part)) if match else ""


def _match_fragment(fragment: str, answers: dict[str, T]) -> list[T]:
    """Return the answers that make up a fragment; empty if the fragment contains anything else.

    Examples: `yes`, `yes, because …`, `yes, I agree`.
    """
    cleaned_text = _REASON.sub("", normalize_answer(fragment))
    parts = [cleaned_text] if cleaned_text in answers else re.split(r"[,;，；]", cleaned_text)
    words = [word if (word := normalize_answer(part)) in answers else _extract_declaration(part) for part in parts]
    return [answers[word] for word in words] if all(word in answers for word in words) else []


def parse_stated_answer(text: str, answers: dict[str, T]) -> T:
    """Parse the one answer that `text` states, among `answers` by their normalized wording.

    The first sentence or line, or the last line, states an answer if it is only that answer. So does any
    sentence that declares it (`I vote for …`, `My vote: …`). Raises `UnclearAnswerError` without an answer,
    or if another sentence is a different answer.
    """
    lines = [re.sub(r"[*`]", "", line) for line in text.splitlines() if normalize_answer(line)]
    sentences = [part for line in lines for part in _SENTENCE_END.split(line)]
    fragments = [*lines[:1], *sentences[:1], *lines[-1:]]
    matches = [answer for fragment in fragments for answer in _match_fragment(fragment, answers)]
    declarations = [_extract_declaration(part) for part in [*lines, *sentences]]
    matches += [answers[words] for words in declarations if words in answers]
    if not matches:
        raise UnclearAnswerError("no answer is stated plainly; begin with the answer alone", "none")
    matches += [answers[normalize_answer(part)] for part in sentences if normalize_answer(part) in answers]
    if any(answer != matches[0] for answer in matches):
        answer_list = ", ".join(str(answer) for answer in dict.fromkeys(matches))
        raise UnclearAnswerError(f"several answers are stated: {answer_list}", "several")
    return matches[0]


def parse_consent(text: str) -> bool:
    """Parse whether `text` consents to a proposal: yes or 1, no or 0, in English, Spanish or Chinese.

    The answer must be plain (see `plain_sentences.py`). A digit in a name, amount or count does not count.
    A negated, compared, doubted or quoted answer does not count either. Raises `UnclearAnswerError` for
    neither or both.
    """
    cleaned_text = mask_counts(_NUMBERED_OPTION.sub(REFERENCE_MASK, mask_names(mask_sums(normalize_reply(text)))))
    marked_text = _WORDED_CONSENT.sub(lambda match: make_mark(0 if match["no"] else 1), cleaned_text)
    if unknown_numbers := [number for number in re.findall(NUMBER_PATTERN, marked_text) if number not in ("0", "1")]:
        raise UnclearAnswerError(
            f"{unknown_numbers[0][:20]} is neither 1 nor 0", "neither", given=unknown_numbers[0][:20]
        )
    from .plain_sentences import answer_in

    return bool(answer_in(re.sub("[01]", lambda match: make_mark(int(match[0])), marked_text)))


def split_list(text: str, item_pattern: str) -> list[str]:
    """Split a list into its items, one a line; return an empty list without items.

    Each item begins with the pattern `item_pattern`. The first line may be a heading that ends in a colon.
    Raises `UnclearAnswerError` if other lines stand between or after the items.
    """
    lines = [line.strip() for line in re.sub(r"[*`]", "", text).splitlines() if line.strip()]
    lines = lines[1:] if lines and lines[0].endswith((":", "：")) else lines
    items = [re.fullmatch(rf"(?:{item_pattern})\s*(.+)", line) for line in lines]
    if not any(items):
        return []
    if not all(items):
        stray_line = next(line for line, item in zip(lines, items, strict=True) if not item)
        raise UnclearAnswerError(
            f"{stray_line[:60]!r} is no item of the list; give the list alone", "stray", given=repr(stray_line[:60])
        )
    return [item.group(1) for item in items if item]


def split_inline_list(text: str, separator: str) -> list[str]:
    """Split a list on one line by the pattern `separator`, without an opening such as `My ranking:`."""
    content = re.sub(
        r"^\s*(?:(?:my|final)\s+)*(?:ranking|approvals|approved|i approve of)\s*:?\s*", "", text, flags=re.I
    )
    return [part.strip() for part in re.split(separator, content)]
