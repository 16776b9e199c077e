from .checkpoint_saver import (
    CheckpointReader as CheckpointReader,
    SqliteRunSaver as SqliteRunSaver,
    report_damage as report_damage,
)
from .clock import (
    compute_seconds_until as compute_seconds_until,
    count_milliseconds_since as count_milliseconds_since,
    format_local_time as format_local_time,
    format_time as format_time,
    get_time as get_time,
    get_timestamp as get_timestamp,
)
from .database import (
    BUSY_SECONDS as BUSY_SECONDS,
    IN_MEMORY as IN_MEMORY,
    choose_read_address as choose_read_address,
    connect_sqlite as connect_sqlite,
    get_default_database as get_default_database,
    is_postgres as is_postgres,
    make_contention_retry as make_contention_retry,
    set_default_database as set_default_database,
)
from .encryption import (
    CIPHER_NAME as CIPHER_NAME,
    Cipher as Cipher,
    load_cipher as load_cipher,
    make_serializer as make_serializer,
)
from .file_lock import DatabaseFile as DatabaseFile, hold_file as hold_file
from .langgraph_internals import (
    CHECKPOINTER_KEY as CHECKPOINTER_KEY,
    DURABILITY_KEY as DURABILITY_KEY,
    LOOKUP_MARK as LOOKUP_MARK,
    MCP_SESSIONS_KEY as MCP_SESSIONS_KEY,
    NS_SEP as NS_SEP,
    READ_KEY as READ_KEY,
    find_saver as find_saver,
    has_token_reader as has_token_reader,
    is_nested_run as is_nested_run,
    list_stored_types as list_stored_types,
    load_only_types as load_only_types,
    run_nested as run_nested,
    with_stored_types as with_stored_types,
)
from .postgres_address import hide_password as hide_password
from .spend_journal import (
    JOURNAL_TABLE as JOURNAL_TABLE,
    SPENDING_SUMS as SPENDING_SUMS,
    JournalEntry as JournalEntry,
    SpendJournal as SpendJournal,
    Statement as Statement,
    TaskJournal as TaskJournal,
    find_task_journal as find_task_journal,
    open_entry as open_entry,
    suspend_journal as suspend_journal,
    use_task_journal as use_task_journal,
)
from .transaction import WorkConnection as WorkConnection
