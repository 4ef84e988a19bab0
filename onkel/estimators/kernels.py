"""Kernels as parameters of learners: by name, as a part, or as a function; and what a learner needs of one."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from onkel.budgets.declarations import declared_by
from onkel.engine.machine import Recipe
from onkel.estimators.checks import chosen_gamma
from onkel.estimators.parameters import declared, parameter
from onkel.kernels import (
    Laplacian,
    Linear,
    Matern32,
    Matern52,
    Polynomial,
    RationalQuadratic,
    Rbf,
    Sigmoid,
)
from onkel.kernels.geometry import (
    SQUARED_DISTANCES,
    geometry_of,
    has_nonnegative_diagonal,
    has_spectrum,
    is_bounded_by_origin,
    is_gaussian,
    is_part,
    is_positive_definite,
    is_shift_invariant,
)

KERNELS: dict[str, Any] = {
    "rbf": Rbf,
    "laplacian": Laplacian,
    "matern32": Matern32,
    "matern52": Matern52,
    "rational_quadratic": RationalQuadratic,
    "polynomial": Polynomial,
    "linear": Linear,
    "sigmoid": Sigmoid,
}
#: What a user's kernel part must have.
A_KERNEL = ("value", "geometry")
#: Budgets that keep one of these solve systems with Gram matrices.
OF_GRAM_MATRICES = {"gram", "factor"}


class Need(NamedTuple):
    """What a learner needs of its kernel: in words, and as a question to the kernel."""

    words: str
    holds: Callable[[Any], bool]


ANY = Need("a kernel", lambda kernel: True)
POSITIVE_DEFINITE = Need("a positive definite kernel", is_positive_definite)
NONNEGATIVE_DIAGONAL = Need(
    "a kernel whose k(x, x) is never negative (that of 'sigmoid' is not where coef0 >= 0)",
    has_nonnegative_diagonal,
)
EUCLIDEAN = Need(
    "a function of Euclidean distance", lambda kernel: geometry_of(kernel) == SQUARED_DISTANCES
)
GAUSSIAN = Need("the Gaussian kernel", is_gaussian)
SPECTRAL = Need(
    "a function of the difference of two rows, with frequencies that can be drawn", has_spectrum
)


def kernel_named(name: str, gamma: float = 1.0, degree: int = 3, coef0: float = 0.0) -> Any:
    """The kernel part of this name."""
    given = {"gamma": gamma, "degree": degree, "coef0": coef0}
    cls = KERNELS[name]
    return cls(**{field: given[field] for field in cls._fields if field in given})


def names_for(need: Need) -> tuple[str, ...]:
    """The kernels that fulfil a need, by name."""
    return tuple(name for name in KERNELS if need.holds(kernel_named(name)))


def kernel_parameter(need: Need) -> Any:
    """The parameter ``kernel`` of a learner that needs this, whatever its other parameters are."""
    takes_functions = need.holds(lambda A, B: None)
    words = [f'``"{name}"`` {formula_of(KERNELS[name])}' for name in names_for(need)]
    words.append("or a part, see :mod:`onkel.kernels`")
    if takes_functions:
        words.append("or a function that gets two sets of rows and returns their kernel values")
    return parameter(
        default="rbf",
        one_of=names_for(need),
        or_callable=takes_functions,
        or_having=A_KERNEL,
        doc=f"Kernel k: {'; '.join(words)}."
        + (f" This learner needs {need.words}." if need is not ANY else ""),
    )


def formula_of(kernel: Any) -> str:
    """The formula in the docstring of a kernel."""
    found = re.search(":math:`[^`]+`", kernel.__doc__ or "")
    return found[0] if found else ""


@declared
class AnyKernel:
    """Parameters of kernels of inner products, for learners that can take them."""

    degree: int = parameter(default=3, kind=int, at_least=1, doc="Degree of the polynomial kernel.")
    coef0: float = parameter(
        default=0.0,
        kind=float,
        doc="Constant :math:`c_0` of the polynomial and the sigmoid kernel.",
    )


def chosen_kernel(learner: Any, gamma: float) -> Any:
    """The kernel that a learner's parameters name, or bring; an error if it cannot use it."""
    kernel, need = learner.kernel, learner.kernel_need
    if isinstance(kernel, str):
        given = {
            name: getattr(learner, name) for name in ("degree", "coef0") if hasattr(learner, name)
        }
        kernel = kernel_named(kernel, gamma, **given)
    if is_shift_invariant(kernel) and is_positive_definite(kernel):
        check_parameters_of(kernel)
    if not need.holds(kernel):
        names = " or ".join(map(repr, names_for(need)))
        raise ValueError(
            f"kernel={learner.kernel!r} does not go with {type(learner).__name__}, which needs "
            f"{need.words}: kernel must be {names}, or a part that declares as much."
        )
    return kernel


def check_parameters_of(kernel: Any) -> None:
    """Refuse a kernel of distances whose parameters make it none."""
    if not is_bounded_by_origin(kernel):
        raise ValueError(
            f"kernel={kernel!r} must fall from its value at distance 0, and be a number everywhere: give "
            f"it other parameters, such as gamma > 0, or declare positive_definite = False."
        )


def kernel_and_gamma(learner: Any, X: Any) -> tuple[Any, float]:
    """The kernel for these rows, and its gamma: that of the parameters, unless a part brings its own."""
    gamma = chosen_gamma(learner.gamma, X)
    kernel = chosen_kernel(learner, gamma)
    return kernel, getattr(kernel, "gamma", gamma)


def check_kernel_for(recipe: Recipe, kernel: Any) -> None:
    """Refuse a kernel that one of the parts cannot use."""
    declared = declared_by(recipe.budget)
    part, rule = f"budget={type(recipe.budget).__name__}", f"rule={type(recipe.rule).__name__}"
    if declared.reads_distances:
        _require(EUCLIDEAN, part, kernel)
    if declared.needs_gaussian:
        _require(GAUSSIAN, part, kernel)
    if declared.reads_diagonal:
        _require(NONNEGATIVE_DIAGONAL, part, kernel)
    if getattr(recipe.rule, "reads_diagonal", False):
        _require(NONNEGATIVE_DIAGONAL, rule, kernel)
    if OF_GRAM_MATRICES.intersection(declared.keeps):
        _require(POSITIVE_DEFINITE, part, kernel)
    if getattr(recipe.ball, "needs_norm", True):
        _require(POSITIVE_DEFINITE, f"The projection on a {type(recipe.ball).__name__}", kernel)


def _require(need: Need, part: str, kernel: Any) -> None:
    if not need.holds(kernel):
        shown = kernel if is_part(kernel) else f"kernel={kernel!r}"
        raise ValueError(
            f"{part} needs {need.words}, which {shown} is not: kernel must be "
            f"{' or '.join(map(repr, names_for(need)))}, or a part that declares as much."
        )
