"""A loss of one's own: the hinge, cut off where a label is hopeless."""

from typing import NamedTuple

import numpy as np
from sklearn.datasets import make_moons

from onkel import BSGDClassifier


class Ramp(NamedTuple):
    lowest: float = -1.0

    def value(self, m):
        return min(max(0.0, 1.0 - m), 1.0 - self.lowest)

    def slope(self, m):
        return -1.0 if self.lowest < m < 1.0 else 0.0


# Three labels in ten are wrong: at the margins of these the ramp has no slope.
X, y = make_moons(2_000, noise=0.1, random_state=0)
wrong = np.random.default_rng(0).random(2_000) < 0.3
labels = np.where(wrong, 1 - y, y)
settings = {"gamma": 2.0, "budget": 100, "random_state": 0}
hinge = BSGDClassifier(**settings).fit(X, labels)
ramp = BSGDClassifier(loss=Ramp(), **settings).fit(X, labels)
print(f"hinge {hinge.score(X, y):.3f}, ramp {ramp.score(X, y):.3f}")
assert ramp.score(X, y) > 0.9
