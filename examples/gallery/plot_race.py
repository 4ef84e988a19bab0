"""
A race as curves
================

Which width of the kernel? All candidates learn the same stream side by side, each row is predicted by every one
before it is learned, and those that are clearly behind leave.
"""

from onkel import FOGDClassifier, RaceClassifier
from onkel.datasets import gaussian_mixture
from onkel.plot import RaceDisplay

X, y = gaussian_mixture(10_000, random_state=0)
grid = {"gamma": [0.01, 0.1, 0.4, 2.0, 10.0, 50.0]}
model = RaceClassifier(candidates=grid, learner=FOGDClassifier(n_components=100), random_state=0)
model.partial_fit(X, y, classes=[-1, 1])
RaceDisplay.from_estimator(model)

# %%
# Who is still in the race, and why the others left:

for place, name in enumerate(model.results_["candidate"]):
    status, rows = model.results_["status"][place], model.results_["rows"][place]
    print(f"{name}: {status}, {rows:,} rows. {model.results_['reason'][place]}")
