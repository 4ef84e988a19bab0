"""
Several learners on one stream
==============================

Every row is predicted before it is learned, so the rows themselves are the test. Four learners go through the same
stream, whose best possible rate of mistakes is known.
"""

from onkel import AVMClassifier, BSGDClassifier, FOGDClassifier, NOGDClassifier
from onkel.datasets import gaussian_mixture, gaussian_mixture_bayes_rate
from onkel.plot import ProgressDisplay

X, y = gaussian_mixture(20_000, random_state=0)
common = {"gamma": 0.4, "random_state": 0}
learners = {
    "AVM": AVMClassifier(diameter=1.0, **common),
    "FOGD": FOGDClassifier(n_components=100, **common),
    "NOGD": NOGDClassifier(budget=200, **common),
    "BSGD": BSGDClassifier(budget=100, **common),
}
display = ProgressDisplay.from_estimator(learners, X, y, measures=("rate", "size"))
bayes = gaussian_mixture_bayes_rate()
display.ax_.axhline(100 * bayes, color="black", linestyle=":", label="best possible")
display.ax_.legend(frameon=False)

# %%
# The same curves over the seconds of learning:

display.plot(measures="window_rate", against="seconds")
