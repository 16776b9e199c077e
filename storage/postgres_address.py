"""PostgreSQL addresses, parsed so that they can be shown without their secrets.

Only code that uses a PostgreSQL database imports psycopg.
"""

import re
from urllib.parse import quote, urlencode

import psycopg
from psycopg.conninfo import conninfo_to_dict

from ..state import InputError

SECRET_PARAMETERS = {"password", "sslpassword", "oauth_client_secret"}
"""Parameters of an address that Moot never shows."""

_HOST = re.compile(r"[\w.-]+")


def hide_password(address: str) -> str:
    """Return the address without its password, for display or for a command to copy.

    Raises `InputError` if the text is not a PostgreSQL address.
    """
    try:
        parts = {key: str(part) for key, part in conninfo_to_dict(address).items()}
    except psycopg.ProgrammingError:
        parts = {"port": "none"}
    ports = parts.get("port", "").replace(",", "")
    if (ports and not ports.isdecimal()) or "@" in parts.get("host", ""):
        raise InputError(
            "db",
            "postgresql://…",
            "write postgresql://user@host:5432/name; write @ within a part as %40, or put the password into PGPASSWORD",
        )
    return _format_address(parts) if SECRET_PARAMETERS & set(parts) else address


def _format_address(parts: dict[str, str]) -> str:
    """Format the parts of an address without its secrets.

    A host that is a folder, or a list of hosts, goes into the query part at the end.
    """
    query_parts = {key: part for key, part in parts.items() if key not in SECRET_PARAMETERS}
    user, host = quote(query_parts.pop("user", ""), safe=""), ""
    name = quote(query_parts.pop("dbname", ""), safe="")
    if _HOST.fullmatch(query_parts.get("host", "")):
        host = ":".join(query_parts.pop(key) for key in ("host", "port") if key in query_parts)
    user_mark, query_mark = "@" if user else "", "?" if query_parts else ""
    return f"postgresql://{user}{user_mark}{host}/{name}{query_mark}{urlencode(query_parts, quote_via=quote)}"
