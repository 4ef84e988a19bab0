"""
A model on two dask workers
===========================

Rows are spread over partitions, here from left to right, so that no worker sees all of the plane. Each learns its
partitions from the same beginning, and the models become one: of ridge regression that of all rows on one machine.

The two workers live in this process, so that the example starts quickly. On a cluster it is
``Client("tcp://scheduler:8786")``, and nothing else changes.
"""

import dask.array as da
import matplotlib.pyplot as plt
import numpy as np
from dask.distributed import Client
from sklearn.base import clone
from sklearn.datasets import make_moons

from onkel import FourierRidgeClassifier
from onkel.dask import DaskClassifier
from onkel.plot import DecisionSurfaceDisplay

X, y = make_moons(4_000, noise=0.2, random_state=0)
order = np.argsort(X[:, 0])
X, y = X[order], y[order]
learner = FourierRidgeClassifier(n_components=50, gamma=2.0, regularization=0.1, random_state=0)

rows, labels = da.from_array(X, chunks=(500, 2)), da.from_array(y, chunks=500)
with Client(processes=False, n_workers=2, threads_per_worker=1, dashboard_address=None):
    together = DaskClassifier(learner).fit(rows, labels)
    right = (together.predict(rows) == labels).mean().compute()  # lazily, block by block
print(f"{right:.1%} of {together.model_.t_:,} rows right")

# %%
# What each half alone would say, and both together:

half = len(X) // 2
models = {
    "left half": clone(learner).fit(X[:half], y[:half]),
    "right half": clone(learner).fit(X[half:], y[half:]),
    "two workers": together.model_,
}
figure, axes = plt.subplots(1, 3, figsize=(15, 4.5), layout="constrained", sharey=True)
for (name, model), ax in zip(models.items(), axes):
    DecisionSurfaceDisplay.from_estimator(model, X[::15], y[::15], ax=ax, resolution=100)
    ax.set_title(f"{name}: {model.score(X, y):.1%} right")

# %%
# The model is an ordinary one, to save or to go on with. How far it is from that of one machine:

alone = clone(learner).fit(X, y)
print(np.abs(alone.decision_function(X) - together.model_.decision_function(X)).max())
