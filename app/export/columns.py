"""Columns of the tables that any run may have, in order, with their meanings and units."""

from pydantic import BaseModel

from ...state import Ballot, Call, Incident, Lookup, Participant, Position, SessionEvent

TableRow = dict[str, object]
ColumnMeanings = dict[str, str]
"""Meaning of each column, with its unit, by column name."""
RUN_COLUMN = {"run": "Name of the run."}


def describe_columns(model: type[BaseModel]) -> ColumnMeanings:
    """Return the meaning of each field of a stored model as a column, after a first column for the run."""
    return RUN_COLUMN | {name: field.description or "" for name, field in model.model_fields.items()}


RUN_COLUMNS: ColumnMeanings = RUN_COLUMN | {
    "protocol": "Name of the protocol.",
    "topic": "Topic or question.",
    "model": "Spec of the default model.",
    "rehearsal": "Whether no model took part.",
    "seed": "Seed of the random draws; empty: no seed was set.",
    "language": "BCP-47 tag.",
    "started_at": "Start of the run, ISO 8601, UTC.",
    "forked_from": "Run and checkpoint that the fork started from; empty: not a fork.",
    "forked_turn": "Last turn taken from the original.",
    "forked_with": "Changes of the fork, as key: value.",
    "experiment": "Name of the experiment; empty: none.",
    "condition": "Condition of the run in the experiment.",
    "item": "Item of the run in the experiment.",
    "repeat": "Number of the repeat in the experiment, from 1; empty: no experiment.",
    "status": "completed, partial, failed, or unfinished.",
    "termination_reason": "Name of the ending; empty: the run has not ended.",
    "strategy": "Name of the rule that ended the run; empty: the run has not ended.",
    "basis": "Basis of the ending: guarantee, heuristic, cap or event; empty: the run has not ended.",
    "headline": "The ending on one line, for people.",
    "turns": "Number of statements.",
    "incidents": "Number of rows in the table incidents.",
    "total_calls": "Number of rows in the table calls.",
    "total_tokens": "Sum of input_tokens and output_tokens in the table calls.",
    "total_cost": "Sum of cost in the table calls, in the currency of the prices; empty without prices.",
    "total_time_ms": "Running time without pauses, in milliseconds.",
    "sent_requests": "Number of paid requests: the sum of the next three columns.",
    "recorded_requests": "Number of recorded paid requests. A fork does not count those of its original.",
    "lost_requests": "Number of paid requests whose process stopped before it saved the answer.",
    "open_requests": "Number of paid requests without an answer yet; 0 at the end.",
}

TURN_COLUMNS: ColumnMeanings = RUN_COLUMN | {
    "turn": "Number of the turn; a missed turn leaves a gap.",
    "round": "Round of the turn.",
    "speaker": "Name of the participant; moderator: a line of the protocol, with the number of the turn before it.",
    "content": "The statement.",
    "timestamp": "Time of the record, ISO 8601, UTC.",
    "tokens": "Prompt and completion tokens of the turn, including failed attempts.",
    "cut_off": "Whether the model reached its length limit.",
    "silenced": "Whether a fork hides the statement from all participants.",
}

PARTICIPANT_COLUMNS = describe_columns(Participant)
POSITION_COLUMNS = describe_columns(Position)
EVENT_COLUMNS = describe_columns(SessionEvent)
INCIDENT_COLUMNS = describe_columns(Incident)
LOOKUP_COLUMNS = describe_columns(Lookup)
CALL_COLUMNS: ColumnMeanings = describe_columns(Call) | {
    "cost": "Price of the call, in the currency of the prices; empty without prices.",
}

AGREEMENT_COLUMNS: ColumnMeanings = RUN_COLUMN | {
    "round": "Round before the measurement.",
    "measure": "Way to measure agreement: declared, lexical, embedding or judge.",
    "participant": "Name of the participant.",
    "score": "Agreement, 0 to 1; empty: no answer, which counts as 0 in the mean.",
    "objection": "Objection that the participant still has; empty: none.",
}

POLL_COLUMNS: ColumnMeanings = RUN_COLUMN | {
    "vote": "Number of the vote, from 1.",
    "round": "Round before the vote.",
    "event": "Step of the vote, one per row: initiated, confirmed, confirmation_failed or completed.",
    "initiator": "Participant that proposed the vote; empty: the protocol scheduled it.",
    "refused": "Participants that refused to vote, separated by semicolons.",
    "rule": "Counting rule. This column and the next ones are empty until the vote is counted.",
    "winner": "Sign of the winning option; empty: no winner.",
    "status": (
        "Result of the count. With a winner: outright, seeded, status_quo, runoff; without: tied, short, "
        "no_quorum, no_votes."
    ),
    "voters": "Number of voters, including those without a ballot.",
    "votes": "Number of ballots that count as votes.",
    "abstentions": "Number of ballots that abstain.",
    "invalid": "Number of invalid ballots.",
    "excluded": "Number of ballots left out because they name only their own voter.",
    "turnout": "Share of the electorate that voted, abstained or was excluded, 0 to 1.",
    "quorum_met": "Whether the turnout reaches the quorum.",
}

VOTE_COLUMNS: ColumnMeanings = RUN_COLUMN | {
    "vote": "Number of the vote, from 1.",
    "round": "Round before the vote.",
    "rule": "Counting rule.",
    "option": "Sign of the option.",
    "text": "Text of the option.",
    "total": "Total of the option, in the unit of the rule: votes, points or wins.",
    "margin": "Lead of the option over the strongest other one, in the same unit.",
    "winner": "Whether the option wins before any tie-break; the table polls names the final winner.",
    "status": "Result of the count, as in the table polls.",
    "turnout": "Share of the electorate that voted, abstained or was excluded, 0 to 1.",
}

BALLOT_COLUMNS: ColumnMeanings = (
    RUN_COLUMN | {"vote": "Number of the vote, from 1."} | dict(list(describe_columns(Ballot).items())[1:])
)

RANKING_COLUMNS: ColumnMeanings = RUN_COLUMN | {
    "ranker": "Name of the member who ranked.",
    "shown": "Place of the answer in the order shown to the ranker, from 1; 1 is answer A, 2 is B …",
    "turn": "Turn of the answer.",
    "author": "Author of the answer. The ranker did not know it.",
    "place": "Place that the ranker gave the answer, 1 is the best; empty: unusable ranking.",
    "own": "Whether the answer is the ranker's own.",
    "critique": "Critique of the answer by the ranker; empty: none.",
    "agreement": "Kendall's tau-b of the ranker's whole ranking with the group's, -1 to 1; empty: unknown.",
}

ANSWER_COLUMNS: ColumnMeanings = RUN_COLUMN | {
    "turn": "Turn of the statement that is the answer.",
    "author": "Author of the answer.",
    "ranked_by": "Number of usable rankings that contain the answer.",
    "mean_place": "Mean place of the answer, from 1; empty: not ranked.",
    "points": "Borda points from all rankings; empty: not ranked.",
    "total": "Total of the answer by the run's rule, in the unit of the rule; empty: not ranked.",
    "winner": "Whether the answer won the count.",
    "self_preference": (
        "Places by which the author ranks the answer above its mean place in the other rankings; empty: unknown."
    ),
}

MEMORY_COLUMNS: ColumnMeanings = RUN_COLUMN | {
    "participant": "Owner of the memory. No other participant saw it.",
    "line": "Number of the line in the memory, from 1, oldest first.",
    "text": "Text of the line at the end of the run.",
}

PAPER_COLUMNS: ColumnMeanings = RUN_COLUMN | {
    "id": "Id for citations.",
    "title": "Title of the paper.",
    "relevance": (
        "Relevance to the question, 0 to 1, comparable only within one ranking; empty: the user gave the paper."
    ),
    "ranking": "How the paper was found: semantic, lexical, or given.",
    "authors": "Names separated by a semicolon.",
    "year": "Year of publication.",
    "url": "Address of the paper.",
    "abstract": "Abstract of the paper.",
}

PROMPT_COLUMNS: ColumnMeanings = RUN_COLUMN | {
    "request": "Number of the request in the run, from 1, in the order of the answers.",
    "purpose": "Purpose of the request: statement, synthesis, judgement, ballot …",
    "who": "Participant or role that was asked.",
    "model": "Model spec.",
    "turn": "Turn of the request; 0: outside turns.",
    "round": "Round of the request; 0: outside rounds.",
    "attempt": "Number of the attempt at the question, from 1.",
    "message": "Place of the message in the request, from 1.",
    "role": "Kind of message: system, human, or schema (the required form of the answer, as JSON Schema).",
    "text": "Text of the message.",
}
