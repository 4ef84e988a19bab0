"""The report: numbers as people read them. A minus is a minus sign, thousands have commas, None is a dash."""

from __future__ import annotations

import math

NOTHING = "–"


def plain(value: float, decimals: int, *, signed: bool = False) -> str:
    """The number with so many decimals.

    >>> plain(-1234.5, 1), plain(0.25, 1, signed=True)
    ('−1,234.5', '+0.2')
    """
    if not math.isfinite(value):
        return {math.inf: "∞", -math.inf: "−∞"}.get(value, NOTHING)
    text = f"{value:+,.{decimals}f}" if signed else f"{value:,.{decimals}f}"
    if float(text.replace(",", "")) == 0.0:  # no signed zeros
        text = text.lstrip("+-")
    return text.replace("-", "−")


def decimals_for(*values: float | None, digits: int = 4, most: int = 4) -> int:
    """Decimals that give the largest of the values so many significant digits.

    >>> decimals_for(0.0123, 0.5), decimals_for(96.7), decimals_for(12345.0)
    (4, 2, 0)
    """
    known = [abs(v) for v in values if v is not None and math.isfinite(v) and v != 0]
    if not known:
        return 0
    return min(max(digits - 1 - math.floor(math.log10(max(known))), 0), most)


def rounded(value: float | None, digits: int = 3, *, signed: bool = False) -> str:
    """About so many significant digits, never in powers of ten.

    >>> rounded(0.01234), rounded(95.31), rounded(8281.4), rounded(-3.14159, 2, signed=True)
    ('0.0123', '95.3', '8,281', '−3.1')
    """
    if value is None:
        return NOTHING
    return plain(value, decimals_for(value, digits=digits), signed=signed)


def counted(value: float | None) -> str:
    """A mean of counts: whole where it is, or is large.

    >>> counted(400.0), counted(1350.4), counted(12.25)
    ('400', '1,350', '12.2')
    """
    if value is None:
        return NOTHING
    return plain(value, 0) if value >= 100 or value % 1 == 0 else rounded(value)
