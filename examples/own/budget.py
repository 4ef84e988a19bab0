"""A budget of one's own: the first vectors stay, and later steps go to the slot that was filled last."""

from typing import NamedTuple

import numpy as np
from sklearn.datasets import make_moons

from onkel import ComposedClassifier
from onkel.model.slots import append, replace


class KeepFirst(NamedTuple):
    size: int

    def absorb(self, model, workspace, instance, step):
        if not step.take:
            return
        if model.now[0].n < self.size:
            append(model, workspace, instance, step.amount)
        else:
            replace(model, workspace, instance, step.amount, self.size - 1)


X, y = make_moons(1_000, noise=0.1, random_state=0)
settings = {"gamma": 2.0, "shuffle": False, "random_state": 0}
model = ComposedClassifier(budget=KeepFirst(30), **settings).fit(X, y)
endless = ComposedClassifier(**settings).fit(X, y)
print(f"{model.score(X, y):.3f} with {model.n_support_} vectors")
assert model.n_support_ == 30
assert np.allclose(model.support_vectors_[:29], endless.support_vectors_[:29])
