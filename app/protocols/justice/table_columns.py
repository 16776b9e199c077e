"""Columns of the tables of justice experiments, in order: name and meaning, with units."""

from collections.abc import Mapping

from ...export.columns import RUN_COLUMN, ColumnMeanings

PARTICIPANT_COLUMN = {"participant": "Id of the participant; its name stands in the table participants."}
_RULE_COLUMNS = {
    "principle": "Number of the principle, 1 to 4; empty: none.",
    "constraint_amount": "Its amount, in units of income; for 3 and 4 only.",
}
_AMOUNT_COLUMNS = {
    "constraint_satisfied": "Whether any distribution met the amount that paid; empty without one.",
    "binding": "Whether that amount excluded at least one distribution; empty without one.",
    "decisive": "Whether the outcome differed from that of principle 2; empty without an amount.",
}
_PAYOFF_COLUMNS = {
    "distribution": "What paid: D1 to D4.",
    "class": "Income class drawn: high, medium_high, medium, medium_low, low.",
    "income": "Income of that class there, in units of income.",
}

JUSTICE_RUN_COLUMNS: ColumnMeanings = RUN_COLUMN | {
    "experiment_id": "The caller's name for it, or that of the run.",
    "seed": "Seed of all random draws.",
    "status": "completed, partial, failed, or unfinished.",
    "model": "Spec of the default model.",
    "language": "Language of the run.",
    "participants": "Participants.",
    "max_rounds": "Maximum rounds.",
    "decision_rule": "unanimity, majority, imposed.",
    "imposed_principle": "Number of the principle announced; empty: none was.",
    "imposed_amount": "Its amount, in units of income; for 3 and 4 only.",
    "no_consensus_mode": "What pays where no rule is adopted.",
    "min_rounds_before_vote": "Round of discussion from which a vote may start.",
    "force_vote_in_final_round": "Whether the last round votes without asking who starts a vote.",
    "initiation_order": "roster, drawn: in which order they are asked who starts a vote.",
    "speaking_order": "random, fixed, conversational: how the order of a round is found.",
    "wording": "justice, neutral.",
    "frame": "gain, loss.",
    "comprehension_test": "Whether four questions on what the principles pick came before Phase 1.",
    "principle_order": "fixed, counterbalanced: in which order the principles are told.",
    "distribution_order": "fixed, counterbalanced: in which order the columns of tables stand.",
    "reveal_class_probabilities": "never, after_choice, before_choice.",
    "table_spread": "Factor on each income's distance from its average; 1: as the tables are.",
    "custom_tables": "Whether tables of one's own replace the base set.",
    "original_values_mode": "Whether the applications use the published situations A to D.",
    "memory_style": "narrative, structured: how events stand in memories.",
    "remembers_reasoning": "Whether each remembers its own private reasoning.",
    "words": "SHA-256 of all they are told from, first 16 digits; the same for runs told in the same words.",
    "own_words": "Templates and phrases of the run's own folder among them.",
    "consensus_reached": "Whether a rule was adopted by vote; empty: imposed, or broken off before it was known.",
    "principle": "Number of the principle adopted or imposed; empty: none.",
    "constraint_amount": "Its amount, in units of income; for 3 and 4 only.",
    "principle_in_force": "Number of the principle that paid: adopted, imposed or drawn; empty: a distribution was.",
    "amount_in_force": "Its amount, in units of income; for 3 and 4 only.",
    **_AMOUNT_COLUMNS,
    "rounds_completed": "Rounds of discussion held.",
    "multiplier": "What the group's set of distributions was scaled by.",
    "incidents": "Recorded incidents.",
    "degraded": "Those that degraded the result.",
}

JUSTICE_PARTICIPANT_COLUMNS: ColumnMeanings = (
    RUN_COLUMN
    | PARTICIPANT_COLUMN
    | {
        "name": "Name of the participant.",
        "principle_order": "Numbers of the principles in the order they were told, first one first.",
        "distribution_order": "The distributions in the order of the tables' columns, first one first.",
        "comprehension_right": "Questions of the comprehension test answered rightly in the end; empty: no test.",
        "comprehension_tries": "Answers it took in all, the right ones counted; empty: no test.",
        "phase1_cents": "Payoffs of the applications together, in cents.",
    }
    | _PAYOFF_COLUMNS
    | {
        "phase2_cents": "What the group's draw paid, in cents.",
        "bank_cents": "Payoffs of both phases, in cents.",
        **{f"under_{n}_cents": f"What principle {n} would have paid the same class, in cents." for n in range(1, 5)},
        "under_3_amount": "The amount assumed there for principle 3: the rule's own, or the median floor.",
        "under_4_amount": "The amount assumed there for principle 4: the rule's own, or the median range.",
        "spread_cents": "Best less worst of the four, in cents.",
        "cost_cents": "Best of the four less phase2_cents; negative where a random pick paid more.",
        "explanation_comment": "Its comment on the explanation; private: no other participant saw it.",
    }
)

COMPREHENSION_COLUMNS: ColumnMeanings = (
    RUN_COLUMN
    | PARTICIPANT_COLUMN
    | {
        "question": "Question of the comprehension test, 1 to 4, as they were asked.",
        **_RULE_COLUMNS,
        "answer": "What the principle picks from the table that was shown: D1 to D4.",
        "given": "The last answer that could be read: D1 to D4; empty: none.",
        "right": "Whether it was answered rightly in the end.",
        "attempts": "Answers it took, the right one counted.",
    }
)

JUSTICE_RANKING_COLUMNS: ColumnMeanings = (
    RUN_COLUMN
    | PARTICIPANT_COLUMN
    | {
        "stage": "initial, post_explanation, final (Phase 1), last (after the results).",
        **{f"rank_{n}": f"Place of principle {n}, 1 (best) to 4; empty: no usable ranking." for n in range(1, 5)},
        "certainty": "very_unsure, unsure, no_opinion, sure, very_sure; empty: no usable ranking.",
        "defaulted": "True: none could be used; empty: the stage was not reached.",
    }
)

APPLICATION_COLUMNS: ColumnMeanings = (
    RUN_COLUMN
    | PARTICIPANT_COLUMN
    | {"round": "Application, 1 to 4.", **_RULE_COLUMNS}
    | {
        "certainty": "Certainty of the choice.",
        "reason": "Why it was chosen, in its own words; private: no other participant saw it.",
        "multiplier": "What the base set was scaled by; 1: unscaled.",
        **_PAYOFF_COLUMNS,
        "payoff_cents": "What it paid, in cents.",
        **_AMOUNT_COLUMNS,
        "defaulted": "Whether a random distribution paid in place of a choice.",
    }
)

JUSTICE_BALLOT_COLUMNS: ColumnMeanings = (
    RUN_COLUMN
    | {
        "round": "Round of discussion after which it was held.",
        "event": "How far it came: not_initiated, confirmation_failed or ballot_completed.",
        "forced": "Whether the last round skipped the question who starts a vote.",
    }
    | PARTICIPANT_COLUMN
    | {
        "initiation_place": "In which place it was asked whether to start it, from 1; empty: not asked.",
        "initiated": "Whether the participant wanted to start it; empty: not asked.",
        "confirmed": "Whether it consented, no answer counted as no; empty: not asked.",
        **_RULE_COLUMNS,
        "consensus": "Whether this vote adopted a rule.",
    }
)

REASONING_COLUMNS: ColumnMeanings = (
    RUN_COLUMN
    | {"round": "Round of discussion."}
    | PARTICIPANT_COLUMN
    | {"text": "What it thought before it spoke, empty where none came; private: no other participant saw it."}
)

TEXT_COLUMNS: ColumnMeanings = RUN_COLUMN | {
    "text": "A text that participants were told from: a template, a table of phrases, or a phrase by its key.",
    "own": "Whether it is of the run's own folder; else it is built in.",
    "sha256": "SHA-256 of the text: its version.",
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
