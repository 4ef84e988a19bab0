"""onkel: on-line kernel learning, with models of bounded size."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # for type checkers; when the program runs, see __getattr__
    from onkel.estimators.merging import SupportsMerge  # noqa: F401
    from onkel.estimators.scales import ScaleWarning  # noqa: F401
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
    from onkel.learners.ridge import (
        FourierRidgeClassifier,
        FourierRidgeRegressor,
        NystromRidgeClassifier,
        NystromRidgeRegressor,
    )
    from onkel.learners.sgd import KernelSGDClassifier, KernelSGDRegressor
    from onkel.learners.spa import SPAClassifier, SPAOneClass, SPARegressor
    from onkel.race import RaceClassifier, RaceRegressor  # noqa: F401
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
    "FourierRidgeClassifier",
    "FourierRidgeRegressor",
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
    "NystromRidgeClassifier",
    "NystromRidgeRegressor",
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
#: The only place where the version stands.
__version__ = "0.2.0"

#: Rooms that are there after ``import onkel``, each imported when it is asked for.
_ROOMS = (
    "balls", "budgets", "dask", "datasets", "drift", "evaluate", "io", "kernels", "learners", "losses", "maps",
    "plot", "race", "report", "reproduce", "river", "rules", "stream", "tables", "tasks", "transformers",
)  # fmt: skip
#: What stands beside the learners, and the room in which it is found.
_BESIDE = {
    "Nystrom": "transformers", "RaceClassifier": "race", "RaceRegressor": "race",
    "RandomFourier": "transformers", "ScaleWarning": "estimators.scales",
    "StreamPipeline": "tables", "SupportsMerge": "estimators.merging", "TableEncoder": "tables",
    "make_stream_pipeline": "tables",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    """A learner, a transformer, a warning or a room, when it is asked for: what needs none starts without Numba."""
    if name in __all__:
        return _learner(name)
    if name in _BESIDE:
        return getattr(import_module(f"onkel.{_BESIDE[name]}"), name)
    if name in _ROOMS:
        return import_module(f"onkel.{name}")
    raise AttributeError(f"module 'onkel' has no attribute {name!r}")


def _learner(name: str) -> Any:
    """The learner, looked for in the files of ``onkel.learners``."""
    from pkgutil import iter_modules

    for file in iter_modules(import_module("onkel.learners").__path__, "onkel.learners."):
        family = import_module(file.name)
        if hasattr(family, name):
            return getattr(family, name)
    raise AttributeError(f"onkel.__all__ names {name!r}, but no file of onkel.learners has it")


def show_versions() -> None:
    """
    Print what a report of a problem should tell: versions of Python, onkel, and of what it uses.

    Extras that are not installed have a dash. Nothing is imported for it.

    Examples
    --------
    >>> import onkel
    >>> onkel.show_versions()  # doctest: +ELLIPSIS
    python ...
    system ...
    onkel ...
    """
    import platform
    import re
    from importlib.metadata import PackageNotFoundError, requires, version

    def found(package: str) -> str:
        try:
            return version(package)
        except PackageNotFoundError:
            return "-"

    try:
        needs = requires("onkel") or []
    except PackageNotFoundError:  # used from its folder, without being installed
        needs = ["numpy", "scipy", "scikit-learn", "numba"]
    for_users = [need for need in needs if not re.search("extra == .(test|dev|docs)", need)]
    names = [re.split(r"[^\w.-]", need)[0] for need in for_users]
    shown = {
        "python": platform.python_version(),
        "system": platform.platform(),
        "onkel": __version__,
    }
    shown |= {name: found(name) for name in dict.fromkeys(names) if name != "onkel"}
    for name, number in shown.items():
        print(f"{name} {number}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_BESIDE, *_ROOMS})
