"""Parse decimal numbers from bytes: exactly in compiled code, or left to Python (`as_floats`)."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import numpy as np

from labelspan.jit import inner_kernel

# Powers of ten that float64 holds exactly: with a mantissa below 2**53 one product or one
# quotient then rounds correctly (Clinger 1990), so the value equals Python's float().
POWERS = 10.0 ** np.arange(23)
MAX_MANTISSA = 2**53
# Digits that fit into a mantissa, zeros at the start among them, and the largest one to divide.
MAX_DIGITS, MAX_DIVIDED = 19, np.uint64(10**18)
# Dekker's constant splits a float64 into two halves whose products are exact.
SPLITTER = 2.0**27 + 1.0
# A quotient this close to a tie between two floats, in units in the last place, is not trusted.
TIE_MARGIN = 1e-6
NONE, ONE, TEN = np.uint64(0), np.uint64(1), np.uint64(10)
ZERO_BYTE = np.uint8(48)


@inner_kernel
def two_product(a, b):  # type: ignore[no-untyped-def]
    """Return a product and its rounding error, exactly (Dekker 1971)."""
    product = a * b
    scaled = SPLITTER * a
    a_high = scaled - (scaled - a)
    scaled = SPLITTER * b
    b_high = scaled - (scaled - b)
    a_low, b_low = a - a_high, b - b_high
    return product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


@inner_kernel
def divide(mantissa, power):  # type: ignore[no-untyped-def]
    """Divide a mantissa of 54 to 60 bits by a power of ten, rounded once; NaN if not certain.

    The quotient is a sum of two floats, of 100 bits; it may be too near the middle of two floats.
    """
    high = np.float64(mantissa)
    low = np.float64(mantissa - np.int64(high))
    quotient = high / power
    product, error = two_product(quotient, power)
    correction = (((high - product) - error) + low) / power
    value = quotient + correction
    rest = abs((quotient - value) + correction) / np.spacing(value)
    # Just below a power of two the spacing is half as large, which moves the tie.
    if abs(rest - 0.5) < TIE_MARGIN or abs(rest - 0.25) < TIE_MARGIN:
        return np.nan
    return value


@inner_kernel
def quick_digits(text, pos, mantissa):  # type: ignore[no-untyped-def]
    """Read digits up to another byte; `pos` is unsigned, as numba tests signed ones for < 0."""
    digit = np.uint8(text[pos] - ZERO_BYTE)
    while digit <= 9:
        mantissa = mantissa * TEN + np.uint64(digit)
        pos += ONE
        digit = np.uint8(text[pos] - ZERO_BYTE)
    return pos, mantissa


@inner_kernel
def quick_quotient(mantissa, n_digits, n_decimals):  # type: ignore[no-untyped-def]
    """Value of a mantissa, rounded once; NaN if that is not certain.

    numba does not inline functions with a division, and calling one that takes arrays costs more.
    """
    if n_digits < ONE or n_digits > MAX_DIGITS or mantissa > MAX_DIVIDED:
        return np.nan
    if mantissa <= MAX_MANTISSA:
        return np.float64(np.int64(mantissa)) / POWERS[n_decimals]
    return divide(np.int64(mantissa), POWERS[n_decimals])


@inner_kernel
def quick_number(text, pos):  # type: ignore[no-untyped-def]
    """``-12.5`` up to the first other byte, such as a line end; NaN unless it is that simple."""
    negative = text[pos] == 45
    start = pos + ONE if negative else pos
    pos, mantissa = quick_digits(text, start, NONE)
    n_digits, n_decimals = pos - start, NONE
    if text[pos] == 46:
        start = pos + ONE
        pos, mantissa = quick_digits(text, start, mantissa)
        n_decimals = pos - start
        n_digits += n_decimals
    value = quick_quotient(mantissa, n_digits, n_decimals)
    return pos, -value if negative else value


def as_floats(tokens: Sequence[bytes]) -> np.ndarray:
    """Numbers by Python's parser; NaN for what is no finite number or has an underscore."""
    values = np.full(len(tokens), np.nan)
    for i, token in enumerate(tokens):
        if b"_" not in token:
            with suppress(ValueError):
                values[i] = float(token)
    return np.where(np.isfinite(values), values, np.nan)
