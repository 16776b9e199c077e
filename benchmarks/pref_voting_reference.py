"""Winner sets of an independent library on seeded profiles, which tests/state/count compares with Moot's.

`python benchmarks/pref_voting_reference.py` writes tests/data/pref_voting_*.json; with `--check` it writes nothing and
fails if a file differs from what the installed library gives. Needs the extra `reference`, but not Moot.
A profile is written `abc:2 cab:1`: two ballots a over b over c, one c over a over b.
"""

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from pref_voting.c1_methods import copeland
from pref_voting.iterative_methods import instant_runoff, instant_runoff_for_truncated_linear_orders
from pref_voting.margin_based_methods import beat_path, ranked_pairs
from pref_voting.profiles import Profile
from pref_voting.profiles_with_ties import ProfileWithTies
from pref_voting.scoring_methods import borda, borda_for_profile_with_ties

DATA = Path(__file__).parent.parent / "tests" / "data"
NAMES = "abcdef"
RULES = ["instant_runoff", "ranked_pairs", "schulze", "copeland", "borda"]
Votes = Counter[str]


def draw_profile(rng: random.Random, truncated: bool) -> tuple[str, Votes]:
    """Draw 3 to 6 options and the ballots of 1 to 15 voters.

    In half of the profiles, the voters share a tendency. `truncated`: whether ballots may leave options unranked.
    """
    options = NAMES[: rng.randint(3, 6)]
    has_common_ranking = rng.random() < 0.5
    votes: Votes = Counter()
    for _ in range(rng.randint(1, 15)):
        weights = {
            option: rng.random() + (0.25 * rank if has_common_ranking else 0) for rank, option in enumerate(options)
        }
        ranking = "".join(sorted(options, key=weights.__getitem__))
        votes[ranking[: rng.randint(1, len(options))] if truncated else ranking] += 1
    return options, votes


def compute_complete_winners(options: str, votes: Votes) -> list[list[int]]:
    rankings = [[options.index(name) for name in ballot] for ballot in votes]
    profile = Profile(rankings, list(votes.values()))
    return [
        instant_runoff(profile),
        ranked_pairs(profile, algorithm="from_stacks"),
        beat_path(profile),
        copeland(profile),
        borda(profile),
    ]


def compute_truncated_winners(options: str, votes: Votes) -> list[list[int]]:
    rankings = [{options.index(name): rank for rank, name in enumerate(ballot, 1)} for ballot in votes]
    profile = ProfileWithTies(rankings, list(votes.values()), candidates=list(range(len(options))))
    profile.use_extended_strict_preference()
    return [
        instant_runoff_for_truncated_linear_orders(profile),
        ranked_pairs(profile, algorithm="from_stacks"),
        beat_path(profile),
        copeland(profile),
        borda_for_profile_with_ties(profile),
    ]


def build_reference(
    seed: int, profiles: int, truncated: bool, compute_winners: Callable[[str, Votes], list[list[int]]]
) -> dict[str, object]:
    """Build the content of a reference file.

    The same arguments always give the same profiles.
    """
    rng = random.Random(seed)
    rows = []
    for _ in range(profiles):
        options, votes = draw_profile(rng, truncated)
        sets = [
            "".join(options[winner] for winner in sorted(winner_set)) for winner_set in compute_winners(options, votes)
        ]
        rows.append([options, " ".join(f"{ballot}:{count}" for ballot, count in sorted(votes.items())), *sets])
    return {"seed": seed, "columns": ["options", "profile", *RULES], "rows": rows}


def main() -> int:
    """Write the reference files. With `--check`, return 1 if an existing file differs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    is_check = parser.parse_args().check
    files = {
        DATA / "pref_voting_complete.json": build_reference(1785, 1000, False, compute_complete_winners),
        DATA / "pref_voting_truncated.json": build_reference(1784, 300, True, compute_truncated_winners),
    }
    stale = 0
    for path, content in files.items():
        text = json.dumps(content, separators=(",", ":")).replace('],["', '],\n["') + "\n"
        if not is_check:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            print(f"{path.name} differs from what the library gives", file=sys.stderr)
            stale = 1
    return stale


if __name__ == "__main__":
    raise SystemExit(main())
