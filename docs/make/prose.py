"""Measure how well a text reads: `python docs/make/prose.py docs/room.md` prints what to rewrite, by line.

Without arguments it measures the README and every page. Code, tables, comments and headings are left out.
"""

import ast
import re
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
GENERATED = {"reference.md": "made of field descriptions, which are phrases and not sentences"}
"""Pages whose sentences are not measured, with the reason."""

MEAN_WORDS = 18
LONGEST_SENTENCE = 35
READING_EASE = 50

REPLACEMENTS = {
    r"knobs?": "setting",
    r"drawings?": "diagram",
    r"roads?": "route",
    r"tries(?! to| the| again)|(?:a|one|each|first|last|next|of a|every|which) try": "attempt",
    r"unheard|unseen": "blind, or: without seeing",
    r"closing texts?": "synthesis",
    r"pass(?:ed|es)? over": "missed (failure), skipped (choice)",
    r"(?:a|the|each|every|this|one) talks?(?! page)|talk's|(?:of|these|those|such|all) talks": "deliberation",
    r"whoever|whomever": "anyone who, the person who",
    r"(?:comes?|came|coming) to(?! an end| a result| agreement)": "is, reaches",
    r"by now": "now, already",
    r"beside": "next to, compared with, in addition to",
    r"for good": "permanently",
    r"for ever": "without limit",
    r"(?:goes|go|went|going|gone) on": "continue",
    r"let(?:s|ting)? (?:it|the \w+) pass|let pass": "skip",
    r"anew": "again",
    r"as far as": "only what, to the extent",
    r"any more(?! than)": "no longer",
    r"on record": "recorded, in the record",
    r"whereof|thereof|therein|hereby": "of which, of it",
    r"\w+ is no \w+'s": "say to which one it belongs",
    r"none: (?:it|there|no|for)": "the default, or: unlimited",
    r"told (?:alone|anew)": "private",
}
"""Words that Moot no longer uses, or uses in a way that nobody else does, and what to write in their place."""

PAGE_REPLACEMENTS = {
    r"whichever|whatever": "any, everything that",
    r"what (?:holds|stands|came|comes|follows|it is|is paid)": "name the thing",
    r"no more(?! than)": "no longer",
    r"stands? (?:on|in|beside|there|for|with|as|under|below|here)": "is",
    r"begin(?:s|ning)?|began|begun": "start",
    r"so many|so often": "that many, that often",
    r"(?:is|are) kept(?! in| for)": "say who stores it: Moot keeps …",
    r"of (?:one's|your|its|their) own": "your, its, their own …",
    r"nothing (?:of|is|was|else)": "say what happens",
    r"heed(?:s|ed)?": "follow",
    r"gives? way|gave way": "concede, yield",
    r"taken up|takes up": "start, continue",
}
"""Further words that a page, which explains, does without."""

SKIPPED = re.compile(r"^```.*?^```$|<!--.*?-->|^\|.*?$|^#.*?$|<[^>\n]+>|!\[[^\]]*\]\([^)]*\)", re.DOTALL | re.MULTILINE)
BLOCK_END = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )")
SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[\"(“‘*_]*[A-Z0-9µ])|(?<=[.!?])[\")”’*_]+\s+(?=[A-Z])")
WORD = re.compile(r"[A-Za-zÀ-ÿ]+(?:['’-][A-Za-zÀ-ÿ]+)*|\d[\d,.%]*")
CODE = "X"
"""Word that stands for a piece of code in a sentence."""


class Sentence(NamedTuple):
    """Sentence of a page, with the number of the line on which it starts."""

    line: int
    text: str


def read_prose(page: str) -> str:
    """Return the prose of a page. Lines of code, tables and headings are blank."""
    prose = SKIPPED.sub(lambda part: "\n" * part[0].count("\n"), page)
    prose = re.sub(r"`[^`\n]+`", CODE, prose)
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", prose)


def list_sentences(page: str) -> list[Sentence]:
    """Return the sentences of a page, with their lines. A list item ends the sentence before it."""
    prose, sentences, start = read_prose(page), [], 0
    for end in [*(match.end() for match in BLOCK_END.finditer(prose)), len(prose)]:
        at = start
        for part in SENTENCE_END.split(prose[start:end]):
            text = " ".join(re.sub(r"^\s*(?:[-*]|\d+\.) ", "", part).split())
            at = prose.find(part, at) if part else at
            if len(WORD.findall(text)) > 1:
                sentences.append(Sentence(prose.count("\n", 0, at + len(part) - len(part.lstrip())) + 1, text))
        start = end
    return sentences


def count_words(text: str) -> int:
    """Count the words of a text."""
    return len(WORD.findall(text))


def count_syllables(word: str) -> int:
    """Count the syllables of an English word by its groups of vowels."""
    letters = re.sub(r"[^a-z]", "", word.lower())
    letters = (
        re.sub(r"(?:(?<=[^aeioulycghsxz])es|(?<=[^dt])ed|(?<![aeiouyl])e)$", "", letters)
        if len(letters) > 2
        else letters
    )
    return max(1, len(re.findall(r"[aeiouy]+", letters)) + len(re.findall(r"i[ao](?!us|n)|[^aeiou]ism", letters)))


def compute_reading_ease(sentences: list[str]) -> float:
    """Compute the mean Flesch reading ease of sentences, without their names.

    It runs from 0 to 100. Texts from 60 are plain.
    """
    words = [
        word for text in sentences for word in re.findall(r"(?<![\w`])[a-zà-ÿ]+(?:['’-][a-z]+)*|^[A-Z][a-z]*\b", text)
    ]
    if not words:
        return 100.0
    return 206.835 - 1.015 * len(words) / len(sentences) - 84.6 * sum(map(count_syllables, words)) / len(words)


def list_texts(source: str) -> list[tuple[int, str]]:
    """Return the texts in Python source with their lines: docstrings, errors, and lines of the terminal.

    Each placeholder of a formatted text is replaced by a word.
    """
    tree, texts = ast.parse(source), list[tuple[int, str]]()
    inner = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = [str(part.value) if isinstance(part, ast.Constant) else CODE for part in node.values]
            texts.append((node.lineno, "".join(parts)))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inner:
            texts.append((node.lineno, node.value))
    return texts


def list_docstrings(source: str) -> list[tuple[int, str]]:
    """Return the docstrings in Python source with their lines."""
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, kinds)]
    return [(node.body[0].lineno, docstring) for node in nodes if (docstring := ast.get_docstring(node))]


def list_forbidden(text: str, replacements: dict[str, str]) -> list[tuple[str, str]]:
    """Return the forbidden words in a text, each with its replacement.

    `replacements`: replacement by pattern of the word.
    """
    return [
        (match[0], replacement)
        for word, replacement in replacements.items()
        for match in re.finditer(rf"\b(?:{word})\b", text, re.IGNORECASE)
    ]


def list_long_sentences(page: str) -> list[str]:
    """Return the sentences of a page that have too many words, each with its line and number of words."""
    return [
        f"line {sentence.line}: {length} words (at most {LONGEST_SENTENCE}): {sentence.text}"
        for sentence in list_sentences(page)
        if (length := count_words(sentence.text)) > LONGEST_SENTENCE
    ]


def list_faults(page: str) -> list[str]:
    """Return the faults of a page: forbidden words, long sentences, and figures of the whole page."""
    sentences = list_sentences(page)
    lengths = [count_words(sentence.text) for sentence in sentences]
    faults = [
        f"line {sentence.line}: “{word}”: write {replacement}"
        for sentence in sentences
        for word, replacement in list_forbidden(sentence.text, REPLACEMENTS | PAGE_REPLACEMENTS)
    ]
    faults += list_long_sentences(page)
    mean = sum(lengths) / max(1, len(lengths))
    ease = compute_reading_ease([sentence.text for sentence in sentences])
    if mean > MEAN_WORDS:
        faults.append(f"mean sentence: {mean:.1f} words (at most {MEAN_WORDS})")
    if ease < READING_EASE:
        faults.append(f"Flesch reading ease: {ease:.0f} (at least {READING_EASE})")
    return faults


def main(pages: list[Path]) -> None:
    """Print the faults and figures of pages."""
    for page in pages:
        text = page.read_text("utf-8")
        sentences = [sentence.text for sentence in list_sentences(text)]
        mean = sum(map(count_words, sentences)) / max(1, len(sentences))
        ease = compute_reading_ease(sentences)
        print(f"{page.name}: {len(text.split()):,} words, mean sentence {mean:.1f}, reading ease {ease:.0f}")
        for fault in list_faults(text) if page.name not in GENERATED else []:
            print(f"  {fault}")


if __name__ == "__main__":
    main([Path(name) for name in sys.argv[1:]] or PAGES)
