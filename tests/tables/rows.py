"""Random tables of words with everything in them, for the tests of this room."""

from __future__ import annotations

from datetime import datetime, timedelta

import numpy as np

NAMES = [
    "size", "rows", "job", "many", "when", "day", "sure", "same", "late", "name", "early", "odd", "code",
]  # fmt: skip


def random_rows(count: int, seed: int = 0) -> list[dict[str, str | None]]:
    """Rows of words: numbers with outliers, words of every frequency, dates, booleans, gaps, constants."""
    rng = np.random.default_rng(seed)
    start = datetime(2023, 5, 1)
    rows: list[dict[str, str | None]] = []
    for number in range(count):
        moment = start + timedelta(hours=int(rng.integers(0, 24 * 500)))
        row: dict[str, str | None] = {
            "size": f"{rng.normal(50, 9):.3f}" if number != 3 else "1e9",
            "rows": str(1000 + number),
            "job": ["cook", "clerk", "nurse", "?"][rng.choice(4, p=[0.5, 0.3, 0.1, 0.1])],
            "many": f"w{int(rng.zipf(1.4)) % 400}",
            "when": moment.isoformat() + "Z" if rng.random() > 0.1 else "",
            "day": moment.date().isoformat(),
            "sure": rng.choice(["true", "False"]) if rng.random() > 0.05 else None,
            "same": "7",
            "late": "" if number < 100 else f"{rng.exponential(3):.2f}",
            "name": f"person {number}",
            "early": f"{rng.integers(0, 5)}" if number < 60 or rng.random() > 0.2 else "NA",
            "odd": ["1", "2", "x"][rng.integers(0, 3)],
            "code": "inf" if rng.random() < 0.02 else f"{rng.integers(0, 9)}e{rng.integers(0, 3)}",
        }
        rows.append(row)
    return rows


def as_columns(rows: list[dict[str, str | None]]) -> dict[str, list[str | None]]:
    return {name: [row[name] for row in rows] for name in NAMES}


def random_cuts(count: int, seed: int) -> list[slice]:
    """Pieces of a stream of `count` rows, small ones and large ones."""
    rng = np.random.default_rng(seed)
    cuts, start = [], 0
    while start < count:
        stop = min(count, start + int(rng.choice([1, 2, 7, 40, 300])))
        cuts.append(slice(start, stop))
        start = stop
    return cuts
