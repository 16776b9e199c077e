"""Columns of the tables of justice experiments: names and meanings, with units."""

from collections.abc import Mapping

from ...export.columns import RUN_COLUMN, ColumnMeanings

PARTICIPANT_COLUMN = {"participant": "Id of the participant. The table participants has its name."}
_RULE_COLUMNS = {
    "principle": "Number of the principle, 1 to 4; empty: none.",
    "constraint_amount": "Amount of the principle, in units of income; only for 3 and 4.",
}
_AMOUNT_COLUMNS = {
    "constraint_satisfied": "Whether any distribution met the amount; empty without an amount.",
    "binding": "Whether the amount excluded at least one distribution; empty without an amount.",
    "decisive": "Whether the outcome differed from that of principle 2; empty without an amount.",
}
_PAYOFF_COLUMNS = {
    "distribution": "Distribution that paid: D1 to D4.",
    "class": "Income class that was drawn: high, medium_high, medium, medium_low or low.",
    "income": "Income of this class in the distribution, in units of income.",
}

JUSTICE_RUN_COLUMNS: ColumnMeanings = RUN_COLUMN | {
    "experiment_id": "Name of the experiment: the caller's, or that of the run.",
    "seed": "Seed of all random draws.",
    "status": "completed, partial, failed, or unfinished.",
    "model": "Spec of the default model.",
    "language": "Language of the run.",
    "participants": "Participants.",
    "max_rounds": "Maximum rounds.",
    "decision_rule": "Votes that adopt a principle: unanimity or majority; imposed: no vote.",
    "imposed_principle": "Number of the imposed principle; empty: none.",
    "imposed_amount": "Amount of the imposed principle, in units of income; only for 3 and 4.",
    "no_consensus_mode": "Payment if no principle is adopted.",
    "min_rounds_before_vote": "First round of discussion in which a vote may start.",
    "force_vote_in_final_round": "Whether the last round always ends with a vote.",
    "initiation_order": "Order in which participants are asked to start a vote: roster or drawn.",
    "speaking_order": "Speaking order of a round: random, fixed or conversational.",
    "wording": "Wording of the texts: justice or neutral.",
    "frame": "Description of outcomes: gain or loss.",
    "comprehension_test": "Whether four questions about the principles precede Phase 1.",
    "principle_order": "Order of the principles: fixed or counterbalanced.",
    "distribution_order": "Order of the table columns: fixed or counterbalanced.",
    "reveal_class_probabilities": (
        "Moment when participants learn the class probabilities: never, after_choice or before_choice."
    ),
    "table_spread": "Factor of each income's distance from the average; 1: unchanged tables.",
    "custom_tables": "Whether custom tables replace Moot's own.",
    "original_values_mode": "Whether the applications use the published situations A to D.",
    "memory_style": "Style of the memories: narrative or structured.",
    "remembers_reasoning": "Whether participants remember their private reasoning.",
    "words": "First 16 digits of the SHA-256 of all texts in the prompts; equal for runs with the same texts.",
    "own_words": "Number of these texts from the run's own folder of templates.",
    "consensus_reached": "Whether the group adopted a rule by vote; empty: imposed, or the run stopped earlier.",
    "principle": "Number of the adopted or imposed principle; empty: none.",
    "constraint_amount": "Amount of the principle, in units of income; only for 3 and 4.",
    "principle_in_force": (
        "Number of the principle that paid: adopted, imposed or drawn; empty: distributions were drawn."
    ),
    "amount_in_force": "Amount of the principle that paid, in units of income; only for 3 and 4.",
    **_AMOUNT_COLUMNS,
    "rounds_completed": "Number of rounds of discussion.",
    "multiplier": "Factor by which the group's distributions were scaled.",
    "incidents": "Number of recorded incidents.",
    "degraded": "Number of incidents that lowered the quality of the result.",
}

JUSTICE_PARTICIPANT_COLUMNS: ColumnMeanings = (
    RUN_COLUMN
    | PARTICIPANT_COLUMN
    | {
        "name": "Name of the participant.",
        "principle_order": "Numbers of the principles, in the order of the prompts.",
        "distribution_order": "Distributions, in the order of the table columns.",
        "comprehension_right": (
            "Number of questions of the comprehension test with a right last answer; empty: no test."
        ),
        "comprehension_tries": (
            "Number of all answers in the comprehension test, including the right ones; empty: no test."
        ),
        "phase1_cents": "Sum of the payoffs of the applications, in cents.",
    }
    | _PAYOFF_COLUMNS
    | {
        "phase2_cents": "Payoff of the group phase, in cents.",
        "bank_cents": "Payoffs of both phases, in cents.",
        **{
            f"under_{n}_cents": f"Payoff that principle {n} would give the same income class, in cents."
            for n in range(1, 5)
        },
        "under_3_amount": "Amount of principle 3 in under_3_cents: the amount of the rule, or the median floor.",
        "under_4_amount": "Amount of principle 4 in under_4_cents: the amount of the rule, or the median range.",
        "spread_cents": "Highest minus lowest payoff under the four principles, in cents.",
        "cost_cents": (
            "Highest payoff under the four principles minus phase2_cents; negative if a random distribution paid more."
        ),
        "explanation_comment": "Comment on the explanation. No other participant saw it.",
    }
)

COMPREHENSION_COLUMNS: ColumnMeanings = (
    RUN_COLUMN
    | PARTICIPANT_COLUMN
    | {
        "question": "Number of the question in the comprehension test, 1 to 4, in the order asked.",
        **_RULE_COLUMNS,
        "answer": "Right answer, the distribution that the principle selects: D1 to D4.",
        "given": "Last readable answer: D1 to D4; empty: none.",
        "right": "Whether the last answer is right.",
        "attempts": "Number of answers, including the right one.",
    }
)

JUSTICE_RANKING_COLUMNS: ColumnMeanings = (
    RUN_COLUMN
    | PARTICIPANT_COLUMN
    | {
        "stage": (
            "Moment of the ranking: initial, post_explanation, final (end of Phase 1) or last (after the results)."
        ),
        **{f"rank_{n}": f"Place of principle {n}, 1 (best) to 4; empty: no usable ranking." for n in range(1, 5)},
        "certainty": "Certainty: very_unsure, unsure, no_opinion, sure or very_sure; empty: no usable ranking.",
        "defaulted": "True: a default replaces an unusable ranking; empty: the run stopped before this ranking.",
    }
)

APPLICATION_COLUMNS: ColumnMeanings = (
    RUN_COLUMN
    | PARTICIPANT_COLUMN
    | {"round": "Application, 1 to 4.", **_RULE_COLUMNS}
    | {
        "certainty": "Certainty of the choice.",
        "reason": "Reason in the participant's own words. No other participant saw it.",
        "multiplier": "Factor by which the incomes were scaled; 1: unscaled.",
        **_PAYOFF_COLUMNS,
        "payoff_cents": "Payoff of the application, in cents.",
        **_AMOUNT_COLUMNS,
        "defaulted": "Whether a random distribution replaced a missing choice.",
    }
)

JUSTICE_BALLOT_COLUMNS: ColumnMeanings = (
    RUN_COLUMN
    | {
        "round": "Round of discussion before the vote.",
        "event": "Last step of the vote: not_initiated, confirmation_failed or ballot_completed.",
        "forced": "Whether the last round held this vote without asking who starts a vote.",
    }
    | PARTICIPANT_COLUMN
    | {
        "initiation_place": (
            "Place of the participant in the order of the question who starts the vote, from 1; empty: not asked."
        ),
        "initiated": "Whether the participant wanted to start the vote; empty: not asked.",
        "confirmed": "Whether the participant consented; no answer counts as no; empty: not asked.",
        **_RULE_COLUMNS,
        "consensus": "Whether this vote adopted a rule.",
    }
)

REASONING_COLUMNS: ColumnMeanings = (
    RUN_COLUMN
    | {"round": "Round of discussion."}
    | PARTICIPANT_COLUMN
    | {"text": "Private reasoning before the statement; empty: none. No other participant saw it."}
)

TEXT_COLUMNS: ColumnMeanings = RUN_COLUMN | {
    "text": "Text behind the prompts: a template, a table of phrases, or the key of a phrase.",
    "own": "Whether the text is from the run's own folder; false: built in.",
    "sha256": "SHA-256 of the text.",
}

JUSTICE_COLUMNS: Mapping[str, ColumnMeanings] = {
    "runs": JUSTICE_RUN_COLUMNS,
    "participants": JUSTICE_PARTICIPANT_COLUMNS,
    "comprehension": COMPREHENSION_COLUMNS,
    "rankings": JUSTICE_RANKING_COLUMNS,
    "applications": APPLICATION_COLUMNS,
    "ballots": JUSTICE_BALLOT_COLUMNS,
    "reasonings": REASONING_COLUMNS,
    "words": TEXT_COLUMNS,
}
