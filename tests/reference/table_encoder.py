"""The table encoder, literally: rows are dicts of words (None for a gap), one at a time.

An encoded row is a dict of the features' names to numbers; a feature that is not in it is zero.
"""

from __future__ import annotations

import math
import zlib
from datetime import UTC, datetime
from itertools import pairwise


def renewals(look):
    """Row counts at which what was learned takes effect: look times 1, 2, 4, 8, 16, 24, 32, ..."""
    count = look
    while True:
        yield count
        count += min(count, 8 * look)


def as_number(word):
    try:
        value = float(word)
    except ValueError:
        return None
    return None if "_" in word or not word.isascii() else value


def as_days(word):
    if len(word) < 10 or word[4] != "-" or word[7] != "-":
        return None
    try:
        moment = datetime.fromisoformat(word)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds() / 86400


def as_boolean(word):
    return {"true": 1.0, "false": 0.0}.get(word.lower())


class Moments:
    """Running mean and deviation; numbers more than ten deviations away count as if they were there.

    Beyond what was seen so far, a number appears as the farthest that was. Whole numbers are one unit apart at least.
    """

    def __init__(self):
        self.count, self.mean, self.deviation = 0, 0.0, 0.0
        self.seen, self.whole = [], True

    def learn(self, numbers):
        if not numbers:
            return
        self.seen += numbers
        self.whole = all(number == math.floor(number) for number in self.seen)
        mean, deviation = self.mean, self.deviation
        if deviation == 0:
            cut = math.ceil(0.01 * len(numbers)) if len(numbers) >= 10 else 0
            mean, deviation = moments(sorted(numbers)[cut : len(numbers) - cut])
        if deviation > 0:
            low, high = mean - 10 * deviation, mean + 10 * deviation
            numbers = [min(max(number, low), high) for number in numbers]
        m, s = moments(numbers)
        n, k = self.count, len(numbers)
        total = (n * self.mean + k * m) / (n + k)
        square = n * (self.deviation**2 + (self.mean - total) ** 2) + k * (s**2 + (m - total) ** 2)
        self.count, self.mean, self.deviation = n + k, total, math.sqrt(square / (n + k))
        if self.deviation <= 1e-12 * abs(self.mean):
            self.deviation = 0.0

    def scaled(self, number):
        if self.deviation == 0:
            return 0.0
        unit = max(self.deviation, 1.0) if self.whole else self.deviation
        number = min(max(number, min(self.seen)), max(self.seen))
        return min(max((number - self.mean) / unit, -10.0), 10.0)


def moments(numbers):
    mean = math.fsum(numbers) / len(numbers)
    deviation = math.sqrt(math.fsum((number - mean) ** 2 for number in numbers) / len(numbers))
    return mean, 0.0 if deviation <= 1e-12 * abs(mean) else deviation


class NumberColumn:
    def __init__(self, name):
        self.name, self.moments = name, Moments()

    def learn(self, words):
        self.moments.learn([as_number(word) for word in words])

    def is_gap(self, word):
        value = as_number(word)
        return value is None or not abs(value) <= 1e100

    def encode(self, word):
        return {self.name: self.moments.scaled(as_number(word))}

    def gap(self):
        return {}


class BooleanColumn:
    def __init__(self, name):
        self.name, self.ones, self.count = name, 0, 0

    def is_gap(self, word):
        return as_boolean(word) is None

    def learn(self, words):
        self.ones += sum(as_boolean(word) for word in words)
        self.count += len(words)

    def encode(self, word):
        return {self.name: as_boolean(word)}

    def gap(self):
        return {self.name: self.ones / self.count}


class DateColumn:
    def __init__(self, name, first_words):
        self.name, self.moments = name, Moments()
        self.circles = {"season": 365.2425, "weekday": 7.0}
        if any(as_days(word) % 1 for word in first_words):
            self.circles["hour"] = 1.0

    def is_gap(self, word):
        return as_days(word) is None

    def learn(self, words):
        self.moments.learn([as_days(word) for word in words])

    def encode(self, word):
        days = as_days(word)
        row = {f"{self.name}_trend": self.moments.scaled(days)}
        for circle, length in self.circles.items():
            angle = 2 * math.pi * ((days / length) % 1)
            row[f"{self.name}_{circle}_sin"] = math.sin(angle)
            row[f"{self.name}_{circle}_cos"] = math.cos(angle)
        return row

    def gap(self):
        return {}


class WordColumn:
    def __init__(self, name, max_words, min_count, n_hashed):
        self.name = name
        self.max_words, self.min_count, self.n_hashed = max_words, min_count, n_hashed
        self.own, self.counts, self.hashing = [], {}, False

    def is_gap(self, word):
        return False

    def learn(self, words):
        for word in dict.fromkeys(words):
            if self.hashing:
                return
            if word in self.own:
                continue
            self.counts[word] = self.counts.get(word, 0) + words.count(word)
            if self.counts[word] >= self.min_count:
                if len(self.own) == self.max_words:
                    self.hashing = True
                else:
                    self.own.append(word)
                    del self.counts[word]
        if len(self.counts) > 16 * self.max_words:
            self.hashing = True

    def encode(self, word):
        if word in self.own:
            return {f"{self.name}={word}": 1.0}
        if self.hashing:
            return {f"{self.name}#{zlib.crc32(word.encode()) % self.n_hashed}": 1.0}
        return {f"{self.name}=<rare>": 1.0}

    def gap(self):
        return {}


class LeftOut:
    def is_gap(self, word):
        return False

    def learn(self, words):
        pass

    def encode(self, word):
        return {}

    def gap(self):
        return {}


class TableTwin:
    """Learns rows one by one (`see`), and encodes a row by what is known (`encode`)."""

    def __init__(
        self, names, look=512, missing=("", "?", "NA"), max_words=256, min_count=5, n_hashed=64
    ):
        self.names, self.look, self.missing = names, look, missing
        self.word_settings = (max_words, min_count, n_hashed)
        self.columns, self.marked = {}, set()
        self.rows, self.block = 0, []
        self.renewals = renewals(look)
        self.next = next(self.renewals)

    def see(self, row):
        self.block.append(row)
        self.rows += 1
        if self.rows == self.next:
            self.learn_block()
            self.next = next(self.renewals)

    def is_gap(self, name, word):
        if word is None or word in self.missing:
            return True
        column = self.columns.get(name)
        return column is not None and column.is_gap(word)  # of another kind, or beyond all numbers

    def learn_block(self):
        first = not self.columns
        for name in self.names:
            if self.columns.get(name) is None:
                words = [row[name] for row in self.block if not self.is_gap(name, row[name])]
                self.columns[name] = self.decided(name, words)
            column = self.columns[name]
            words = [row[name] for row in self.block if not self.is_gap(name, row[name])]
            gaps = any(self.is_gap(name, row[name]) for row in self.block)
            if first and gaps and not isinstance(column, LeftOut):
                self.marked.add(name)
            if column is not None:
                column.learn(words)
        self.block = []

    def decided(self, name, words):
        if not words:
            return None  # only gaps so far
        numbers = [as_number(word) for word in words]
        if None not in numbers and not any(abs(number) <= 1e100 for number in numbers):
            return None
        if None not in numbers:
            steps = {b - a for a, b in pairwise(numbers)}
            counts = steps == {1} and len(words) >= 32 and len(words) == len(self.block)
            return LeftOut() if counts else NumberColumn(name)
        if all(as_days(word) is not None for word in words):
            return DateColumn(name, words)
        if all(as_boolean(word) is not None for word in words):
            return BooleanColumn(name)
        if len(words) >= 32 and len(set(words)) > 0.95 * len(words):
            return LeftOut()
        return WordColumn(name, *self.word_settings)

    def encode(self, row):
        encoded = {}
        for name in self.names:
            column, word = self.columns[name], row[name]
            if isinstance(column, LeftOut):
                continue
            if self.is_gap(name, word):
                encoded.update(column.gap() if column else {})
                mark = f"{name}=<gap>" if name in self.marked else "<other gaps>"
                encoded[mark] = 1.0
            elif column is not None:
                encoded.update(column.encode(word))
        return encoded


def streamed(twin, rows):
    """What a learner behind the encoder gets: each row by what was known before it, the first by their own look."""
    encoded, held = [], []
    for row in rows:
        if twin.rows < twin.look:
            held.append(row)
            twin.see(row)
            if twin.rows == twin.look:
                encoded = [twin.encode(each) for each in held]
        else:
            encoded.append(twin.encode(row))
            twin.see(row)
    return encoded
