"""A statement about the four principles, and plain answers to the questions of that experiment."""

from .answering import taken_up
from .filling import first_unsaid, sentence
from .principles import amount_for, certainty, held, lets_vote, named, on_the_table, proposed, ranking, wants_vote
from .scene import Scene
from .speech import joined


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
            choice = scene.stock.line("principles", "choice").format(name=named(scene, held(scene)))
            form, why = scene.stock.line("principles", "answer"), _because(scene, held(scene)[0], 0)
            return form.format(choice=sentence(choice), certainty=_certainty(scene), reason=why)


def _certainty(scene: Scene) -> str:
    value = scene.stock.lines("answers", "certainties")[certainty(scene)]
    return scene.stock.line("answers", "certainty").format(value=value)
