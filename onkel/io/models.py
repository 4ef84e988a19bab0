"""Model files: a learner to a file and back."""

from __future__ import annotations

import struct
import tokenize
import zipfile
import zlib
from os import PathLike
from pathlib import Path
from typing import Any

import onkel
from onkel.io.archive import Archive, opened, write_archive
from onkel.io.classes import estimator_class
from onkel.io.errors import ModelFileError
from onkel.io.pipelines import check_whole
from onkel.io.preparation import whole_pipeline
from onkel.io.values import Decoder, Encoder
from onkel.io.versions import VERSION, upgraded

FORMAT = "onkel model"
#: Bytes that a file may unpack to, if the reader does not allow more.
LARGEST = 8 << 30
#: What reading a damaged file may come upon.
DAMAGE = (
    ArithmeticError, AttributeError, EOFError, LookupError, MemoryError, NotImplementedError,
    RecursionError, RuntimeError, TypeError, ValueError, struct.error, tokenize.TokenError, zipfile.BadZipFile,
    zlib.error,
)  # fmt: skip


def save(
    model: Any,
    path: str | PathLike[str],
    extras: dict[str, Any] | None = None,
    *,
    compressed: bool = True,
) -> None:
    """Write a learner or a whole pipeline to a file: parameters and all that was learned, and no code.

    Any learner of onkel and any :class:`~onkel.StreamPipeline` of onkel's steps and scikit-learn's plain ones
    (``StandardScaler``, say), fitted or not, also in the middle of a stream: what :func:`load` gives
    predicts the same, and learns on as if there had been no file. For that a pipeline's file also holds the
    rows that wait for the end of their block, as they came: at most eight first looks of them. The extras are
    for what belongs to the model. A file that exists is replaced in one step, and stays as it was if anything
    goes wrong.

    Parameters
    ----------
    model : estimator
        The learner, or the pipeline.
    path : str or path-like
        The file.
    extras : dict, default=None
        Plain values and arrays that go with it.
    compressed : bool, default=True
        Whether arrays are compressed; without that a file is larger and sooner written.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sklearn.datasets import make_moons
    >>> from onkel import AVMClassifier
    >>> from onkel.io import load, save
    >>> X, y = make_moons(400, noise=0.1, random_state=0)
    >>> model = AVMClassifier(random_state=0).partial_fit(X[:200], y[:200], classes=[0, 1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(model, Path(folder) / "moons.onkel")
    ...     again = load(Path(folder) / "moons.onkel")
    >>> again
    AVMClassifier(random_state=0)
    >>> model, again = (m.partial_fit(X[200:], y[200:]) for m in (model, again))
    >>> bool((model.decision_function(X) == again.decision_function(X)).all())
    True
    """
    name = type(model).__name__
    if estimator_class(name) is not type(model):
        raise TypeError(
            f"{name} is not one of onkel's learners, transformers and pipelines, which are all that can be saved. "
            f"Save the learner inside it, and what belongs to it as extras; a Pipeline as onkel.StreamPipeline."
        )
    encoder = Encoder()
    header = {
        "format": FORMAT,
        "format_version": VERSION,
        "onkel_version": onkel.__version__,
        "class": name,
        **encoder.estimator(model),
        "extras": encoder.encode({} if extras is None else dict(extras), "extras"),
    }
    write_archive(Path(path), header, encoder.arrays, compressed)


def load(path: str | PathLike[str], *, largest: int = LARGEST) -> Any:
    """Read the learner or pipeline that :func:`save` wrote.

    Nothing in a file is ever run. What ``onkel train`` wrote takes raw rows, as ``onkel predict`` does.

    Parameters
    ----------
    path : str or path-like
        The file.
    largest : int, default=8 GiB
        Most bytes that the file may unpack to.

    Returns
    -------
    estimator
        The learner.

    Raises
    ------
    ModelFileError
        The file is damaged, no model, of a newer format, or too large.
    """
    return load_with_extras(path, largest=largest)[0]


def load_with_extras(
    path: str | PathLike[str], *, largest: int = LARGEST
) -> tuple[Any, dict[str, Any]]:
    """Read the learner, and the extras that it was saved with.

    Parameters
    ----------
    path : str or path-like
        The file.
    largest : int, default=8 GiB
        Most bytes that the file may unpack to.

    Returns
    -------
    model : estimator
        The learner.
    extras : dict
        The extras.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from onkel import FOGDRegressor
    >>> from onkel.io import load_with_extras, save
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(FOGDRegressor(gamma=0.5), Path(folder) / "m.onkel", {"unit": "metres"})
    ...     model, extras = load_with_extras(Path(folder) / "m.onkel")
    >>> model.gamma, extras
    (0.5, {'unit': 'metres'})
    """
    path = Path(path)
    try:
        if path.is_dir():
            raise ModelFileError("it is a folder")
        with opened(path, largest) as archive:
            return _read(archive)
    except ModelFileError as error:
        raise ModelFileError(f"{path} cannot be read as a model: {error}.") from None
    except DAMAGE as error:
        raise ModelFileError(
            f"{path} cannot be read as a model: it is damaged ({error})."
        ) from error


def _read(archive: Archive) -> tuple[Any, dict[str, Any]]:
    header = archive.header()
    if header.get("format") != FORMAT:
        raise ModelFileError("it is a zip file, but not one with a model's header")
    version = header["format_version"]
    if version > VERSION:
        raise ModelFileError(
            f"it has format version {version}, written by onkel {header.get('onkel_version')}, and "
            f"this onkel {onkel.__version__} reads up to version {VERSION}: install a newer onkel"
        )
    decoder = Decoder(archive.array, version)
    header = {key: upgraded(value, version) for key, value in header.items()}
    model = decoder.estimator(header["class"], header)
    extras = decoder.decode(header["extras"])
    archive.check_all_read()
    check_whole(model)
    return whole_pipeline(model, extras)
