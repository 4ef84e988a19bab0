"""Agreement room: the table. Every learner, every budget, loss, average and kernel at least once.

A case compiles a walk of its own unless it differs from another in numbers or the kernel only,
so variations are spread over the learners instead of multiplied out.
"""

from typing import Any, NamedTuple

from tests.agreement.families import own_kernel


class Case(NamedTuple):
    """One learner with one setting, on one task."""

    family: str
    task: str
    settings: dict[str, Any]
    data: str = "narrow"  # narrow, repeats (of earlier rows), wide, many (classes)
    weighted: bool = False

    @property
    def name(self) -> str:
        parts = [self.family, self.task]
        parts += [f"{k}={getattr(v, '__name__', v)}" for k, v in self.settings.items()]
        parts += [self.data] if self.data != "narrow" else []
        return " ".join(parts + ["weighted"] * self.weighted)


BOTH = ("binary", "multiclass")
ALL = ("binary", "multiclass", "regression")
MARGIN: dict[str, Any] = {"regularization": 0.01}


def cases(family: str, tasks: tuple[str, ...], *, data: str = "narrow", weighted: bool = False,
          **settings: Any) -> list[Case]:  # fmt: skip
    return [Case(family, task, settings, data, weighted) for task in tasks]


B, M, R = ("binary",), ("multiclass",), ("regression",)

GRADIENT = [
    *cases("SGD", ALL, **MARGIN),
    *cases("SGD", B, loss="logistic", average=True, weighted=True, **MARGIN),
    *cases("SGD", B, loss="squared_hinge", regularization=0.3, kernel="polynomial", coef0=1.0),
    *cases("SGD", M, loss="smooth_hinge", average=0.5, **MARGIN),
    *cases("SGD", B, loss="odm", regularization=0.5),
    *cases("SGD", R, loss="l1", average=0.3, kernel="laplacian", **MARGIN),
    *cases("SGD", R, loss="l2", regularization=0.2, dead_zone=0.25),
    *cases("SGD", R, loss="l2", regularization=2.0, weighted=True),
    *cases("SGD", B, regularization=0.05, project=True),
    *cases("SGD", R, loss="l1", regularization=0.05, project=True),
    *cases("SGD", B, data="wide", **MARGIN),
    *cases("SGD", B, kernel=own_kernel, **MARGIN),
    *cases("SGD", B, kernel="matern32", **MARGIN),
    *cases("OGD", B, step=0.3, kernel="sigmoid", coef0=-0.2),
    *cases("OGD", ALL, step=0.3),
    *cases("OGD", B, step=0.3, regularization=0.1, average=0.5, loss="logistic"),
    *cases("OGD", R, step=0.1, loss="epsilon_insensitive", dead_zone=0.2, kernel="linear"),
    *cases("BOGD", ALL, step=0.3, regularization=0.05, budget=7, average=True),
    *cases("BOGD", B, step=0.3, budget=7, weighted=True),
    *cases("BOGD", B, step=0.3, budget=7, rescale=False, weighted=True),
    *cases("NORMA", B + R, step=0.2, regularization=0.05),
    *cases("NORMA", ALL, step=0.2, regularization=0.05, budget=9, weighted=True),
    *cases("OSKL", M, step=0.4, sampling=1.5),
    *cases("OSKL", B, step=0.4, sampling=0.7, loss="logistic", average=False, weighted=True),
    *cases("FOGD", ALL, step=0.5, n_components=20, average=False),
    *cases("FOGD", B, step=0.5, n_components=20, kernel="laplacian", average=0.5, weighted=True),
    *cases("FOGD", B, step=0.5, n_components=20, data="wide"),
    *cases("FOGD", B, step=0.5, n_components=20, kernel="matern32"),
    *cases("NOGD", ALL, step=0.4, budget=20, rank=6, average=False),
    *cases("NOGD", B, step=0.4, budget=20, average=True, weighted=True),
    *cases("NOGD", M, step=0.4, budget=20, rank=6, average=0.4, kernel=own_kernel),
    *cases("NOGD", B, step=0.4, budget=20, rank=6, data="wide"),
    *cases("NOGD", B, step=0.4, budget=20, rank=6, kernel="matern52"),
]

REMOVAL: dict[str, Any] = {"maintenance": "removal", "budget": 8}
EXACT: dict[str, Any] = {"maintenance": "projection", "neighbors": None, "budget": 8}
NEARBY: dict[str, Any] = {"maintenance": "projection", "neighbors": 4, "budget": 8}
MERGING: dict[str, Any] = {"maintenance": "merging", "budget": 8}
GENTLE: dict[str, Any] = {"loss": "l2", "regularization": 0.3}

BUDGETED = [
    *cases("BSGD", ALL, **REMOVAL, **MARGIN),
    *cases("BSGD", B, **REMOVAL, **MARGIN, average=True, weighted=True),
    *cases("BSGD", B, **REMOVAL, **MARGIN, kernel="polynomial", coef0=1.0),
    *cases("BSGD", B, **REMOVAL, **MARGIN, kernel="rational_quadratic"),
    *cases("BSGD", B, **REMOVAL, **MARGIN, kernel=own_kernel, data="repeats"),
    *cases("BSGD", R, **REMOVAL, **GENTLE, weighted=True),
    *cases("BSGD", B, **REMOVAL, **MARGIN, data="wide"),
    *cases("BSGD", ALL, **EXACT, **MARGIN),
    *cases("BSGD", B, **EXACT, **MARGIN, average=0.5, weighted=True),
    *cases("BSGD", B, **EXACT, **MARGIN, data="repeats"),
    *cases("BSGD", B, **EXACT, **MARGIN, kernel="linear"),
    *cases("BSGD", R, **EXACT, **GENTLE, average=True),
    *cases("BSGD", ALL, **NEARBY, **MARGIN),
    *cases("BSGD", B, **NEARBY, **MARGIN, average=0.5, weighted=True, kernel="laplacian"),
    *cases("BSGD", B, **NEARBY, **MARGIN, data="repeats"),
    *cases("BSGD", R, **NEARBY, **GENTLE),
    *cases("BSGD", B, **NEARBY, **MARGIN, data="wide"),
    *cases("BSGD", ALL, **MERGING, **MARGIN),
    *cases("BSGD", B, **MERGING, **MARGIN, loss="logistic", average=0.5),
    *cases("BSGD", M, **MERGING, **MARGIN, average=True, weighted=True),
    *cases("BSGD", B, **MERGING, **MARGIN, data="repeats"),
    *cases("BSGD", R, **MERGING, **GENTLE),
    *cases("BSGD", B, **MERGING, **MARGIN, data="wide"),
    *cases("NBSGD", B, **REMOVAL, **MARGIN, maintenance_rate=40.0),
    *cases("NBSGD", BOTH, **EXACT, **MARGIN, maintenance_rate=40.0),
    *cases("NBSGD", B, **NEARBY, **MARGIN, maintenance_rate=40.0, average=0.5, weighted=True),
    *cases("NBSGD", R, **EXACT, **GENTLE, maintenance_rate=40.0),
    *cases("NBSGD", R, **NEARBY, **GENTLE, maintenance_rate=40.0, average=True),
    *cases("NBSGD", B, **MERGING, **MARGIN, maintenance_rate=40.0),
]

CELLS: dict[str, Any] = {"diameter": 1.6}
COVERED = [
    *cases("AVM", ALL, **CELLS, **MARGIN, average=False),
    *cases("AVM", B, **CELLS, **MARGIN, average=0.5, weighted=True),
    *cases("AVM", B + R, **CELLS, **MARGIN, cells="box"),
    *cases("AVM", B, **CELLS, **MARGIN, exact_rate=2.0, exact_decay=0.5, average=False),
    *cases("AVM", B, **CELLS, **MARGIN, exact_rate=2.0, exact_decay=0.5, cells="box"),
    *cases("AVM", B, **CELLS, **MARGIN, max_cores=6, at_cap="charge", average=False),
    *cases("AVM", B, **CELLS, **MARGIN, max_cores=6, at_cap="drop", data="repeats"),
    *cases("AVM", B, **CELLS, **MARGIN, max_cores=6, at_cap="charge", cells="box"),
    *cases("AVM", R, **CELLS, **GENTLE),
    *cases("AVM", R, **CELLS, **GENTLE, exact_rate=3.0, exact_decay=0.5, average=True),
    *cases("AVM", B, **CELLS, **MARGIN, data="wide"),
    *cases("AVM", B, **CELLS, **MARGIN, kernel="matern52", average=0.5),
    *cases("AVM", B, **CELLS, **MARGIN, kernel="rational_quadratic", cells="box"),
    *cases("AVM", B, **CELLS, **MARGIN, cells="box", data="wide"),
]

TUBE: dict[str, Any] = {"step": 0.1, "dead_zone": 0.1}
MISTAKEN = [
    *cases("Perceptron", BOTH, average=0),
    *cases("Perceptron", B),
    *cases("Perceptron", R, **TUBE, weighted=True),
    *cases("Perceptron", B, kernel="linear", weighted=True),
    *cases("RBP", BOTH, budget=6, weighted=True),
    *cases("RBP", R, budget=6, **TUBE),
    *cases("RBP", B, budget=6, data="wide"),
    *cases("Forgetron", BOTH, budget=6),
    *cases("Forgetron", BOTH, budget=6, weighted=True),
    *cases("Forgetron", R, budget=6, **TUBE),
    *cases("Projectron", BOTH, budget=None, tolerance=0.1),
    *cases("Projectron", BOTH, budget=10, tolerance=0.0),
    *cases("Projectron", B, budget=10, tolerance=0.1, weighted=True, data="repeats"),
    *cases("Projectron", B, budget=None, tolerance=0.0, kernel="polynomial", coef0=1.0, degree=2),
    *cases("Projectron", R, budget=10, tolerance=0.1, **TUBE),
    *cases("Projectron++", BOTH, budget=10, tolerance=0.1),
    *cases("Projectron++", B, budget=None, tolerance=0.3, weighted=True),
    *cases("Projectron++", B, budget=10, tolerance=0.0, U=0.5, data="repeats"),
    *cases("PA", BOTH, C=0.5),
    *cases("PA", R, C=0.5, weighted=True, data="repeats"),
    *cases("BPAS", BOTH, C=0.5, budget=6),
    *cases("BPAS", B, C=0.5, budget=6, kernel="linear", weighted=True),
    *cases("SPA", ALL, step=0.5, loss_cap=1.0, sampling=2.0),
    *cases("SPA", B, step=0.5, loss_cap=0.6, sampling=1.0, average=False, weighted=True),
    *cases("SPAOneClass", ("one class",), step=0.5, loss_cap=1.0, sampling=2.0, contamination=0.2),
]  # fmt: skip

#: Exact solutions; landmarks are rows of the stream.
FOURIER: dict[str, Any] = {"n_components": 20}
LANDMARKS: dict[str, Any] = {"landmarks": "given"}
SOLVED = [
    *cases("FourierRidge", ALL, regularization=0.1, **FOURIER),
    *cases("FourierRidge", B, regularization=0.01, kernel="laplacian", weighted=True, **FOURIER),
    *cases("FourierRidge", B, regularization=0.1, data="wide", **FOURIER),
    *cases("NystromRidge", ALL, regularization=0.1, **LANDMARKS),
    *cases("NystromRidge", B, regularization=0.01, kernel="linear", weighted=True, **LANDMARKS),
    *cases("NystromRidge", B, regularization=0.1, data="wide", **LANDMARKS),
]

#: Without an intercept, as the papers are.
OFF: dict[str, Any] = {"intercept": False}
PAPERS = [
    *cases("SGD", B, **OFF, **MARGIN, average=0.5, weighted=True),
    *cases("BSGD", M, **OFF, **MERGING, **MARGIN, average=True),
    *cases("NBSGD", R, **OFF, **NEARBY, **GENTLE, maintenance_rate=40.0),
    *cases("AVM", ALL, **OFF, **CELLS, **MARGIN, average=False),
    *cases("FOGD", M, **OFF, step=0.5, n_components=20, average=False),
    *cases("NOGD", B, **OFF, step=0.4, budget=20, rank=6, average=False),
    *cases("FourierRidge", M, **OFF, regularization=0.1, **FOURIER, weighted=True),
    *cases("Perceptron", B, **OFF, average=0),
    *cases("Projectron", B, **OFF, budget=10, tolerance=0.1),
]  # fmt: skip
#: With bounded first steps.
SHORT_STEPS = [
    *cases("SGD", B, loss="logistic", average=True, **MARGIN, first_step=0.5, weighted=True),
    *cases("SGD", R, loss="l2", regularization=0.2, first_step=2.0),
    *cases("BSGD", M, **MERGING, **MARGIN, first_step=1.0),
    *cases("NBSGD", R, **NEARBY, **GENTLE, maintenance_rate=40.0, average=True, first_step=1.0),
    *cases("AVM", B, **CELLS, **MARGIN, first_step=1.0, average=0.5),
]  # fmt: skip
#: With what was learned fading.
FORGET: dict[str, Any] = {"half_life": 30.0}
FORGETTING = [
    *cases("SGD", M, **FORGET, loss="smooth_hinge", first_step=0.5, average=0.5, **MARGIN),
    *cases("SGD", R, **FORGET, loss="l2", regularization=0.2),
    *cases("BSGD", M, **FORGET, **MERGING, **MARGIN, average=True),
    *cases("BSGD", B, **FORGET, **EXACT, **MARGIN, first_step=1.0),
    *cases("NBSGD", B, **FORGET, **REMOVAL, **MARGIN, maintenance_rate=20.0),
    *cases("AVM", B, **FORGET, **CELLS, **MARGIN, first_step=1.0, average=0.5),
    *cases("OGD", R, half_life=4.0, step=0.3),
    *cases("BOGD", B, **FORGET, step=0.3, regularization=0.05, budget=7, average=True),
    *cases("NORMA", B, **FORGET, step=0.2, regularization=0.05),
    *cases("OSKL", M, **FORGET, step=0.4, sampling=1.5),
    *cases("FOGD", M, **FORGET, step=0.5, n_components=20, class_weight="balanced"),
    *cases("NOGD", B, **FORGET, step=0.4, budget=20, average=True),
    *cases("FourierRidge", B, **FORGET, regularization=0.1, **FOURIER, weighted=True),
    *cases("FourierRidge", R, **FORGET, **OFF, regularization=0.1, **FOURIER),
    *cases("NystromRidge", M, half_life=4.0, regularization=0.1, **LANDMARKS),
    *cases("PA", B, **FORGET, C=0.5),
    *cases("BPAS", M, **FORGET, C=0.5, budget=6),
    *cases("SPA", B, **FORGET, step=0.5, loss_cap=1.0, sampling=2.0),
    *cases("Perceptron", M, **FORGET, average=0),
    *cases("RBP", B, **FORGET, budget=6),
    *cases("Forgetron", M, **FORGET, budget=6),
    *cases("Projectron", R, **FORGET, budget=10, tolerance=0.1, **TUBE),
    *cases("Projectron++", B, **FORGET, budget=10, tolerance=0.1),
]  # fmt: skip

CLASS_WEIGHTS = [
    *cases("OGD", B, step=0.3, class_weight="balanced", weighted=True),
    *cases("FOGD", M, step=0.5, n_components=20, average=False, class_weight="balanced"),
    *cases("NOGD", B, step=0.4, budget=20, rank=6, average=False, class_weight="balanced"),
    *cases("FourierRidge", M, regularization=0.1, **FOURIER, class_weight="balanced"),
    *cases("Perceptron", M, class_weight={0.0: 3.0, 2.0: 0.5}),
]

#: So many classes that the scores of a block are made before the walk.
MANY: dict[str, Any] = {"data": "many"}
MANY_CLASSES = [
    *cases("SGD", M, **MANY, loss="smooth_hinge", average=0.5, **MARGIN),
    *cases("SGD", M, **MANY, half_life=4.0, loss="smooth_hinge", average=0.5, **MARGIN),
    *cases("OGD", M, **MANY, step=0.3),
    *cases("BOGD", M, **MANY, step=0.3, regularization=0.05, budget=7, average=True),
    *cases("NORMA", M, **MANY, step=0.2, regularization=0.05, budget=9, weighted=True),
    *cases("FOGD", M, **MANY, step=0.5, n_components=20, average=False),
    *cases("FOGD", M, **MANY, step=0.5, n_components=20, half_life=30.0, class_weight="balanced"),
    *cases("NOGD", M, **MANY, step=0.4, budget=20, rank=6, average=0.4, kernel=own_kernel),
    *cases("BSGD", M, **MANY, **REMOVAL, **MARGIN),
    *cases("BSGD", M, **MANY, **EXACT, **MARGIN),
    *cases("BSGD", M, **MANY, **NEARBY, **MARGIN),
    *cases("BSGD", M, **MANY, **MERGING, **MARGIN, average=True, weighted=True),
    *cases("BSGD", M, **MANY, **MARGIN, maintenance="merging", budget=40),
    *cases("NBSGD", M, **MANY, **EXACT, **MARGIN, maintenance_rate=40.0),
    *cases("AVM", M, **MANY, **CELLS, **MARGIN, average=False),
    *cases("Perceptron", M, **MANY, average=0),
    *cases("RBP", M, **MANY, budget=6, weighted=True),
    *cases("Forgetron", M, **MANY, budget=6),
    *cases("Projectron", M, **MANY, budget=10, tolerance=0.0),
    *cases("Projectron++", M, **MANY, budget=10, tolerance=0.1),
    *cases("BPAS", M, **MANY, C=0.5, budget=6),
    *cases("SPA", M, **MANY, step=0.5, loss_cap=1.0, sampling=2.0),
]

#: In every layout of the rows; what the others are about does not see the rows.
EVERY_LAYOUT = [*GRADIENT, *BUDGETED, *COVERED, *MISTAKEN, *SOLVED]
CASES = [*EVERY_LAYOUT, *PAPERS, *SHORT_STEPS, *FORGETTING, *CLASS_WEIGHTS, *MANY_CLASSES]
