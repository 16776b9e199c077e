"""Values of schema fields by their names: a quotation, a turn, a position, a share, a yes or no."""

import re
from collections.abc import Callable
from zlib import crc32

from ....state.random_streams import make_rng
from .. import answers
from .. import justice as principles
from ..debate_summary import describe_dispute
from ..group_summary import collect_dissents, describe_common_ground, describe_movement, write_synthesis
from ..opinion import CONTENT_AGREEMENT
from ..quotations import list_quotable_clauses
from ..scene import Scene
from ..speech import write_statement
from ..verdict import judge_record
from ..views import describe_objection, describe_position, describe_reason, describe_thoughts

TextWriter = Callable[[Scene, str], str]

_TEXT_WRITERS: list[tuple[str, TextWriter]] = [
    (r"quot|excerpt|passage|evidence|words|cite", lambda scene, path: quote_evidence(scene, path)[0]),
    (r"common|shared", lambda scene, path: describe_common_ground(scene, "said")),
    (r"movement|shift", lambda scene, path: describe_movement(scene)),
    (r"question|unsettled|open", lambda scene, path: describe_open_question(scene)),
    (r"objection|reservation|dissent|concern", lambda scene, path: describe_objection(scene, scene.prompt.speaker)),
    (r"next|yield|addressee|invite|recipient", lambda scene, path: pick_next_speaker(scene)),
    (r"speaker|author|who\b|name|participant|voter", lambda scene, path: scene.addressee or scene.prompt.speaker),
    (r"position|stance|view|opinion|proposal", lambda scene, path: describe_position(scene, scene.prompt.speaker)),
    (
        r"statement|content|message|text|reply|response|argument|contribution",
        lambda scene, path: write_statement(scene),
    ),
    (r"synthesis|conclusion|summary", lambda scene, path: write_synthesis(scene)),
    (r"topic|motion|query|title", lambda scene, path: scene.topic),
    (r"thought|thinking|private", lambda scene, path: describe_thoughts(scene)),
    (r"lang", lambda scene, path: scene.prompt.language),
]
_SHARE_MEASURES: list[tuple[str, Callable[[Scene], float]]] = [
    (r"agree|consensus|common|align", lambda scene: scene.course.compute_agreement(scene.prompt.speaker)),
    (
        r"confiden|certain|sure|convict|strength|weight",
        lambda scene: scene.course.compute_conviction(scene.prompt.speaker),
    ),
    (r"opinion|support|stance|position|approv|favou?r|score|rating", lambda scene: scene.opinion),
]
_BREAK_OFF_WORDS = re.compile(
    r"abstain|declin|refus|reject|oppos|object|withdraw|clos|stop|default|invalid|leave|cut_off|error"
)


def write_text(scene: Scene, name: str, path: str) -> str:
    """Write the text for a field by its name; a reason if the name is not known."""
    folded_name = name.casefold()
    if "dissent" in path and "reason" in folded_name:
        return (
            collect_dissents(scene).get(scene.prompt.speaker)
            or describe_objection(scene, scene.prompt.speaker)
            or describe_reason(scene, path)
        )
    write = next((write for pattern, write in _TEXT_WRITERS if re.search(pattern, folded_name)), describe_reason)
    return write(scene, path)


def compute_share(scene: Scene, name: str, path: str) -> float:
    """Compute the value of a number field as a share of its range, 0 to 1; random if its name is not known."""
    folded_name = name.casefold()
    if scene.prompt.purpose == "judgement" and "confiden" in folded_name:
        return judge_record(scene).confidence
    if name == "certainty" and scene.prompt.purpose in answers.ANSWER_PURPOSES:
        return answers.compute_certainty(scene)
    measure = next((measure for pattern, measure in _SHARE_MEASURES if re.search(pattern, folded_name)), None)
    return measure(scene) if measure else make_rng(scene.seed, "number", scene.prompt.speaker, path).random()


def find_integer(scene: Scene, name: str, path: str) -> int | None:
    """Return the value of an integer field for a turn, a principle or an amount; `None` for any other field."""
    folded_name = name.casefold()
    if "turn" in folded_name:
        return quote_evidence(scene, path)[1]
    if principles.is_about_justice(scene) and re.search(r"principle|ballot|choice|option|vote", folded_name):
        return principles.choose_rule(scene)[0]
    return principles.choose_rule(scene)[1] if "amount" in folded_name else None


def decide_yes_no(scene: Scene, name: str, path: str) -> bool:
    """Decide a yes-or-no field. Fields that would break off the deliberation get a no.

    Otherwise a speaker with a side decides by its opinion, a member of a group by its agreement.
    """
    if _BREAK_OFF_WORDS.search(name.casefold()):
        return False
    purpose = scene.prompt.purpose
    if purpose in ("initiation", "confirmation") and principles.is_about_justice(scene):
        return principles.wants_vote(scene) if purpose == "initiation" else principles.accepts_vote(scene)
    if scene.side:
        return scene.opinion >= 0.5
    if len(scene.prompt.participants) > 1 and scene.prompt.statements:
        return scene.course.compute_agreement(scene.prompt.speaker) >= (
            CONTENT_AGREEMENT if purpose == "initiation" else 0.65
        )
    return make_rng(scene.seed, "yes", scene.prompt.speaker, path).random() < 0.5


def quote_evidence(scene: Scene, path: str) -> tuple[str, int]:
    """Return a clause of a statement and its turn, the same for the fields of one object."""
    statements = scene.prompt.statements
    if scene.prompt.purpose == "judgement":
        judgement = judge_record(scene)
        return judgement.quote, judgement.turn
    if not statements:
        return "", 0
    statement = statements[-1 - crc32(path.rpartition("/")[0].encode()) % min(len(statements), 4)]
    return (list_quotable_clauses(statement.text) or [statement.text.strip()[:80]])[0], statement.turn


def describe_open_question(scene: Scene) -> str:
    """Describe the open point of the record, or name the topic before the first statement."""
    return describe_dispute(scene) or scene.topic


def pick_next_speaker(scene: Scene) -> str:
    """Pick the other participant who has been silent longest."""
    last_turns = {statement.speaker: statement.turn for statement in scene.prompt.statements}
    return min(scene.prompt.other_names, key=lambda name: last_turns.get(name, 0), default="")
