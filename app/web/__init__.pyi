from .connection import (
    MAX_REQUEST_BYTES as MAX_REQUEST_BYTES,
    admit_connection as admit_connection,
    make_server_config as make_server_config,
    open_listener as open_listener,
)
from .event_stream import (
    ByteStream as ByteStream,
    await_first_result as await_first_result,
    read_events as read_events,
    stream_to_subscriber as stream_to_subscriber,
    wait_for_disconnect as wait_for_disconnect,
)
from .guard import is_loopback as is_loopback
from .rate_limit import RateLimit as RateLimit
from .rendering import (
    detect_browser_language as detect_browser_language,
    make_translator as make_translator,
    render_response as render_response,
)
from .room import Room as Room, get_room as get_room
from .run_events import (
    FIRST_CURSOR as FIRST_CURSOR,
    StreamEvent as StreamEvent,
    compute_cursor as compute_cursor,
    describe_next_step as describe_next_step,
)
from .run_subscribers import Subscriber as Subscriber
