"""
Text: where does a sentence come from?
======================================

Lines of documentation of four packages, as sparse rows of hashed words: 2¹⁸ columns, most of which never turn up.
BSGD keeps the words of its support vectors only. The packages are installed with onkel, so that this example needs
no network.
"""

import inspect

import numpy as np
import scipy.signal
import scipy.stats
import sklearn.cluster
import sklearn.linear_model
from sklearn.feature_extraction.text import HashingVectorizer

from onkel import BSGDClassifier
from onkel.plot import ProgressDisplay

places = {
    "arrays": [np, np.linalg],
    "signals": [scipy.signal],
    "statistics": [scipy.stats],
    "learning": [sklearn.linear_model, sklearn.cluster],
}
lines, topics = [], []
for topic, modules in places.items():
    found = {
        line.strip()
        for module in modules
        for name in dir(module)
        for line in (inspect.getdoc(getattr(module, name)) or "").splitlines()
        if len(line.split()) > 7 and ">>>" not in line
    }
    chosen = sorted(found)[:800]
    lines += chosen
    topics += [topic] * len(chosen)

order = np.random.default_rng(0).permutation(len(lines))
X = HashingVectorizer(n_features=2**18).transform([lines[i] for i in order])
y = np.array(topics)[order]
print(X.shape, f"{X.nnz / X.shape[0]:.1f} words a line")

# %%
# One pass, row after row; with more vectors fewer mistakes:

learners = {
    f"{budget} vectors": BSGDClassifier(budget=budget, gamma=1.0, random_state=0)
    for budget in (20, 200)
}
ProgressDisplay.from_estimator(learners, X, y, measures=("rate", "size"))
