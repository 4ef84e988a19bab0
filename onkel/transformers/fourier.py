"""Random Fourier features as a scikit-learn transformer."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from onkel.estimators.checks import draw_seed
from onkel.estimators.documentation import fitted
from onkel.estimators.kernels import SPECTRAL, Need, kernel_and_gamma, kernel_parameter
from onkel.estimators.parameters import (
    declared,
    parameter,
    random_state_parameter,
    validate_parameters,
)
from onkel.estimators.scales import warn_of_scales
from onkel.maps.fourier import Frequencies


@declared
class RandomFourier(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    r"""Random Fourier features of a kernel that is a function of the difference of two rows.

    .. math:: z(x) = D^{-1/2} (\sin Ux, \cos Ux), \qquad z(x) \cdot z(x') \approx k(x, x')

    The error of one kernel value falls as :math:`1/\sqrt{D}`. Dense or CSR input; of sparse
    data only the features that occur cost memory.

    References
    ----------
    Rahimi and Recht, Random features for large-scale kernel machines, NIPS 2007.
    Yu et al., Orthogonal random features, NIPS 2016.

    Examples
    --------
    >>> import numpy as np
    >>> from onkel import RandomFourier
    >>> X = np.array([[0.0, 1.0], [1.0, 1.0]])
    >>> z = RandomFourier(gamma=0.5, n_components=5000, random_state=0).fit_transform(X)
    >>> z.shape
    (2, 10000)
    >>> bool(abs(z[0] @ z[1] - np.exp(-0.5)) < 0.03)
    True
    """

    kernel: Any = kernel_parameter(SPECTRAL)
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
        doc="Number of frequencies D; the output has 2 D columns, the sines first.",
    )
    orthogonal: bool = parameter(
        default=False,
        one_of=(False, True),
        doc="""Whether frequencies are orthogonal to each other in blocks of ``n_features``: a smaller error for
        the same D (kernels of Euclidean distance, at most 4096 features).""",
    )
    random_state: Any = random_state_parameter()

    n_features_in_ = fitted("int", "Number of features.")
    feature_names_in_ = fitted(
        "ndarray of shape (n_features,)", "Names of the features, where X has column names."
    )
    gamma_ = fitted("float", "The kernel's :math:`\\gamma`.")
    seed_ = fitted(
        "int",
        "The seed; with the same D it gives a feature the same frequencies whenever it is met.",
    )
    frequencies_ = fitted("Frequencies", "The frequencies of the features met so far.")

    @property
    def kernel_need(self) -> Need:
        """What this transformer needs of a kernel."""
        return SPECTRAL

    def fit(self, X: Any, y: Any = None) -> Self:
        """
        Fix gamma and the seed, and draw the frequencies of the features that occur.

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
        validate_parameters(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32])
        kernel, self.gamma_ = kernel_and_gamma(self, X)
        warn_of_scales(self, X, stacklevel=3)
        self.seed_ = draw_seed(self)
        self.frequencies_ = Frequencies(
            kernel,
            self.n_components,
            self.seed_,
            X.shape[1],
            orthogonal=self.orthogonal,
            dtype=X.dtype,
        )
        self.frequencies_.ensure(X.indices if sp.issparse(X) else np.arange(X.shape[1]))
        self._n_features_out = 2 * self.n_components
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
        ndarray of shape (n_rows, 2 * n_components)
            The features, in the floating type of the data given to ``fit``.
        """
        check_is_fitted(self)
        dtype = self.frequencies_.pool.dtype
        X = validate_data(self, X, reset=False, accept_sparse="csr", dtype=dtype)
        return self.frequencies_.features(X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
