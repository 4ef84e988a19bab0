"""Reference room: budgets at whose limit a vector goes that is drawn uniformly."""

from typing import Any

from tests.reference.base import Array, Draws, Kernel, Loss, Twin


class RandomVictim(Twin):
    """At full budget one old vector, drawn uniformly, is replaced."""

    def __init__(
        self,
        task: str,
        n_outputs: int,
        kernel: Kernel,
        loss: Loss,
        *,
        budget: int,
        **shared: Any,
    ) -> None:
        super().__init__(task, n_outputs, kernel, loss, **shared)
        self.budget = budget

    def absorb(self, x: Array, coefficient: Array, draws: Draws) -> None:
        if len(self.slots) < self.budget:
            self.append(x, coefficient)
        else:
            self.replace(int(draws.victim * len(self.slots)), x, coefficient)


class RandomVictimUnbiased(RandomVictim):
    """The n - 1 survivors are scaled up by n / (n - 1) (`unbiased`), and all coefficients down until
    none exceeds `largest` (`clip`)."""

    largest: Any

    def __init__(
        self,
        task: str,
        n_outputs: int,
        kernel: Kernel,
        loss: Loss,
        *,
        unbiased: bool = True,
        clip: bool = True,
        **shared: Any,
    ) -> None:
        super().__init__(task, n_outputs, kernel, loss, **shared)
        self.unbiased = unbiased
        self.clip = clip

    def absorb(self, x: Array, coefficient: Array, draws: Draws) -> None:
        n = len(self.slots)
        full = n >= self.budget
        if full and self.unbiased:
            self.shrink(n / (n - 1.0))
        super().absorb(x, coefficient, draws)
        if full and self.clip:
            most = max(float(abs(term.value).max()) for term in self.slots)
            self.shrink(min(self.largest / most, 1.0))
