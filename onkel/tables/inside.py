"""What is inside a pipeline."""

from __future__ import annotations

from typing import Any

from sklearn.pipeline import Pipeline


def learner_in(model: Any) -> Any:
    """Find the learner at the end of a pipeline.

    Parameters
    ----------
    model : estimator
        A pipeline, or any other model.

    Returns
    -------
    estimator
        Its learner, or the model itself.

    Examples
    --------
    >>> from onkel import FOGDRegressor, TableEncoder, make_stream_pipeline
    >>> learner_in(make_stream_pipeline(TableEncoder(), FOGDRegressor(gamma=0.5)))
    FOGDRegressor(gamma=0.5)
    """
    while isinstance(model, Pipeline):
        model = model.steps[-1][1]
    return model
