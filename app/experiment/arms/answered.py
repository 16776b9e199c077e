"""What each arm of a talk answered, at what spend, from the documents of its run and of those beside it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ....state.incident import Call
from ....state.independent import ASKED
from ....state.positions import SYNTHESIZER, PositionRules, Question, question_of
from ....state.rules import revived
from ..data import Outcome
from ..measures import Answer, Declared, Positions, Spend, credit, plurality, samples_reaching, written
from .truth import truth_of

Document = Mapping[str, Any]
ANSWERING = (
    *("single", "vote", "talk", "samples_calls", "samples_tokens"),
    *("alone", "noise", "informed"),
)
"""What answers, in the order of a report; the samples twice, as many as two spends buy."""


@dataclass(frozen=True)
class Given:
    """What an arm answered: several answers where they tie, none where it failed; and what it took."""

    winners: Sequence[Answer] | None
    spent: Spend


@dataclass(frozen=True)
class TalkWithArms:
    """One planned talk, the runs beside it, by arm, and what went on anew from its first round."""

    talk: Outcome
    beside: Mapping[str, Outcome] = field(default_factory=dict)
    forks: Sequence[Outcome] = ()

    @cached_property
    def rules(self) -> PositionRules | None:
        """The rules of the talk; none where nothing of it is on record."""
        found = revived(self.talk.document["rules"]) if self.talk.document else None
        return found if isinstance(found, PositionRules) else None

    @property
    def seats(self) -> list[str]:
        """The models that took part, in seat order."""
        people = self.talk.document["participants"] if self.talk.document else []
        return [one["name"] for one in people if one["kind"] == "model"]


def together(found: Sequence[Outcome]) -> list[TalkWithArms]:
    """Each talk with the runs of its arms, in the plan's order."""
    beside: dict[str, dict[str, Outcome]] = {}
    forks: dict[str, list[Outcome]] = {}
    for one in found:
        if one.trial.fork:
            forks.setdefault(one.trial.talk, []).append(one)
        elif one.trial.arm:
            beside.setdefault(one.trial.talk, {})[one.trial.arm] = one
    talks = [one for one in found if not one.trial.arm]
    return [TalkWithArms(one, beside.get(one.trial.run, {}), forks.get(one.trial.run, [])) for one in talks]


def given(of: TalkWithArms, arms: Sequence[str]) -> dict[str, Given]:
    """What the talk and each of `arms` answered, as far as they have ended."""
    reading = _Reading(of)
    found: dict[str, Given] = {}
    for name in ANSWERING:
        arm = name.partition("_")[0]
        if arm != "talk" and arm not in arms:
            continue
        if (one := reading.of(name)) is not None:
            found[name] = one
    return found


class _Reading:
    """Reads the answers of one talk and its arms."""

    def __init__(self, of: TalkWithArms) -> None:
        self.talks, self.rules = of, of.rules
        self.question = question_of(of.rules) if of.rules else Question()
        self.blind_round = of.rules.blind_round if of.rules else None

    def of(self, name: str) -> Given | None:
        """What an arm answered; none while it has not ended."""
        if self.talks.talk.state not in ("done", "failed"):
            return None
        own: dict[str, Callable[[], Given | None]] = {"single": self._single, "vote": self._vote, "talk": self._talk}
        return own[name]() if name in own else self._run(name)

    def _single(self) -> Given:
        first = self.talks.seats[:1]
        return self._before(first)

    def _vote(self) -> Given | None:
        before = self._before(self.talks.seats)
        ballot = self.talks.beside.get("vote")
        if ballot is None:
            return before
        if ballot.state not in ("done", "failed"):
            return None
        spent = added([before.spent, self._spent(_calls(ballot.document))])
        if not ballot.done or before.winners is None:
            return Given(None, spent)
        answers = [*self._answers(self._blind()), *self._answers(_positions(ballot.document))]
        return Given(plurality(answers, self.tolerance), spent)

    def _blind(self) -> list[Mapping[str, Any]]:
        held, round = _positions(self.talks.talk.document), self.blind_round or 0
        return [one for one in held if one["when"] == "before" or (round and one["round"] == round)]

    def _before(self, who: Sequence[str]) -> Given:
        """The plurality of the first answers of some."""
        held = [one for one in self._blind() if one["who"] in who]
        calls = [one for one in _calls(self.talks.talk.document) if _is_blind(one, self.blind_round) and one.who in who]
        answers = self._answers(held)
        return Given(plurality(answers, self.tolerance) if answers else None, self._spent(calls))

    def _talk(self) -> Given:
        return Given(
            winners_of(self.talks.talk.document, self.question) if self.talks.talk.done else None,
            self._spent(_calls(self.talks.talk.document)),
        )

    def _run(self, name: str) -> Given | None:
        arm, _, by = name.partition("_")
        run = self.talks.beside.get(arm)
        if run is None or run.state not in ("done", "failed"):
            return None
        if arm == "samples":
            return self._samples(run, by)
        first = self._before(self.talks.seats).spent if arm in ("alone", "noise") else Spend(0, 0, 0.0)
        spent = added([first, self._spent(_calls(run.document))])
        return Given(winners_of(run.document, self.question) if run.done else None, spent)

    def _samples(self, run: Outcome, by: str) -> Given:
        if not run.done:
            return Given(None, self._spent(_calls(run.document)))
        drawn = samples_of(run, self)
        talk = self._spent(_calls(self.talks.talk.document))
        enough = samples_reaching([one.spent for one in drawn], talk, "calls" if by == "calls" else "tokens")
        taken = drawn[: enough or len(drawn)]
        answers = [answer for one in taken for answer in one.winners or ()]
        return Given(plurality(answers, self.tolerance) if answers else [], added([one.spent for one in taken]))

    @property
    def tolerance(self) -> float:
        """Share by which two numbers may differ."""
        return self.question.tolerance

    def _answers(self, positions: Sequence[Mapping[str, Any]]) -> list[Answer]:
        return [as_answer(one, self.question) for one in positions if one["answer"]]

    def _spent(self, calls: Sequence[Call]) -> Spend:
        prices = self.rules.prices if self.rules else None
        return Spend(len(calls), sum(one.tokens for one in calls), prices.cost(calls) if prices else None)

    def sample(self, draw: int, document: Document) -> Given:
        """One of the samples, by its number."""
        held = [one for one in _positions(document) if one["turn"] == draw]
        return Given(self._answers(held), self._spent([one for one in _calls(document) if one.turn == draw]))


def samples_of(run: Outcome, reading: _Reading) -> list[Given]:
    """Each sample that was drawn, in order, with what it took; without an answer where it failed."""
    assert run.document is not None
    draws = {one.turn for one in _calls(run.document)}
    return [reading.sample(draw, run.document) for draw in sorted(draws)]


def samples(of: TalkWithArms) -> list[Given]:
    """The samples beside a talk; none where there is no such run, or it failed."""
    run = of.beside.get("samples")
    return samples_of(run, _Reading(of)) if run is not None and run.done and run.document is not None else []


def winners_of(document: Document | None, question: Question) -> list[Answer]:
    """The answer of a run, or those that tie; empty where it came to none."""
    answer = (document or {}).get("runAnswer") or {}
    if answer.get("tied"):
        return [float(one) if question.numeric else one for one in answer["tied"]]
    return [as_answer(answer, question)] if answer.get("answer") else []


def as_answer(one: Mapping[str, Any], question: Question) -> Answer:
    """A recorded answer as plain data."""
    return float(one["answer"]) if question.numeric else str(one["answer"])


def worded(answer: Answer, question: Question) -> str:
    """An answer in words: the text of an option, or the number with all its digits and its unit."""
    if isinstance(answer, str):
        return question.texts.get(answer, answer)
    return f"{written(answer)} {question.unit}".strip()


def credits(of: TalkWithArms, arms: Sequence[str]) -> dict[str, float | None]:
    """The credit of each arm that has ended: 1 right, 0 wrong, between them a tie; none for one that failed."""
    if of.talk.trial.item.truth is None:
        return {}
    question = question_of(of.rules) if of.rules else None
    if question is None:
        return dict.fromkeys(given(of, arms))
    truth = truth_of(of.talk.trial.item, question)
    if truth is None:
        return {}
    return {
        name: None if one.winners is None else credit(one.winners, truth, question.tolerance)
        for name, one in given(of, arms).items()
    }


def positions(of: TalkWithArms, arm: str = "", midpoint: float | None = None) -> Positions | None:
    """What participants answered over time in the talk, or in one of its arms; none where it is not done."""
    run = of.beside.get(arm) if arm else of.talk
    if run is None or not run.done or run.document is None or of.rules is None:
        return None
    question = question_of(of.rules)
    taken = [one for one in _positions(run.document) if one["answer"] and one["who"] != SYNTHESIZER]
    times = sorted({one["turn"] for one in taken})
    held = {(one["who"], one["turn"]): one for one in taken}
    rows = {who: [_declared(held.get((who, time)), question) for time in times] for who in of.seats}
    item = of.talk.trial.item
    truth = truth_of(item, question)
    return Positions(item.id, rows, truth, question.signs, question.tolerance, midpoint)


def _declared(one: Mapping[str, Any] | None, question: Question) -> Declared | None:
    return None if one is None else Declared(as_answer(one, question), one["certainty"])


def added(spent: Sequence[Spend]) -> Spend:
    """What all took together; money only where all have prices."""
    costs = [one.cost for one in spent]
    cost = None if None in costs else sum(one for one in costs if one is not None)
    return Spend(sum(one.calls for one in spent), sum(one.tokens for one in spent), cost)


def _positions(document: Document | None) -> list[Mapping[str, Any]]:
    return list((document or {}).get("positions") or [])


def _calls(document: Document | None) -> list[Call]:
    return [Call.model_validate(one) for one in (document or {}).get("calls") or []]


BLIND = ("ballot", "estimate", "statement")
"""What calls are for by which everyone is asked blind, where that is a round of the talk."""


def _is_blind(call: Call, round: int | None) -> bool:
    """Whether it is a call for a first answer. `round`: of the talk, in which these are given; none: before it."""
    return call.purpose == ASKED and call.turn == 0 if round is None else call.round == round and call.purpose in BLIND
