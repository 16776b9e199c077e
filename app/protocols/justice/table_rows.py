"""Rows of the tables of justice experiments, one for each observation."""

from collections.abc import Iterator

from ....state.justice import PRINCIPLES, JusticeResult, Phase1Result, get_ballot_number, list_stage_rankings
from ...export.columns import TableRow

PRINCIPLE_RANKS = range(1, 5)
STAGE_NAMES = ("initial", "post_explanation", "final", "last")


def build_justice_tables(result: JusticeResult) -> dict[str, list[TableRow]]:
    """Return the rows of a run's tables, by the names in `table_columns`.

    Money is in whole cents. Participants are identified by id. A missing value is `None`.
    """
    return {
        "runs": list(_list_run_rows(result)),
        "participants": list(_list_participant_rows(result)),
        "comprehension": [
            {
                "participant": id,
                "question": number,
                "principle": get_ballot_number(answer.principle),
                **answer.model_dump(include={"constraint_amount", "answer", "given", "right", "attempts"}),
            }
            for id, phase1 in result.phase1.items()
            for number, answer in enumerate(phase1.comprehension, 1)
        ],
        "rankings": list(_list_ranking_rows(result)),
        "applications": list(_list_application_rows(result)),
        "ballots": list(_list_ballot_rows(result)),
        "reasonings": [
            {"round": reasoning.round, "participant": reasoning.participant, "text": reasoning.text}
            for reasoning in result.phase2.private_reasonings
        ],
        "words": [
            {"text": text, "own": is_own, "sha256": digest}
            for is_own, texts in ((False, result.words.built_in), (True, result.words.own))
            for text, digest in texts.items()
        ],
    }


def _list_run_rows(result: JusticeResult) -> Iterator[TableRow]:
    group, rule_in_force, settings = result.phase2, result.phase2.rule_in_force, result.config
    discussion, voting, tables = settings.discussion, settings.voting, settings.tables
    yield {
        "experiment_id": result.experiment_id,
        "seed": result.seed,
        "status": result.status,
        "model": settings.model,
        "language": settings.language,
        "participants": len(settings.participants),
        "max_rounds": discussion.max_rounds,
        "decision_rule": voting.decision_rule,
        "imposed_principle": voting.imposed_principle,
        "imposed_amount": voting.imposed_amount,
        "no_consensus_mode": voting.no_consensus_mode,
        "min_rounds_before_vote": voting.min_rounds_before_vote,
        "force_vote_in_final_round": voting.force_vote_in_final_round,
        "initiation_order": voting.initiation_order,
        "speaking_order": discussion.speaking_order,
        "wording": settings.wording.wording,
        "frame": settings.wording.frame,
        "comprehension_test": settings.checks.comprehension_test,
        "principle_order": settings.checks.principle_order,
        "distribution_order": settings.checks.distribution_order,
        "reveal_class_probabilities": tables.reveal_class_probabilities,
        "table_spread": tables.table_spread,
        "custom_tables": tables.custom_tables is not None,
        "original_values_mode": tables.original_values_mode.enabled,
        "memory_style": settings.memory.guidance_style,
        "remembers_reasoning": settings.memory.include_internal_reasoning,
        "words": result.words.combined_hash,
        "own_words": len(result.words.own),
        "consensus_reached": group.consensus_reached,
        "principle": get_ballot_number(group.agreed_principle) if group.agreed_principle else None,
        "constraint_amount": group.constraint_amount,
        "principle_in_force": get_ballot_number(rule_in_force.principle) if rule_in_force else None,
        "amount_in_force": rule_in_force.constraint_amount if rule_in_force else None,
        "constraint_satisfied": group.constraint_satisfied,
        "binding": group.binding,
        "decisive": group.decisive,
        "rounds_completed": group.rounds_completed,
        "multiplier": group.distribution_set.multiplier if group.distribution_set else None,
        "incidents": len(result.incidents),
        "degraded": sum(1 for incident in result.incidents if incident.severity == "degraded"),
    }


def _list_participant_rows(result: JusticeResult) -> Iterator[TableRow]:
    group = result.phase2
    for participant in result.config.participants:
        id, phase1 = participant.id, result.phase1.get(participant.id)
        payoff, alternatives = group.payoffs.get(id), group.alternative_earnings.get(id)
        answers = phase1.comprehension if phase1 else []
        yield {
            "participant": id,
            "name": participant.name,
            "principle_order": phase1.presentation.numbers if phase1 else None,
            "distribution_order": phase1.presentation.columns if phase1 else None,
            "comprehension_right": sum(answer.right for answer in answers) if answers else None,
            "comprehension_tries": sum(answer.attempts for answer in answers) if answers else None,
            "phase1_cents": phase1.total_earnings if phase1 else None,
            "distribution": group.chosen_distribution.get(id),
            "class": group.assigned_classes.get(id),
            "income": payoff.income if payoff else None,
            "phase2_cents": payoff.payoff_cents if payoff else None,
            "bank_cents": group.final_earnings.get(id),
            **{
                f"under_{rank}_cents": alternatives.outcomes[rank - 1].payoff_cents if alternatives else None
                for rank in PRINCIPLE_RANKS
            },
            **{
                f"under_{rank}_amount": alternatives.outcomes[rank - 1].constraint_amount if alternatives else None
                for rank in (3, 4)
            },
            "spread_cents": alternatives.spread_cents if alternatives else None,
            "cost_cents": alternatives.cost_cents if alternatives else None,
            "explanation_comment": phase1.principle_explanation if phase1 else None,
        }


def _list_ranking_rows(result: JusticeResult) -> Iterator[TableRow]:
    for id in result.config.ids:
        phase1 = result.phase1.get(id, Phase1Result(participant_name=id))
        for stage, ranking in zip(
            STAGE_NAMES, list_stage_rankings(phase1, result.phase2.final_rankings.get(id)), strict=True
        ):
            usable_ranking = ranking if ranking is not None and not ranking.defaulted else None
            yield {
                "participant": id,
                "stage": stage,
                **{
                    f"rank_{get_ballot_number(principle)}": usable_ranking.get_rank(principle)
                    if usable_ranking
                    else None
                    for principle in PRINCIPLES
                },
                "certainty": usable_ranking.certainty if usable_ranking else None,
                "defaulted": ranking.defaulted if ranking else None,
            }


def _list_application_rows(result: JusticeResult) -> Iterator[TableRow]:
    for id, phase1 in result.phase1.items():
        for application in phase1.application_results:
            yield {
                "participant": id,
                "round": application.round,
                "principle": get_ballot_number(application.choice.principle) if application.choice else None,
                "constraint_amount": application.choice.constraint_amount if application.choice else None,
                "certainty": application.choice.certainty if application.choice else None,
                "reason": application.choice.reasoning if application.choice else None,
                "multiplier": application.distribution_set.multiplier,
                "distribution": application.distribution,
                "class": application.assigned_class,
                "income": application.income,
                "payoff_cents": application.payoff_cents,
                "constraint_satisfied": application.selection.constraint_satisfied if application.selection else None,
                "binding": application.selection.binding if application.selection else None,
                "decisive": application.selection.decisive if application.selection else None,
                "defaulted": application.defaulted,
            }


def _list_ballot_rows(result: JusticeResult) -> Iterator[TableRow]:
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
                "principle": get_ballot_number(ballot.principle) if ballot else None,
                "constraint_amount": ballot.constraint_amount if ballot else None,
                "consensus": record.consensus is not None,
            }
