"""Each member ranks the answers, nameless and in an order of its own, with a critique of each."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, partial
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, create_model, model_validator

from ...prompts import Catalogue, term
from ...state.ballot import (
    AskedKind,
    Ballot,
    BallotAnswer,
    Unclear,
    ballot_schema,
    first_fault,
    once_each,
    read_answer,
)
from ...state.council import CouncilRules, Critique, Review, answers_for, order_shown
from ...state.council.channels import CouncilUpdate, Member
from ...state.fence import Fenced, fenced
from ...state.statement import Participant, Statement
from ...state.writes import Update
from ..asking import Brief, asking_participant, at, length_in_words
from ..asking.ask import ask
from ..asking.brief import brief
from ..asking.cost import cost
from ..consensus.positions import sign
from ..models.failures import Unavailable

FIELDS = "name persona own answers how words language"
"""What the template may ask for."""


class Critiques(BaseModel):
    """A critique for each answer, by its letter; what is missing is empty."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _complete(cls, value: Any) -> Any:
        return dict.fromkeys(cls.model_fields, "") | value if isinstance(value, dict) else value


class Reviewing(BallotAnswer):
    """A ranking that comes with critiques; without them it is one too."""

    critiques: Critiques

    @model_validator(mode="before")
    @classmethod
    def _criticised(cls, value: Any) -> Any:
        return {"critiques": {}} | value if isinstance(value, dict) else value


@cache
def form(signs: tuple[str, ...], kind: AskedKind, weighted: bool) -> type[BallotAnswer]:
    """The form of a review: critiques, a ranking of all answers, and what else the counting rule needs."""
    ballot = ballot_schema(kind, signs, weighted=weighted)
    said: dict[str, Any] = {one: (str, Field(description="critique")) for one in signs}
    place: Any = Literal.__getitem__(signs)
    whole = Field(min_length=len(signs), max_length=len(signs), description="whole_ranking")
    critiques = create_model("Critiques", __base__=Critiques, **said)
    ranking = Annotated[list[place], whole, AfterValidator(once_each)]
    return create_model("ReviewForm", __base__=(ballot, Reviewing), critiques=(critiques, ...), ranking=(ranking, ...))


def plainly(signs: tuple[str, ...], weighted: bool, text: str) -> BaseModel:
    """A ranking of all answers in plain words. Raises `Unclear` if it is none, or leaves some out."""
    said = read_answer(text, "ranking", signs, weighted=weighted).model_dump(exclude={"abstain"})
    try:
        return form(signs, "ranking", weighted).model_validate(said)
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False)[0]
        raise Unclear(first_fault(error), "none", fault) from error


def review(words: Catalogue) -> Callable[..., object]:
    """The step in which one member ranks and criticises the answers; a branch per member."""

    async def review(state: Member, rules: CouncilRules) -> Update:
        """Ask one member to rank the answers without knowing whose they are.

        Reads what was given, round, record, view_limits, and who is asked; writes reviews, calls, incidents,
        view_limits.
        """
        one = next(each for each in state["participants"] if each.name == state["who"])
        drawn = order_shown(answers_for(one.name, state["history"], rules.rank_own), one.name, rules.seed or 0)
        shown = {sign(place): answer for place, answer in enumerate(drawn)}
        signs = tuple(shown)
        asking = at(asking_participant(state, one, "review"), 0, state["round"])
        asking = replace(asking, schema=form(signs, rules.asks, rules.weighted), hidden=True, temperature=0.0)
        if rules.asks == "ranking":
            asking = replace(asking, plainly=partial(plainly, signs, rules.weighted))
        turns = [answer.turn for answer in drawn]
        try:
            answer = await ask(_told(state, words, one, shown), asking)
        except Unavailable as lost:
            spoiled = Ballot.spoiled(one.name, lost.text, lost.incidents[-1].what)
            news = CouncilUpdate(reviews=[Review(ranker=one.name, shown=turns, ballot=spoiled)])
            return news | cost(one.name, lost.followed_by("no valid ranking"))
        return CouncilUpdate(reviews=[_review(answer.value, one.name, shown)]) | cost(one.name, answer)

    return review


def _told(state: Member, words: Catalogue, one: Participant, shown: Mapping[str, Statement]) -> Brief:
    """The question, the material, and the answers under letters: no name, no model."""
    rules, language = state["rules"], one.language or state["rules"].language
    assert isinstance(rules, CouncilRules)
    values = {
        "name": one.name,
        "persona": one.persona,
        "own": term(language, "memory", "own_answer") if rules.rank_own else "",
        "answers": Fenced(
            "\n".join(fenced("statement", text.content, speaker=letter) for letter, text in shown.items())
        ),
        "how": "" if rules.asks == "ranking" else term(language, "memory", f"how_{rules.asks}"),
        "words": length_in_words(rules.max_tokens_per_turn // (2 * len(shown)), language),
        "language": language,
    }
    return brief(state, words, "review", values).within(state["view_limits"].get(one.name))


def _review(value: BaseModel | None, ranker: str, shown: Mapping[str, Statement]) -> Review:
    """A filled-in form on record: letters are turns there, and on the ballot the answers' authors."""
    assert isinstance(value, BallotAnswer)
    given: dict[str, Any] = value.model_dump(include={"ranking", "critiques"})
    said = {letter: text.strip() for letter, text in given["critiques"].items()}
    return Review(
        ranker=ranker,
        shown=[one.turn for one in shown.values()],
        ranking=[shown[letter].turn for letter in given["ranking"]],
        critiques=[Critique(turn=shown[letter].turn, text=text) for letter, text in said.items() if text],
        ballot=_by_author(value.ballot(ranker), {letter: one.speaker for letter, one in shown.items()}),
    )


def _by_author(ballot: Ballot, authors: Mapping[str, str]) -> Ballot:
    """The ballot with the answers named by their authors."""
    if ballot.scores is not None:
        return ballot.model_copy(update={"scores": {authors[one]: score for one, score in ballot.scores.items()}})
    kind = "ranking" if ballot.ranking is not None else "approvals"
    return ballot.model_copy(update={kind: [authors[one] for one in ballot.named]})
