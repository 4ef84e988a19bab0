"""onkel: on-line kernel learning, with models of bounded size."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from onkel.learners import *  # noqa: F403

__all__ = [
    "AVMClassifier",
    "AVMRegressor",
    "BOGDClassifier",
    "BOGDRegressor",
    "BPASClassifier",
    "BSGDClassifier",
    "BSGDRegressor",
    "CSVRGClassifier",
    "ComposedClassifier",
    "ComposedRegressor",
    "FOGDClassifier",
    "FOGDRegressor",
    "ForgetronClassifier",
    "ForgetronRegressor",
    "KernelPerceptronClassifier",
    "KernelPerceptronRegressor",
    "KernelSGDClassifier",
    "KernelSGDRegressor",
    "LLSVMClassifier",
    "NBSGDClassifier",
    "NBSGDRegressor",
    "NOGDClassifier",
    "NOGDRegressor",
    "NORMAClassifier",
    "NORMARegressor",
    "OGDClassifier",
    "OGDRegressor",
    "OSKLClassifier",
    "PAClassifier",
    "PARegressor",
    "ProjectronClassifier",
    "ProjectronPPClassifier",
    "ProjectronRegressor",
    "RBPClassifier",
    "RBPRegressor",
    "SPAClassifier",
    "SPAOneClass",
    "SPARegressor",
]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """A learner, when it is asked for: rooms that need none start without Numba and scikit-learn."""
    if name not in __all__:
        raise AttributeError(f"module 'onkel' has no attribute {name!r}")
    from onkel import learners

    return getattr(learners, name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
