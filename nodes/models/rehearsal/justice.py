"""The four principles of distributive justice: which one a participant holds, and how proposals win it over."""

import re
from functools import lru_cache

from ....state.draw import stream
from .answering import taken_up
from .filling import first_unsaid, sentence
from .prompt import Heard, topic_in
from .scene import Scene
from .speech import joined

AMOUNTS = {3: [12_000, 13_000, 14_000, 15_000], 4: [15_000, 17_000, 20_000, 12_000]}
"""Amounts a participant proposes for the principles that come with one: the floors and ranges of the usual tables."""
LIKING = {1: 0.45, 2: 0.4, 3: 0.75, 4: 0.15}
"""Where preferences start; the order is the one Frohlich and Oppenheimer, Choosing Justice (1992), found."""

_NAMED = re.compile(r"(?:principle|principio|原则)\s*(?:n[o.º°]*\s*)?([1-4])(?!\d)", re.IGNORECASE)
_AMOUNT = re.compile(r"(?<![\d.])\d{1,3}(?:[,，]\d{3})+|(?<![\d.,])\d{4,7}(?![\d,])")
_RULES = re.compile(r"principles?\b|rules? for dividing|principios?\b|reglas? de reparto|原则", re.IGNORECASE)
_ROUNDS = re.compile(r"(\d+)\s*(?:of|de|轮（共)\s*(\d+)")
_INCOMES = re.compile(r"incomes?\b|average|ingresos?\b|promedio|收入|平均", re.IGNORECASE)

Rule = tuple[int, int | None]
"""A principle's number and its amount, if it has one."""


def concerns_justice(scene: Scene) -> bool:
    """Whether a prompt is about principles for dividing incomes, and has no other topic."""
    text = f"{scene.prompt.head}\n{scene.prompt.task}"
    return not topic_in(scene.prompt.head) and all(pattern.search(text) for pattern in (_RULES, _INCOMES))


def preferences(seed: int, name: str) -> list[int]:
    """The four principles, best first, as `name` sees them at the start."""
    draw = stream(seed, "principles", name)
    liking = {number: base + 0.8 * draw.random() for number, base in LIKING.items()}
    return sorted(liking, key=lambda number: -liking[number])


def proposed(text: str) -> Rule | None:
    """The principle and amount a statement names last; none where it names no principle."""
    named = list(_NAMED.finditer(text))
    if not named:
        return None
    number = int(named[-1][1])
    found = _AMOUNT.findall(text[named[-1].end() :]) or _AMOUNT.findall(text)
    if number not in AMOUNTS:
        return number, None
    return (number, int(re.sub(r"\D", "", found[0]))) if found else None


def held(scene: Scene) -> Rule:
    """What the speaker holds after all it has heard: each proposal may win it over, a stubborn one seldom."""
    me = scene.prompt.me
    mine = _first(scene.seed, me, preferences(scene.seed, me)[0])
    listens = 0.1 + 0.45 * stream(scene.seed, "yields", me).random()
    for one in scene.prompt.heard:
        other = proposed(one.text)
        if other is None or other == mine:
            continue
        mine = other if one.speaker == me or _yields(scene, one, other, mine, listens) else mine
    return mine


def _yields(scene: Scene, one: Heard, other: Rule, mine: Rule, listens: float) -> bool:
    """An amount is given up more readily than a principle, and the own last choice less so."""
    chance = 0.1 + listens if other[0] == mine[0] else listens * (0.08 if other[0] == _worst(scene) else 0.3)
    return stream(scene.seed, "won over", scene.prompt.me, one.turn, one.speaker).random() < chance


def _worst(scene: Scene) -> int:
    return preferences(scene.seed, scene.prompt.me)[-1]


@lru_cache(maxsize=1024)
def _first(seed: int, name: str, number: int) -> Rule:
    amounts = AMOUNTS.get(number)
    return number, stream(seed, "amount", name, number).choice(amounts) if amounts else None


def amount_for(scene: Scene, number: int) -> int | None:
    """The amount the speaker would put to a principle."""
    mine = held(scene)
    return mine[1] if mine[0] == number else _first(scene.seed, scene.prompt.me, number)[1]


def ranking(scene: Scene) -> list[int]:
    """The speaker's order of the principles now: what it holds first, then as at the start."""
    first = held(scene)[0]
    return [first, *(number for number in preferences(scene.seed, scene.prompt.me) if number != first)]


def on_the_table(scene: Scene) -> dict[str, Rule]:
    """What each participant proposed last."""
    found = {one.speaker: rule for one in scene.prompt.heard if (rule := proposed(one.text))}
    return found


def ready(scene: Scene, needed: float) -> bool:
    """Whether at least the share `needed` of the proposals on the table equal the speaker's own."""
    table = on_the_table(scene)
    return bool(table) and sum(rule == held(scene) for rule in table.values()) >= needed * len(table)


def wants_vote(scene: Scene) -> bool:
    """Whether the speaker would start a vote: when all say the same, and now and then to find out."""
    return ready(scene, 1.0) or stream(scene.seed, "vote", scene.prompt.me, len(scene.prompt.heard)).random() < 0.1


def lets_vote(scene: Scene) -> bool:
    """Whether the speaker agrees to a vote: when enough think alike, mostly even if not, always in the last round."""
    named = _ROUNDS.search(scene.prompt.task)
    last = named is not None and named[1] == named[2]
    willing = stream(scene.seed, "consent", scene.prompt.me, len(scene.prompt.heard)).random() < 0.7
    return last or ready(scene, 0.5) or willing


def certainty(scene: Scene) -> int:
    """How sure the speaker is, 0…4."""
    return stream(scene.seed, "certainty", scene.prompt.me, held(scene)[0]).choices(range(5), [1, 2, 2, 6, 4])[0]


def named(scene: Scene, rule: Rule) -> str:
    """A rule in words, with its amount."""
    number, amount = rule
    line = scene.stock.lines("principles", "names")[number - 1]
    return line.format(amount=f"{amount:,}" if amount else "")


def speak_of_principles(scene: Scene) -> str:
    """Answer the latest statement, say which principle and amount one proposes, and why."""
    mine = held(scene)
    parts = taken_up(scene)[:1] if scene.prompt.last else []
    theirs = proposed(scene.prompt.last.text) if scene.prompt.last else None
    won = theirs == mine and any(proposed(one.text) != mine for one in scene.prompt.own[-1:])
    name = named(scene, mine)
    plea = scene.phrase("principles", "join" if won else "propose", parts, name=name)
    parts.append(plea or scene.phrase("principles", "stand", parts, name=name, turn=str(scene.prompt.turn)))
    made = (_because(scene, mine[0], place) for place in range(20))
    parts.append(first_unsaid(made, scene.said, parts))
    parts.append(_outlook(scene, parts))
    return joined(scene, parts)


def _because(scene: Scene, number: int, place: int) -> str:
    """A reason for a principle; `place` goes through reasons and ways to put them."""
    turn = scene.prompt.turn + scene.seed
    reasons, ways = scene.stock.lines("principles", f"reasons{number}"), scene.stock.lines("principles", "because")
    given = scene.filling.fill(reasons[(turn + place) % len(reasons)], place)
    return sentence(scene.filling.fill(ways[(turn + place // len(reasons)) % len(ways)], 0, reason=given))


def _outlook(scene: Scene, parts: list[str]) -> str:
    """What is missing for an agreement: nothing, or the same words from the others."""
    table = on_the_table(scene)
    alike = [name for name, rule in table.items() if name != scene.prompt.me and rule == held(scene)]
    key = "agreeing" if alike and len(alike) == len(table) - (scene.prompt.me in table) else "differing"
    return scene.phrase("principles", key, parts, count_alike=str(len(alike) + 1))


def lesson(scene: Scene) -> str:
    """What the speaker takes from what has happened: the rule it holds now, and why."""
    choice = scene.stock.line("principles", "choice").format(name=named(scene, held(scene)))
    return scene.stock.gap.join([sentence(choice), _because(scene, held(scene)[0], 0)])


def thought(scene: Scene) -> str:
    """What goes through the speaker's mind: what it holds, and what the others hold."""
    others = {name: rule for name, rule in on_the_table(scene).items() if name != scene.prompt.me}
    line = scene.stock.line("principles", "held")
    views = [sentence(line.format(other=name, name=named(scene, rule))) for name, rule in others.items()]
    return scene.stock.gap.join([lesson(scene), *views])


def understood(task: str) -> str:
    """What the principle that is asked about picks from the table shown: columns of incomes, the average last."""
    head, *rows = [line.split(" | ") for line in task.splitlines() if " | " in line] or [[]]
    number, amount = proposed(task) or (0, None)
    if not rows or not number:
        return "D1"
    columns = {name: [float(row[place].replace(",", "")) for row in rows] for place, name in enumerate(head) if place}
    floors, means = {name: one[-2] for name, one in columns.items()}, {name: one[-1] for name, one in columns.items()}
    fitting = {
        3: [name for name in columns if floors[name] >= (amount or 0)],
        4: [name for name in columns if columns[name][0] - floors[name] <= (amount or 0)],
    }
    return max(sorted(fitting.get(number) or columns), key=lambda name: (floors if number == 1 else means)[name])


def plain_answer(scene: Scene) -> str:
    """The answer in text to a question of the experiment, as its readers want it."""
    match scene.prompt.purpose:
        case "initiation":
            return "1" if wants_vote(scene) else "0"
        case "confirmation":
            return "1" if lets_vote(scene) else "0"
        case "amount":
            return f"{held(scene)[1] or amount_for(scene, 3) or 0:,}"
        case "ballot":
            return str(held(scene)[0])
        case "explanation":
            first, second, *_ = ranking(scene)
            return scene.stock.gap.join([_because(scene, first, 0), _because(scene, second, 6)])
        case "ranking":
            return f"{', '.join(map(str, ranking(scene)))}\n{_certainty(scene)}"
        case _:
            number, amount = held(scene)
            told = f"{amount:,}" if amount else scene.stock.line("principles", "no_amount")
            form, why = scene.stock.line("principles", "answer"), _because(scene, number, 0)
            return form.format(number=number, amount=told, certainty=_certainty(scene), reason=why)


def _certainty(scene: Scene) -> str:
    value = scene.stock.lines("answers", "certainties")[certainty(scene)]
    return scene.stock.line("answers", "certainty").format(value=value)
