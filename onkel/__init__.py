"""onkel: on-line kernel learning, with models of bounded size."""

from importlib import import_module
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


#: Rooms that are there after ``import onkel``, each imported when it is asked for.
_ROOMS = (
    "balls", "budgets", "datasets", "evaluate", "io", "kernels", "learners", "losses", "maps",
    "report", "reproduce", "rules", "stream", "tasks", "transformers",
)  # fmt: skip


def __getattr__(name: str) -> Any:
    """A learner or a room, when it is asked for: what needs none starts without Numba."""
    if name in __all__:
        return getattr(import_module("onkel.learners"), name)
    if name in _ROOMS:
        return import_module(f"onkel.{name}")
    raise AttributeError(f"module 'onkel' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_ROOMS})
