"""What learners on random Fourier features share: the frequencies, and a model without vectors."""

from __future__ import annotations

from typing import Any

import numpy as np

from onkel.engine.machine import Shape
from onkel.estimators.documentation import of_type
from onkel.estimators.kernels import SPECTRAL, Need, kernel_parameter
from onkel.estimators.parameters import declared, parameter
from onkel.maps.fourier import Frequencies


@declared
class OnFourierFeatures:
    """Parameters of the features, and what is known of them."""

    kernel: Any = kernel_parameter(SPECTRAL)
    n_components: int = parameter(
        default=1000,
        kind=int,
        at_least=1,
        doc="Number of frequencies D; there are 2 D features, sines and cosines.",
    )
    orthogonal: bool = parameter(
        default=False,
        one_of=(True, False),
        doc="""Whether frequencies are drawn orthogonal to each other, which approximates the kernel better
        (kernels of Euclidean distance, at most 4096 features).""",
    )

    @property
    def kernel_need(self) -> Need:
        return SPECTRAL

    def _draw_frequencies(self, kernel: Any, shape: Shape, seed: int) -> Frequencies:
        return Frequencies(
            kernel, self.n_components, seed, shape.n_features,
            orthogonal=self.orthogonal, dtype=shape.dtype,
        )  # fmt: skip

    def _frequencies(self, machine: Any) -> Frequencies:
        """Those of a machine."""
        raise NotImplementedError

    @property
    def n_support_(self) -> int:
        raise self._no_vectors("n_support_")

    @property
    def support_vectors_(self) -> Any:
        raise self._no_vectors("support_vectors_")

    @property
    def dual_coef_(self) -> Any:
        raise self._no_vectors("dual_coef_")

    def _no_vectors(self, name: str) -> AttributeError:
        return AttributeError(
            f"{type(self).__name__} has no {name}: its model is coef_, weights of the features "
            f"made with components_."
        )

    @property
    @of_type("ndarray of shape (n_components, n_features)")
    def components_(self) -> np.ndarray:
        """The frequencies U."""
        return self._frequencies(self._fitted()).matrix().T.copy()  # type: ignore[attr-defined]

    @property
    @of_type("ndarray of shape (n_outputs, 2 * n_components)")
    def coef_(self) -> np.ndarray:
        """The weights of the features, the sines first: one row for two classes or a regressor, else one a class."""
        return self._fitted().output_coef() * self._unit  # type: ignore[attr-defined]
