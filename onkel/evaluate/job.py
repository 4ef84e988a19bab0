"""A job: one learner on one data set with one seed, declared as data."""

from __future__ import annotations

import difflib
import hashlib
import importlib
import json
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from onkel.evaluate.data import Data
from onkel.evaluate.metrics import check_names


@dataclass(frozen=True)
class Job:
    """One learner on one data set with one seed.

    Parameters
    ----------
    data : Data
        The rows, and how they are drawn and scaled.
    learner : str
        A class of onkel by name, or any other with its module, as "sklearn.svm.SVC".
    params : dict, default={}
        Its parameters: numbers, texts, True, False, None, lists. A text that begins with
        "=" is a formula, as "=1/n" or "=int(0.1*n)", of n (rows to learn), d (features), classes
        and variance (mean of the features' variances), with int, round, ceil, sqrt, log, min, max.
        NBSGD's maintenance_rate="auto" needs `fit`: online, it is "=0.6*n".
    protocol : {"online", "batch"}, default="online"
        One pass that predicts first, or training and testing.
    seed : int, default=0
        Of the order of the rows and of what is drawn; also the learner's `random_state`, unless
        `params` has one.
    label : str, default=""
        Name to display; "" for the learner's name.
    points : int, default=60
        The most points of the online curves.
    metrics : tuple of str, default=None
        Names of `onkel.evaluate.metrics.METRICS`; None for the usual ones of the task.

    Examples
    --------
    >>> job = Job(Data("a9a", "all"), "AVMClassifier", {"diameter": 2.0, "regularization": "=1/n"})
    >>> job.label, Job.from_dict(job.to_dict()) == job
    ('AVMClassifier', True)
    """

    data: Data
    learner: str
    params: dict[str, Any] = field(default_factory=dict)
    protocol: str = "online"
    seed: int = 0
    label: str = ""
    points: int = 60
    metrics: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        self.data.check_protocol(self.protocol)
        if not isinstance(self.learner, str):
            raise TypeError(f"learner must be the name of a class, got {self.learner!r}")
        params = {name: plain(value, name) for name, value in self.params.items()}
        object.__setattr__(self, "params", params)
        if self.metrics is not None:
            check_names(self.metrics)
            object.__setattr__(self, "metrics", tuple(self.metrics))
        if not self.label:
            object.__setattr__(self, "label", self.learner.rsplit(".", 1)[-1])

    def __hash__(self) -> int:
        return hash(self.key)

    @property
    def key(self) -> str:
        """A digest of everything that a result depends on: all but the label.

        Neither onkel's version nor that of a library is in it: a journal is good until you throw
        it away.
        """
        facts = self.to_dict()
        del facts["label"]
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:20]

    def to_dict(self) -> dict[str, Any]:
        """Give the job as plain values for JSON; what is as by default of data and metrics isn't in it.

        Returns
        -------
        dict
            What `from_dict` takes.
        """
        facts = {name: getattr(self, name) for name in self.__dataclass_fields__}
        if self.metrics is None:
            del facts["metrics"]
        defaults = asdict(Data(self.data.name))
        chosen = {k: v for k, v in asdict(self.data).items() if k == "name" or v != defaults[k]}
        # through JSON once, so that tuples are lists here as they are in a file
        return json.loads(json.dumps(facts | {"data": chosen}, default=_number))

    @classmethod
    def from_dict(cls, facts: dict[str, Any]) -> Job:
        """Make a job of what `to_dict` gave.

        Parameters
        ----------
        facts : dict
            Its parameters; those of the data as a dict under "data".

        Returns
        -------
        Job
            The job.
        """
        return cls(**facts | {"data": Data(**facts["data"])})


def plain(value: Any, name: str) -> Any:
    """A parameter's value as JSON can hold it, or an error that names the parameter."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, (list, tuple, np.ndarray)):
        return [plain(part, name) for part in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise TypeError(
        f"parameter {name}={value!r} can't be part of a job: only numbers, strings, True, False, "
        "None and lists can. Use prequential or train_and_test with the estimator itself"
    )


def learner_class(name: str) -> type:
    """The class of a name such as "AVMClassifier" or "sklearn.svm.SVC".

    >>> learner_class("sklearn.svm.SVC").__name__
    'SVC'
    """
    module, _, short = name.rpartition(".")
    try:
        return getattr(importlib.import_module(module or "onkel"), short)
    except (ImportError, AttributeError):
        near = _near(name)
        hint = f"did you mean {' or '.join(near)}? Give" if near else "give"
        raise ValueError(
            f"no learner {name!r}: {hint} a class of onkel, as 'AVMClassifier', or one with its "
            "module, as 'sklearn.svm.SVC'"
        ) from None


def _near(name: str) -> list[str]:
    """Learners of onkel that may be meant: those that begin so, else those spelt alike.

    >>> _near("avm"), _near("AVMClasifier")[:1]
    (['AVMClassifier', 'AVMRegressor'], ['AVMClassifier'])
    """
    import onkel

    learners = [one for one in dir(onkel) if one.endswith(("Classifier", "Regressor"))]
    asked = name.lower().replace("-", "").replace("_", "").replace("+", "p")
    families = {"classifier", "regressor"}
    exact = [one for one in learners if one.lower().removeprefix(asked) in families]
    return exact or difflib.get_close_matches(name, learners, n=2)


def _number(value: Any) -> Any:
    return plain(value, "data")
