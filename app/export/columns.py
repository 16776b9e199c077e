"""Columns of the tables that any run may have, in order, with their meanings and units."""

from pydantic import BaseModel

from ...state import Ballot, Call, Incident, Participant
from ...state.lookups import Lookup
from ...state.positions import Position
from ...state.session import SessionEvent

TableRow = dict[str, object]
ColumnMeanings = dict[str, str]
"""Meaning of each column, with its unit, by column name."""
RUN_COLUMN = {"run": "Name of the run."}


def describe_columns(model: type[BaseModel]) -> ColumnMeanings:
    """Describe a column for each field of a stored model, after a first column for the run."""
    return RUN_COLUMN | {name: field.description or "" for name, field in model.model_fields.items()}


RUN_COLUMNS: ColumnMeanings = RUN_COLUMN | {
    "protocol": "Which protocol it followed.",
    "topic": "Topic or question.",
    "model": "Spec of the default model.",
    "rehearsal": "Whether no model took part.",
    "seed": "Seed of its draws; empty: none was set.",
    "language": "BCP-47 tag.",
    "started_at": "When it was begun, ISO 8601, UTC.",
    "forked_from": "Run and checkpoint of the original; empty: the run is not a fork.",
    "forked_turn": "Last turn taken from the original.",
    "forked_with": "What was set there, as key: value.",
    "experiment": "The experiment it belongs to; empty: none.",
    "condition": "The condition it was run under there.",
    "item": "The item it was run on there.",
    "repeat": "Which repeat it is there, from 1; empty: it belongs to no experiment.",
    "status": "completed, partial, failed, or unfinished.",
    "termination_reason": "Name of its ending; empty: it has not ended.",
    "strategy": "Name of the rule that found its ending; empty: it has not ended.",
    "basis": "Kind of promise of the stopping rule: guarantee, heuristic, cap, event; empty: it has not ended.",
    "headline": "Its ending in a line for people.",
    "turns": "Number of statements.",
    "incidents": "Rows of the table incidents.",
    "total_calls": "Rows of the table calls.",
    "total_tokens": "Sum of input_tokens and output_tokens over the table calls.",
    "total_cost": "Sum of cost over the table calls, in the currency of the prices; empty without prices.",
    "total_time_ms": "Wall time while it was running, in milliseconds.",
    "sent_requests": "Paid requests: the sum of the three columns that follow.",
    "recorded_requests": "Recorded paid requests, without those of the original of a fork.",
    "lost_requests": "Paid requests whose process died before their answer was saved.",
    "open_requests": "Paid requests under way; 0 at the end.",
}

TURN_COLUMNS: ColumnMeanings = RUN_COLUMN | {
    "turn": "Number of the turn; a missed turn leaves a gap.",
    "round": "Round the turn belongs to.",
    "speaker": "Name of the participant; moderator: a line of the protocol, with the number of the turn before it.",
    "content": "The statement.",
    "timestamp": "When it was recorded, ISO 8601, UTC.",
    "tokens": "Prompt and completion tokens of the turn's statement, failed attempts included.",
    "cut_off": "Whether the model ran into its length limit.",
    "silenced": "Whether a fork kept it from everyone after.",
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
    "round": "Round after which it was measured.",
    "measure": "declared, lexical, embedding or judge.",
    "participant": "Name of the participant.",
    "score": "Agreement, 0 to 1; empty: no answer, counted as 0 in the group's mean.",
    "objection": "What the participant still objects; empty: nothing.",
}

POLL_COLUMNS: ColumnMeanings = RUN_COLUMN | {
    "vote": "Number of the vote, from 1.",
    "round": "The round after which it was held.",
    "event": "The step, a row for each: initiated, confirmed, confirmation_failed or completed.",
    "initiator": "Who proposed it; empty: the protocol's schedule.",
    "refused": "Who did not consent, names separated by a semicolon.",
    "rule": "The rule counted by; this column and the next ones are empty before a vote is counted.",
    "winner": "Sign of the option that won; empty: none did.",
    "settled": "outright, seeded, status_quo or runoff with a winner; tied, short, no_quorum or no_votes without.",
    "voters": "The electorate: votes, abstentions, invalid and excluded ballots, and those that are missing.",
    "votes": "Ballots counted as votes.",
    "abstentions": "Ballots that abstain.",
    "invalid": "Ballots that could not be counted.",
    "excluded": "Ballots for nobody but their voter, where such are left out.",
    "turnout": "Share of the electorate that voted, abstained or was excluded, 0 to 1.",
    "quorum_met": "Whether the turnout reaches the quorum.",
}

VOTE_COLUMNS: ColumnMeanings = RUN_COLUMN | {
    "vote": "Number of the vote, from 1.",
    "round": "The round after which it was held.",
    "rule": "The rule counted by.",
    "option": "Sign of the option.",
    "text": "What the option says.",
    "total": "What it has, in the rule's own unit: votes, points, wins.",
    "margin": "Its lead over the strongest other, in the same unit.",
    "winner": "Whether the rule picks it, before ties are settled; the table polls names the winner.",
    "settled": "How the count ended, as in the table polls.",
    "turnout": "Share of the electorate that voted, abstained or was excluded, 0 to 1.",
}

BALLOT_COLUMNS: ColumnMeanings = (
    RUN_COLUMN | {"vote": "Number of the vote, from 1."} | dict(list(describe_columns(Ballot).items())[1:])
)

RANKING_COLUMNS: ColumnMeanings = RUN_COLUMN | {
    "ranker": "Name of the member who ranked.",
    "shown": "Place at which it was shown the answer, from 1: the letter A, B, C … it knew it by.",
    "turn": "Turn of the answer.",
    "author": "Whose answer it is, which the ranker was not told.",
    "place": "Place it gave the answer, 1 being the best; empty: its ranking could not be used.",
    "own": "Whether the answer is its own.",
    "critique": "What it said of the answer; empty: nothing.",
    "agreement": "Kendall's tau-b of its whole ranking with the group's, -1 to 1; empty: not to be had.",
}

ANSWER_COLUMNS: ColumnMeanings = RUN_COLUMN | {
    "turn": "Turn of the statement that is the answer.",
    "author": "Whose answer it is.",
    "ranked_by": "How many usable rankings name it.",
    "mean_place": "Mean place given to it, from 1; empty: nobody ranked it.",
    "points": "Borda points of all rankings; empty: nobody ranked it.",
    "total": "What it has under the run's rule, in the rule's own unit; empty: nobody ranked it.",
    "winner": "Whether it won the count.",
    "self_preference": "Places by which its author put it above where the others put it on average; empty: not known.",
}

MEMORY_COLUMNS: ColumnMeanings = RUN_COLUMN | {
    "participant": "Name of whose memory it is; private: no other participant saw it.",
    "line": "Place of the line in it, from 1, oldest first.",
    "text": "The line, as it stood at the end.",
}

PAPER_COLUMNS: ColumnMeanings = RUN_COLUMN | {
    "id": "What it is cited by.",
    "title": "Its title.",
    "relevance": "How well it answers the question, 0 to 1, comparable within one ranking; empty: it was given.",
    "ranking": "How it was found: semantic, lexical, or given.",
    "authors": "Names separated by a semicolon.",
    "year": "Year of publication.",
    "url": "Where it is found.",
    "abstract": "Its abstract.",
}

PROMPT_COLUMNS: ColumnMeanings = RUN_COLUMN | {
    "request": "Number of the request among those of its run, as they were answered, from 1.",
    "purpose": "What it was for: statement, synthesis, judgement, ballot …",
    "who": "Participant or role that was asked.",
    "model": "Model spec.",
    "turn": "Turn it belongs to; 0: outside turns.",
    "round": "Round it belongs to; 0: outside rounds.",
    "attempt": "Attempt at its question, from 1.",
    "message": "Place of the message in the request, from 1.",
    "role": "system, human; schema: the form that the answer was bound to, as JSON Schema.",
    "text": "What was told.",
}
