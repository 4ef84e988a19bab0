"""
A stream that changes, with drifts marked
=========================================

Twice in this stream all labels are turned round. A learner with a long memory has to unlearn everything; one that is
watched gives way to a fresh one; one with ``half_life="auto"`` finds out how fast to forget.
"""

import matplotlib.pyplot as plt

from onkel import FOGDClassifier
from onkel.datasets import gaussian_mixture
from onkel.drift import DriftAware
from onkel.plot import DriftDisplay

X, y = gaussian_mixture(15_000, random_state=0)
changes = [5_000, 10_000]
y[5_000:10_000] *= -1
settings = {"n_components": 100, "random_state": 0}
learners = {
    "remembers": FOGDClassifier(**settings),
    "watched": DriftAware(FOGDClassifier(**settings)),
    "half_life='auto'": FOGDClassifier(half_life="auto", **settings),
}
figure, ax = plt.subplots(figsize=(8, 5), layout="constrained")
for name, learner in learners.items():
    known = changes if name == "remembers" else ()
    DriftDisplay.from_estimator(learner, X, y, window=500, changes=known, name=name, ax=ax)

# %%
# What the detector noticed: the row, what the old and the fresh learner lost on the last rows before it, and who went
# on.

for drift in DriftAware(FOGDClassifier(**settings)).fit(X, y).drifts_:
    print(drift)
