"""onkel: on-line kernel learning, with models of bounded size."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # for type checkers; when the program runs, see __getattr__
    from onkel.learners.avm import AVMClassifier, AVMRegressor
    from onkel.learners.bsgd import BSGDClassifier, BSGDRegressor, NBSGDClassifier, NBSGDRegressor
    from onkel.learners.composed import ComposedClassifier, ComposedRegressor
    from onkel.learners.csvrg import CSVRGClassifier
    from onkel.learners.fogd import FOGDClassifier, FOGDRegressor
    from onkel.learners.llsvm import LLSVMClassifier
    from onkel.learners.nogd import NOGDClassifier, NOGDRegressor
    from onkel.learners.online_gradient import (
        BOGDClassifier,
        BOGDRegressor,
        NORMAClassifier,
        NORMARegressor,
        OGDClassifier,
        OGDRegressor,
        OSKLClassifier,
    )
    from onkel.learners.passive_aggressive import BPASClassifier, PAClassifier, PARegressor
    from onkel.learners.perceptron import (
        ForgetronClassifier,
        ForgetronRegressor,
        KernelPerceptronClassifier,
        KernelPerceptronRegressor,
        ProjectronClassifier,
        ProjectronPPClassifier,
        ProjectronRegressor,
        RBPClassifier,
        RBPRegressor,
    )
    from onkel.learners.sgd import KernelSGDClassifier, KernelSGDRegressor
    from onkel.learners.spa import SPAClassifier, SPAOneClass, SPARegressor
    from onkel.tables import StreamPipeline, TableEncoder, make_stream_pipeline  # noqa: F401
    from onkel.transformers import Nystrom, RandomFourier  # noqa: F401

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

#: Files of ``onkel.learners`` in which a learner is looked for.
_FAMILIES = (
    "avm", "bsgd", "composed", "csvrg", "fogd", "llsvm", "nogd", "online_gradient",
    "passive_aggressive", "perceptron", "sgd", "spa",
)  # fmt: skip
#: Rooms that are there after ``import onkel``, each imported when it is asked for.
_ROOMS = (
    "balls", "budgets", "datasets", "evaluate", "io", "kernels", "learners", "losses", "maps",
    "report", "reproduce", "rules", "stream", "tables", "tasks", "transformers",
)  # fmt: skip
#: What stands beside the learners, and the room in which it is found.
_BESIDE = {
    "Nystrom": "transformers", "RandomFourier": "transformers", "StreamPipeline": "tables",
    "TableEncoder": "tables", "make_stream_pipeline": "tables",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    """A learner, a transformer or a room, when it is asked for: what needs none starts without Numba."""
    if name in __all__:
        families = (import_module(f"onkel.learners.{family}") for family in _FAMILIES)
        return next(getattr(family, name) for family in families if hasattr(family, name))
    if name in _BESIDE:
        return getattr(import_module(f"onkel.{_BESIDE[name]}"), name)
    if name in _ROOMS:
        return import_module(f"onkel.{name}")
    raise AttributeError(f"module 'onkel' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_BESIDE, *_ROOMS})
