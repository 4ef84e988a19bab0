"""
Outliers
========

SPAOneClass learns what is usual, from few of the rows, and finds its threshold on the way: the quantile of the
scores that rows had before they were learned.
"""

import numpy as np
from sklearn.datasets import make_moons

from onkel import SPAOneClass
from onkel.plot import DecisionSurfaceDisplay

random = np.random.default_rng(0)
usual, _ = make_moons(3_000, noise=0.08, random_state=0)
strange = random.uniform([-2.0, -1.5], [3.0, 2.0], (150, 2))
X = random.permutation(np.vstack([usual, strange]))

model = SPAOneClass(contamination=0.05, gamma=5.0, step=0.02, sampling=10.0, random_state=0).fit(X)
display = DecisionSurfaceDisplay.from_estimator(model, X[::4])
display.ax_.set_title(f"{model.n_support_} of {len(X):,} rows are kept; outliers lie in the blue")

# %%
# How many are called outliers, of each kind:

print(
    f"usual {np.mean(model.predict(usual) == -1):.1%}, strange {np.mean(model.predict(strange) == -1):.1%}"
)
