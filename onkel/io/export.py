"""Models for programs without onkel, as ONNX; what that needs is imported when it is asked for."""

from __future__ import annotations

from typing import Any

FLOATS = ("float32", "float64")
EXTRA = "Install it with: pip install 'onkel[onnx]'"


def to_onnx(model: Any, *, dtype: str = "float32", arithmetic: str = "float64") -> Any:
    """Write a model that has learned as an ONNX model of standard operators, which any ONNX runtime runs.

    It takes every learner of onkel, alone, watched by :class:`onkel.drift.DriftAware`, or at the end of a
    :class:`~onkel.StreamPipeline` or scikit-learn Pipeline of ``TableEncoder``, ``Scaler``, ``Nystrom``,
    ``RandomFourier`` and scikit-learn's ``StandardScaler``, ``MinMaxScaler``, ``MaxAbsScaler``, ``RobustScaler``,
    ``Normalizer`` and ``IncrementalPCA``. Other steps are for skl2onnx: see :func:`register_onnx_converters`.

    The input is ``X`` (rows x features). Behind a ``TableEncoder`` there is one input (rows x 1) for every column
    that it uses, under the column's name: numbers, and booleans as 1 and 0, with NaN for a gap; words as text,
    without blanks around them; dates as days since 1970 in UTC, always of double precision. A cell that is not of
    its column's kind is a gap. Words that the encoder hashes cannot be expressed.

    The outputs of a classifier are ``label``, ``probabilities`` (rows x classes) if it has learned them, and
    ``scores`` (one column for two classes); of a regressor ``variable``; of an outlier detector ``label`` (1 or -1)
    and ``scores`` as of ``decision_function``; of a transformer ``rows``.

    Parameters
    ----------
    model : estimator
        The learner, or the pipeline.
    dtype : {"float32", "float64"}, default="float32"
        The type of numbers that go in and come out.
    arithmetic : {"float32", "float64"}, default="float64"
        The type that scores are computed in. With "float32" files are half as large, and runtimes faster; answers
        are the model's to about five digits where it is a sum over support vectors or FOGD's, and to fewer where it
        is a ridge regression or on Nyström features, whose weights are large.

    Returns
    -------
    onnx.ModelProto
        The model. ``onnx.save(made, path)`` writes it to a file.

    Raises
    ------
    NotExportable
        A kernel that is a function or a part of your own, hashed words, a step that is not listed above, or a
        model of more than 2 GiB.

    Examples
    --------
    >>> import numpy as np
    >>> import onnxruntime
    >>> from sklearn.datasets import make_moons
    >>> from onkel import FOGDClassifier
    >>> from onkel.io import to_onnx
    >>> X, y = make_moons(600, noise=0.1, random_state=0)
    >>> model = FOGDClassifier(n_components=50, gamma=2.0, random_state=0).fit(X, y)
    >>> session = onnxruntime.InferenceSession(to_onnx(model).SerializeToString())
    >>> label, probabilities, scores = session.run(None, {"X": X.astype(np.float32)})
    >>> bool((label == model.predict(X)).all()), probabilities.shape
    (True, (600, 2))
    """
    for name, value in (("dtype", dtype), ("arithmetic", arithmetic)):
        if value not in FLOATS:
            raise ValueError(f"{name}={value!r} must be one of {', '.join(map(repr, FLOATS))}.")
    try:
        from onkel.io.onnx.convert import converted
    except ModuleNotFoundError as error:
        raise absent(error, "onnx", "to_onnx") from None
    return converted(model, dtype, arithmetic)


def register_onnx_converters() -> None:
    """Let skl2onnx convert onkel's learners and transformers, as steps of any scikit-learn Pipeline.

    After it, ``skl2onnx.to_onnx(pipeline, X)`` works for pipelines that end in a model of onkel. Classifiers have
    skl2onnx's options ``zipmap``, ``output_class_labels`` and ``raw_scores``. Scores are computed in double
    precision. A :class:`~onkel.TableEncoder` and a :class:`~onkel.StreamPipeline` are for :func:`to_onnx`.

    Examples
    --------
    >>> import numpy as np
    >>> import skl2onnx
    >>> from sklearn.datasets import make_moons
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from onkel import AVMClassifier
    >>> from onkel.io import register_onnx_converters
    >>> register_onnx_converters()
    >>> X, y = make_moons(600, noise=0.1, random_state=0)
    >>> pipeline = make_pipeline(StandardScaler(), AVMClassifier(random_state=0)).fit(X, y)
    >>> made = skl2onnx.to_onnx(pipeline, X[:1].astype(np.float32))
    >>> [output.name for output in made.graph.output]
    ['output_label', 'output_probability']
    """
    try:
        from onkel.io.onnx.registration import register
    except ModuleNotFoundError as error:
        raise absent(error, "skl2onnx", "register_onnx_converters") from None
    register()


def absent(error: ModuleNotFoundError, package: str, asked: str) -> ModuleNotFoundError:
    """The error of a package that is not there, with what to do; another one as it is."""
    if error.name is None or error.name.split(".")[0] not in ("onnx", "skl2onnx"):
        return error
    remedy = EXTRA if package == "onnx" else "Install it with: pip install skl2onnx"
    message = f"onkel.io.{asked} needs the package {package}. {remedy}"
    return ModuleNotFoundError(message, name=error.name)
