"""Session that can stay open for days: its log, rotation, senders, deadlines and channels."""

from .deadlines import compute_due_time, compute_miss_time, find_next_deadline, is_expired, list_overdue_expectations
from .log import MIN_PARTICIPANTS, SessionEvent, SessionStatus, SessionView, list_unanswered
from .rotation import compute_next_floor, has_automatic_end, is_new_round, order_seats, rotate_seats_after
from .sending import (
    MAX_TEXT_LENGTH,
    MESSAGE_ID_LENGTH,
    REASON_LENGTH,
    AlreadySentError,
    SendError,
    can_send,
    check_invitation,
    check_message,
    check_participation,
    check_seat,
    check_send,
    explain_waiting,
)
