"""Reference room: ADWIN with a window of plain lists, and every mean and variance worked out from its numbers."""

import math

import numpy as np

MOST_ALIKE, EVERY, WINDOW_AT_LEAST, PART_AT_LEAST = 5, 32, 10, 5


class AdwinTwin:
    """The window is a list of buckets, the oldest first; a bucket is the list of its numbers."""

    def __init__(self, delta: float, warning_delta: float) -> None:
        self.delta, self.warning_delta = delta, warning_delta
        self.buckets: list[list[float]] = []
        self.seen = 0
        self.drift = self.warning = False

    @property
    def numbers(self) -> list[float]:
        return [x for bucket in self.buckets for x in bucket]

    def update(self, x: float) -> None:
        self.buckets.append([x])
        self.seen += 1
        self.merge()
        self.drift = self.warning = False
        if self.seen % EVERY == 0 and len(self.numbers) > WINDOW_AT_LEAST:
            while self.has_cut(self.delta):
                self.drift = self.warning = True
                del self.buckets[0]
            self.warning = self.warning or self.has_cut(self.warning_delta)

    def merge(self) -> None:
        """Where six buckets are of one size, the two oldest of them become one."""
        size = 1
        while True:
            alike = [i for i, bucket in enumerate(self.buckets) if len(bucket) == size]
            if len(alike) <= MOST_ALIKE:
                return
            first, second = alike[:2]
            self.buckets[first : second + 1] = [self.buckets[first] + self.buckets[second]]
            size *= 2

    def has_cut(self, delta: float) -> bool:
        """Whether the means before and after some bucket differ by more than chance allows."""
        window = np.array(self.numbers)
        confidence = math.log(2 * math.log(len(window)) / delta)
        for k in range(1, len(self.buckets)):
            n = sum(len(bucket) for bucket in self.buckets[:k])
            older, newer = window[:n], window[n:]
            if min(len(older), len(newer)) < PART_AT_LEAST:
                continue
            per = sum(1 / (len(part) - PART_AT_LEAST + 1) for part in (older, newer))
            bound = math.sqrt(2 * per * window.var() * confidence) + 2 / 3 * confidence * per
            if abs(older.mean() - newer.mean()) > bound:
                return True
        return False
