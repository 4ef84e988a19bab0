"""Agreement room: which twin a learner has, and how the learner's parameters are called there."""

import inspect
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import pairwise

import onkel
from tests.reference import losses
from tests.reference.avm import AVM
from tests.reference.base import Array, Kernel, Loss, Twin
from tests.reference.bsgd import BSGD, NBSGD
from tests.reference.functional import FOGD, NOGD
from tests.reference.online_gradient import BOGD, NORMA, OGD
from tests.reference.passive_aggressive import BPAS, PassiveAggressive
from tests.reference.perceptrons import RBP, Forgetron, Perceptron, Projectron, ProjectronPlusPlus
from tests.reference.ridge import FourierRidge, NystromRidge
from tests.reference.sampled import OSKL, SPA, SPAOneClass
from tests.reference.sgd import SGD

GAMMA = 0.8
OUTPUTS = {"binary": 1, "multiclass": 4, "regression": 1, "one class": 1}
MANY_CLASSES = 90


class Family(NamedTuple):
    """One algorithm: classifier, regressor, twin, and their losses where these are fixed."""

    classifier: Any
    regressor: Any
    twin: type[Twin]
    margin_loss: str = ""
    residual_loss: str = ""
    names: Mapping[str, str] = MappingProxyType({})  # of parameters, where the twin has others


FAMILIES = {
    "SGD": Family(onkel.KernelSGDClassifier, onkel.KernelSGDRegressor, SGD),
    "BSGD": Family(onkel.BSGDClassifier, onkel.BSGDRegressor, BSGD),
    "NBSGD": Family(onkel.NBSGDClassifier, onkel.NBSGDRegressor, NBSGD),
    "AVM": Family(onkel.AVMClassifier, onkel.AVMRegressor, AVM),
    "OGD": Family(onkel.OGDClassifier, onkel.OGDRegressor, OGD),
    "BOGD": Family(onkel.BOGDClassifier, onkel.BOGDRegressor, BOGD),
    "NORMA": Family(
        onkel.NORMAClassifier, onkel.NORMARegressor, NORMA, "hinge", "epsilon_insensitive"
    ),
    "OSKL": Family(onkel.OSKLClassifier, None, OSKL, names={"sampling": "slope_bound"}),
    "FOGD": Family(onkel.FOGDClassifier, onkel.FOGDRegressor, FOGD),
    "NOGD": Family(
        onkel.NOGDClassifier, onkel.NOGDRegressor, NOGD, names={"rank": "n_components"}
    ),
    "FourierRidge": Family(
        onkel.FourierRidgeClassifier, onkel.FourierRidgeRegressor, FourierRidge, "hinge", "l2"
    ),
    "NystromRidge": Family(
        onkel.NystromRidgeClassifier, onkel.NystromRidgeRegressor, NystromRidge, "hinge", "l2"
    ),
    "PA": Family(
        onkel.PAClassifier, onkel.PARegressor, PassiveAggressive, "hinge", "epsilon_insensitive",
        {"C": "aggressiveness"},
    ),
    "BPAS": Family(
        onkel.BPASClassifier, None, BPAS, "hinge", names={"C": "aggressiveness"}
    ),
    "SPA": Family(
        onkel.SPAClassifier, onkel.SPARegressor, SPA, "hinge", "epsilon_insensitive",
        {"loss_cap": "alpha", "sampling": "beta"},
    ),
    "SPAOneClass": Family(
        onkel.SPAOneClass, None, SPAOneClass, "hinge",
        names={"loss_cap": "alpha", "sampling": "beta"},
    ),
    "Perceptron": Family(
        onkel.KernelPerceptronClassifier, onkel.KernelPerceptronRegressor, Perceptron, "hinge", "l1"
    ),
    "RBP": Family(onkel.RBPClassifier, onkel.RBPRegressor, RBP, "hinge", "l1"),
    "Forgetron": Family(
        onkel.ForgetronClassifier, onkel.ForgetronRegressor, Forgetron, "hinge", "l1"
    ),
    "Projectron": Family(
        onkel.ProjectronClassifier, onkel.ProjectronRegressor, Projectron, "hinge", "l1"
    ),
    "Projectron++": Family(
        onkel.ProjectronPPClassifier, None, ProjectronPlusPlus, "hinge", names={"U": "caution"}
    ),
}  # fmt: skip

#: Parameters that shape the loss or the kernel, and are no parameters of a twin.
LOSS_PARAMETERS = {"epsilon": 0.1, "tau": 0.5, "theta": 0.2, "mu": 0.5}
KERNEL_PARAMETERS = {"degree": 3, "coef0": 0.0}


def loss_pair(name: str, settings: dict[str, Any]) -> Loss:
    """Value and slope of a loss by its name, that of its function; defaults are those of the estimators."""
    given = LOSS_PARAMETERS | {k: v for k, v in settings.items() if k in LOSS_PARAMETERS}
    make: Callable[..., Loss] = getattr(losses, name)
    return make(**{field: given[field] for field in inspect.signature(make).parameters})


def own_kernel(A: Any, B: Any) -> Array:
    """A kernel that onkel does not know: the sum of two Gaussians."""
    square = pairwise.euclidean_distances(A, B, squared=True)
    return np.array(0.5 * np.exp(-0.5 * square) + 0.5 * np.exp(-2.0 * square))


def matern(twice_the_smoothness: int, exponent: float) -> float:
    """Matérn's kernel where a Gaussian one is exp(-exponent)."""
    z = np.sqrt(2 * twice_the_smoothness * exponent)
    series = 1 + z if twice_the_smoothness == 3 else 1 + z + z * z / 3
    return float(series * np.exp(-z))


def kernel_function(kernel: Any, settings: dict[str, Any]) -> Kernel:
    """k(x, v) of two rows, for a twin."""
    given = KERNEL_PARAMETERS | {k: v for k, v in settings.items() if k in KERNEL_PARAMETERS}

    def square(x: Array, v: Array) -> float:
        gap = x - v
        return float(gap @ gap)

    made: dict[Any, Kernel] = {
        "rbf": lambda x, v: float(np.exp(-GAMMA * square(x, v))),
        "laplacian": lambda x, v: float(np.exp(-GAMMA * np.abs(x - v).sum())),
        "linear": lambda x, v: float(x @ v),
        "polynomial": lambda x, v: float((GAMMA * (x @ v) + given["coef0"]) ** given["degree"]),
        "matern32": lambda x, v: matern(3, GAMMA * square(x, v)),
        "matern52": lambda x, v: matern(5, GAMMA * square(x, v)),
        "rational_quadratic": lambda x, v: 1 / (1 + GAMMA * square(x, v)),
        "sigmoid": lambda x, v: float(np.tanh(GAMMA * (x @ v) + given["coef0"])),
        own_kernel: lambda x, v: float(
            0.5 * np.exp(-0.5 * square(x, v)) + 0.5 * np.exp(-2.0 * square(x, v))
        ),
    }
    chosen, known = made[kernel], dict[bytes, float]()

    def remembered(x: Array, v: Array) -> float:
        """Twins ask for the same values again and again."""
        pair = x.tobytes() + v.tobytes()
        if pair not in known:
            known[pair] = chosen(x, v)
        return known[pair]

    return remembered
