"""A race, made up, as `onkel.evaluate.run.race_of` tells of one: of three candidates one leaves, one returns."""

from typing import Any

import numpy as np

NAN = float("nan")
CANDIDATES = ["steady", "</title>late", "returns"]
LOSS = np.array(
    [
        [0.30, 0.50, 0.60],
        [0.20, 0.45, NAN],
        [0.20, 0.10, NAN],
        [0.20, NAN, 0.30],
        [0.20, NAN, 0.10],
        [0.20, NAN, 0.05],
    ]
)


def made_up_race() -> dict[str, dict[str, Any]]:
    """In order of rank: the one that returned leads, the steady one races, the late one left at row 300."""
    return {
        "results": {
            "rank": [1, 2, 3],
            "candidate": ["returns", "steady", "</title>late"],
            "params": [{"gamma": 1.0}, {"gamma": 2.0}, {"gamma": 3.0}],
            "status": ["leader", "racing", "left"],
            "rows": [400, 600, 300],
            "loss": [0.26, 0.22, 0.35],
            "recent_loss": [0.05, 0.2, 0.1],
            "share": [0.75, 0.25, 0.0],
            "left_at": [None, None, 300],
            "reason": ["", "", "behind steady by 0.1"],
        },
        "curves": {
            "rows": [100, 200, 300, 400, 500, 600],
            "candidates": CANDIDATES,
            "loss": LOSS.tolist(),
            "answer": [0.3, 0.2, 0.1, 0.2, 0.1, 0.05],
            "leader": [0, 0, 1, 0, 2, 2],
        },
    }
