"""Answers to questions for the speaker's own view: a side, an option or a number, from its information."""

import re
from collections.abc import Iterator, Sequence
from statistics import fmean

from ...state.random_streams import make_rng
from .responses import UNEASY_CONVICTION
from .scene import Scene

ANSWER_PURPOSES = ("declaration", "position", "answer", "estimate")
"""Purposes of calls that ask for the speaker's own answer."""
UNDECIDED_RANGE = 0.1
"""Distance from the middle below which an opinion is undecided."""
_SENTENCE = re.compile(r"[^.!?;。！？；\n]+")
_OPTION = re.compile(r"^- (\S[^:：\n]*)[:：] (.+)$", re.MULTILINE)
_ROUND = re.compile(r"(?:round|ronda)\s+(\d{1,4})|第\s*(\d{1,4})\s*轮", re.IGNORECASE)
_COMMA = re.compile(r"\s*[,、，]\s*")
_NUMBER = r"(?<![a-z0-9_.])-?\d+(?:\.\d+)?"


def choose_side(scene: Scene) -> str:
    """Return `for`, `against` or `undecided`, by the speaker's opinion of the topic."""
    if abs(scene.opinion - 0.5) < UNDECIDED_RANGE:
        return "undecided"
    return "for" if scene.opinion > 0.5 else "against"


def choose_stance(scene: Scene) -> str:
    """Return `concede` if the speaker gave up its case, `partly` if it wavers, else `hold`."""
    conviction = scene.course.compute_conviction(scene.prompt.speaker)
    if any(scene.is_surrender(statement) for statement in scene.prompt.own_statements):
        return "concede"
    if not scene.side:
        return "hold"
    return "concede" if conviction < 0.5 else "partly" if conviction < UNEASY_CONVICTION else "hold"


def compute_certainty(scene: Scene) -> float:
    """Compute the speaker's certainty of its own position, 0…1."""
    return max(scene.opinion, 1 - scene.opinion)


def rank_options(scene: Scene, options: Sequence[object]) -> list[object]:
    """Rank the options by the support in the speaker's information; its own leaning breaks ties."""
    texts = {str(option): dict(_OPTION.findall(scene.prompt.task)).get(str(option), str(option)) for option in options}
    sentences = list(dict.fromkeys(_list_sentences(scene)))

    def weigh_option(option: object) -> tuple[int, float]:
        """Return the support of an option, then the speaker's own leaning to it."""
        text = texts[str(option)].casefold()
        facts = [sentence for sentence in sentences if _has_option(sentence, text)]
        contradiction_count = sum(
            any(word in fact for word in scene.stock.get_variants("facts", "against")) for fact in facts
        )
        leaning = make_rng(scene.seed, "option", scene.prompt.speaker, str(option)).random()
        return len(facts) - 2 * contradiction_count - _count_contradictions(text, sentences), leaning

    return sorted(options, key=weigh_option, reverse=True)


def _has_option(sentence: str, text: str) -> bool:
    """Return whether a sentence names an option as a whole word."""
    return re.search(rf"(?<![a-z0-9]){re.escape(text)}(?![a-z0-9])", sentence) is not None


def _count_contradictions(text: str, sentences: Sequence[str]) -> int:
    """Count the sentences that contradict the order of items in an option such as `a, b, c`.

    A sentence with exactly two of the items contradicts the option if it names them in the other order. The
    count is 0 for an option with fewer than three items.
    """
    items = _COMMA.split(text)
    position_lists = (
        [[position for item in items if (position := sentence.find(item)) >= 0] for sentence in sentences]
        if len(items) > 2
        else []
    )
    return sum(len(positions) == 2 and positions != sorted(positions) for positions in position_lists)


def compute_number(scene: Scene, unit: str) -> float:
    """Compute the mean of the numbers in this unit; without numbers, draw one.

    The numbers come from the speaker's information and from the latest statement of each speaker with a
    number.
    """
    pattern = _compile_number_pattern(unit)
    own_numbers = [float(text) for line in _list_information(scene) for text in pattern.findall(line.casefold())]
    numbers_by_speaker = {
        statement.speaker: numbers
        for statement in scene.prompt.statements
        if (numbers := pattern.findall(statement.text.casefold()))
    }
    all_numbers = own_numbers + [float(numbers[-1]) for numbers in numbers_by_speaker.values()]
    return (
        round(fmean(all_numbers), 3)
        if all_numbers
        else float(make_rng(scene.seed, "figure", scene.prompt.speaker).randrange(1, 100))
    )


def estimate_quantile(scene: Scene, quantile: str, unit: str) -> float:
    """Estimate the 5 % (`low`), 50 % (`answer`) or 95 % (`high`) quantile of a number for the speaker.

    The centre is the mean of the numbers in this unit in the material, or a draw of the run. The speaker's
    own draw shifts it, half as much in each later round.
    """
    numbers = [float(number) for number in _compile_number_pattern(unit).findall(scene.prompt.material.casefold())]
    centre = fmean(numbers) if numbers else float(make_rng(scene.seed, "estimate").randrange(20, 200))
    scale = abs(centre) or 1.0
    deviation = make_rng(scene.seed, "estimate", scene.prompt.speaker).uniform(-0.4, 0.4) / 2 ** (
        _parse_round(scene) - 1
    )
    width = {"low": -0.2, "high": 0.3}.get(quantile, 0.0)
    return float(round(centre + scale * (deviation + width), 3))


def _parse_round(scene: Scene) -> int:
    """Return the round that the task names, from 1; 1 if it names none."""
    match = _ROUND.search(scene.prompt.task)
    return max(1, int(match[1] or match[2])) if match else 1


def _compile_number_pattern(unit: str) -> re.Pattern[str]:
    return re.compile(rf"({_NUMBER})\s*{re.escape(unit.casefold())}(?![a-z0-9_])" if unit else f"({_NUMBER})")


def _list_sentences(scene: Scene) -> Iterator[str]:
    """Yield every sentence of the speaker's information and of the record."""
    for text in [*_list_information(scene), *(statement.text for statement in scene.prompt.statements)]:
        yield from (sentence.strip(" -") for sentence in _SENTENCE.findall(text.casefold()))


def _list_information(scene: Scene) -> list[str]:
    """List the speaker's information: material, private notes, memory, and the task without its list of options."""
    task = "\n".join(line for line in scene.prompt.task.splitlines() if not line.startswith("- "))
    return [scene.prompt.material, scene.prompt.private, scene.prompt.memory, task]
