"""The command line: how far a pass is. A live line on a terminal, now and then a plain one elsewhere."""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any

from onkel.cli.printing import counted_as

#: Seconds between plain lines: the first soon, then each after a pause half as long again.
FIRST_PAUSE, LONGEST_PAUSE = 5.0, 120.0
LIVE_PAUSE = 0.1


class Progress:
    """Shows rows, rows a second and the current rate; on standard error only."""

    def __init__(self, quiet: bool = False) -> None:
        self.quiet = quiet
        self.total: int | None = None
        self._done = 0  # rows, before this process
        self._status: Any = None
        self._began = time.perf_counter()
        self._next, self._pause = self._began + FIRST_PAUSE, FIRST_PAUSE

    def __enter__(self) -> Progress:
        if not self.quiet and sys.stderr.isatty():
            from rich.console import Console
            from rich.status import Status

            self._status = Status("", console=Console(stderr=True))
            self._status.start()
            self._next = self._began
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._status is not None:
            self._status.stop()

    def begin(self, total: int | None, done: int = 0) -> None:
        """Learning starts, or goes on after so many rows: the clock too."""
        self.total, self._done, self._began = total, done, time.perf_counter()

    def survey(self, rows: int) -> None:
        """The first pass has come so far."""
        self._show(lambda: f"first pass: {rows:,} rows")

    def learned(self, rows: int, rate: str, size: str, seconds: float | None = None) -> None:
        """So many rows were learned, and this is how well; in seconds of learning, if known."""

        def text() -> str:
            passed = time.perf_counter() - self._began if seconds is None else seconds
            speed = (rows - self._done) / max(passed, 1e-9)
            share = f" ({rows / self.total:.0%})" if self.total else ""
            return f"{rows:,} rows{share}, {speed:,.0f} rows/s, {rate}, {size}"

        self._show(text)

    def say(self, text: str) -> None:
        """Another line of progress."""
        self._show(lambda: text)

    def note(self, text: str) -> None:
        """A remark that stays."""
        if self.quiet:
            return
        if self._status is not None:
            self._status.console.print(text, markup=False, highlight=False)
        else:
            print(text, file=sys.stderr, flush=True)

    def _show(self, text: Callable[[], str]) -> None:
        now = time.perf_counter()
        if self.quiet or now < self._next:
            return
        if self._status is not None:
            from rich.text import Text

            self._status.update(Text(text()))
            self._next = now + LIVE_PAUSE
            return
        print(text(), file=sys.stderr, flush=True)
        self._pause = min(1.5 * self._pause, LONGEST_PAUSE)
        self._next = now + self._pause


class Scores:
    """How well a learner predicted before each update: over all rows, and over the last ones."""

    WINDOW = 10_000

    def __init__(
        self, model: Any, of_numbers: bool, looks: Sequence[tuple[int, float]] = ()
    ) -> None:
        self.model, self.of_numbers = model, of_numbers
        self.looks: deque[tuple[int, float]] = deque(looks or [(0, 0.0)])  # rows, total so far

    def look(self) -> None:
        """Note where the learner is."""
        so_far = self.model.progress_
        total = so_far.squared_error * so_far.seen if self.of_numbers else so_far.mistakes
        self.looks.append((so_far.seen, total))
        while len(self.looks) > 2 and self.looks[-1][0] - self.looks[1][0] >= self.WINDOW:
            self.looks.popleft()

    def figures(self) -> dict[str, float]:
        """Mistake rates, or root mean squared errors in the unit of the targets."""
        (before, then), (seen, now) = self.looks[0], self.looks[-1]
        means = now / max(1, seen), (now - then) / max(1, seen - before)
        if not self.of_numbers:
            return {"mistake_rate": means[0], "recent_mistake_rate": means[1]}
        return {"rmse": means[0] ** 0.5, "recent_rmse": max(0.0, means[1]) ** 0.5}

    def text(self) -> str:
        """The same for people."""
        return shown_scores(self.figures())


def shown_scores(figures: dict[str, Any]) -> str:
    """Rates in words."""
    if "mistake_rate" in figures:
        recent = figures["recent_mistake_rate"]
        return f"{figures['mistake_rate']:.2%} mistakes, {recent:.2%} lately"
    recent = figures["recent_rmse"]
    return f"root mean squared error {figures['rmse']:.5g}, {recent:.5g} lately"


def shown_size(model: Any) -> str:
    """How large a model is."""
    from onkel.evaluate import model_size
    from onkel.tables import learner_in

    model = learner_in(model)
    unit = "vector" if hasattr(model, "n_support_") else "feature"
    return counted_as(model_size(model), unit)
