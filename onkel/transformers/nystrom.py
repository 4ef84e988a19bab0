"""Nyström features as a scikit-learn transformer."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from onkel.engine.matrix import KernelMatrix
from onkel.estimators.checks import (
    check_kernel_values,
    check_magnitude,
    draw_seed,
    unchanged_on_error,
)
from onkel.estimators.documentation import fitted
from onkel.estimators.kernels import (
    POSITIVE_DEFINITE,
    AnyKernel,
    Need,
    kernel_and_gamma,
    kernel_parameter,
)
from onkel.estimators.landmarks import centres, random_rows
from onkel.estimators.parameters import (
    declared,
    parameter,
    random_state_parameter,
    validate_parameters,
)
from onkel.estimators.scales import warn_of_scales
from onkel.maps.nystrom import nystrom_transform

#: Rows at a time: their kernel values are in memory together.
BLOCK = 4096
#: Relatively smaller eigenvalues are left out: their directions would be rounding of kernel values.
CUTOFF = {np.dtype(np.float64): 1e-10, np.dtype(np.float32): 1e-6}


@declared
class Nystrom(AnyKernel, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    r"""Nyström features: the directions that landmarks span in the space of a kernel.

    .. math:: z(x) = \Lambda_k^{-1/2} V_k^\top k_B(x), \qquad z(x) \cdot z(x') \approx k(x, x')

    with the ``rank`` largest eigenpairs of the landmarks' Gram matrix :math:`K = V \Lambda V^\top`. Of all
    maps into the span of the landmarks this is the nearest to the kernel; where x is a landmark and no
    eigenpair was cut, it is exact. Dense or CSR input.

    References
    ----------
    Williams and Seeger, Using the Nyström method to speed up kernel machines, NIPS 2000.
    Zhang, Tsang and Kwok, Improved Nyström low-rank approximation and error analysis, ICML 2008.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from onkel import Nystrom
    >>> X, y = make_moons(500, noise=0.1, random_state=0)
    >>> model = make_pipeline(Nystrom(gamma=2.0, n_components=50, random_state=0), LogisticRegression())
    >>> bool(model.fit(X, y).score(X, y) > 0.98)
    True
    """

    kernel: Any = kernel_parameter(POSITIVE_DEFINITE)
    gamma: float | str = parameter(
        default="scale",
        one_of=("scale",),
        above=0,
        doc=r"""Parameter :math:`\gamma` of the kernel. ``"scale"`` is 1 / (n_features * X.var()), X being the rows
        given to ``fit``; 1 / n_features where these do not vary.""",
    )
    n_components: int = parameter(
        default=100,
        kind=int,
        at_least=1,
        doc="Number of landmarks; all rows where there are no more than that.",
    )
    rank: int | None = parameter(
        default=None,
        one_of=(None,),
        kind=int,
        at_least=1,
        doc="Features kept at most. None keeps all directions that the landmarks span, up to rounding.",
    )
    landmarks: str = parameter(
        default="random",
        one_of=("random", "kmeans"),
        doc="""Rows drawn at random, or the centres of k-means: a smaller error for the same number of
        landmarks.""",
    )
    random_state: Any = random_state_parameter()

    n_features_in_ = fitted("int", "Number of features.")
    feature_names_in_ = fitted(
        "ndarray of shape (n_features,)", "Names of the features, where X has column names."
    )
    gamma_ = fitted("float", "The kernel's :math:`\\gamma`.")
    components_ = fitted(
        "ndarray or sparse matrix of shape (n_landmarks, n_features)", "The landmarks."
    )
    normalization_ = fitted(
        "ndarray of shape (n_landmarks, n_features_out)",
        r"What their kernel values are multiplied by, :math:`V_k \Lambda_k^{-1/2}`.",
    )

    @property
    def kernel_need(self) -> Need:
        """What this transformer needs of a kernel."""
        return POSITIVE_DEFINITE

    def fit(self, X: Any, y: Any = None) -> Self:
        """
        Choose gamma and the landmarks, and decompose their Gram matrix.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            The rows.
        y : None
            Ignored.

        Returns
        -------
        Self
            The transformer itself.
        """
        with unchanged_on_error(self):
            validate_parameters(self)
            X = self._check_rows(X, True)
            self._kernel, self.gamma_ = kernel_and_gamma(self, X)
            check_kernel_values(X, self._kernel, X.dtype)
            warn_of_scales(self, X, stacklevel=3)
            choose = centres if self.landmarks == "kmeans" else random_rows
            self.components_ = choose(X, self.n_components, draw_seed(self))
            gram = KernelMatrix(self._kernel, self.components_.astype(np.float64)).gram()
            most = self.components_.shape[0] if self.rank is None else int(self.rank)
            transform, _ = nystrom_transform(gram, most, CUTOFF[X.dtype])
            self.normalization_ = transform.astype(X.dtype)
            self._n_features_out = self.normalization_.shape[1]
        return self

    def transform(self, X: Any) -> NDArray[Any]:
        """
        Map every row x to its features z(x).

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_rows, n_features_out)
            The features, in the floating type of the data given to ``fit``.
        """
        check_is_fitted(self)
        X = self._check_rows(X, False)
        check_kernel_values(X, self._kernel, X.dtype)
        values = KernelMatrix(self._kernel, self.components_)
        z = np.empty((X.shape[0], self._n_features_out), self.normalization_.dtype)
        for start in range(0, X.shape[0], BLOCK):
            rows = slice(start, start + BLOCK)
            np.matmul(values(X[rows]), self.normalization_, out=z[rows])
        return z

    def _check_rows(self, X: Any, first: bool) -> Any:
        dtypes = [np.float64, np.float32] if first else self.normalization_.dtype
        X = validate_data(self, X, reset=first, accept_sparse="csr", dtype=dtypes, order="C")
        check_magnitude(X, X.dtype)
        return X

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
