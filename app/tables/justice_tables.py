"""The tables that justice experiments alone have, one row per observation, ready for a data frame."""

from collections.abc import Iterator, Mapping

from ...state.justice import PRINCIPLES, JusticeRules, Phase1Result, number_of, stage_rankings
from ...state.justice.result import JusticeResult

Row = dict[str, object]
PLACES = range(1, 5)
STAGES = ("initial", "post_explanation", "final", "last")


def tables(results: Mapping[str, JusticeResult]) -> dict[str, list[Row]]:
    """By name: `runs`, `participants`, `comprehension`, `rankings`, `applications`, `ballots`, `reasonings`, `words`.

    Runs are named by the key.
    Money is in whole cents, ids in data; what is missing is None. The columns are those of `justice_columns`.
    """
    makers = {
        "runs": _runs,
        "participants": _participants,
        "comprehension": _comprehension,
        "rankings": _rankings,
        "applications": _applications,
        "ballots": _ballots,
        "reasonings": _reasonings,
        "words": _words,
    }
    return {
        name: [{"run": run} | row for run, result in results.items() for row in make(result)]
        for name, make in makers.items()
    }


def _runs(result: JusticeResult) -> Iterator[Row]:
    group, in_force = result.phase2, result.phase2.rule_in_force
    yield {
        "experiment_id": result.experiment_id,
        "seed": result.seed,
        "status": result.status,
        **_condition(result.config),
        "words": result.words.together,
        "own_words": len(result.words.own),
        "consensus_reached": group.consensus_reached,
        "principle": number_of(group.agreed_principle) if group.agreed_principle else None,
        "constraint_amount": group.constraint_amount,
        "principle_in_force": number_of(in_force.principle) if in_force else None,
        "amount_in_force": in_force.constraint_amount if in_force else None,
        "constraint_satisfied": group.constraint_satisfied,
        "binding": group.binding,
        "decisive": group.decisive,
        "rounds_completed": group.rounds_completed,
        "multiplier": group.distribution_set.multiplier if group.distribution_set else None,
        "incidents": len(result.incidents),
        "degraded": sum(1 for one in result.incidents if one.severity == "degraded"),
    }


def _condition(rules: JusticeRules) -> Row:
    """What experiments are told apart by."""
    talk, voting, stakes = rules.discussion, rules.voting, rules.tables
    return {
        "model": rules.model,
        "language": rules.language,
        "participants": len(rules.participants),
        "max_rounds": talk.max_rounds,
        "decision_rule": voting.decision_rule,
        "imposed_principle": voting.imposed_principle,
        "imposed_amount": voting.imposed_amount,
        "no_consensus_mode": voting.no_consensus_mode,
        "min_rounds_before_vote": voting.min_rounds_before_vote,
        "force_vote_in_final_round": voting.force_vote_in_final_round,
        "initiation_order": voting.initiation_order,
        "speaking_order": talk.speaking_order,
        "wording": rules.wording.wording,
        "frame": rules.wording.frame,
        "comprehension_test": rules.checks.comprehension_test,
        "principle_order": rules.checks.principle_order,
        "distribution_order": rules.checks.distribution_order,
        "reveal_class_probabilities": stakes.reveal_class_probabilities,
        "table_spread": stakes.table_spread,
        "custom_tables": stakes.custom_tables is not None,
        "original_values_mode": stakes.original_values_mode.enabled,
        "memory_style": rules.memory.guidance_style,
        "remembers_reasoning": rules.memory.include_internal_reasoning,
    }


def _participants(result: JusticeResult) -> Iterator[Row]:
    group = result.phase2
    for one in result.config.participants:
        id, alone = one.id, result.phase1.get(one.id)
        paid, others = group.payoffs.get(id), group.alternative_earnings.get(id)
        yield {
            "participant": id,
            "name": one.name,
            **_checked(alone),
            "phase1_cents": alone.total_earnings if alone else None,
            "distribution": group.chosen_distribution.get(id),
            "class": group.assigned_classes.get(id),
            "income": paid.income if paid else None,
            "phase2_cents": paid.payoff_cents if paid else None,
            "bank_cents": group.final_banks.get(id),
            **{f"under_{place}_cents": others.outcomes[place - 1].payoff_cents if others else None for place in PLACES},
            **{
                f"under_{place}_amount": others.outcomes[place - 1].constraint_amount if others else None
                for place in (3, 4)
            },
            "spread_cents": others.spread_cents if others else None,
            "cost_cents": others.cost_cents if others else None,
            "explanation_comment": alone.principle_explanation if alone else None,
        }


def _checked(alone: Phase1Result | None) -> Row:
    """In which order one was told of everything, and how it did in the comprehension test."""
    answers = alone.comprehension if alone else []
    return {
        "principle_order": alone.presentation.numbers if alone else None,
        "distribution_order": alone.presentation.columns if alone else None,
        "comprehension_right": sum(one.right for one in answers) if answers else None,
        "comprehension_tries": sum(one.tries for one in answers) if answers else None,
    }


def _comprehension(result: JusticeResult) -> Iterator[Row]:
    for id, alone in result.phase1.items():
        for place, one in enumerate(alone.comprehension, 1):
            yield {
                "participant": id,
                "question": place,
                "principle": number_of(one.principle),
                "constraint_amount": one.constraint_amount,
                "answer": one.answer,
                "given": one.given,
                "right": one.right,
                "tries": one.tries,
            }


def _rankings(result: JusticeResult) -> Iterator[Row]:
    for id in result.config.ids:
        alone = result.phase1.get(id, Phase1Result(participant_name=id))
        for stage, ranking in zip(STAGES, stage_rankings(alone, result.phase2.final_rankings.get(id)), strict=True):
            kept = ranking if ranking is not None and not ranking.defaulted else None
            yield {
                "participant": id,
                "stage": stage,
                **{f"rank_{number_of(each)}": kept.rank(each) if kept else None for each in PRINCIPLES},
                "certainty": kept.certainty if kept else None,
                "defaulted": ranking.defaulted if ranking else None,
            }


def _applications(result: JusticeResult) -> Iterator[Row]:
    for id, alone in result.phase1.items():
        for one in alone.application_results:
            yield {
                "participant": id,
                "round": one.round,
                "principle": number_of(one.choice.principle) if one.choice else None,
                "constraint_amount": one.choice.constraint_amount if one.choice else None,
                "certainty": one.choice.certainty if one.choice else None,
                "reason": one.choice.reasoning if one.choice else None,
                "multiplier": one.distribution_set.multiplier,
                "distribution": one.distribution,
                "class": one.assigned_class,
                "income": one.income,
                "payoff_cents": one.payoff_cents,
                "constraint_satisfied": one.selection.constraint_satisfied if one.selection else None,
                "binding": one.selection.binding if one.selection else None,
                "decisive": one.selection.decisive if one.selection else None,
                "defaulted": one.defaulted,
            }


def _ballots(result: JusticeResult) -> Iterator[Row]:
    for record in result.phase2.voting_records:
        for id in result.config.ids:
            ballot = record.ballots.get(id)
            yield {
                "round": record.round,
                "event": record.event,
                "forced": record.forced,
                "participant": id,
                "initiation_place": record.initiation_asked.index(id) + 1 if id in record.initiation_asked else None,
                "initiated": record.initiation_replies.get(id),
                "confirmed": record.confirmations.get(id),
                "principle": number_of(ballot.principle) if ballot else None,
                "constraint_amount": ballot.constraint_amount if ballot else None,
                "consensus": record.consensus is not None,
            }


def _reasonings(result: JusticeResult) -> Iterator[Row]:
    for one in result.phase2.private_reasonings:
        yield {"round": one.round, "participant": one.participant, "text": one.text}


def _words(result: JusticeResult) -> Iterator[Row]:
    for own, texts in ((False, result.words.built_in), (True, result.words.own)):
        for text, found in texts.items():
            yield {"text": text, "own": own, "sha256": found}
