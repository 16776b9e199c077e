"""A session that lives long: its log, who may send, what time does to it, and its channels."""

from .deadlines import deadline, due_at, is_expired, missed_at, overdue
from .log import (
    LEAST,
    Event,
    SessionState,
    Status,
    around,
    begins_anew,
    ends_by_itself,
    floor_after,
    rotation,
    unanswered,
)
from .sending import (
    ID_LENGTH,
    LONGEST,
    REASON_LENGTH,
    AlreadySent,
    SendRefused,
    can_send,
    check_invited,
    check_message,
    check_seat,
    check_takes_part,
    validate_send,
    waits_for,
)
