"""A learner of one's own: flat parameters, and a composition of parts."""

import numpy as np
from sklearn.base import clone
from sklearn.datasets import make_moons
from sklearn.model_selection import cross_val_score

from onkel.budgets import DropOldest
from onkel.engine.machine import Recipe
from onkel.estimators.classifier import OnlineClassifier
from onkel.estimators.kernels import AnyKernel
from onkel.estimators.parameters import declared, parameter
from onkel.losses import Logistic
from onkel.rules import ConstantStep


@declared
class SlidingLogisticClassifier(AnyKernel, OnlineClassifier):
    """Logistic regression in feature space, on the rows that were learned last."""

    step: float = parameter(default=0.5, above=0, doc=r"Step size :math:`\eta`.")
    memory: int = parameter(default=200, kind=int, at_least=1, doc="Rows that are kept.")

    def compose(self, look):
        return Recipe(Logistic(), ConstantStep(self.step), DropOldest(self.memory))


X, y = make_moons(1_000, noise=0.1, random_state=0)
model = SlidingLogisticClassifier(gamma=2.0, random_state=0)
print(cross_val_score(clone(model), X, y, cv=3))
model.partial_fit(X, np.where(y == 1, "upper", "lower"), classes=["lower", "upper"])
print(model.n_support_, model.predict(X[:3]), model.predict_proba(X[:3]).round(2))
assert model.n_support_ == 200
assert set(model.classes_) == {"lower", "upper"}
try:
    SlidingLogisticClassifier(memory=0).fit(X, y)
    raise AssertionError("a memory of 0 was not refused")
except ValueError as error:
    print(error)
