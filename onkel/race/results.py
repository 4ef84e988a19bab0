"""What a race has to tell: the table of its candidates, and its curves."""

from __future__ import annotations

from typing import Any

import numpy as np

from onkel.race.standings import (
    BEHIND,
    COUNT,
    DIVERGED,
    GAP,
    LEFT_AT,
    LOST,
    MIXES,
    RACING,
    RIVAL,
    SEEN,
    SHARE,
    WHY,
    mean_losses,
)


def results_of(machine: Any, names: list[str], params: list[dict[str, Any]]) -> dict[str, list]:
    """The table, the best first: those that race before those that left, the last ones to leave before others."""
    with machine.lock.reading:
        table, leader = machine.standings.table.copy(), machine.standings.leader
        mixes = bool(machine.standings.sums[MIXES])
    means = mean_losses(table)
    left = table[:, LEFT_AT].astype(int)
    racing = table[:, RACING] > 0.0
    order = np.lexsort((means, -left, ~racing, np.arange(len(table)) != leader)).tolist()
    shares = table[:, SHARE] if mixes else np.arange(len(table)) == leader
    status = ["leader" if k == leader else "racing" if racing[k] else "left" for k in order]
    return {
        "rank": list(range(1, len(order) + 1)),
        "candidate": [names[k] for k in order],
        "params": [params[k] for k in order],
        "status": status,
        "rows": [int(table[k, SEEN]) for k in order],
        "loss": [float(table[k, LOST] / max(1.0, table[k, SEEN])) for k in order],
        "recent_loss": [float(means[k]) if table[k, COUNT] else float("nan") for k in order],
        "share": [float(shares[k]) for k in order],
        "left_at": [int(left[k]) if left[k] >= 0 else None for k in order],
        "reason": [reason_of(table[k], names) for k in order],
    }


def reason_of(row: np.ndarray, names: list[str]) -> str:
    """Why a candidate left, in words."""
    if row[LEFT_AT] < 0:
        return ""
    if row[WHY] == DIVERGED:
        return "its scores were not finite any more"
    rival, gap = names[int(row[RIVAL])], f"{row[GAP]:.4g}"
    if row[WHY] == BEHIND:
        return f"behind {rival} by {gap}"
    return f"no better than {rival} (behind by {gap})"


def curves_of(machine: Any, names: list[str]) -> dict[str, Any]:
    """What every candidate lost of late, at places along the stream."""
    with machine.lock.reading:
        points = machine.curves.points.copy()
    return {
        "rows": points[:, 0].astype(int),
        "leader": points[:, 1].astype(int),
        "answer": points[:, 2],
        "loss": points[:, 3:],
        "candidates": list(names),
    }
