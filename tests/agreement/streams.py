"""Agreement room: streams, estimators, and what their twins know after every instance."""

import inspect
from functools import cache
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
from scipy import sparse

from onkel.compiled.draws import uniforms
from onkel.model.random_draws import EXACT, MAINTENANCE, SAMPLING, VICTIM
from tests.agreement.cases import CASES, Case
from tests.agreement.families import (
    FAMILIES,
    GAMMA,
    KERNEL_PARAMETERS,
    LOSS_PARAMETERS,
    MANY_CLASSES,
    OUTPUTS,
    kernel_function,
    loss_pair,
)
from tests.reference.base import Array, Twin
from tests.reference.calibration import CalibratorTwin, QuantilesTwin, balanced_weights
from tests.reference.sampled import SPAOneClass

ROWS = 300  # more than two blocks
ROW_BY_ROW = 120
CHUNKS = {"whole": [ROWS], "odd": [1, 7, 130, 2, 160]}
CHUNK_ENDS = {int(end) for sizes in CHUNKS.values() for end in np.cumsum(sizes)}
PROBES = 5
#: In the order of the twins' draws.
LANES = [SAMPLING, VICTIM, MAINTENANCE, EXACT]
#: Relative to the largest entry. Rows are moved next to the origin and back: vectors are rounded.
TOLERANCE = {
    "vectors": 1e-12,
    "scores": 1e-6,
    "coef": 1e-6,
    "loss": 1e-6,
    "squared_error": 1e-6,
    "mistakes": 0.0,
    "offset": 1e-6,
    "confidence": 1e-6,
}
#: The same for rows in float32.
SINGLE_TOLERANCE = {
    "vectors": 1e-6,
    "scores": 2e-4,
    "coef": 2e-4,
    "loss": 2e-4,
    "squared_error": 2e-4,
    "mistakes": 0.0,
    "offset": 2e-4,
    "confidence": 5e-4,
}
#: What the learners add to the diagonals of Gram matrices, by the type of the rows.
JITTER = {"float64": 1e-8, "float32": 1e-5}
#: Parameters that a case may leave to the estimator, and that its twin asks for.
COVERAGES = (0.3, 0.5, 0.85, 0.9, 0.99, 0.999)
HAVE_DEFAULTS = ("average", "dead_zone", "nu", "exact_decay", "intercept")
#: What a case does unless it says otherwise: as the papers, but with an intercept.
USUAL = {"first_step": None, "intercept": True, "scale_targets": False}
ON_FOURIER_FEATURES = ("FOGD", "FourierRidge")
TABLE = {case.name: case for case in CASES}


class Stream(NamedTuple):
    X: Array
    y: Array
    weights: Array
    probes: Array


class Snapshot(NamedTuple):
    """What a model shows after an instance; of the record, sums over all instances."""

    scores: Array  # probes x C
    vectors: Array
    coef: Array
    mistakes: int
    loss: float
    squared_error: float
    offset: float
    confidence: Array  # probabilities of the probes, or half the widths of intervals


@cache
def stream(task: str, data: str, dtype: str = "float64") -> Stream:
    """Classes that overlap, so that errors never end; a third of the entries is 0.

    With float32, the numbers are those that it can hold.
    """
    rng = np.random.default_rng(3)
    n = ROWS + PROBES
    dense = rng.uniform(-1.5, 1.5, (n, 5)) * (rng.random((n, 5)) < 0.7)
    wave = np.sin(2.0 * dense[:, 0]) + dense[:, 1] * dense[:, 2] + 0.3 * rng.standard_normal(n)
    if data == "repeats":
        again = rng.random(n) < 0.3
        dense[again] = dense[rng.integers(0, 40, again.sum())]
    if data == "wide":
        spread = np.zeros((n, 1500))
        spread[:, [3, 500, 501, 1100, 1499]] = dense
        dense = spread
    if task == "binary":
        y = np.where(wave > 0.0, 1.0, -1.0)
    elif data == "many":
        y = np.floor(wave.argsort().argsort() * (MANY_CLASSES / n))
    elif task == "multiclass":
        y = np.digitize(wave, [-0.8, 0.0, 0.8]).astype(float)
    else:
        y = wave if task == "regression" else np.ones(n)
    weights = rng.choice([0.0, 0.5, 1.0, 2.0], n)
    dense = dense.astype(dtype).astype(float)
    return Stream(dense[:ROWS], y[:ROWS], weights[:ROWS], dense[ROWS:])


def feed(
    case: Case, model: Any, first: int, stop: int, as_csr: bool, dtype: str = "float64"
) -> None:
    """Let the estimator learn some rows in one call."""
    data = stream(case.task, case.data, dtype)
    X: Any = data.X[first:stop].astype(dtype)
    X = sparse.csr_matrix(X) if as_csr else X
    more: dict[str, Any] = {}
    if case.weighted:
        more["sample_weight"] = data.weights[first:stop]
    if case.task in ("binary", "multiclass"):
        more["classes"] = np.unique(data.y)
    model.partial_fit(X, data.y[first:stop], **more)


def estimator(case: Case) -> Any:
    family = FAMILIES[case.family]
    make = family.regressor if case.task == "regression" else family.classifier
    usual = {"epsilon": LOSS_PARAMETERS["epsilon"]} | USUAL
    known = inspect.signature(make).parameters
    settings = {name: value for name, value in usual.items() if name in known} | case.settings
    if settings.get("landmarks") == "given":
        settings["landmarks"] = landmarks_of(case)
    return make(gamma=GAMMA, random_state=1, **settings)


def landmarks_of(case: Case) -> Array:
    return stream(case.task, case.data).X[:12]


def twin(case: Case, fast: Any) -> Twin:
    """The twin with the same setting. ``fast`` has learned something: it says what was drawn."""
    family, settings = FAMILIES[case.family], case.settings
    fixed = family.residual_loss if case.task == "regression" else family.margin_loss
    loss = fixed or getattr(fast, "loss", "")
    options = {
        family.names.get(name, name): value
        for name, value in settings.items()
        if name not in LOSS_PARAMETERS and name not in (*KERNEL_PARAMETERS, "class_weight")
    }
    kernel = kernel_function(options.pop("kernel", "rbf"), settings)
    options.pop("loss", None)
    if "rescale" in options:
        options["unbiased"] = options["clip"] = options.pop("rescale")
    if "landmarks" in options:
        options["landmarks"] = landmarks_of(case)
    if case.family in ON_FOURIER_FEATURES:
        del options["n_components"]
        options["directions"] = fast.components_
    if case.family in ("SGD", "BSGD", "NBSGD", "AVM"):
        options["l2_ball"] = loss == "l2"
    if settings.get("maintenance") == "merging":
        options["gamma"] = GAMMA
    options |= {name: getattr(fast, name) for name in HAVE_DEFAULTS if hasattr(fast, name)}
    pair = loss_pair(loss, settings)
    if case.task == "one class":
        return SPAOneClass(kernel, pair, **options)
    return family.twin(case.task, outputs(case), kernel, pair, **options)


def outputs(case: Case) -> int:
    return MANY_CLASSES if case.data == "many" else OUTPUTS[case.task]


@cache
def history(name: str, dtype: str = "float64") -> dict[int, Snapshot]:
    """What the twin of a case, which computes in float64, knows after so many rows of its stream."""
    with mock.patch("tests.reference.bsgd.JITTER", JITTER[dtype]):
        return told_by_twin(TABLE[name], dtype)


def told_by_twin(case: Case, dtype: str) -> dict[int, Snapshot]:
    data = stream(case.task, case.data, dtype)
    weights = data.weights if case.weighted else np.ones(ROWS)
    factors = iter(class_factors(case, data.y[weights > 0.0]))
    fast = estimator(case)
    feed(case, fast, 0, 1, as_csr=case.data == "wide", dtype=dtype)
    sure = confidence_twin(case, fast)
    draws = draws_of(fast)
    slow = twin(case, fast)
    told = {}
    for row, (x, y, weight) in enumerate(zip(data.X, data.y, weights, strict=True), start=1):
        if weight > 0.0:
            slow.learn(x, y, draws[slow.t], weight * next(factors))
            sure.learn(slow.record[-1][0], y, weight)
        if row <= ROW_BY_ROW or row in CHUNK_ENDS:
            told[row] = shown_by_twin(case, slow, sure, data.probes)
    return told


def class_factors(case: Case, y: Array) -> Array:
    """What the weights of the rows that have one are multiplied with."""
    chosen = case.settings.get("class_weight")
    if chosen == "balanced":
        classes, numbers = np.unique(y, return_inverse=True)
        half_life = case.settings.get("half_life")
        return np.array(balanced_weights(numbers.tolist(), len(classes), half_life))
    return np.array([1.0 if chosen is None else chosen.get(label, 1.0) for label in y.tolist()])


def confidence_twin(case: Case, fast: Any) -> CalibratorTwin | QuantilesTwin:
    """That of the fast one's observer, which has learned something."""
    half_life = case.settings.get("half_life")
    if case.task == "regression":
        return QuantilesTwin(half_life, follows=fast._fitted().observer.moments.size > 0)
    return CalibratorTwin(outputs(case), half_life)


def draws_of(fast: Any) -> Array:
    """The draws of every instance as a twin takes them: a column for each lane."""
    parts = getattr(fast._fitted(), "parts", None)
    if parts is None:  # an exact solution: nothing is drawn on the way
        return np.zeros((ROWS + 1, len(LANES)))
    lanes = uniforms(parts.seed, 1, ROWS, max(LANES) + 1)
    return np.array(lanes[:, LANES])


def shown_by_twin(
    case: Case,
    slow: Twin,
    sure: CalibratorTwin | QuantilesTwin,
    probes: Array,
) -> Snapshot:
    scores, coef = np.array([slow.output(probe) for probe in probes]), slow.output_coef
    if isinstance(sure, QuantilesTwin):
        scores, coef = sure.line.a * scores + sure.line.b, sure.line.a * coef
        confidence = [sure.quantile(coverage) if slow.t else 0.0 for coverage in COVERAGES]
    else:
        confidence = [sure.probabilities(row) for row in scores]
    return Snapshot(
        scores=scores,
        vectors=slow.vectors,
        coef=coef,
        mistakes=sum(mistake for _, _, mistake in slow.record),
        loss=sum(value for _, value, _ in slow.record),
        squared_error=getattr(sure, "squared_error", 0.0),
        offset=slow.offset if isinstance(slow, SPAOneClass) and slow.t else 0.0,
        confidence=np.array(confidence),
    )


def shown(case: Case, fast: Any, as_csr: bool, dtype: str = "float64") -> Snapshot:
    """The same of an estimator, by its public face."""
    X: Any = stream(case.task, case.data, dtype).probes.astype(dtype)
    X = sparse.csr_matrix(X) if as_csr else X
    ask = {"regression": "predict", "one class": "score_samples"}
    scores = getattr(fast, ask.get(case.task, "decision_function"))(X)
    explicit = case.family in ON_FOURIER_FEATURES
    vectors: Any = np.zeros((0, X.shape[1])) if explicit else fast.support_vectors_
    seen = fast.progress_.seen
    return Snapshot(
        scores=scores.reshape(X.shape[0], -1),
        vectors=vectors.toarray() if sparse.issparse(vectors) else vectors,
        coef=fast.coef_ if explicit else fast.dual_coef_,
        mistakes=fast.progress_.mistakes,
        loss=fast.progress_.loss * seen,
        squared_error=fast.progress_.squared_error * seen,
        offset=fast.offset_ if case.task == "one class" else 0.0,
        confidence=confidence_of(fast, X),
    )


def confidence_of(fast: Any, X: Any) -> Array:
    """Probabilities, or half the widths of intervals of several coverages; nothing of one class."""
    if hasattr(fast, "predict_proba"):
        return np.array(fast.predict_proba(X))
    if not hasattr(fast, "predict_interval"):
        return np.zeros(0)
    ends = [fast.predict_interval(X[:1], coverage)[0] for coverage in COVERAGES]
    return np.diff(ends)[:, 0] / 2


def difference(
    case: Case, found: Snapshot, expected: Snapshot, tolerance: dict[str, float] = TOLERANCE
) -> str:
    """What differs, with both values; nothing if the models agree."""
    wanted = ["vectors", "scores", "coef", "loss"]
    wanted += ["squared_error" if case.task == "regression" else "mistakes"]
    wanted += ["offset"] if case.task == "one class" else ["confidence"]
    for what in wanted:
        left, right = np.asarray(getattr(found, what)), np.asarray(getattr(expected, what))
        if left.size == right.size == 0:
            continue
        if left.shape != right.shape:
            return f"{what}: shape {left.shape}, twin {right.shape}"
        scale = max(float(np.abs(right).max()), 1e-3)
        gap = np.abs(left - right)
        if not gap.max() <= tolerance[what] * scale:
            place = np.unravel_index(int(np.nanargmax(gap)), gap.shape)
            return f"{what}{list(map(int, place))}: {left[place]!r}, twin {right[place]!r}"
    return ""
