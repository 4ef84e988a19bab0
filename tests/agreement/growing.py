"""Agreement room: streams whose classes appear one after the other, and what the growing twins make of them."""

from functools import cache
from typing import Any

import numpy as np
from scipy import sparse

from tests.agreement.cases import CASES, Case
from tests.agreement.families import FAMILIES, kernel_function
from tests.agreement.streams import Snapshot, draws_of, estimator, shown, stream, twin
from tests.reference.base import Array
from tests.reference.growing import Growing

ROWS = 40  # beyond the first look
#: By their order of appearance, which is not that of the alphabet.
NAMES = np.array(["m", "c", "x", "a"])
#: Where the labels first come: at every row once a third one.
MOMENTS = [(0, max(1, third // 3), third, third + 1 + third % 5) for third in range(2, 36)]


def with_both_tasks() -> list[Case]:
    """Of every setting that is compiled for two classes and for more, the case of two."""
    names = {case.name for case in CASES}
    many = [case for case in CASES if case.task == "multiclass"]
    binary = [case._replace(task="binary") for case in many]
    return [case for case in binary if case.name in names]


def one_of(family: str, **settings: Any) -> Case:
    return Case(family, "binary", settings)


GROWING = [
    *with_both_tasks(),
    one_of("OSKL", step=0.4, sampling=1.5),
    one_of("SGD", regularization=0.05, project=True),  # which follows the norm
    one_of("SGD", regularization=0.01, half_life=30.0),
    one_of("FOGD", step=0.5, n_components=20, average=False, class_weight="balanced"),
    one_of("Perceptron", class_weight={"a": 3.0, "x": 0.5, "never": 2.0}),
]
CLASSIFIERS = {name for name, family in FAMILIES.items() if name != "SPAOneClass"}


@cache
def labels(starts: tuple[int, ...]) -> Array:
    """Four overlapping classes, each of which comes from its row on; before, its rows are of the one before it."""
    classes = stream("multiclass", "narrow").y[:ROWS].astype(int)
    for number, start in reversed(list(enumerate(starts))):
        classes[:start][classes[:start] == number] = number - 1
        if start < ROWS:
            classes[start] = number
    return NAMES[np.maximum(classes, 0)]


TABLE = {case.name: case for case in GROWING}


@cache
def kernel_of(name: str) -> Any:
    """Remembered: all streams of a case have the same rows."""
    settings = TABLE[name].settings
    return kernel_function(settings.get("kernel", "rbf"), settings)


@cache
def grown(name: str, starts: tuple[int, ...], ends: tuple[int, ...]) -> dict[int, Snapshot]:
    """What the twin of a case shows after so many rows."""
    case = TABLE[name]
    data, y = stream("multiclass", "narrow"), labels(starts)
    fast = estimator(case)
    feed(case, fast, starts, 0, 2, as_csr=False)
    slow = twin(case, fast)
    slow.kernel = kernel_of(name)
    model = Growing(slow, case.settings.get("class_weight"), case.settings.get("half_life"))
    draws = draws_of(fast)
    told = {}
    for row, (x, label) in enumerate(zip(data.X, y, strict=False), start=1):
        weight = data.weights[row - 1] if case.weighted else 1.0
        if weight > 0.0:
            model.learn(x, label, draws, weight)
        if row in ends:
            told[row] = shown_by(model, data.probes)
    return told


def shown_by(model: Growing, probes: Array) -> Snapshot:
    slow = model.twin
    return Snapshot(
        scores=np.array([model.output(probe) for probe in probes]),
        vectors=slow.vectors,
        coef=slow.output_coef,
        mistakes=model.mistakes,
        loss=sum(value for _, value, _ in slow.record),
        squared_error=0.0,
        offset=0.0,
        confidence=np.array([model.probabilities(probe) for probe in probes]),
    )


def feed(
    case: Case, model: Any, starts: tuple[int, ...], first: int, stop: int, as_csr: bool
) -> None:
    """Let the estimator learn some rows, whose labels nobody declares."""
    data, rows = stream("multiclass", "narrow"), slice(first, stop)
    X: Any = sparse.csr_matrix(data.X[rows]) if as_csr else data.X[rows]
    more = {"sample_weight": data.weights[rows]} if case.weighted else {}
    model.partial_fit(X, labels(starts)[rows], **more)


def shown_by_estimator(case: Case, model: Any, as_csr: bool) -> Snapshot:
    return shown(case._replace(task="multiclass"), model, as_csr)
