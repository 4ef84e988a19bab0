"""Kernels: exp, sin and cos as straight-line code that the compiler turns into vector instructions.

No table, no branch, no call: in a compiled loop over an array these run at full vector width.

* ``exp(x) = 2^n exp(r)`` with ``n = round(x / ln 2)`` and ``r = x - n ln 2``: a polynomial in
  ``r``, and ``n`` added to the exponent bits. Results below the smallest normal number are 0.
* ``sin, cos`` of ``x = j pi/2 + r``: two polynomials in ``r``, swapped and signed by ``j mod 4``.

The polynomials are minimax on ``|r| <= ln(2)/2`` and on ``|r| <= 0.83``, a little beyond pi/4.
``ln 2`` and ``pi/2`` are split in parts so short that ``n`` times a part is exact, with or without
fused multiply-add (sin and cos: up to ``|x| = 1e4`` in float32 and ``1e6`` in float64).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from onkel.compiled.decorators import jit

# Only contraction: reordered sums would undo the rounding trick and the exact argument reduction.
# Said explicitly, because Numba lets a function without flags inherit those of its caller.
EXACT: dict[str, Any] = {"fastmath": {"contract"}, "error_model": "numpy", "nogil": True}


class ExpConstants(NamedTuple):
    """The numbers of one precision; a constant of the other would change the vector width."""

    per_ln2: Any
    rounder: Any  # 1.5 * 2^(mantissa bits): adding it leaves the integer part in the low bits
    ln2: Any
    series: Any  # from the constant term upwards
    lowest: Any  # exp of anything below is not a normal number
    highest: Any  # the largest number whose exp is finite
    zero: Any
    infinity: Any


class TurnConstants(NamedTuple):
    """The numbers of sin and cos in one precision."""

    per_quarter: Any
    rounder: Any
    quarter: Any  # pi/2 in three parts
    farthest: Any  # the polynomials hold so far: pi/4, and what rounding can add to it
    sine: Any  # (sin r - r) / r^3 in powers of r^2
    cosine: Any  # cos r in powers of r^2


def _in_precision(kind: type, constants: Any) -> Any:
    """The same nest of tuples with every number of one type."""
    if not isinstance(constants, tuple):
        return kind(constants)
    converted = [_in_precision(kind, value) for value in constants]
    return type(constants)(*converted) if hasattr(constants, "_fields") else tuple(converted)


EXP_SINGLE = _in_precision(
    np.float32,
    ExpConstants(
        per_ln2=1.4426950408889634,
        rounder=1.5 * 2.0**23,
        ln2=(0.693145751953125, 1.428606765330187e-06),
        series=(
            1.0,
            1.0,
            0.4999999419146241,
            0.16666430800298954,
            0.041668004730609644,
            0.008374195649611024,
            0.0013843607699956623,
        ),
        lowest=-87.33654022216797,
        highest=88.72283172607422,
        zero=0.0,
        infinity=np.inf,
    ),
)
EXP_DOUBLE = _in_precision(
    np.float64,
    ExpConstants(
        per_ln2=1.4426950408889634,
        rounder=1.5 * 2.0**52,
        ln2=(0.6931471805598903, 5.497923018708371e-14),
        series=(
            1.0,
            1.0,
            0.5000000000000012,
            0.16666666666666216,
            0.041666666666517235,
            0.008333333333550522,
            0.001388888894652522,
            0.0001984126943565298,
            2.48014904431171e-05,
            2.7557627252221345e-06,
            2.7631107762995143e-07,
            2.4991390584732675e-08,
        ),
        lowest=-708.396418532264,
        highest=709.782712893384,
        zero=0.0,
        infinity=np.inf,
    ),
)
TURN_SINGLE = _in_precision(
    np.float32,
    TurnConstants(
        per_quarter=0.6366197723675814,
        rounder=1.5 * 2.0**23,
        quarter=(1.5703125, 0.0004837512969970703, 7.549790126404332e-08),
        farthest=0.83,
        sine=(-0.16666644416528426, 0.008331645910055524, -0.00019455634460128942),
        cosine=(
            1.0,
            -0.4999999957301449,
            0.04166660637736136,
            -0.001388624157931557,
            2.4342840834195675e-05,
        ),
    ),
)
TURN_DOUBLE = _in_precision(
    np.float64,
    TurnConstants(
        per_quarter=0.6366197723675814,
        rounder=1.5 * 2.0**52,
        quarter=(1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21),
        farthest=0.83,
        sine=(
            -0.16666666666666538,
            0.00833333333330409,
            -0.00019841269817438194,
            2.7557309929242395e-06,
            -2.505022891921662e-08,
            1.586879217325714e-10,
        ),
        cosine=(
            1.0,
            -0.5,
            0.04166666666666632,
            -0.0013888888888845543,
            2.4801587275825933e-05,
            -2.7557311034704907e-07,
            2.0875325865032274e-09,
            -1.1341020689644171e-11,
        ),
    ),
)


def exp_constants(x: Any) -> ExpConstants:
    """The constants in the precision of ``x``; chosen when the caller is compiled."""
    return EXP_SINGLE if isinstance(x, np.float32) else EXP_DOUBLE


def turn_constants(x: Any) -> TurnConstants:
    """The constants in the precision of ``x``; chosen when the caller is compiled."""
    return TURN_SINGLE if isinstance(x, np.float32) else TURN_DOUBLE


@overload(exp_constants, jit_options=EXACT, strict=False)
def _exp_constants(x: Any) -> Any:
    if x == types.float32:
        return lambda x: EXP_SINGLE
    return (lambda x: EXP_DOUBLE) if x == types.float64 else None


@overload(turn_constants, jit_options=EXACT, strict=False)
def _turn_constants(x: Any) -> Any:
    if x == types.float32:
        return lambda x: TURN_SINGLE
    return (lambda x: TURN_DOUBLE) if x == types.float64 else None


def _bits(real: Any) -> tuple[ir.IntType, int]:
    """The integer type as wide as a float type, and the number of its mantissa bits."""
    return (ir.IntType(32), 23) if real == types.float32 else (ir.IntType(64), 52)


@intrinsic
def polynomial(typing: Any, x: Any, coefficients: Any) -> Any:
    """``c[0] + c[1] x + c[2] x^2 + ...`` by Horner's rule, written out."""

    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        point, series = values
        *rest, total = [builder.extract_value(series, i) for i in range(len(coefficients))]
        for term in reversed(rest):
            total = builder.fadd(builder.fmul(total, point), term)
        return total

    return x(x, coefficients), code


@intrinsic
def choose(typing: Any, condition: Any, yes: Any, no: Any) -> Any:
    """``yes if condition else no`` without a branch."""

    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.select(*values)

    return yes(types.boolean, yes, yes), code


@intrinsic
def add_exponent(typing: Any, mantissa: Any, rounded: Any) -> Any:
    """``mantissa * 2^n``; ``rounded`` is ``n`` plus the rounder, so its low bits are ``n``."""
    integer, width = _bits(mantissa)

    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        number, n = (builder.bitcast(value, integer) for value in values)
        total = builder.add(number, builder.shl(n, ir.Constant(integer, width)))
        return builder.bitcast(total, values[0].type)

    return mantissa(mantissa, mantissa), code


@intrinsic
def to_bits(typing: Any, value: Any) -> Any:
    """The bits of a float as an integer. Of numbers that are not negative, the order is the same."""
    integer, _ = _bits(value)

    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.bitcast(values[0], integer)

    return (types.int32 if value == types.float32 else types.int64)(value), code


@intrinsic
def from_bits(typing: Any, bits: Any, like: Any) -> Any:
    """The float, of the type of ``like``, that has these bits."""

    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.bitcast(values[0], context.get_value_type(like))

    return like(types.int32 if like == types.float32 else types.int64, like), code


@intrinsic
def is_odd(typing: Any, rounded: Any) -> Any:
    """Whether the integer in the low bits of a rounded number is odd."""
    integer, _ = _bits(rounded)

    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.trunc(builder.bitcast(values[0], integer), ir.IntType(1))

    return types.boolean(rounded), code


@intrinsic
def sign_of_quarter(typing: Any, value: Any, rounded: Any, ahead: Any) -> Any:
    """``value``, negated where the quarter turn ``rounded + ahead`` is 2 or 3 modulo 4."""
    integer, _ = _bits(value)

    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        number, quarter = (builder.bitcast(v, integer) for v in values[:2])
        steps = context.cast(builder, values[2], ahead, types.Integer.from_bitwidth(integer.width))
        quarter = builder.and_(builder.add(quarter, steps), ir.Constant(integer, 2))
        sign = builder.shl(quarter, ir.Constant(integer, integer.width - 2))
        return builder.bitcast(builder.xor(number, sign), values[0].type)

    return value(value, value, ahead), code


@numba.njit(forceinline=True, **EXACT)
def fast_exp(x: Any) -> Any:
    """exp of a float32 (relative error 1.2e-7) or a float64 (3e-16), in the same precision."""
    k = exp_constants(x)
    rounded = x * k.per_ln2 + k.rounder
    n = rounded - k.rounder
    rest = (x - n * k.ln2[0]) - n * k.ln2[1]
    value = add_exponent(polynomial(rest, k.series), rounded)
    value = choose(x < k.lowest, k.zero, value)
    return choose(x > k.highest, k.infinity, value)


@numba.njit(forceinline=True, **EXACT)
def fast_sincos(x: Any) -> Any:
    """(sin, cos) of a float32 or a float64; any finite argument gives numbers in [-1, 1]."""
    k = turn_constants(x)
    rounded = x * k.per_quarter + k.rounder
    j = rounded - k.rounder
    rest = ((x - j * k.quarter[0]) - j * k.quarter[1]) - j * k.quarter[2]
    # Where x is too large to be reduced, the rest is noise: keep it where the polynomials hold.
    rest = choose(rest > k.farthest, k.farthest, rest)
    rest = choose(rest < -k.farthest, -k.farthest, rest)
    square = rest * rest
    sine = rest + rest * (square * polynomial(square, k.sine))
    cosine = polynomial(square, k.cosine)
    odd = is_odd(rounded)
    first = sign_of_quarter(choose(odd, cosine, sine), rounded, 0)
    second = sign_of_quarter(choose(odd, sine, cosine), rounded, 1)
    return first, second


@jit
def exp_inplace(values: Any) -> None:
    """Replace every number of a contiguous 1-D array by its exponential."""
    for i in range(values.shape[0]):
        values[i] = fast_exp(values[i])
