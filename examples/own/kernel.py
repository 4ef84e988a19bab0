"""A kernel of one's own: Cauchy's, a function of squared distances."""

from typing import NamedTuple

import numpy as np
from sklearn.datasets import make_moons

from onkel import NOGDClassifier


class Cauchy(NamedTuple):
    gamma: float
    geometry = "squared_distances"  # or "products", or "city_block"

    def value(self, g):
        return 1.0 / (1.0 + self.gamma * g)


X, y = make_moons(1_000, noise=0.1, random_state=0)
settings = {"budget": 100, "random_state": 0}
mine = NOGDClassifier(kernel=Cauchy(2.0), **settings).fit(X, y)
theirs = NOGDClassifier(kernel="rational_quadratic", gamma=2.0, **settings).fit(X, y)
print(f"{mine.score(X, y):.3f}")
assert np.allclose(mine.decision_function(X), theirs.decision_function(X))
