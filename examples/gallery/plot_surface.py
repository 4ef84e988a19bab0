"""
Decision surface, support vectors and cells
===========================================

AVM covers the input with cells and charges everything that happens in a cell to its core point. So the model is as
large as the data is wide, not as long.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_moons

from onkel import AVMClassifier, BSGDClassifier, NOGDClassifier
from onkel.plot import DecisionSurfaceDisplay

X, y = make_moons(2_000, noise=0.2, random_state=0)
models = [
    AVMClassifier(diameter=0.5, gamma=2.0, random_state=0),
    BSGDClassifier(budget=20, gamma=2.0, random_state=0),
    NOGDClassifier(budget=50, gamma=2.0, random_state=0),
]
figure, axes = plt.subplots(1, 3, figsize=(15, 4.5), layout="constrained")
for model, ax in zip(models, axes):
    model.fit(X, y)
    DecisionSurfaceDisplay.from_estimator(model, X[:300], y[:300], ax=ax, resolution=100)
    ax.set_title(
        f"{type(model).__name__}: {model.n_support_} vectors, {model.score(X, y):.1%} right"
    )

# %%
# AVM's core points lie evenly where there are rows. BSGD merges its vectors where it must, NOGD keeps the first
# rows that it got wrong and goes on with features made of them.
#
# A model also tells of itself where it is the last line of a cell:

models[0]
