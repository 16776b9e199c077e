"""Databases, connections, locks, encryption, the checkpoint saver and the clock.

A name is imported at first use, because some modules are slow to load.
"""

from typing import TYPE_CHECKING

from ..state.first_use import import_at_first_use

if TYPE_CHECKING:
    from .checkpoint_order import CheckpointReader, report_damage
    from .checkpoint_saver import SqliteRunSaver
    from .clock import (
        compute_seconds_until,
        count_milliseconds_since,
        format_local_time,
        format_time,
        get_time,
        get_timestamp,
    )
    from .database import (
        BUSY_SECONDS,
        IN_MEMORY,
        choose_read_address,
        connect_sqlite,
        get_default_database,
        is_postgres,
        make_contention_retry,
        set_default_database,
    )
    from .encryption import CIPHER_NAME, Cipher, load_cipher, make_serializer
    from .file_lock import DatabaseFile, hold_file
    from .langgraph_internals import (
        CHECKPOINTER_KEY,
        DURABILITY_KEY,
        LOOKUP_MARK,
        MCP_SESSIONS_KEY,
        NS_SEP,
        READ_KEY,
        find_saver,
        has_token_reader,
        is_nested_run,
        run_nested,
        with_stored_types,
    )
    from .postgres_address import hide_password
    from .spend_journal import (
        JOURNAL_TABLE,
        SPENDING_SUMS,
        JournalEntry,
        SpendJournal,
        Statement,
        TaskJournal,
        find_task_journal,
        open_entry,
        suspend_journal,
        use_task_journal,
    )
    from .transaction import WorkConnection

__getattr__ = import_at_first_use(
    __name__,
    {
        "checkpoint_order": "CheckpointReader report_damage",
        "checkpoint_saver": "SqliteRunSaver",
        "clock": "compute_seconds_until count_milliseconds_since format_local_time format_time get_time get_timestamp",
        "database": (
            "BUSY_SECONDS IN_MEMORY choose_read_address connect_sqlite get_default_database is_postgres "
            "make_contention_retry set_default_database"
        ),
        "encryption": "CIPHER_NAME Cipher load_cipher make_serializer",
        "file_lock": "DatabaseFile hold_file",
        "langgraph_internals": (
            "CHECKPOINTER_KEY DURABILITY_KEY LOOKUP_MARK MCP_SESSIONS_KEY NS_SEP READ_KEY find_saver "
            "is_nested_run has_token_reader run_nested with_stored_types"
        ),
        "postgres_address": "hide_password",
        "spend_journal": (
            "JOURNAL_TABLE JournalEntry SPENDING_SUMS SpendJournal Statement TaskJournal find_task_journal "
            "open_entry suspend_journal use_task_journal"
        ),
        "transaction": "WorkConnection",
    },
)
