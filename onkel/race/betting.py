r"""Who is clearly behind: a test on paired losses that holds at any time, by betting.

Candidate i and the leader of the moment lose :math:`\ell_i` and :math:`\ell_L` on a row, between 0 and 1. Someone who
thinks that i is worse bets a share :math:`\lambda_t` of their wealth on every row,

.. math:: W_t = W_{t-1}\,(1 + \lambda_t d_t), \qquad d_t = \ell_{i,t} - \ell_{L,t} \in [-1, 1],
          \qquad 0 \le \lambda_t \le 1/2,

where the leader and :math:`\lambda_t` are settled before the row comes. As long as i is at least as good as
whoever leads, :math:`E[d_t] \le 0` and the wealth is a supermartingale: that it ever reaches :math:`M/\alpha` has
a probability of at most :math:`\alpha / M` (Ville's inequality), whenever one looks. So with M candidates the
probability that any is dropped that is not behind stays below :math:`\alpha`, over a stream of any length. The bet
is the one that would have been best so far, nearly: the mean of d divided by the mean of its square, both counting
row n in proportion to :math:`n^2`, since learners get better (Waudby-Smith and Ramdas, Estimating means of bounded
random variables by betting, JRSS B 86, 2024).

Nobody bets on the first 64 rows of a candidate. A second wealth, on :math:`d_t + \epsilon`, tells who is surely not
better than the leader by :math:`\epsilon` or more.
"""

from __future__ import annotations

import math

from onkel.compiled.arrays import Array
from onkel.compiled.decorators import inner

LARGEST_BET = 0.5
#: Rows that say nothing, counted before the first one: bets begin small.
PRIOR_ROWS, PRIOR_SQUARES = 8.0, 1.0
#: Places of the sums of a bet: rows that count, d, its square.
BETS, GAIN, SPREAD = range(3)


@inner
def bet(sums: Array, more: float) -> float:
    """The share of the wealth for the next row, of differences that are ``more`` larger than the sums say."""
    rows = sums[BETS] + PRIOR_ROWS
    mean, square = sums[GAIN] / rows + more, (sums[SPREAD] + PRIOR_SQUARES) / rows
    square += more * (2.0 * mean - more)
    return min(max(mean / square, 0.0), LARGEST_BET)


@inner
def log_growth(sums: Array, more: float, difference: float) -> float:
    """What a row adds to the logarithm of the wealth."""
    return math.log1p(bet(sums, more) * (difference + more))


@inner
def remember(sums: Array, fade: float, difference: float) -> None:
    """Take a row into the sums."""
    sums[BETS] = fade * sums[BETS] + 1.0
    sums[GAIN] = fade * sums[GAIN] + difference
    sums[SPREAD] = fade * sums[SPREAD] + difference * difference
