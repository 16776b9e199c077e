from .channels import (
    SessionClosingState as SessionClosingState,
    SessionStageState as SessionStageState,
    SessionTurnState as SessionTurnState,
    SessionUpdate as SessionUpdate,
)
from .deadlines import (
    compute_due_time as compute_due_time,
    compute_miss_time as compute_miss_time,
    find_next_deadline as find_next_deadline,
    is_expired as is_expired,
    list_overdue_expectations as list_overdue_expectations,
)
from .log import (
    MIN_PARTICIPANTS as MIN_PARTICIPANTS,
    SessionEvent as SessionEvent,
    SessionStatus as SessionStatus,
    SessionView as SessionView,
    list_pending_invitees as list_pending_invitees,
)
from .rotation import (
    compute_next_floor as compute_next_floor,
    has_automatic_end as has_automatic_end,
    is_new_round as is_new_round,
    order_seats as order_seats,
    rotate_seats_after as rotate_seats_after,
)
from .sending import (
    MAX_TEXT_LENGTH as MAX_TEXT_LENGTH,
    MESSAGE_ID_LENGTH as MESSAGE_ID_LENGTH,
    REASON_LENGTH as REASON_LENGTH,
    AlreadySentError as AlreadySentError,
    SendError as SendError,
    can_send as can_send,
    check_invitation as check_invitation,
    check_message as check_message,
    check_participation as check_participation,
    check_seat as check_seat,
    check_send as check_send,
    explain_waiting as explain_waiting,
)
