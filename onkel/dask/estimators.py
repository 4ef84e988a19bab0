"""The estimators: a learner of onkel, fitted on a cluster."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from dask.distributed import Client
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import NotFittedError

from onkel.dask import plan
from onkel.dask.given import checked_learner, connected, drawn_seed, last_step
from onkel.dask.partitions import is_files, partitions_of
from onkel.dask.predictions import lazily
from onkel.dask.sample import Wanted
from onkel.estimators.documentation import fitted
from onkel.estimators.parameters import declared, parameter, validate_parameters

#: Chains of partitions for each thread of the cluster where any partition gives the same model: little is lost with
#: the worker of one of them.
CHAINS_A_THREAD = 4


@declared
class OnDask(BaseEstimator):
    """What classifiers, regressors and detectors on a cluster share."""

    learner: Any = parameter(
        default=None,
        type_words="estimator",
        by_place=True,
        doc="""A learner of onkel whose models merge (see :class:`onkel.SupportsMerge`), or an
        :class:`onkel.StreamPipeline` that ends with one. It stays as it is.""",
    )
    rounds: int = parameter(
        default=5,
        kind=int,
        at_least=1,
        doc="""The most rounds of FOGD and NOGD: in each, every shard is learned from a common model, and the models
        become one. Other learners need one.""",
    )
    tol: float = parameter(
        default=0.01,
        at_least=0,
        doc="""There is no further round when the loss of one, that of the predictions before each update, is not
        smaller than that of the round before by this share.""",
    )
    shards: Any = parameter(
        default=None,
        one_of=(None,),
        kind=int,
        at_least=1,
        doc="""Number of models that learn beside each other. None: as many as the cluster has threads; of ridge
        regression, whose model does not depend on it, four times as many.""",
    )
    sample_rows: int = parameter(
        default=4096,
        kind=int,
        at_least=1,
        doc="Rows, drawn from all partitions, that settings are chosen from.",
    )
    show_progress: bool = parameter(
        default=False,
        one_of=(True, False),
        doc="Whether dask shows a bar of its progress while it fits.",
    )
    client: Any = parameter(
        default=None,
        type_words="dask.distributed.Client or None",
        doc="The cluster; None: the one that was connected to last.",
    )

    model_ = fitted("estimator", "The model: a learner as any other, to save or to go on with.")
    n_rounds_ = fitted("int", "Number of rounds.")
    losses_ = fitted("list of float", "The mean loss of each round, before each update.")

    #: What it fits, in scikit-learn's words.
    _kind: ClassVar[str]

    def _fit(self, X: Any, y: Any, weights: Any, classes: Any, settings: dict[str, Any]) -> Self:
        validate_parameters(self)
        learner = checked_learner(self.learner, self._kind, type(self).__name__)
        client = connected(self.client)
        if self._kind == "outlier_detector" and is_files(X) and "target" not in settings:
            settings = {"labels": "none", **settings}
        partitions = partitions_of(X, y, weights, settings)
        last = last_step(learner)
        given, seed = last.random_state, drawn_seed(last)
        last.set_params(random_state=seed)
        wanted = Wanted(self.sample_rows, seed, self._kind, last is learner, classes)
        shards = self._shards(client, last)
        how = plan.Settings(client, seed, wanted, shards, bool(last.shuffle), self.show_progress)
        model, losses = self._learned(learner, partitions, classes, how)
        last_step(model).set_params(random_state=given)
        self.model_, self.losses_, self.n_rounds_ = model, losses, len(losses)
        self._reading = settings
        return self

    def _learned(self, learner: Any, partitions: Any, classes: Any, how: Any) -> Any:
        common, signs = plan.beginning(learner, partitions, classes, how)
        rounds = self.rounds if last_step(learner).merges_in_rounds else 1
        if rounds > 1:  # what a round costs, a lost worker included, is that round
            common, signs = plan.result_of(common, signs, partitions, how), []
        model, losses, before = None, [], 0.0
        for turn in range(rounds):
            start = common if rounds == 1 else plan.literal(common)
            wanted, marks = plan.one_pass(start, partitions, turn, how)
            model = plan.result_of(wanted, [*signs, *marks], partitions, how)
            total = model.progress_.loss * model.progress_.seen
            seen = model.progress_.seen - (0 if rounds == 1 else common.progress_.seen)
            losses.append((total - before) / max(1, seen))
            if turn and losses[-1] > (1.0 - self.tol) * losses[-2]:
                break
            common, before = model, total
        return model, losses

    def _shards(self, client: Client, last: Any) -> int:
        if self.shards is not None:
            return int(self.shards)
        threads = max(1, sum(client.nthreads().values()))
        return threads * (CHAINS_A_THREAD if last.merges_exactly else 1)

    def _model(self) -> Any:
        if "model_" not in vars(self):
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate arguments "
                f"before using this estimator."
            )
        return self.model_

    def __sklearn_clone__(self) -> Self:
        """An estimator with the same parameters, and the same client: there is one connection."""
        made = type(self)(**self.get_params(deep=False))
        return made.set_params(learner=clone(self.learner, safe=False))

    def __getstate__(self) -> dict[str, Any]:
        """Without the client, which belongs to this process."""
        return {**super().__getstate__(), "client": None}

    def _lazily(self, method: str, X: Any, like: np.ndarray, reading: dict[str, Any]) -> Any:
        model = self._model()
        if reading and not is_files(X):
            raise TypeError(f"{', '.join(reading)}: how to read is said of files only.")
        return lazily(model, method, X, like, {**self._reading, **reading})

    def predict(self, X: Any, **reading: Any) -> Any:
        """
        Predict every row, lazily, block by block, by the model as it is now.

        Parameters
        ----------
        X : dask array, dask dataframe, list of delayed chunks or of files, or rows in memory
            The rows.
        **reading : dict
            How files are read, if not as in ``fit``. They need no labels.

        Returns
        -------
        dask array, list of delayed arrays, or ndarray
            The predictions: nothing is computed before you ask dask to.
        """
        return self._lazily("predict", X, self._like_predictions(self._model()), reading)

    def _like_predictions(self, model: Any) -> np.ndarray:
        """An empty array of what is predicted."""
        return np.zeros(0)


@declared
class DaskClassifier(OnDask):
    """A classifier of onkel, fitted on a dask cluster, shard by shard.

    Settings are chosen once from a sample of all partitions. Then every worker learns partitions from the same
    beginning, and the models become one by their ``merge``: of ridge regression exactly the model of all rows on one
    machine; of FOGD and NOGD the mean by rows, in rounds; of AVM and SPA one with the core points or vectors of all.

    A worker that is lost costs the tasks that it ran and the results that it held: dask runs them again, and the
    model is the same.

    Examples
    --------
    >>> import dask.array as da
    >>> from dask.distributed import Client
    >>> from onkel import FourierRidgeClassifier
    >>> from onkel.dask import DaskClassifier
    >>> from onkel.datasets import gaussian_mixture
    >>> X, y = (da.from_array(each, chunks=500) for each in gaussian_mixture(2000, 0))
    >>> with Client(processes=False, n_workers=1, threads_per_worker=1, dashboard_address=None):
    ...     model = DaskClassifier(FourierRidgeClassifier(n_components=50, random_state=0)).fit(X, y)
    ...     right = (model.predict(X) == y).mean().compute()
    >>> bool(right > 0.7), type(model.model_).__name__
    (True, 'FourierRidgeClassifier')
    """

    classes_ = fitted("ndarray of shape (n_classes,)", "The labels, in order.")
    _kind: ClassVar[str] = "classifier"

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        classes: Any = None,
        **reading: Any,
    ) -> Self:
        """
        Learn anew.

        Parameters
        ----------
        X : dask array, dask dataframe, list of delayed chunks or list of files
            The rows. A delayed chunk becomes (X, y) or (X, y, sample_weight). Files are read by the workers, as
            :func:`onkel.stream.open_stream` reads them.
        y : dask array, dask series or str, default=None
            Their labels; of a dataframe also the name of its column. Chunks bring their own, and of files ``target``
            names the column.
        sample_weight : dask array, dask series or str, default=None
            How much a row counts; of a dataframe also the name of its column. None: 1 for all, or what chunks bring.
        classes : array-like, default=None
            All labels. None: those that a look at all partitions finds.
        **reading : dict
            How files are read: ``target``, ``format``, ``raw`` and the other parameters of
            :func:`onkel.stream.open_stream`.

        Returns
        -------
        Self
            The estimator itself.
        """
        self._fit(X, y, sample_weight, classes, reading)
        self.classes_ = self.model_.classes_
        return self

    def _like_predictions(self, model: Any) -> np.ndarray:
        return model.classes_[:0]

    def predict_proba(self, X: Any, **reading: Any) -> Any:
        """
        Predict the probability of each class, lazily, block by block.

        Parameters
        ----------
        X : dask array, dask dataframe, list of delayed chunks or of files, or rows in memory
            The rows.
        **reading : dict
            How files are read, if not as in ``fit``. They need no labels.

        Returns
        -------
        dask array, list of delayed arrays, or ndarray
            Probabilities (rows x classes).
        """
        like = np.zeros((0, len(self._model().classes_)))
        return self._lazily("predict_proba", X, like, reading)


@declared
class DaskRegressor(OnDask):
    """A regressor of onkel, fitted on a dask cluster, shard by shard; see :class:`DaskClassifier`.

    Examples
    --------
    >>> import dask.array as da
    >>> from dask.distributed import Client
    >>> from onkel import FourierRidgeRegressor
    >>> from onkel.dask import DaskRegressor
    >>> X = da.linspace(0, 6, 1000, chunks=250)[:, None]
    >>> y = da.sin(X[:, 0])
    >>> with Client(processes=False, n_workers=1, threads_per_worker=1, dashboard_address=None):
    ...     model = DaskRegressor(FourierRidgeRegressor(n_components=50, random_state=0)).fit(X, y)
    ...     error = abs(model.predict(X) - y).max().compute()
    >>> bool(error < 0.01)
    True
    """

    _kind: ClassVar[str] = "regressor"

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, **reading: Any) -> Self:
        """
        Learn anew.

        Parameters
        ----------
        X : dask array, dask dataframe, list of delayed chunks or list of files
            The rows, as in :meth:`DaskClassifier.fit`.
        y : dask array, dask series or str, default=None
            Their targets; of a dataframe also the name of its column. Chunks bring their own, and of files ``target``
            names the column.
        sample_weight : dask array, dask series or str, default=None
            How much a row counts; of a dataframe also the name of its column. None: 1 for all, or what chunks bring.
        **reading : dict
            How files are read, as in :meth:`DaskClassifier.fit`.

        Returns
        -------
        Self
            The estimator itself.
        """
        return self._fit(X, y, sample_weight, None, reading)


@declared
class DaskOneClass(OnDask):
    """An outlier detector of onkel, fitted on a dask cluster, shard by shard; see :class:`DaskClassifier`.

    Examples
    --------
    >>> import dask.array as da
    >>> from dask.distributed import Client
    >>> from onkel import SPAOneClass
    >>> from onkel.dask import DaskOneClass
    >>> X = da.random.default_rng(0).normal(size=(2000, 2), chunks=(500, 2))
    >>> with Client(processes=False, n_workers=1, threads_per_worker=2, dashboard_address=None):
    ...     model = DaskOneClass(SPAOneClass(gamma=0.5, random_state=0)).fit(X)
    >>> model.predict([[0.0, 0.0], [6.0, 6.0]]).tolist()
    [1, -1]
    """

    _kind: ClassVar[str] = "outlier_detector"

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, **reading: Any) -> Self:
        """
        Learn anew.

        Parameters
        ----------
        X : dask array, dask dataframe, list of delayed chunks or list of files
            The rows, as in :meth:`DaskClassifier.fit`.
        y : None
            Ignored.
        sample_weight : dask array, dask series or str, default=None
            How much a row counts; of a dataframe also the name of its column. None: 1 for all, or what chunks bring.
        **reading : dict
            How files are read, as in :meth:`DaskClassifier.fit`.

        Returns
        -------
        Self
            The estimator itself.
        """
        return self._fit(X, None, sample_weight, None, reading)

    def _like_predictions(self, model: Any) -> np.ndarray:
        return np.zeros(0, int)

    def score_samples(self, X: Any, **reading: Any) -> Any:
        """
        Score how normal each row is, lazily, block by block.

        Parameters
        ----------
        X : dask array, dask dataframe, list of delayed chunks or of files, or rows in memory
            The rows.
        **reading : dict
            How files are read, if not as in ``fit``. They need no labels.

        Returns
        -------
        dask array, list of delayed arrays, or ndarray
            The scores: the larger, the more normal.
        """
        return self._lazily("score_samples", X, np.zeros(0), reading)
