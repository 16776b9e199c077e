"""The command `moot` for tests: what is printed, what is shown on a terminal, what displays say."""

from command.program import PROGRAM, apart, document, ended, killed, listed, moot, name_of

__all__ = ["PROGRAM", "apart", "document", "ended", "killed", "listed", "moot", "name_of"]
