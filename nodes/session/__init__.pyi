from .delivery import fill_event_texts as fill_event_texts, find_sent_statement as find_sent_statement
from .receive_message import build_view as build_view
from .updates import get_session_state as get_session_state, list_awaited_guests as list_awaited_guests
