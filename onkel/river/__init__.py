"""At home in river: every online learner of onkel as a model of river's, and random Fourier features.

They have the names and parameters of onkel's learners, but for those of ``fit``; ``random_state`` is called ``seed``,
as everywhere in river. Rows are dicts, whose features come and go; labels are whatever comes.

>>> from river import datasets, evaluate, metrics, preprocessing
>>> from onkel.river import FOGDClassifier
>>> model = preprocessing.StandardScaler() | FOGDClassifier(n_components=100, seed=0)
>>> metric = evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
>>> metric.get() > 0.85
True
"""

from typing import Any

try:
    import river as _river  # noqa: F401
except ModuleNotFoundError as _reason:
    raise ModuleNotFoundError(
        "onkel.river needs river: pip install 'onkel[river]'.", name="river"
    ) from _reason

import onkel
from onkel.river.fourier import RandomFourier
from onkel.river.making import is_online, made_for

_LEARNERS = {
    name: made_for(getattr(onkel, name), __name__)
    for name in onkel.__all__
    if is_online(getattr(onkel, name))
}
globals().update(_LEARNERS)

__all__ = ["RandomFourier", *_LEARNERS]


def __getattr__(name: str) -> Any:
    """Type checkers see here that there is more than they can read."""
    raise AttributeError(f"module 'onkel.river' has no attribute {name!r}")
