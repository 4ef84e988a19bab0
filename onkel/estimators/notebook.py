"""What a model tells of itself in a notebook, below the diagram: what it is, how large, and what it has seen."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import get_tags


class ToldInNotebooks(BaseEstimator):
    """An estimator whose representation in a notebook says more than its parameters."""

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle = super()._repr_mimebundle_(**kwargs)
        bundle["text/plain"] = "\n".join([repr(self), *(f"# {line}" for line in told_of(self))])
        if "text/html" in bundle:
            bundle["text/html"] += _as_html(self)
        return bundle

    @property
    def _repr_html_(self) -> Any:
        diagram = super()._repr_html_  # an AttributeError where scikit-learn shall draw no diagrams
        return lambda: diagram() + _as_html(self)


def told_of(model: Any) -> list[str]:
    """Sentences on a model: what it is, how large it is, and what it has seen."""
    learner = model
    while hasattr(learner, "steps"):
        learner = learner.steps[-1][1]
    summary = (type(learner).__doc__ or "").strip().split("\n")[0].split("; see :")[0]
    lines = [summary.rstrip(".") + "."]
    inner = getattr(learner, "learner_", learner)
    if not getattr(inner, "__sklearn_is_fitted__", lambda: hasattr(inner, "n_support_"))():
        return [*lines, "It has learned nothing yet."]
    from onkel.estimators import look  # here: pipelines of other learners do without Numba

    waiting = look.rows_kept(inner)
    if waiting:
        until = f"kept until there are {look.LOOK_ROWS:,} to choose settings from"
        return [*lines, f"{waiting:,} rows so far, {until}."]
    return lines + [sentence for sentence in (_size(inner), _seen(learner)) if sentence]


def _size(learner: Any) -> str:
    """How large a model is."""
    columns = learner.n_features_in_
    width = f"{columns:,} column" + "s" * (columns > 1)
    if hasattr(learner, "classes_"):
        width += f", {len(learner.classes_):,} classes"
    vectors = getattr(learner, "n_support_", None)
    if vectors is not None:
        return f"{int(vectors):,} vectors ({width})."
    weights = getattr(learner, "coef_", None)
    return f"{width}." if weights is None else f"{np.shape(weights)[-1]:,} features ({width})."


def _seen(learner: Any) -> str:
    """What a model has seen, and what it made of that before it learned it."""
    so_far = getattr(learner, "progress_", None)
    if so_far is None:
        return ""
    rows = f"{so_far.seen:,} rows seen"
    drifts = [drift for drift in getattr(learner, "drifts_", ()) if drift.taken_over]
    changed = f"; fresh learners that took over: {len(drifts)}" if drifts else ""
    kind = get_tags(learner).estimator_type
    if kind == "classifier":
        return f"{rows}, {so_far.mistake_rate:.2%} mistaken before they were learned{changed}."
    if kind == "regressor":
        error = f"{so_far.squared_error**0.5:.4g}"
        return (
            f"{rows}, with a root mean squared error of {error} before they were learned{changed}."
        )
    return f"{rows}{changed}."


def _as_html(model: Any) -> str:
    lines = "<br>".join(escape(line) for line in told_of(model))
    return f'<p style="margin: 0.4em 0 0.8em; font-size: 90%">{lines}</p>'
