"""The address of a PostgreSQL database is shown without its password, and still finds the database."""

import pytest
from moot.state.errors import InputError
from moot.storage.database import is_postgres
from moot.storage.postgres_address import hide_password
from psycopg.conninfo import conninfo_to_dict

SECRETS = {"password", "sslpassword"}


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://moot:geheim@here:5433/runs",
        "postgres://moot:geheim@here/runs?sslmode=require&connect_timeout=3",
        "postgresql://o%27neil%40corp:ge%40heim%2F@here/our%20runs%2F%C3%A9",
        "postgresql://here/runs?user=moot&password=geheim",
        "postgresql://here/runs?pass%77ord=geheim&sslmode=require",
        "postgresql://moot@here/runs?sslpassword=geheim",
        "postgresql://moot:geheim@/runs?host=/run/postgresql",
        "postgresql://moot:geheim@[::1]:5433/runs",
        "postgresql://moot:geheim@one:5432,other:5433/runs?target_session_attrs=read-write",
        "postgresql://:geheim@here/runs",
        "postgresql://moot:gehe?im#[@here/runs",
    ],
)
def test_a_password_is_left_out_and_nothing_else(address: str) -> None:
    shown = hide_password(address)
    assert "geh" not in shown
    told = {key: part for key, part in conninfo_to_dict(address).items() if key not in SECRETS}
    assert conninfo_to_dict(shown) == told


@pytest.mark.parametrize("address", ["postgresql:///runs", "postgresql://moot@here", "postgresql://here?user=moot"])
def test_an_address_without_a_password_is_shown_as_it_was_given(address: str) -> None:
    assert hide_password(address) == address


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://moot:ge/heim@here/runs",
        "postgresql://moot:ge@heim@here/runs",
        "postgresql://here/runs?what=geheim",
    ],
)
def test_what_is_no_address_is_refused_and_not_repeated(address: str) -> None:
    with pytest.raises(InputError, match="write @ within a part as %40") as error:
        hide_password(address)
    assert "heim" not in str(error.value)


def test_the_other_form_of_an_address_is_not_taken_for_the_name_of_a_file() -> None:
    with pytest.raises(InputError, match="postgresql://user@host:5432/name") as error:
        is_postgres("host=here dbname=runs password=geheim")
    assert "geheim" not in str(error.value)
    assert not is_postgres("./host=here.db")
