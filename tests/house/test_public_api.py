"""What is public is written down: a change of it is a change of that file, and stands in the changelog."""

from difflib import unified_diff

from public_api import COMMAND, PAGE, text


def test_what_is_public_is_what_is_written_down() -> None:
    lines, now = PAGE.read_text("utf-8").splitlines(), text().splitlines()
    changes = "\n".join(unified_diff(lines, now, "written down", "now", n=0, lineterm=""))
    remedy = f"public names changed; if that is meant, say it in CHANGELOG.md and run: {COMMAND}"
    assert not changes, f"{remedy}\n{changes}"
