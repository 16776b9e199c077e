from .api import AsyncSession as AsyncSession
from .locking import GraphDriver as GraphDriver, is_session as is_session
from .participation import choose_seat as choose_seat
from .terminal_session import read_input as read_input, show_unsent_text as show_unsent_text
