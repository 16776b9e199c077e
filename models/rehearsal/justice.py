"""Choice of each participant among the four principles of justice, and the effect of proposals."""

import re
from functools import lru_cache

from ...state.random_streams import make_rng
from .filler import capitalize_sentences, pick_unused_text
from .prompt import PromptStatement, extract_topic
from .responses import write_response
from .scene import Scene
from .speech import join_statement

PROPOSED_AMOUNTS = {3: [12_000, 13_000, 14_000, 15_000], 4: [15_000, 17_000, 20_000, 12_000]}
"""Amounts that a participant proposes for the principles with one: floors and ranges of the usual tables."""
PRINCIPLE_APPEAL = {1: 0.45, 2: 0.4, 3: 0.75, 4: 0.15}
"""Start of the preferences, in the order found by Frohlich and Oppenheimer, Choosing Justice (1992)."""

_PRINCIPLE = re.compile(r"(?:principle|principio|原则)\s*(?:n[o.º°]*\s*)?([1-4])(?!\d)", re.IGNORECASE)
_AMOUNT = re.compile(r"(?<![\d.])\d{1,3}(?:[,，]\d{3})+|(?<![\d.,])\d{4,7}(?![\d,])")
_PRINCIPLE_WORDS = re.compile(r"principles?\b|rules? for dividing|principios?\b|reglas? de reparto|原则", re.IGNORECASE)
_ROUND_COUNT = re.compile(r"(\d+)\s*(?:of|de|轮（共)\s*(\d+)")
_INCOME_WORDS = re.compile(r"incomes?\b|average|ingresos?\b|promedio|收入|平均", re.IGNORECASE)

PrincipleRule = tuple[int, int | None]
"""A principle's number, and its amount or `None`."""


def is_about_justice(scene: Scene) -> bool:
    """Return whether a prompt is about principles for dividing incomes, and has no other topic."""
    text = f"{scene.prompt.system_text}\n{scene.prompt.task}"
    return not extract_topic(scene.prompt.system_text) and all(
        pattern.search(text) for pattern in (_PRINCIPLE_WORDS, _INCOME_WORDS)
    )


def draw_preferences(seed: int, name: str) -> list[int]:
    """Draw a participant's initial order of the four principles, best first."""
    rng = make_rng(seed, "principles", name)
    appeals = {number: base + 0.8 * rng.random() for number, base in PRINCIPLE_APPEAL.items()}
    return sorted(appeals, key=lambda number: -appeals[number])


def find_proposal(text: str) -> PrincipleRule | None:
    """Return the principle and amount that a statement names last; `None` if it names no principle."""
    mentions = list(_PRINCIPLE.finditer(text))
    if not mentions:
        return None
    number = int(mentions[-1][1])
    amounts = _AMOUNT.findall(text[mentions[-1].end() :]) or _AMOUNT.findall(text)
    if number not in PROPOSED_AMOUNTS:
        return number, None
    return (number, int(re.sub(r"\D", "", amounts[0]))) if amounts else None


def choose_rule(scene: Scene) -> PrincipleRule:
    """Choose the speaker's rule after the record.

    Each proposal of another participant may persuade the speaker; a stubborn speaker rarely changes its
    rule.
    """
    speaker = scene.prompt.speaker
    choice = _draw_rule(scene.seed, speaker, draw_preferences(scene.seed, speaker)[0])
    openness = 0.1 + 0.45 * make_rng(scene.seed, "yields", speaker).random()
    for statement in scene.prompt.statements:
        proposal = find_proposal(statement.text)
        if proposal is None or proposal == choice:
            continue
        choice = (
            proposal
            if statement.speaker == speaker or _is_persuaded(scene, statement, proposal, choice, openness)
            else choice
        )
    return choice


def _is_persuaded(
    scene: Scene, statement: PromptStatement, proposal: PrincipleRule, choice: PrincipleRule, openness: float
) -> bool:
    """Draw whether a proposal persuades the speaker.

    A speaker changes an amount more readily than a principle, and adopts its last preference least readily.
    """
    chance = (
        0.1 + openness
        if proposal[0] == choice[0]
        else openness * (0.08 if proposal[0] == _get_last_preference(scene) else 0.3)
    )
    return make_rng(scene.seed, "won over", scene.prompt.speaker, statement.turn, statement.speaker).random() < chance


def _get_last_preference(scene: Scene) -> int:
    return draw_preferences(scene.seed, scene.prompt.speaker)[-1]


@lru_cache(maxsize=1024)
def _draw_rule(seed: int, name: str, number: int) -> PrincipleRule:
    amounts = PROPOSED_AMOUNTS.get(number)
    return number, make_rng(seed, "amount", name, number).choice(amounts) if amounts else None


def choose_amount(scene: Scene, number: int) -> int | None:
    """Return the speaker's amount for a principle, or `None` if the principle has none."""
    choice = choose_rule(scene)
    return choice[1] if choice[0] == number else _draw_rule(scene.seed, scene.prompt.speaker, number)[1]


def rank_principles(scene: Scene) -> list[int]:
    """Rank the principles for the speaker: first the one in its rule, then the others in its initial order."""
    first_choice = choose_rule(scene)[0]
    return [
        first_choice,
        *(number for number in draw_preferences(scene.seed, scene.prompt.speaker) if number != first_choice),
    ]


def collect_proposals(scene: Scene) -> dict[str, PrincipleRule]:
    """Collect each participant's last proposal."""
    proposals = {
        statement.speaker: rule for statement in scene.prompt.statements if (rule := find_proposal(statement.text))
    }
    return proposals


def has_support(scene: Scene, share: float) -> bool:
    """Return whether at least `share` of the proposals equal the speaker's own rule."""
    proposals = collect_proposals(scene)
    return bool(proposals) and sum(rule == choose_rule(scene) for rule in proposals.values()) >= share * len(proposals)


def wants_vote(scene: Scene) -> bool:
    """Return whether the speaker would start a vote: if all proposals agree with its rule, and rarely otherwise."""
    return (
        has_support(scene, 1.0)
        or make_rng(scene.seed, "vote", scene.prompt.speaker, len(scene.prompt.statements)).random() < 0.1
    )


def accepts_vote(scene: Scene) -> bool:
    """Return whether the speaker agrees to a vote.

    It agrees with enough support or in the last round, and otherwise in most cases.
    """
    match = _ROUND_COUNT.search(scene.prompt.task)
    is_last_round = match is not None and match[1] == match[2]
    is_willing = make_rng(scene.seed, "consent", scene.prompt.speaker, len(scene.prompt.statements)).random() < 0.7
    return is_last_round or has_support(scene, 0.5) or is_willing


def draw_certainty(scene: Scene) -> int:
    """Draw the speaker's certainty, 0 to 4."""
    return make_rng(scene.seed, "certainty", scene.prompt.speaker, choose_rule(scene)[0]).choices(
        range(5), [1, 2, 2, 6, 4]
    )[0]


def format_principle_rule(scene: Scene, rule: PrincipleRule) -> str:
    """Format a rule in words, with its amount."""
    number, amount = rule
    line = scene.stock.get_variants("principles", "names")[number - 1]
    return line.format(amount=f"{amount:,}" if amount else "")


def write_justice_statement(scene: Scene) -> str:
    """Respond to the latest statement, propose a principle and an amount, and give a reason."""
    choice = choose_rule(scene)
    parts = write_response(scene)[:1] if scene.prompt.last_statement else []
    proposal = find_proposal(scene.prompt.last_statement.text) if scene.prompt.last_statement else None
    is_persuaded = proposal == choice and any(
        find_proposal(statement.text) != choice for statement in scene.prompt.own_statements[-1:]
    )
    name = format_principle_rule(scene, choice)
    plea = scene.pick_phrase("principles", "join" if is_persuaded else "propose", parts, name=name)
    parts.append(plea or scene.pick_phrase("principles", "stand", parts, name=name, turn=str(scene.prompt.turn)))
    reasons = (_write_reason(scene, choice[0], index) for index in range(20))
    parts.append(pick_unused_text(reasons, scene.record_text, parts))
    parts.append(_describe_outlook(scene, parts))
    return join_statement(scene, parts)


def _write_reason(scene: Scene, number: int, index: int) -> str:
    """Write a reason for a principle. `index` runs through reasons and forms."""
    turn = scene.prompt.turn + scene.seed
    reasons, forms = (
        scene.stock.get_variants("principles", f"reasons{number}"),
        scene.stock.get_variants("principles", "because"),
    )
    reason = scene.filler.fill_template(reasons[(turn + index) % len(reasons)], index)
    return capitalize_sentences(
        scene.filler.fill_template(forms[(turn + index // len(reasons)) % len(forms)], 0, reason=reason)
    )


def _describe_outlook(scene: Scene, parts: list[str]) -> str:
    """Describe whether the others propose the same rule."""
    proposals = collect_proposals(scene)
    allies = [name for name, rule in proposals.items() if name != scene.prompt.speaker and rule == choose_rule(scene)]
    key = "agreeing" if allies and len(allies) == len(proposals) - (scene.prompt.speaker in proposals) else "differing"
    return scene.pick_phrase("principles", key, parts, count_alike=str(len(allies) + 1))


def write_justice_lesson(scene: Scene) -> str:
    """Write the speaker's lesson from the events: its rule now, and the reason."""
    choice = scene.stock.get_phrase("principles", "choice").format(
        name=format_principle_rule(scene, choose_rule(scene))
    )
    return scene.stock.gap.join([capitalize_sentences(choice), _write_reason(scene, choose_rule(scene)[0], 0)])


def write_justice_thoughts(scene: Scene) -> str:
    """Write the speaker's thoughts: its own rule and those of the others."""
    proposals = {name: rule for name, rule in collect_proposals(scene).items() if name != scene.prompt.speaker}
    line = scene.stock.get_phrase("principles", "held")
    lines = [
        capitalize_sentences(line.format(other=name, name=format_principle_rule(scene, rule)))
        for name, rule in proposals.items()
    ]
    return scene.stock.gap.join([write_justice_lesson(scene), *lines])


def answer_comprehension(task: str) -> str:
    """Return the distribution that the principle in the task selects from its table.

    Each column holds the incomes of a distribution, with the average in the last row.
    """
    header, *rows = [line.split(" | ") for line in task.splitlines() if " | " in line] or [[]]
    number, amount = find_proposal(task) or (0, None)
    if not rows or not number:
        return "D1"
    columns = {name: [float(row[index].replace(",", "")) for row in rows] for index, name in enumerate(header) if index}
    floors, averages = (
        {name: incomes[-2] for name, incomes in columns.items()},
        {name: incomes[-1] for name, incomes in columns.items()},
    )
    candidates = {
        3: [name for name in columns if floors[name] >= (amount or 0)],
        4: [name for name in columns if columns[name][0] - floors[name] <= (amount or 0)],
    }
    return max(sorted(candidates.get(number) or columns), key=lambda name: (floors if number == 1 else averages)[name])


def answer_in_text(scene: Scene) -> str:
    """Answer a question of the experiment in text, in the form that its readers expect."""
    match scene.prompt.purpose:
        case "initiation":
            return "1" if wants_vote(scene) else "0"
        case "confirmation":
            return "1" if accepts_vote(scene) else "0"
        case "amount":
            return f"{choose_rule(scene)[1] or choose_amount(scene, 3) or 0:,}"
        case "ballot":
            return str(choose_rule(scene)[0])
        case "explanation":
            first, second, *_ = rank_principles(scene)
            return scene.stock.gap.join([_write_reason(scene, first, 0), _write_reason(scene, second, 6)])
        case "ranking":
            return f"{', '.join(map(str, rank_principles(scene)))}\n{_format_certainty(scene)}"
        case _:
            number, amount = choose_rule(scene)
            amount_text = f"{amount:,}" if amount else scene.stock.get_phrase("principles", "no_amount")
            template, reason = scene.stock.get_phrase("principles", "answer"), _write_reason(scene, number, 0)
            return template.format(number=number, amount=amount_text, certainty=_format_certainty(scene), reason=reason)


def _format_certainty(scene: Scene) -> str:
    value = scene.stock.get_variants("answers", "certainties")[draw_certainty(scene)]
    return scene.stock.get_phrase("answers", "certainty").format(value=value)
