from .answers import (
    MAX_ANSWER_LENGTH as MAX_ANSWER_LENGTH,
    NotAskedError as NotAskedError,
    aanswer_question as aanswer_question,
    answer_question as answer_question,
    aresume_waiting_run as aresume_waiting_run,
    resume_waiting_run as resume_waiting_run,
)
from .deadlines import DeadlineEnforcer as DeadlineEnforcer
from .disclosure import describe_other_participants as describe_other_participants, describe_sending as describe_sending
from .entry_fields import (
    ABSTAIN_FIELD as ABSTAIN_FIELD,
    EntryField as EntryField,
    InvalidEntryError as InvalidEntryError,
    list_fields as list_fields,
)
from .open_questions import (
    OpenQuestion as OpenQuestion,
    find_question as find_question,
    format_question_heading as format_question_heading,
    list_awaited_names as list_awaited_names,
    list_notices as list_notices,
    list_open_questions as list_open_questions,
    make_waiting_error as make_waiting_error,
)
from .terminal_form import (
    ask_owner as ask_owner,
    can_ask_owner as can_ask_owner,
    parse_reply_to_agent as parse_reply_to_agent,
)
from .visible_statements import (
    get_last_visible_turn as get_last_visible_turn,
    list_visible_statements as list_visible_statements,
)
