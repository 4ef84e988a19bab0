"""A rule of one's own: gradient steps that get shorter with the number of updates so far."""

from math import sqrt
from typing import NamedTuple

from sklearn.datasets import make_moons

from onkel import ComposedClassifier
from onkel.losses import Hinge
from onkel.rules import Step


class ShorterAndShorter(NamedTuple):
    size: float
    memory = (0.0,)  # numbers to keep between instances, with their first values

    def step(self, instance, memory):
        slope = instance.weight * instance.slope
        if slope == 0.0:
            return Step(False, 0.0, 1.0)
        memory[0] += 1.0
        return Step(True, -self.size / sqrt(memory[0]) * slope, 1.0)


X, y = make_moons(1_000, noise=0.1, random_state=0)
rule = ShorterAndShorter(1.0)
model = ComposedClassifier(loss=Hinge(), rule=rule, gamma=2.0, random_state=0).fit(X, y)
steps = sorted(abs(model.dual_coef_[0]), reverse=True)
print(f"{model.score(X, y):.3f}", steps[:3])
assert model.score(X, y) > 0.95
assert abs(steps[1] - 1 / sqrt(2)) < 1e-9
