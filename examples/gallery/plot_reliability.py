"""
Probabilities, and whether they are right
=========================================

Scores before each update calibrate probabilities on the way: no rows are set aside. Of the rows that are given a
probability of 0.8, eight in ten should come true.
"""

import matplotlib.pyplot as plt

from onkel import BSGDClassifier, FOGDClassifier
from onkel.datasets import gaussian_mixture
from onkel.evaluate import prequential
from onkel.plot import ReliabilityDisplay

X, y = gaussian_mixture(20_000, random_state=0)
figure, ax = plt.subplots(figsize=(6, 6), layout="constrained")
for learner in (
    FOGDClassifier(gamma=0.4, n_components=100, random_state=0),
    BSGDClassifier(gamma=0.4, budget=100, random_state=0),
):
    run = prequential(learner, (X, y))
    ReliabilityDisplay.from_run(run, ax=ax)
    print(f"{run.learner}: log loss {run.metrics['log_loss']:.4f}")

# %%
# A point is as large as it has rows. What a model says of rows that it has not seen:

test, labels = gaussian_mixture(5_000, random_state=1)
ReliabilityDisplay.from_estimator(learner, test, labels)
