"""How Moot says no to input: which key, which value, what to do instead."""

LANGUAGE_TAG = r"^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$"
"""A BCP-47 tag."""

OWN_TAG = rf"^$|{LANGUAGE_TAG}"
"""The tag of one's own language, or nothing where it is the run's."""


class Refused(ValueError):
    """Input that cannot be used, found before any model was called.

    `key` names the setting, `value` what was given (shortened), `remedy` what would be accepted.
    """

    def __init__(self, key: str, value: object, remedy: str) -> None:
        shown = repr(value)
        shown = shown if len(shown) <= 80 else shown[:77] + "..."
        super().__init__(f"{key} = {shown}: {remedy}")
        self.key, self.value, self.remedy = key, value, remedy

    def __reduce__(self) -> tuple[type["Refused"], tuple[str, object, str]]:
        return type(self), (self.key, self.value, self.remedy)
