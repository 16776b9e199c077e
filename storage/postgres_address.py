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
        parameters = {key: str(value) for key, value in conninfo_to_dict(address).items()}
    except psycopg.ProgrammingError:
        parameters = {"port": "none"}
    ports = parameters.get("port", "").replace(",", "")
    if (ports and not ports.isdecimal()) or "@" in parameters.get("host", ""):
        raise InputError(
            "db",
            "postgresql://…",
            "write postgresql://user@host:5432/name; write @ within a part as %40, or put the password into PGPASSWORD",
        )
    return _format_address(parameters) if SECRET_PARAMETERS & set(parameters) else address


def _format_address(parameters: dict[str, str]) -> str:
    """Format the parts of an address without its secrets.

    A host that is a folder, or a list of hosts, goes into the query part at the end.
    """
    query_parameters = {key: value for key, value in parameters.items() if key not in SECRET_PARAMETERS}
    user, host = quote(query_parameters.pop("user", ""), safe=""), ""
    name = quote(query_parameters.pop("dbname", ""), safe="")
    if _HOST.fullmatch(query_parameters.get("host", "")):
        host = ":".join(query_parameters.pop(key) for key in ("host", "port") if key in query_parameters)
    user_mark, query_mark = "@" if user else "", "?" if query_parameters else ""
    return f"postgresql://{user}{user_mark}{host}/{name}{query_mark}{urlencode(query_parameters, quote_via=quote)}"
