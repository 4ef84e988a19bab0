"""Reference room: where two terms c_p Phi(v_p) + c_j Phi(v_j) of an rbf expansion merge best.

On z = h v_p + (1 - h) v_j the best coefficient is c_z = c_p kappa^((1-h)^2) + c_j kappa^(h^2), and
the loss of merging is |c_p|^2 + |c_j|^2 + 2 c_p.c_j kappa - |c_z|^2: h maximises |c_z|^2 on [0, 1].

Law of ties: when two optima are equal (within 1e-12 relative, or 1e-14 of |c_p|^2 + |c_j|^2, as
opposite terms next to each other leave little but rounding), the larger h wins. z then lies
nearer to v_p, the term that was chosen to go, and further from its partner v_j. It happens when c_p
and c_j are equally large: with the same sign and kappa < exp(-2), where the optima are h and 1 - h,
or with opposite signs, where they are the endpoints.
"""

import numpy as np

from tests.reference.base import Array

GRID = np.linspace(0.0, 1.0, 513)
SAME_OPTIMUM = 1e-12
ROUNDING = 1e-14


def merged(h: float, c_p: Array, c_j: Array, exponent: float) -> Array:
    """c_z; exponent = gamma ||v_p - v_j||^2, so kappa = exp(-exponent)."""
    merged_value: Array = c_p * np.exp(-exponent * (1.0 - h) ** 2) + c_j * np.exp(-exponent * h**2)
    return merged_value


def slope(h: Array, c_p: Array, c_j: Array, exponent: float) -> Array:
    """Derivative of |c_z|^2 at every h, without its positive factor 4 * exponent."""
    first = c_p[:, None] * np.exp(-exponent * (1.0 - h) ** 2)
    second = c_j[:, None] * np.exp(-exponent * h**2)
    return np.array(np.sum((first + second) * ((1.0 - h) * first - h * second), axis=0))


def crossing(low: float, high: float, c_p: Array, c_j: Array, exponent: float) -> float:
    """Halve the interval in which the slope turns from positive to not positive."""
    for _ in range(50):
        middle = 0.5 * (low + high)
        if slope(np.array([middle]), c_p, c_j, exponent)[0] > 0.0:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


def best_h(c_p: Array, c_j: Array, exponent: float) -> float:
    """Maximise |c_z|^2 on [0, 1]: every local maximum is refined, the best one taken."""
    slopes = slope(GRID, c_p, c_j, exponent)
    optima = [0.0] if slopes[0] <= 0.0 else []
    for i in range(len(GRID) - 1):
        if slopes[i] > 0.0 >= slopes[i + 1]:
            optima.append(crossing(float(GRID[i]), float(GRID[i + 1]), c_p, c_j, exponent))
    if slopes[-1] >= 0.0:
        optima.append(1.0)
    heights = [float(np.sum(merged(h, c_p, c_j, exponent) ** 2)) for h in optima]
    slack = ROUNDING * float(c_p @ c_p + c_j @ c_j)
    enough = max(heights) * (1.0 - SAME_OPTIMUM) - slack
    return max(h for h, height in zip(optima, heights, strict=True) if height >= enough)


def degradation(h: float, c_p: Array, c_j: Array, exponent: float) -> float:
    """||Delta||^2, what the model changes by when the two terms merge at h."""
    c_z = merged(h, c_p, c_j, exponent)
    cross = 2.0 * float(c_p @ c_j) * float(np.exp(-exponent))
    return float(c_p @ c_p) + float(c_j @ c_j) + cross - float(c_z @ c_z)
