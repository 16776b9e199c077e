"""Reading plain answers out of text, for models without structured output: whole sentences, never substrings.

What is not said plainly is not read: "I do not approve" is no approval, "yes, and no" is neither. "NO. Yesterday…" is
a no, since its first sentence is that option and nothing else. Letter case, emphasis and quotation marks do not matter.
"""

import re
from typing import TypeVar

from .marking import ELSEWHERE, NUMBER, Unclear, mark, plain, without_counts, without_names, without_sums

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
_CLAUSE = r"(?:(?<=^)|(?<=[\n.,;:!。;(=–—-])|(?<=[\n.,;:!。;(=–—-] )|(?<=[01] )|(?<=[01] for )|(?<=[01] para ))"
_CLAUSE_END = r"(?=\s*(?:$|[\n.,;:!。;)=–—]| -|(?:because|since|porque|ya que)(?!\w)|因为))"
_WORDED = re.compile(
    _CLAUSE
    + f"(?:(?P<no>{'|'.join(sorted(_REFUSALS, key=len, reverse=True))})"
    + f"|(?:{'|'.join(sorted(_CONSENTS, key=len, reverse=True))}))"
    + _CLAUSE_END,
    re.MULTILINE,
)
"""A yes or a no to a proposal, as a whole clause."""
_RULE = re.compile(rf"(?:principle|option|principio|opción|原则|选项)s?\s*(?:number|no\.?|número|#|:)?\s*{NUMBER}")

_SENTENCE_END = re.compile(r"(?<=[^\W\d]{2}[.!])\s+|(?<=[。！])")
_REASON = re.compile(r"[,，]?\s+(?:because|since|porque|ya que)\s.*|[,，]?\s*因为.*")
_DECLARES = re.compile(
    r"(?:(?:my|mi|final)\s+)*(?:vote|ballot|choice|answer|decision|voto|elección|respuesta)\s*[:=]\s*(.+)"
    r"|(?:(?:my|mi)\s+)(?:final\s+)?(?:vote|ballot|choice|answer|decision|voto|elección|respuesta)"
    r"\s+(?:is|goes to|es)\s*:?\s+(.+)"
    r"|i\s+(?:(?:vote|am voting)\s+(?:for\s+)?|choose\s+|pick\s+|select\s+)?(.+)"
    r"|(?:yo\s+)?(?:voto|elijo)\s+(?:por\s+|a\s+)?(.+)"
    r"|(?:我的)?(?:选择|投票)(?:是|\s*[:：])\s*(.+)|我(?:投票给|选择|投|选)(.+)"
)


def bare(text: str) -> str:
    """The text in lower case without emphasis, outer quotation marks and full stops."""
    plain = re.sub(r"\s+", " ", re.sub(r"[*`]", "", text)).casefold()
    return plain.strip(" _\"'“”‘’«»()[].,!:。！，：").lstrip("# ")


def _declared(sentence: str) -> str:
    """What the sentence declares, without the words that declare it; empty if it declares nothing."""
    match = _DECLARES.fullmatch(_REASON.sub("", bare(sentence)))
    return bare(next(part for part in match.groups() if part)) if match else ""


def _meant(fragment: str, answers: dict[str, T]) -> list[T]:
    """The answer a fragment that stands alone is: `yes`, `yes, because …`, `yes, I agree`; else none."""
    plain = _REASON.sub("", bare(fragment))
    parts = [plain] if plain in answers else re.split(r"[,;，；]", plain)
    heard = [word if (word := bare(part)) in answers else _declared(part) for part in parts]
    return [answers[word] for word in heard] if all(word in answers for word in heard) else []


def stated(text: str, answers: dict[str, T]) -> T:
    """The one answer that `text` states, among `answers` by their `bare` wording.

    An answer is stated by the first sentence or line or by the last line, if that is the answer and nothing else, and
    by any sentence that declares it (`I vote for …`, `My vote: …`). Raises `Unclear` if there is none, or if any other
    sentence is another answer.
    """
    lines = [re.sub(r"[*`]", "", line) for line in text.splitlines() if bare(line)]
    sentences = [part for line in lines for part in _SENTENCE_END.split(line)]
    alone = [*lines[:1], *sentences[:1], *lines[-1:]]
    found = [answer for fragment in alone for answer in _meant(fragment, answers)]
    declared = [_declared(part) for part in [*lines, *sentences]]
    found += [answers[words] for words in declared if words in answers]
    if not found:
        raise Unclear("no answer is stated plainly; begin with the answer alone", "none")
    found += [answers[bare(part)] for part in sentences if bare(part) in answers]
    if any(answer != found[0] for answer in found):
        several = ", ".join(str(answer) for answer in dict.fromkeys(found))
        raise Unclear(f"several answers are stated: {several}", "several")
    return found[0]


def read_consent(text: str) -> bool:
    """Whether `text` consents to a proposal: yes or 1, no or 0, in English, Spanish or Chinese.

    It must be said plainly (`plain.answer_in`): a digit within a name, an amount or a count says nothing, and so does
    one that is negated, compared, doubted or somebody else's. Raises `Unclear` if it says neither, or both.
    """
    said = without_counts(_RULE.sub(ELSEWHERE, without_names(without_sums(plain(text)))))
    marked = _WORDED.sub(lambda found: mark(0 if found["no"] else 1), said)
    if strange := [number for number in re.findall(NUMBER, marked) if number not in ("0", "1")]:
        raise Unclear(f"{strange[0][:20]} is neither 1 nor 0", "neither", given=strange[0][:20])
    from .plain import answer_in

    return bool(answer_in(re.sub("[01]", lambda digit: mark(int(digit[0])), marked)))


def listed(text: str, mark: str) -> list[str]:
    """The items of a list with one item a line, each begun by the pattern `mark`; a heading may end in a colon.

    Empty if no line is an item. Raises `Unclear` if other lines stand between or after the items.
    """
    lines = [line.strip() for line in re.sub(r"[*`]", "", text).splitlines() if line.strip()]
    lines = lines[1:] if lines and lines[0].endswith((":", "：")) else lines
    items = [re.fullmatch(rf"(?:{mark})\s*(.+)", line) for line in lines]
    if not any(items):
        return []
    if not all(items):
        stray = next(line for line, item in zip(lines, items, strict=True) if not item)
        raise Unclear(f"{stray[:60]!r} is no item of the list; give the list alone", "stray", given=repr(stray[:60]))
    return [item.group(1) for item in items if item]


def inline(text: str, separator: str) -> list[str]:
    """The parts of a list on one line, split by the pattern `separator`, without a leading `My ranking:` or so."""
    plain = re.sub(r"^\s*(?:(?:my|final)\s+)*(?:ranking|approvals|approved|i approve of)\s*:?\s*", "", text, flags=re.I)
    return [part.strip() for part in re.split(separator, plain)]
